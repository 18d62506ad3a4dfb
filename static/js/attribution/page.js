// The page that judges attribution: sentences to click, a radio group for the current one, and
// evidence to rate. What is around them is the frame's.
import { Frame, find, findAll, isOpen } from "../judging/frame.js";
import { onRealClick } from "./clicks.js";
import { following, read, toggled } from "./states.js";
import { Targets } from "./targets.js";

const radios = findAll("[role=radio]");
const sentences = new Targets({
  criterion: "attributable",
  noun: "sentence",
  elements: findAll(".s"),
  onShow: () => queueMicrotask(showCurrent),
  onCurrent: () => queueMicrotask(showCurrent),
});
const evidence = new Targets({
  criterion: "useful",
  noun: "evidence",
  elements: findAll("article.evidence"),
  onShow: (index) => queueMicrotask(() => showPressed(index)),
});
const boards = { attributable: sentences, useful: evidence };

function showCurrent() {
  find("#current-sentence").textContent = `Sentence ${sentences.current + 1} of ${sentences.length}`;
  const value = sentences.value(sentences.current);
  for (const radio of radios) {
    const chosen = read(radio.dataset.set) === value;
    radio.setAttribute("aria-checked", String(chosen));
    radio.tabIndex = chosen ? 0 : -1;
  }
  showCounts();
}

function showPressed(index) {
  for (const button of evidence.elements[index].querySelectorAll("[data-set]")) {
    const pressed = read(button.dataset.set) === evidence.value(index);
    button.setAttribute("aria-pressed", String(pressed));
  }
  showCounts();
}

function showCounts() {
  const rated = evidence.length ? ` · ${evidence.answered} of ${evidence.length} evidence` : "";
  find("#counts").textContent = `${sentences.answered} of ${sentences.length} sentences${rated}`;
}

function gapWords(missing) {
  const list = missing.map(({ target }) => target + 1).sort((a, b) => a - b).join(", ");
  return missing.length === 1 ? `Sentence ${list} is not judged.` : `Sentences ${list} are not judged.`;
}

const rate = (value) => () => {
  if (!evidence.length) return;
  judge(evidence, evidence.current, toggled(evidence.value(evidence.current), value));
};
const set = (value) => () => judge(sentences, sentences.current, value);
const move = (board, direction) => () => board.move(direction);
const frame = new Frame({
  entry: (criterion, target) => boards[criterion]?.entry(target),
  missing: () => sentences.missing().map((index) => sentences.entry(index)),
  firstGap: (missing) => missing.reduce((a, b) => (a.target < b.target ? a : b)),
  gapWords,
  home: () => sentences.focus(sentences.current),
  single: {
    ArrowDown: move(sentences, 1),
    ArrowUp: move(sentences, -1),
    j: move(sentences, 1),
    k: move(sentences, -1),
    1: set(1),
    2: set(0),
    0: set(null),
    " ": () => cycle(sentences.current),
    "[": move(evidence, -1),
    "]": move(evidence, 1),
    u: rate(1),
    n: rate(0),
  },
});

function judge(board, index, value) {
  frame.judge(board.entry(index), value);
}

// ---- Mouse and touch ----------------------------------------------------------------------
const cycle = (index) => judge(sentences, index, following(sentences.value(index)));

sentences.elements.forEach((element, index) => {
  onRealClick(element, () => cycle(index));
  element.addEventListener("keydown", (event) => {
    if ((event.key !== " " && event.key !== "Enter") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!event.repeat) cycle(index);
  });
});
for (const radio of radios) {
  radio.disabled = !isOpen;
  radio.addEventListener("click", () => judge(sentences, sentences.current, read(radio.dataset.set)));
  // As in a toolbar: arrows move the focus and choose nothing, so nobody passes a wrong state.
  radio.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move || event.altKey) return;
    event.preventDefault();
    radios[(radios.indexOf(radio) + move + radios.length) % radios.length].focus();
  });
}
evidence.elements.forEach((element, index) => {
  element.addEventListener("pointerdown", () => evidence.choose(index));
  for (const button of element.querySelectorAll("[data-set]")) {
    button.disabled = !isOpen;
    button.addEventListener("click", () => {
      judge(evidence, index, toggled(evidence.value(index), read(button.dataset.set)));
    });
  }
});

frame.start();
