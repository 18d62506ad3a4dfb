// The page on which a passage is edited: the text is saved when the typing pauses, and what it
// changed is shown and counted as it is typed.
import { read } from "../attribution/states.js";
import { find } from "../dom.js";
import { fill, plural } from "../texts.js";
import { Frame, isOpen, root } from "./frame.js";
import { InsertBar } from "./insert_evidence.js";
import { Originals } from "./originals.js";
import { Sources } from "./sources.js";
import { difference, write } from "./text_edit.js";
import { distance, wordDiff } from "./words.js";

const PAUSE_MS = 600;
const TAGS = { removed: "del", added: "ins" };
const SAYS = { removed: "removed:", added: "added:" };

const box = find(".revising");
const field = find("#revised");
const original = find("#original").textContent;
const differences = find("#differences");
let pause = 0;
let isTyped = true; // what changes in the field, unless the page changes it
let did = ""; // what a button did, to be said with the answer

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
    if (field.value !== shown && pause === 0) replace(difference(field.value, shown));
    return true;
  },
  words() {
    if (this.value === null) return "revision taken back";
    const changed = edits(distance(original, this.text));
    return fill("%(did)s, %(changed)s", { did: did || "revised", changed });
  },
  focus() {
    field.focus();
  },
  miss(isMissing) {
    box.classList.toggle("missing", isMissing);
  },
};

function edits(count) {
  return fill(plural(count, "%(count)s character changed", "%(count)s characters changed"), { count });
}

function show() {
  const changed = distance(original, field.value);
  const kept = original.length ? Math.max(1 - changed / [...original].length, 0) : null;
  const percent = Math.min(Math.round(kept * 100), 99);
  const share = kept === null || changed === 0 ? "" : ` · ${fill("%(percent)s % of the passage kept", { percent })}`;
  find("#distance").textContent = changed === 0 ? "Nothing changed" : `${edits(changed)}${share}`;
  find("#counts").textContent = entry.value === null ? "Not revised yet" : "Revised";
  originals.show(field.value);
  insertBar.show();
  const changes = find("#changes");
  changes.hidden = !differences.checked || changed === 0;
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
  frame.judge(entry, 1, clean());
}

// The page changes the field, not its person's fingers.
function replace(edit) {
  isTyped = false;
  if ("ready" in root.dataset) write(field, edit);
  else field.setRangeText(edit.text, edit.start, edit.end);
  isTyped = true;
}

// What a button changes is an answer of its own: one undo takes it back, and no more.
function change(edit, words) {
  if (!isOpen) return;
  keep();
  replace(edit);
  did = words;
  frame.judge(entry, 1, clean());
  did = "";
  show();
}

// The server takes no NUL, and nobody means one.
const clean = () => field.value.replaceAll("\0", "");

const originals = new Originals(find("#originals"), {
  original,
  change(edit, words) {
    change(edit, words);
    insertBar.settle();
  },
});
const insertBar = new InsertBar(field, { change, say: (words) => frame.say(words), undo: () => find("[data-undo]").click() });
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
    d: () => differences.click(),
    ArrowDown: () => originals.move(1),
    ArrowUp: () => originals.move(-1),
    j: () => originals.move(1),
    k: () => originals.move(-1),
    o: () => originals.turn(),
    b: () => originals.putBack(),
    p: () => insertBar.put(),
    "[": () => sources.move(-1),
    "]": () => sources.move(1),
  },
});

field.addEventListener("input", () => {
  if (!isTyped) return;
  insertBar.settle();
  clearTimeout(pause);
  pause = setTimeout(keep, PAUSE_MS);
  show();
});
field.addEventListener("blur", keep);
for (const name of ["pointerup", "keyup"]) {
  field.addEventListener(name, () => originals.follow(field.selectionStart));
}
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") field.blur();
});
find("#nothing").addEventListener("click", () => {
  clearTimeout(pause);
  pause = 0;
  replace(difference(field.value, original));
  insertBar.settle();
  frame.judge(entry, 1, original);
});
find("#start-over").addEventListener("click", () => {
  clearTimeout(pause);
  pause = 0;
  replace(difference(field.value, original));
  insertBar.settle();
  frame.judge(entry, null, "");
  show();
  field.focus();
});
for (const id of ["#nothing", "#start-over"]) find(id).disabled = !isOpen;
differences.addEventListener("change", show);

frame.start();
