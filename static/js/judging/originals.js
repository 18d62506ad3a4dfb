// The original, sentence by sentence: what became of each, and the buttons that leave it out or put
// it back. One of them is current, and only its buttons are tab stops.
import { fill } from "../texts.js";
import { align, leftOut, putBack } from "./alignment.js";

const SAYS = { kept: "", changed: "changed", gone: "left out" };

export class Originals {
  #aligned = [];
  #shown = null;

  // change(edit, words): what a button does to the text, and what to say of it.
  constructor(list, { original, change }) {
    Object.assign(this, { original, change, current: 0 });
    this.rows = [...list.children];
    let at = 0;
    this.sentences = this.rows.map((row) => {
      const start = at + row.dataset.gap.length;
      at = start + row.querySelector("[data-source]").textContent.length;
      return { start, end: at };
    });
    this.rows.forEach((row, index) => {
      row.addEventListener("focusin", () => this.#choose(index));
      row.querySelector("[data-leave-out]").addEventListener("click", () => this.leaveOut(index));
      row.querySelector("[data-put-back]").addEventListener("click", () => this.putBack(index));
    });
  }

  show(text) {
    if (text === this.#shown) return;
    this.#shown = text;
    this.#aligned = align(this.original, this.sentences, text);
    this.#aligned.forEach(({ state }, index) => {
      const row = this.rows[index];
      const [leave, put] = [row.querySelector("[data-leave-out]"), row.querySelector("[data-put-back]")];
      const had = document.activeElement;
      row.dataset.state = state;
      row.querySelector("[data-state]").textContent = SAYS[state];
      row.querySelector("[data-state]").hidden = state === "kept";
      leave.hidden = state === "gone";
      put.hidden = state === "kept";
      // The button that was pressed may be gone: its other one takes the focus.
      if (had === leave && leave.hidden) put.focus();
      else if (had === put && put.hidden) leave.focus();
    });
    this.#choose(this.current);
  }

  // The sentence in which the cursor stands is the current one.
  follow(cursor) {
    const index = this.#aligned.findLastIndex(({ start, state }) => start <= cursor && state !== "gone");
    if (index !== -1) this.#choose(index);
  }

  move(step) {
    const index = Math.min(Math.max(this.current + step, 0), this.rows.length - 1);
    const button = this.rows[index].querySelector("button:not([hidden])");
    button.focus({ preventScroll: true });
    this.rows[index].scrollIntoView({ block: "nearest" });
  }

  // What the key does: leave the sentence out, or put it back where it is out.
  turn() {
    if (this.#aligned[this.current].state === "gone") this.putBack(this.current);
    else this.leaveOut(this.current);
  }

  leaveOut(index) {
    if (this.#aligned[index].state === "gone") return;
    const words = fill("sentence %(number)s left out", { number: index + 1 });
    this.change(leftOut(this.#shown, this.#aligned[index]), words);
  }

  putBack(index = this.current) {
    if (this.#aligned[index].state === "kept") return;
    const edit = putBack(this.original, this.sentences, this.#shown, this.#aligned, index);
    this.change(edit, fill("sentence %(number)s put back", { number: index + 1 }));
  }

  #choose(index) {
    this.current = index;
    this.rows.forEach((row, number) => {
      row.classList.toggle("here", number === index);
      for (const button of row.querySelectorAll("button")) button.tabIndex = number === index ? 0 : -1;
    });
  }
}
