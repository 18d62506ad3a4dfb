// The page that judges attribution: sentences to click, a radio group for the current one, and
// evidence to rate.
import { find, findAll } from "../dom.js";
import { JudgingPage, isOpen } from "../judging/judging_page.js";
import { UNCLEAR, parseState } from "../judging/states.js";
import { AnswerButtons } from "./answer_buttons.js";
import { onRealClick } from "./clicks.js";
import { Targets } from "./targets.js";
import { positionToolbar } from "./toolbar_position.js";

const elements = findAll(".s");
const isTwoStaged = elements.some((element) => "interpretable" in element.dataset);
const RATINGS = { 1: "useful", 0: "not useful", null: "not rated" };

const toolbar = new AnswerButtons(find(".bar [role=radiogroup]"), (state) => judge(sentences.current, state));
const words = new Map(toolbar.states);
const levels = toolbar.states.map(([state]) => state).filter((state) => typeof state === "number");

const sentences = new Targets({
  criteria: isTwoStaged ? ["interpretable", "attributable"] : ["attributable"],
  name: "sentence",
  elements,
  stateOf({ interpretable, attributable }) {
    if (interpretable === 0) return UNCLEAR;
    return isTwoStaged && interpretable === null ? null : attributable;
  },
  wordsOf: (state) => words.get(state),
  onShow: () => queueMicrotask(showCurrent),
  onCurrent: () => queueMicrotask(showCurrent),
});
const evidence = new Targets({
  criteria: ["useful"],
  name: "evidence",
  elements: findAll("article.evidence"),
  stateOf: ({ useful }) => useful,
  wordsOf: (state) => RATINGS[state],
  onShow: (index) => queueMicrotask(() => showPressed(index)),
});
const groups = { interpretable: sentences, attributable: sentences, useful: evidence };
const moveToolbar = positionToolbar(find(".passage"), () => elements[sentences.current]);

function showCurrent() {
  const index = sentences.current;
  find("#current-sentence").textContent = `Sentence ${index + 1} of ${sentences.length}`;
  find("#current-words").textContent = elements[index].querySelector("[data-text]").textContent;
  toolbar.show(sentences.state(index));
  moveToolbar();
  showCounts();
}

function showPressed(index) {
  for (const button of evidence.elements[index].querySelectorAll("[data-set]")) {
    const pressed = parseState(button.dataset.set) === evidence.state(index);
    button.setAttribute("aria-pressed", String(pressed));
  }
  showCounts();
}

function showCounts() {
  const counts = [
    `${sentences.answered} of ${sentences.length} sentences`,
    evidence.length && `${evidence.answered} of ${evidence.length} evidence`,
  ];
  find("#counts").textContent = counts.filter(Boolean).join(" · ");
}

function gapWords(missing) {
  const numbers = missing.map(({ target }) => target + 1).sort((a, b) => a - b).join(", ");
  return missing.length === 1 ? `Sentence ${numbers} is not judged.` : `Sentences ${numbers} are not judged.`;
}

const page = new JudgingPage({
  entry: (criterion, target) => groups[criterion]?.entry(criterion, target),
  missing: () => sentences.missing().map((index) => sentences.entry("attributable", index)),
  firstGap: (missing) => missing.reduce((a, b) => (a.target < b.target ? a : b)),
  gapWords,
  home: () => sentences.focus(sentences.current),
  isSingle: sentences.length === 1 && !evidence.length, // else there is evidence to rate
  single: {
    ArrowDown: () => sentences.move(1),
    ArrowUp: () => sentences.move(-1),
    j: () => sentences.move(1),
    k: () => sentences.move(-1),
    1: () => answer(1),
    2: () => answer(0),
    3: () => levels.includes(2) && answer(2),
    4: () => isTwoStaged && answer(UNCLEAR),
    0: () => answer(null),
    " ": () => cycle(sentences.current),
    e: jump,
    "[": () => evidence.move(-1),
    "]": () => evidence.move(1),
    u: () => rate(evidence.current, 1),
    n: () => rate(evidence.current, 0),
  },
});

// One or two answers, as the campaign has one stage or two.
function judge(index, state) {
  const answers = [[sentences.entry("attributable", index), state === UNCLEAR ? null : state]];
  const interpretable = state === null ? null : Number(state !== UNCLEAR);
  if (isTwoStaged) answers.unshift([sentences.entry("interpretable", index), interpretable]);
  page.judge(...answers);
}

function answer(state) {
  judge(sentences.current, state);
  if (state !== null) page.moveOn({ byKey: true });
}

// A click: not judged -> yes -> no -> partly, where there is such a level -> not judged. A submitted
// item's answers cannot be cleared.
function cycle(index) {
  const states = [...(page.isSubmitted ? [] : [null]), 1, 0, ...levels.filter((level) => level > 1)];
  judge(index, states[(states.indexOf(sentences.state(index)) + 1) % states.length]);
}

// A second press of the same button takes the rating back.
function rate(index, value) {
  const entry = evidence.entry("useful", index);
  if (entry) page.judge([entry, entry.value === value ? null : value]);
}

// From a sentence to the evidence, and back.
function jump() {
  const isInEvidence = document.activeElement?.closest(".evidence-pane");
  if (isInEvidence || !evidence.length) sentences.focus(sentences.current);
  else evidence.focus(evidence.current);
}

// ---- Mouse and touch ----------------------------------------------------------------------
elements.forEach((element, index) => {
  onRealClick(element, () => cycle(index));
  element.addEventListener("keydown", (event) => {
    if ((event.key !== " " && event.key !== "Enter") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!event.repeat) cycle(index);
  });
});
evidence.elements.forEach((element, index) => {
  element.addEventListener("pointerdown", () => evidence.choose(index));
  for (const button of element.querySelectorAll("[data-set]")) {
    button.disabled = !isOpen;
    button.addEventListener("click", () => rate(index, parseState(button.dataset.set)));
  }
});
for (const button of findAll("[data-jump]")) button.addEventListener("click", jump);
// On a phone: another sentence while the evidence stays where it is.
for (const button of findAll("[data-move]")) {
  button.addEventListener("click", () => {
    const index = sentences.current + Number(button.dataset.move);
    if (index in elements) sentences.choose(index);
  });
}
if (!isOpen) toolbar.disable();

page.start();
