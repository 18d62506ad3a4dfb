// The radio buttons that answer for the current sentence. Arrows move the focus and choose nothing,
// as in a toolbar, so that no wrong answer is given in passing.
import { parseState } from "../judging/states.js";

export class AnswerButtons {
  // choose(state) is called with a button's state.
  constructor(group, choose) {
    this.group = group;
    this.radios = [...group.querySelectorAll("[role=radio]")];
    for (const radio of this.radios) {
      radio.addEventListener("click", () => choose(parseState(radio.dataset.set)));
      radio.addEventListener("keydown", (event) => this.#move(event, radio));
    }
  }

  // [[state, words], ...], in the buttons' order.
  get states() {
    return this.radios.map((radio) => [parseState(radio.dataset.set), radio.dataset.words]);
  }

  disable() {
    for (const radio of this.radios) radio.disabled = true;
  }

  show(state) {
    const chosen = this.radios.find((radio) => parseState(radio.dataset.set) === state);
    for (const radio of this.radios) {
      radio.setAttribute("aria-checked", String(radio === chosen));
      radio.tabIndex = radio === (chosen ?? this.radios[0]) ? 0 : -1;
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
