// Two passages side by side: what differs, word by word, on demand; the two aligned by sentence and
// scrolled together, or each by itself; long stretches that are the same, folded. How they are shown
// is remembered in this browser, so that it stays from item to item.

import { store, stored } from "./kept.js";

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
      const kept = stored(CHOSEN + name);
      if (kept && kept !== button.getAttribute("aria-pressed")) this.#show(name, kept === "true");
    }
  }

  toggle(name) {
    const is = this.buttons.get(name).getAttribute("aria-pressed") !== "true";
    store(CHOSEN + name, String(is));
    this.#show(name, is);
  }

  #show(name, is) {
    this.buttons.get(name).setAttribute("aria-pressed", String(is));
    if (name === "differences") this.#mark(is);
    else this.#together(is);
  }

  #mark(is) {
    for (const marked of this.element.querySelectorAll(".marked")) {
      marked.hidden = !is;
      marked.previousElementSibling.hidden = is;
    }
  }

  // Apart, each side is a box of its own that scrolls, and so a tab stop.
  #together(is) {
    this.element.classList.toggle("together", is);
    this.element.classList.toggle("apart", !is);
    for (const side of this.element.querySelectorAll(".side")) {
      if (is) side.removeAttribute("tabindex");
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
