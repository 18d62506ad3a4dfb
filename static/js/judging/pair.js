// Two passages next to each other: differences by word, on demand; aligned by sentence and scrolled
// together, or scrolled separately; long equal stretches, folded. This browser stores the choices.
import { loadText, storeText } from "../storage.js";

const CHOSEN = "rarrweb-pair-";

export class Pair {
  constructor(element) {
    this.element = element;
    this.buttons = new Map([...document.querySelectorAll("[data-toggle]")].map((each) => [each.dataset.toggle, each]));
    for (const [name, button] of this.buttons) button.addEventListener("click", () => this.toggle(name));
    for (const row of element.querySelectorAll("[data-row]")) row.style.setProperty("--row", row.dataset.row);
    for (const button of element.querySelectorAll("[data-fold]")) {
      button.addEventListener("click", () => this.#fold(button));
    }
    element.classList.add("together");
    for (const [name, button] of this.buttons) {
      const chosen = loadText(CHOSEN + name);
      if (chosen && chosen !== button.getAttribute("aria-pressed")) this.#show(name, chosen === "true");
    }
  }

  toggle(name) {
    const isOn = this.buttons.get(name).getAttribute("aria-pressed") !== "true";
    storeText(CHOSEN + name, String(isOn));
    this.#show(name, isOn);
  }

  #show(name, isOn) {
    this.buttons.get(name).setAttribute("aria-pressed", String(isOn));
    if (name === "differences") this.#mark(isOn);
    else this.#scrollTogether(isOn);
  }

  #mark(isOn) {
    for (const marked of this.element.querySelectorAll(".marked")) {
      marked.hidden = !isOn;
      marked.previousElementSibling.hidden = isOn;
    }
  }

  // Apart, each side scrolls by itself, and so is a tab stop.
  #scrollTogether(isOn) {
    this.element.classList.toggle("together", isOn);
    this.element.classList.toggle("apart", !isOn);
    for (const side of this.element.querySelectorAll(".side")) {
      if (isOn) side.removeAttribute("tabindex");
      else side.tabIndex = 0;
    }
  }

  #fold(button) {
    const isFolded = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isFolded));
    button.textContent = button.dataset[isFolded ? "show" : "hide"];
    for (const half of this.element.querySelectorAll(`[data-run="${button.dataset.fold}"]`)) half.hidden = isFolded;
  }
}
