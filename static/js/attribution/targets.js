// The sentences, or the pieces of evidence, of one item: what is said of them and which of them is
// current. Only the current one is a tab stop (roving tabindex).
import { read, written } from "./states.js";

export class Targets {
  #answers; // criterion -> [{value, sequence}], by target

  // criteria: what is asked of each; name: of one of them; stateOf(values): what the page shows of
  // those answers, by criterion; wordsOf(state): that state in words. onShow(index) after a state
  // has changed; onCurrent(index) after another one became current.
  constructor({ criteria, name, elements, stateOf, wordsOf, onShow, onCurrent = () => {} }) {
    Object.assign(this, { criteria, name, elements, stateOf, wordsOf, onShow, onCurrent });
    this.#answers = Object.fromEntries(
      criteria.map((criterion) => [
        criterion,
        elements.map((element) => ({
          value: read(element.dataset[criterion]),
          sequence: Number(element.dataset[`${criterion}Sequence`] ?? 0),
        })),
      ]),
    );
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
    return this.elements.filter((_, index) => this.state(index) !== null).length;
  }

  state(index) {
    return this.stateOf(Object.fromEntries(this.criteria.map((each) => [each, this.#answers[each][index].value])));
  }

  // Put an answer in place if it is newer than what the page shows.
  accept(criterion, index, value, sequence) {
    const answer = this.#answers[criterion][index];
    if (!answer || sequence <= answer.sequence) return false;
    Object.assign(answer, { value, sequence });
    this.#show(index);
    return true;
  }

  // One answer as the frame takes it (static/js/judging/frame.js).
  entry(criterion, index) {
    const answer = this.#answers[criterion]?.[index];
    if (!answer) return undefined;
    return {
      criterion,
      target: index,
      value: answer.value,
      text: "",
      accept: (value, sequence) => this.accept(criterion, index, value, sequence),
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
    // Where it and its toolbar do not fit into the window, its beginning does.
    if (element.getBoundingClientRect().top < 0) element.scrollIntoView({ block: "start" });
  }

  move(step) {
    if (this.length) this.focus(Math.min(Math.max(this.current + step, 0), this.length - 1));
  }

  // The indices without an answer, those after the current one first.
  missing() {
    const open = [...this.elements.keys()].filter((index) => this.state(index) === null);
    return [...open.filter((index) => index > this.current), ...open.filter((index) => index <= this.current)];
  }

  // "sentence 3 of 7, not attributable"
  words(index) {
    return `${this.name} ${index + 1} of ${this.length}, ${this.wordsOf(this.state(index))}`;
  }

  #show(index) {
    const element = this.elements[index];
    const state = this.state(index);
    element.dataset.value = written(state);
    element.querySelector("[data-says]").textContent = ` (${this.wordsOf(state)})`;
    this.onShow(index);
  }
}
