// The page on which a passage is edited. The text is saved when the typing pauses; its changes are
// displayed and counted during typing.
import { find } from "../dom.js";
import { JudgingPage, isOpen } from "./judging_page.js";
import { Sources } from "./sources.js";
import { parseState } from "./states.js";
import { distance, wordDiff } from "./word_diff.js";

const PAUSE_MS = 600;
const TAGS = { removed: "del", added: "ins" };
const LABELS = { removed: "removed:", added: "added:" };

const box = find(".revising");
const field = find("#revised");
const original = find("#original").textContent;
let pause = 0;

const entry = {
  criterion: box.dataset.criterion,
  target: Number(box.dataset.target),
  sequence: Number(box.dataset.sequence),
  value: parseState(box.dataset.value),
  text: parseState(box.dataset.value) === null ? "" : field.value,
  accept(value, sequence, text) {
    if (sequence <= this.sequence) return false;
    Object.assign(this, { value, sequence, text });
    const saved = value === null ? original : text;
    // While the user types, the field is newer.
    if (field.value !== saved && pause === 0) field.value = saved;
    return true;
  },
  words() {
    if (this.value === null) return "revision taken back";
    return `revised, ${edits(distance(original, this.text))}`;
  },
  focus() {
    field.focus();
  },
  mark(isMissing) {
    box.classList.toggle("missing", isMissing);
  },
};

const edits = (count) => `${count} character${count === 1 ? "" : "s"} changed`;

function show() {
  const changed = distance(original, field.value);
  const preserved = original.length ? Math.max(1 - changed / [...original].length, 0) : null;
  const percent = Math.min(Math.round(preserved * 100), 99);
  const share = preserved === null || changed === 0 ? "" : ` · ${percent} % of the passage kept`;
  find("#distance").textContent = changed === 0 ? "Nothing changed" : `${edits(changed)}${share}`;
  find("#counts").textContent = entry.value === null ? "Not revised yet" : "Revised";
  const changes = find("#changes");
  changes.hidden = changed === 0;
  if (changes.hidden) return;
  changes.replaceChildren(
    ...wordDiff(original, field.value).map(([kind, text]) => {
      if (kind === "same") return document.createTextNode(text);
      const element = document.createElement(TAGS[kind]);
      const label = document.createElement("span");
      label.className = "sr";
      label.textContent = `${LABELS[kind]} `;
      element.append(label, text);
      return element;
    }),
  );
}

// Make the field's text the answer, if it was edited since.
function save() {
  if (!pause || !field.validity.valid) return;
  clearTimeout(pause);
  pause = 0;
  // The server refuses NUL.
  page.judge([entry, 1, field.value.replaceAll("\0", "")]);
}

// The original passage, as an answer (1) or as none (null).
function restore(value) {
  clearTimeout(pause);
  pause = 0;
  field.value = original;
  page.judge([entry, value, value === null ? "" : original]);
  show();
}

const sources = new Sources();
const page = new JudgingPage({
  entry: (criterion, target) => (criterion === entry.criterion && target === entry.target ? entry : undefined),
  missing: () => (entry.value === null ? [entry] : []),
  gapWords: () => "The passage is not revised yet. If it needs no change, choose “No change needed”.",
  onChange: show,
  beforeLeaving: save,
  home: () => sources.move(0),
  reveal: () => field.scrollIntoView({ block: "nearest" }),
  single: {
    e: () => field.focus(),
    "[": () => sources.move(-1),
    "]": () => sources.move(1),
  },
});

field.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(save, PAUSE_MS);
  show();
});
field.addEventListener("blur", save);
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") field.blur();
});
find("#nothing").addEventListener("click", () => restore(1));
find("#start-over").addEventListener("click", () => {
  restore(null);
  field.focus();
});
for (const id of ["#nothing", "#start-over"]) find(id).disabled = !isOpen;

page.start();
