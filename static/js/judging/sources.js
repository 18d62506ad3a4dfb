// The evidence, to read. Only the current piece is a tab stop.

import { reveal } from "./panes.js";

export class Sources {
  constructor() {
    this.elements = [...document.querySelectorAll("article.evidence")];
    this.current = 0;
    this.elements.forEach((element, index) => {
      element.addEventListener("focusin", () => this.#choose(index));
      element.addEventListener("pointerdown", () => this.#choose(index));
    });
    for (const link of document.querySelectorAll("[data-to-evidence]")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.#focus(this.elements.findIndex((each) => each.id === `evidence-${link.dataset.toEvidence}`));
      });
    }
    if (this.elements.length) this.#choose(0);
  }

  move(step) {
    this.#focus(Math.min(Math.max(this.current + step, 0), this.elements.length - 1));
  }

  #focus(index) {
    if (!(index in this.elements)) return;
    this.elements[index].focus({ preventScroll: true });
    reveal(this.elements[index]);
  }

  #choose(index) {
    this.elements[this.current].classList.remove("here");
    this.elements[this.current].tabIndex = -1;
    this.current = index;
    this.elements[index].classList.add("here");
    this.elements[index].tabIndex = 0;
  }
}
