// The sentences, or the evidence, of one item: their answers, and which of them is current. Only the
// current one is a tab stop (roving tabindex).
import { reveal } from "../judging/panes.js";
import { formatState, parseState } from "../judging/states.js";

// One question about one target, as judging/judging_page.js takes it.
class Entry {
  text = "";

  constructor(targets, criterion, target) {
    const { dataset } = targets.elements[target];
    Object.assign(this, { targets, criterion, target });
    this.value = parseState(dataset[criterion]);
    this.sequence = Number(dataset[`${criterion}Sequence`] ?? 0);
  }

  accept(value, sequence) {
    if (sequence <= this.sequence) return false;
    Object.assign(this, { value, sequence });
    this.targets.show(this.target);
    return true;
  }

  words() {
    return this.targets.words(this.target);
  }

  focus() {
    this.targets.focus(this.target);
  }

  mark(isMissing) {
    this.targets.elements[this.target].classList.toggle("missing", isMissing);
  }
}

export class Targets {
  #entries; // criterion -> entries by target

  // criteria: the questions about each; name: "sentence"; stateOf(values): the state of a target,
  // from its values by criterion; wordsOf(state); onShow(index): after a state changed;
  // onCurrent(index): after another target became current.
  constructor({ criteria, name, elements, stateOf, wordsOf, onShow, onCurrent = () => {} }) {
    Object.assign(this, { criteria, name, elements, stateOf, wordsOf, onShow, onCurrent });
    this.#entries = Object.fromEntries(
      criteria.map((criterion) => [criterion, elements.map((_, index) => new Entry(this, criterion, index))]),
    );
    this.current = 0;
    elements.forEach((element, index) => {
      element.addEventListener("focusin", () => this.choose(index));
      this.show(index);
    });
    if (elements.length) this.choose(0);
  }

  get length() {
    return this.elements.length;
  }

  get answered() {
    return this.elements.filter((_, index) => this.state(index) !== null).length;
  }

  // Undefined where there is none.
  entry(criterion, index) {
    return this.#entries[criterion]?.[index];
  }

  state(index) {
    return this.stateOf(Object.fromEntries(this.criteria.map((each) => [each, this.#entries[each][index].value])));
  }

  choose(index) {
    this.elements[this.current].classList.remove("here");
    this.elements[this.current].tabIndex = -1;
    this.current = index;
    this.elements[index].classList.add("here");
    this.elements[index].tabIndex = 0;
    this.onCurrent(index);
  }

  // Make it current and bring it into view.
  focus(index) {
    if (!(index in this.elements)) return;
    this.elements[index].focus({ preventScroll: true });
    this.reveal(index);
  }

  reveal(index = this.current) {
    if (index in this.elements) reveal(this.elements[index]);
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

  show(index) {
    const element = this.elements[index];
    const state = this.state(index);
    element.dataset.value = formatState(state);
    element.querySelector("[data-state-words]").textContent = ` (${this.wordsOf(state)})`;
    this.onShow(index);
  }
}
