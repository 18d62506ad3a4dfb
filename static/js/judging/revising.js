// The page on which a passage is edited: the text is saved when the typing pauses, and what it
// changed is shown and counted as it is typed.
import { read } from "../attribution/states.js";
import { find, findAll } from "../dom.js";
import { Frame, isOpen } from "./frame.js";
import { Sources } from "./sources.js";
import { distance, wordDiff } from "./words.js";

const PAUSE_MS = 600;
const TAGS = { removed: "del", added: "ins" };
const SAYS = { removed: "removed:", added: "added:" };

const box = find(".revising");
const field = find("#revised");
const original = find("#original").textContent;
let pause = 0;

const entry = {
  criterion: box.dataset.criterion,
  target: Number(box.dataset.target),
  sequence: Number(box.dataset.sequence),
  value: read(box.dataset.value),
  text: read(box.dataset.value) === null ? "" : field.value,
  accept(value, sequence, text) {
    if (sequence <= this.sequence) return false;
    Object.assign(this, { value, sequence, text });
    const shown = value === null ? original : text;
    // Not under somebody's fingers: what they type is newer than what comes back.
    if (field.value !== shown && pause === 0) field.value = shown;
    return true;
  },
  words() {
    if (this.value === null) return "revision taken back";
    return `revised, ${edits(distance(original, this.text))}`;
  },
  focus() {
    field.focus();
  },
  miss(isMissing) {
    box.classList.toggle("missing", isMissing);
  },
};

const edits = (count) => `${count} character${count === 1 ? "" : "s"} changed`;

function show() {
  const changed = distance(original, field.value);
  const kept = original.length ? Math.max(1 - changed / [...original].length, 0) : null;
  const percent = Math.min(Math.round(kept * 100), 99);
  const share = kept === null || changed === 0 ? "" : ` · ${percent} % of the passage kept`;
  find("#distance").textContent = changed === 0 ? "Nothing changed" : `${edits(changed)}${share}`;
  find("#counts").textContent = entry.value === null ? "Not revised yet" : "Revised";
  const changes = find("#changes");
  changes.hidden = changed === 0;
  if (changes.hidden) return;
  changes.replaceChildren(
    ...wordDiff(original, field.value).map(([kind, text]) => {
      if (kind === "same") return document.createTextNode(text);
      const element = document.createElement(TAGS[kind]);
      const says = document.createElement("span");
      says.className = "sr";
      says.textContent = `${SAYS[kind]} `;
      element.append(says, text);
      return element;
    }),
  );
}

// What is in the field becomes the answer, if it was touched since.
function keep() {
  if (!pause || !field.validity.valid) return;
  clearTimeout(pause);
  pause = 0;
  // The server takes no NUL, and nobody means one.
  frame.judge(entry, 1, field.value.replaceAll("\0", ""));
}

// The passage as it was, as an answer or as none.
function restore(value) {
  clearTimeout(pause);
  pause = 0;
  field.value = original;
  frame.judge(entry, value, value === null ? "" : original);
  show();
}

const sources = new Sources();
const frame = new Frame({
  entry: (criterion, target) => (criterion === entry.criterion && target === entry.target ? entry : undefined),
  missing: () => (entry.value === null ? [entry] : []),
  gapWords: () => "The passage is not revised yet. If it needs no change, choose “No change needed”.",
  onChange: show,
  beforeLeaving: keep,
  home: () => sources.move(0),
  single: {
    e: () => field.focus(),
    "[": () => sources.move(-1),
    "]": () => sources.move(1),
  },
});

field.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(keep, PAUSE_MS);
  show();
});
field.addEventListener("blur", keep);
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") field.blur();
});
find("#nothing").addEventListener("click", () => restore(1));
find("#start-over").addEventListener("click", () => {
  restore(null);
  field.focus();
});
for (const button of findAll("[data-jump]")) button.addEventListener("click", () => field.focus());
for (const id of ["#nothing", "#start-over"]) find(id).disabled = !isOpen;

frame.start();
