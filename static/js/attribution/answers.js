// The radio buttons that answer for the current sentence. Arrows move the focus and choose nothing,
// as in a toolbar, so that nobody passes through a wrong answer.
import { read } from "./states.js";

export class Answers {
  // choose(state) is called with what a button says.
  constructor(group, choose) {
    this.group = group;
    this.radios = [...group.querySelectorAll("[role=radio]")];
    for (const radio of this.radios) {
      radio.addEventListener("click", () => choose(read(radio.dataset.set)));
      radio.addEventListener("keydown", (event) => this.#move(event, radio));
    }
  }

  // What the buttons say, in their order: [[state, words], ...].
  get states() {
    return this.radios.map((radio) => [read(radio.dataset.set), radio.dataset.words]);
  }

  disable() {
    for (const radio of this.radios) radio.disabled = true;
  }

  show(state) {
    for (const radio of this.radios) {
      const chosen = read(radio.dataset.set) === state;
      radio.setAttribute("aria-checked", String(chosen));
      radio.tabIndex = chosen ? 0 : -1;
    }
  }

  #move(event, radio) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.altKey) return;
    event.preventDefault();
    const direction = getComputedStyle(this.group).direction === "rtl" ? -step : step;
    this.radios[(this.radios.indexOf(radio) + direction + this.radios.length) % this.radios.length].focus();
  }
}
