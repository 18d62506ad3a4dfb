// The sentences, or the pieces of evidence, of one item: their states on the page and which of
// them is current. Only the current one is a tab stop (roving tabindex).
import { WORDS, asLevel, read, written } from "./states.js";

export class Targets {
  #values;
  #sequences;

  // onShow(index) after a state has changed; onCurrent(index) after another one became current.
  constructor({ criterion, noun, elements, onShow = () => {}, onCurrent = () => {} }) {
    Object.assign(this, { criterion, noun, elements, onShow, onCurrent });
    this.#values = elements.map((element) => read(element.dataset.value));
    this.#sequences = elements.map((element) => Number(element.dataset.sequence));
    this.current = 0;
    elements.forEach((element, index) => {
      element.addEventListener("focusin", () => this.choose(index));
      this.#show(index);
    });
    if (elements.length) this.choose(0);
  }

  get length() {
    return this.elements.length;
  }

  get answered() {
    return this.#values.filter((value) => value !== null).length;
  }

  value(index) {
    return this.#values[index];
  }

  // Put a state in place if it is newer than what the page shows.
  accept(index, value, sequence) {
    if (!(index in this.#values) || sequence <= this.#sequences[index]) return false;
    this.#values[index] = asLevel(value);
    this.#sequences[index] = sequence;
    this.#show(index);
    return true;
  }

  // One of them as the frame takes it (static/js/judging/frame.js).
  entry(index) {
    if (!(index in this.elements)) return undefined;
    return {
      criterion: this.criterion,
      target: index,
      value: this.#values[index],
      text: "",
      accept: (value, sequence) => this.accept(index, value, sequence),
      words: () => this.words(index),
      focus: () => this.focus(index),
      miss: (isMissing) => this.elements[index].classList.toggle("missing", isMissing),
    };
  }

  choose(index) {
    this.elements[this.current].classList.remove("here");
    this.elements[this.current].tabIndex = -1;
    this.current = index;
    this.elements[index].classList.add("here");
    this.elements[index].tabIndex = 0;
    this.onCurrent(index);
  }

  // Make it current and bring it into view; the page's scroll padding keeps it off the footer.
  focus(index) {
    if (!(index in this.elements)) return;
    const element = this.elements[index];
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  }

  move(step) {
    if (this.length) this.focus(Math.min(Math.max(this.current + step, 0), this.length - 1));
  }

  // The indices without an answer, those after the current one first.
  missing() {
    const open = [...this.#values.keys()].filter((index) => this.#values[index] === null);
    return [...open.filter((index) => index > this.current), ...open.filter((index) => index <= this.current)];
  }

  // "sentence 3 of 7, not attributable"
  words(index) {
    const state = WORDS[this.criterion][this.#values[index]];
    return `${this.noun} ${index + 1} of ${this.length}, ${state}`;
  }

  #show(index) {
    const element = this.elements[index];
    const value = this.#values[index];
    element.dataset.value = written(value);
    element.querySelector("[data-says]").textContent = ` (${WORDS[this.criterion][value]})`;
    this.onShow(index);
  }
}
