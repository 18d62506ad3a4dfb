// A page of questions: each is a fieldset with radio buttons, in the page's order.
import { find, findAll } from "../dom.js";
import { JudgingPage } from "./judging_page.js";
import { liesIn } from "./panes.js";
import { Sources } from "./sources.js";
import { parseState } from "./states.js";

class Question {
  constructor(element, index) {
    Object.assign(this, { element, index, text: "" });
    this.criterion = element.dataset.criterion;
    this.target = Number(element.dataset.target);
    this.isRequired = "required" in element.dataset;
    this.sequence = Number(element.dataset.sequence);
    this.radios = [...element.querySelectorAll("input[type=radio]")];
    this.value = parseState(this.radios.find((radio) => radio.defaultChecked)?.value);
    this.#show(); // a browser that restores forms may show something else
  }

  // The levels, in the page's order.
  get levels() {
    return this.radios.map((radio) => parseState(radio.value));
  }

  get name() {
    return this.element.dataset.name ?? this.element.querySelector("legend").textContent.trim();
  }

  accept(value, sequence) {
    if (sequence <= this.sequence) return false;
    this.sequence = sequence;
    this.value = value;
    this.#show();
    return true;
  }

  words() {
    const radio = this.radios.find((each) => each.checked);
    const label = radio?.closest("label").querySelector("[data-label]");
    const answer = label ? label.textContent : this.element.dataset.unset;
    return [this.part(), this.name, answer].filter(Boolean).join(": ");
  }

  // "Part 2 of 5", where the question is about a part.
  part() {
    return this.element.closest(".part")?.querySelector("h2").textContent.trim() ?? "";
  }

  focus() {
    const radio = this.radios.find((each) => each.checked) ?? this.radios[0];
    radio.focus({ preventScroll: true });
    this.reveal();
  }

  // With all of its part. Where that does not fit, the statement sticks above the question, or the
  // question sticks below the whole text.
  reveal() {
    const part = this.element.closest(".part");
    if (!part) return;
    const pane = part.closest(".scroll");
    if (part.offsetHeight <= pane.clientHeight) part.scrollIntoView({ block: "nearest" });
    else if (!part.matches(".whole")) this.element.scrollIntoView({ block: "end" });
    else if (!liesIn(this.element, pane)) part.scrollIntoView({ block: "start" });
  }

  mark(isMissing) {
    this.element.classList.toggle("missing", isMissing);
  }

  #show() {
    const hadFocus = this.radios.includes(document.activeElement);
    for (const radio of this.radios) radio.checked = parseState(radio.value) === this.value;
    if (hadFocus) this.radios.find((radio) => radio.checked)?.focus({ preventScroll: true });
  }
}

const questions = findAll("fieldset.question").map((element, index) => new Question(element, index));
let current = 0;

function choose(index) {
  questions[current]?.element.classList.remove("here");
  current = index;
  questions[index].element.classList.add("here");
}

const missing = () => {
  const open = questions.filter((question) => question.isRequired && question.value === null);
  return [...open.filter((each) => each.index > current), ...open.filter((each) => each.index <= current)];
};

// All that is open, part by part: "Part 1 of 3: “Informative”, “Attributable” are not judged. Part 2 …"
function gapWords(open) {
  const parts = new Map();
  for (const question of [...open].sort((a, b) => a.index - b.index)) {
    parts.set(question.part(), [...(parts.get(question.part()) ?? []), question]);
  }
  return [...parts].map(([part, group]) => {
    const { unset } = group[0].element.dataset;
    if (!part) return `“${group[0].name}” is ${unset}.`;
    const names = group.map((each) => `“${each.name}”`).join(", ");
    return `${part}: ${names} ${group.length === 1 ? "is" : "are"} ${unset}.`;
  }).join(" ");
}

function showCounts() {
  const required = questions.filter((question) => question.isRequired);
  const answered = required.filter((question) => question.value !== null).length;
  find("#counts").textContent = `${answered} of ${required.length} answered`;
}

const sources = new Sources();
const move = (step) => () => questions[Math.min(Math.max(current + step, 0), questions.length - 1)]?.focus();

const press = (number) => () => {
  const question = questions[current];
  if (!question || number > question.levels.length) return;
  question.reveal();
  page.judge([question, question.levels[number - 1]]);
  page.moveOn();
};

// From a question to the sources, and back.
function jump() {
  if (document.activeElement?.closest(".evidence-pane") || !sources.elements.length) questions[current]?.focus();
  else sources.move(0);
}

const page = new JudgingPage({
  entry: (criterion, target) =>
    questions.find((question) => question.criterion === criterion && question.target === target),
  missing,
  firstGap: (open) => open.reduce((a, b) => (a.index < b.index ? a : b)),
  gapWords,
  onChange: showCounts,
  home: () => questions[current]?.focus(),
  reveal: () => questions[current]?.reveal(),
  single: {
    ArrowDown: move(1),
    ArrowUp: move(-1),
    j: move(1),
    k: move(-1),
    ...Object.fromEntries([1, 2, 3, 4, 5].map((number) => [number, press(number)])),
    0: () => questions[current] && page.judge([questions[current], null]),
    "[": () => sources.move(-1),
    "]": () => sources.move(1),
    e: jump,
  },
});

for (const question of questions) {
  question.element.addEventListener("focusin", () => choose(question.index));
  question.element.addEventListener("pointerdown", () => choose(question.index));
  for (const radio of question.radios) {
    // A click on the chosen answer takes it back, unless the item is submitted.
    radio.addEventListener("click", () => {
      const value = parseState(radio.value);
      page.judge([question, value === question.value && !page.isSubmitted ? null : value]);
    });
    // Left and right choose within a group, as everywhere; up and down move between questions.
    radio.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") event.preventDefault();
    });
  }
}
if (questions.length) choose(0);

page.start();
