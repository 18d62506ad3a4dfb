// The page on which a passage is edited: the text is saved when the typing pauses, and what it
// changed is shown and counted as it is typed.
import { Frame, find, isOpen } from "./frame.js";
import { read } from "../attribution/states.js";
import { Sources } from "./sources.js";
import { distance, wordDiff } from "./words.js";

const PAUSE_MS = 600;
const TAGS = { removed: "del", added: "ins" };
const SAYS = { removed: "removed: ", added: "added: " };

const box = find(".revising");
const field = find("#revised");
const original = find("#original").textContent;
const differences = find("#differences");
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
    return this.value === null ? "revision taken back" : `revised, ${edits(distance(original, this.text))}`;
  },
  focus() {
    field.focus();
  },
  miss(isMissing) {
    box.classList.toggle("missing", isMissing);
  },
};

function edits(count) {
  return `${count} character${count === 1 ? "" : "s"} changed`;
}

function show() {
  const changed = distance(original, field.value);
  const kept = original.length ? Math.max(1 - changed / [...original].length, 0) : null;
  const share = kept === null || changed === 0 ? "" : ` · ${Math.min(Math.round(kept * 100), 99)} % of the passage kept`;
  find("#distance").textContent = changed === 0 ? "Nothing changed" : `${edits(changed)}${share}`;
  find("#counts").textContent = entry.value === null ? "Not revised yet" : "Revised";
  const changes = find("#changes");
  changes.hidden = !differences.checked || changed === 0;
  if (changes.hidden) return;
  changes.replaceChildren(
    ...wordDiff(original, field.value).map(([kind, text]) => {
      if (kind === "same") return document.createTextNode(text);
      const element = document.createElement(TAGS[kind]);
      const says = document.createElement("span");
      says.className = "sr";
      says.textContent = SAYS[kind];
      element.append(says, text);
      return element;
    }),
  );
}

// What is in the field becomes the answer, if it was touched since.
function keep() {
  if (!pause) return;
  clearTimeout(pause);
  pause = 0;
  // The server takes no NUL, and nobody means one.
  frame.judge(entry, 1, field.value.replaceAll("\0", ""));
}

const sources = new Sources();
const frame = new Frame({
  entry: (criterion, target) => (criterion === entry.criterion && target === entry.target ? entry : undefined),
  missing: () => (entry.value === null ? [entry] : []),
  gapWords: () => "The passage is not revised yet. If it needs no change, say so.",
  onChange: show,
  beforeLeaving: keep,
  home: () => sources.move(0),
  single: {
    e: () => field.focus(),
    d: () => differences.click(),
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
find("#nothing").addEventListener("click", () => {
  clearTimeout(pause);
  pause = 0;
  field.value = original;
  frame.judge(entry, 1, original);
});
find("#start-over").addEventListener("click", () => {
  clearTimeout(pause);
  pause = 0;
  field.value = original;
  frame.judge(entry, null, "");
  show();
  field.focus();
});
for (const id of ["#nothing", "#start-over"]) find(id).disabled = !isOpen;
differences.addEventListener("change", show);

frame.start();
