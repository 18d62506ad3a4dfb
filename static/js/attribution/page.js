// The page that judges attribution: sentences to click, a radio group for the current one, and
// evidence to rate.
import { find, findAll } from "../dom.js";
import { JudgingPage, isOpen } from "../judging/judging_page.js";
import { UNCLEAR, parseState } from "../judging/states.js";
import { AnswerButtons } from "./answer_buttons.js";
import { onRealClick } from "./clicks.js";
import { Targets } from "./targets.js";

const elements = findAll(".s");
const isTwoStaged = elements.some((element) => "interpretable" in element.dataset);
const RATINGS = { 1: "useful", 0: "not useful", null: "not rated" };

const toolbar = new AnswerButtons(find(".answers [role=radiogroup]"), choose);
const words = new Map([...toolbar.states, [null, "not judged"]]);
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
const rated = evidence.elements.some((element) => "required" in element.dataset);

function showCurrent() {
  const index = sentences.current;
  find("#current-sentence").textContent = `Sentence ${index + 1} of ${sentences.length}`;
  toolbar.show(sentences.state(index));
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
    evidence.length && `${evidence.answered} of ${evidence.length} pieces of evidence rated`,
  ];
  find("#counts").textContent = counts.filter(Boolean).join(" · ");
}

function gapWords(missing) {
  const gaps = [[sentences, "Sentence", "Sentences", "not judged"], [evidence, "Evidence", "Evidence", "not rated"]];
  return gaps.map(([targets, one, several, state]) => {
    const numbers = missing.filter((entry) => entry.targets === targets).map(({ target }) => target + 1);
    if (!numbers.length) return "";
    const list = numbers.sort((a, b) => a - b).join(", ");
    return numbers.length === 1 ? `${one} ${list} is ${state}.` : `${several} ${list} are ${state}.`;
  }).filter(Boolean).join(" ");
}

// The sentences first, and where it is required to rate it, the evidence.
function missing() {
  const open = sentences.missing().map((index) => sentences.entry("attributable", index));
  return rated ? [...open, ...evidence.missing().map((index) => evidence.entry("useful", index))] : open;
}

const page = new JudgingPage({
  entry: (criterion, target) => groups[criterion]?.entry(criterion, target),
  missing,
  firstGap: (open) => open.filter((each) => each.targets === open[0].targets).reduce((a, b) => (a.target < b.target ? a : b)),
  gapWords,
  home: () => sentences.focus(sentences.current),
  reveal: () => sentences.reveal(),
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
    u: () => rateByKey(1),
    n: () => rateByKey(0),
  },
});

// One or two answers, as the campaign has one stage or two.
function judge(index, state) {
  const answers = [[sentences.entry("attributable", index), state === UNCLEAR ? null : state]];
  const interpretable = state === null ? null : Number(state !== UNCLEAR);
  if (isTwoStaged) answers.unshift([sentences.entry("interpretable", index), interpretable]);
  page.judge(...answers);
}

// By a button: a click on the chosen answer takes it back, unless the item is submitted.
function choose(state) {
  const isChosen = sentences.state(sentences.current) === state;
  judge(sentences.current, isChosen && !page.isSubmitted ? null : state);
}

function answer(state) {
  sentences.reveal();
  judge(sentences.current, state);
  if (state !== null) page.moveOn();
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

// The next piece of evidence without a rating follows, then the sentences.
function rateByKey(value) {
  evidence.reveal();
  rate(evidence.current, value);
  if (evidence.length && evidence.state(evidence.current) !== null) page.moveOn(evidence.entry("useful", evidence.missing()[0]));
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
// On a narrow window: another sentence while the evidence stays where it is.
for (const button of findAll("[data-move]")) {
  button.addEventListener("click", () => {
    const index = sentences.current + Number(button.dataset.move);
    if (!(index in elements)) return;
    sentences.choose(index);
    sentences.reveal();
  });
}
if (!isOpen) toolbar.disable();

page.start();
