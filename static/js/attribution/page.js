// The judging page: puts sentences, evidence, comment, keys and saving together.
import { onRealClick } from "./clicks.js";
import { History } from "./history.js";
import { listen, singleKeysAreOn, switchSingleKeys } from "./keys.js";
import { Saver } from "./saver.js";
import { following, read, toggled } from "./states.js";
import { Targets } from "./targets.js";
import { Unsaved } from "./unsaved.js";

const root = document.getElementById("judging");
const find = (selector) => document.querySelector(selector);
const findAll = (selector) => [...document.querySelectorAll(selector)];
const isOpen = "open" in root.dataset;
const task = root.dataset.task;

let sequence = Number(root.dataset.sequence);
function nextSequence() {
  sequence = Math.max(sequence + 1, Date.now());
  return sequence;
}

// ---- What is on the page ------------------------------------------------------------------
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
const history = new History();

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

function showHistory() {
  find("[data-undo]").disabled = !isOpen || !history.canUndo;
  find("[data-redo]").disabled = !isOpen || !history.canRedo;
}

let saidLast = "";
function say(words) {
  // The same words again would not be read out: an invisible difference makes them new.
  saidLast = words === saidLast ? `${words}\u00a0` : words;
  find("#says").textContent = saidLast;
}

// ---- Saving -------------------------------------------------------------------------------
let changed = null; // what to say once it is saved
const clock = (iso) => new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

function showState(state, detail) {
  const chip = find("#saved");
  chip.dataset.state = state;
  find("#try-again").hidden = state !== "failed";
  if (state === "saving") {
    find("[data-chip]").textContent = "… Saving";
  } else if (state === "saved") {
    find("[data-chip]").textContent = `✓ Saved ${clock(detail.saved_at)}${detail.late ? ", late" : ""}`;
    find("#late").hidden = !detail.late;
    if ("submitted" in root.dataset && !detail.submitted) {
      delete root.dataset.submitted;
      find("#handed-in").hidden = true;
      showGaps(sentences.missing(), "You took an answer back, so this item is a draft again.");
    }
    for (const row of detail.judgments) {
      boards[row.criterion]?.accept(row.target, row.value, row.sequence);
      sequence = Math.max(sequence, row.sequence);
    }
    if (changed) say(`${changed}, saved`);
    changed = null;
  } else {
    const again = detail.seconds === null ? "" : ` Trying again in ${detail.seconds} s.`;
    find("[data-chip]").textContent = `! Not saved: ${detail.message}.${again}`.replace("..", ".");
    if (changed) say(`${changed}, not saved: ${detail.message}`);
    changed = null;
  }
}

const unsaved = new Unsaved(root.dataset.user);
const urlsOf = (id) => ({
  judgments: root.dataset.judgmentsUrl.replace("/0/", `/${id}/`),
  comment: root.dataset.commentUrl.replace("/0/", `/${id}/`),
});
const saver = new Saver({ task, unsaved, urls: urlsOf(task), onState: showState });

function answer(board, index, value) {
  if (!isOpen || !board.length || board.value(index) === value) return;
  const change = { criterion: board.criterion, target: index, value, sequence: nextSequence() };
  board.accept(index, value, change.sequence);
  board.elements[index].classList.remove("missing");
  if (!find("#gaps").hidden) {
    if (sentences.missing().length) showGaps(sentences.missing());
    else find("#gaps").hidden = true;
  }
  changed = board.words(index);
  saver.put(`${board.criterion}:${index}`, change);
}

// An answer of the person, which can be undone.
function judge(board, index, value) {
  if (!isOpen || !board.length || board.value(index) === value) return;
  history.add({ board, index, before: board.value(index), after: value });
  answer(board, index, value);
  showHistory();
}

function step(direction) {
  const taken = direction === "undo" ? history.undo() : history.redo();
  if (!taken || !isOpen) return;
  answer(taken.board, taken.index, direction === "undo" ? taken.before : taken.after);
  taken.board.focus(taken.index);
  showHistory();
}

// What an earlier page could not bring to the server: its own first, then other items'.
function replay() {
  const others = new Map();
  for (const [owner, name, change] of unsaved.all()) {
    if (owner === task && name === "comment") {
      if (change.sequence <= Number(root.dataset.sequence)) continue;
      find("#comment").value = change.text;
      saver.put(name, change);
    } else if (owner === task) {
      const isNewer = boards[change.criterion]?.accept(change.target, change.value, change.sequence);
      if (isNewer) saver.put(name, change);
      else unsaved.forget(task, name, change.sequence);
    } else {
      if (!others.has(owner)) {
        const urls = urlsOf(owner);
        others.set(owner, new Saver({ task: owner, unsaved, urls, onState: () => {} }));
      }
      others.get(owner).put(name, change);
    }
  }
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
find("[data-undo]").addEventListener("click", () => step("undo"));
find("[data-redo]").addEventListener("click", () => step("redo"));
find("#try-again").addEventListener("click", () => saver.retry());

// ---- The comment: saved when the typing pauses --------------------------------------------
const comment = find("#comment");
let commentSaved = comment.value;
let pause = 0;
function saveComment() {
  clearTimeout(pause);
  if (!isOpen || comment.value === commentSaved) return;
  commentSaved = comment.value;
  changed = "comment";
  // The server takes no NUL, and nobody means one.
  saver.put("comment", { text: comment.value.replaceAll("\0", ""), sequence: nextSequence() });
}
comment.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(saveComment, 600);
});
comment.addEventListener("blur", saveComment);
comment.addEventListener("keydown", (event) => {
  if (event.key === "Escape") sentences.focus(sentences.current);
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") saveComment();
}, true);

// ---- Leaving: nothing goes before it is saved ----------------------------------------------
let leaving = false;
async function saveThen(act) {
  if (leaving) return;
  leaving = true;
  saveComment();
  const saved = await saver.settled();
  leaving = false;
  if (saved) act();
  else say("Not saved yet, so this page stays.");
}

const form = find("#hand-in");
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!isOpen) return;
  if (sentences.missing().length) toFirstGap();
  else saveThen(() => form.submit());
});

function showGaps(missing, why = "Not handed in yet.") {
  const list = missing.map((index) => index + 1).sort((a, b) => a - b).join(", ");
  find("[data-why]").textContent = why;
  find("[data-gaps]").textContent = `${missing.length === 1 ? "Sentence" : "Sentences"} ${list} ${missing.length === 1 ? "is" : "are"} not judged.`;
  find("#gaps").hidden = false;
  for (const index of missing) sentences.elements[index].classList.add("missing");
}

function toFirstGap() {
  const missing = sentences.missing();
  showGaps(missing);
  sentences.focus(Math.min(...missing));
}

for (const link of findAll("[data-previous], [data-next]")) {
  link.addEventListener("click", (event) => {
    if (!saver.size && comment.value === commentSaved) return;
    event.preventDefault();
    saveThen(() => location.assign(link.href));
  });
}
addEventListener("beforeunload", (event) => {
  if (saver.isBusy || (isOpen && comment.value !== commentSaved)) event.preventDefault();
});
// Back from the browser's page cache the page would show what it once knew.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// ---- Dialogs and keys ---------------------------------------------------------------------
function openDialog(id) {
  document.getElementById(id).showModal();
}
for (const button of findAll("[data-open-dialog]")) {
  button.addEventListener("click", () => openDialog(button.dataset.openDialog));
}
for (const dialog of findAll("dialog")) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // the backdrop
  });
}
function toComment() {
  comment.focus({ preventScroll: true });
  comment.scrollIntoView({ block: "nearest" });
}
find("[data-comment]").addEventListener("click", toComment);
const singleKeys = find("#single-keys");
singleKeys.checked = singleKeysAreOn();
singleKeys.addEventListener("change", () => switchSingleKeys(singleKeys.checked));

const set = (value) => () => judge(sentences, sentences.current, value);
const rate = (value) => () => {
  if (!evidence.length) return;
  judge(evidence, evidence.current, toggled(evidence.value(evidence.current), value));
};
const go = (selector) => () => find(selector)?.click();
const move = (board, direction) => () => board.move(direction);
const toMissing = () => {
  const [first] = sentences.missing();
  if (first === undefined) say("Every sentence is judged.");
  else sentences.focus(first);
};
listen({
  single: {
    ArrowDown: move(sentences, 1),
    ArrowUp: move(sentences, -1),
    j: move(sentences, 1),
    k: move(sentences, -1),
    1: set(1),
    2: set(0),
    0: set(null),
    " ": () => cycle(sentences.current),
    g: toMissing,
    "[": move(evidence, -1),
    "]": move(evidence, 1),
    u: rate(1),
    n: rate(0),
    c: toComment,
    i: () => openDialog("guidelines-dialog"),
    "?": () => openDialog("keys-dialog"),
  },
  combined: {
    "ctrl+z": () => step("undo"),
    "ctrl+shift+z": () => step("redo"),
    "ctrl+y": () => step("redo"),
    "ctrl+Enter": () => form.requestSubmit(),
    "alt+ArrowLeft": go("[data-previous]"),
    "alt+ArrowRight": go("[data-next]"),
  },
});

// ---- Start ---------------------------------------------------------------------------------
replay();
showHistory();
if (!find("#gaps").hidden && sentences.missing().length) toFirstGap();
root.dataset.ready = "";
