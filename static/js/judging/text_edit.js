// Changes to a text field that a click makes: fitted to the words around them, and made as if they
// were typed, so that the browser's own undo knows them too.

const WORD = /[\p{L}\p{N}\p{M}_]/u;
// Written without spaces between words.
export const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const STOP = /[.,;:!?…)\]”»]/u;
const last = (text) => [...text.slice(-2)].at(-1) ?? "";
const first = (text) => [...text.slice(0, 2)][0] ?? "";
const touch = (a, b) => (WORD.test(a) || STOP.test(a)) && WORD.test(b) && !UNSPACED.test(a) && !UNSPACED.test(b);

// `words` in the place of text[start, end]: spaces that are marked with a word stay where they are, and
// what goes in at a cursor does not run into its neighbours.
export function putIn(text, start, end, words) {
  const marked = text.slice(start, end);
  if (marked.trim()) {
    start += marked.length - marked.trimStart().length;
    end -= marked.length - marked.trimEnd().length;
  }
  // A part of a number or of a word may be what is meant.
  if (marked.trim()) return { start, end, text: words };
  const before = touch(last(text.slice(0, start)), first(words)) ? " " : "";
  const after = touch(last(words), first(text.slice(end))) ? " " : "";
  return { start, end, text: before + words + after };
}

// Without text[start, end], and without the space that would stand there twice or before a stop.
export function cutOut(text, start, end) {
  const before = last(text.slice(0, start));
  const after = first(text.slice(end));
  if (before === " " && (after === "" || /[\s.,;:!?)\]]/u.test(after))) start -= 1;
  else if (after === " " && (before === "" || /[\s([]/u.test(before))) end += 1;
  return { start, end, text: "" };
}

// What makes `before` into `after`, as little as can be.
export function difference(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { start, end: before.length - end, text: after.slice(start, after.length - end) };
}

// The cursor stands after what was put in; the focus is where it was.
export function write(field, { start, end, text }) {
  const wanted = field.value.slice(0, start) + text + field.value.slice(end);
  const had = document.activeElement;
  const mode = field.inputMode;
  field.inputMode = "none"; // so that a phone brings no keyboard up
  field.focus({ preventScroll: true });
  field.setSelectionRange(start, end);
  if (text) document.execCommand("insertText", false, text);
  else if (start < end) document.execCommand("delete");
  if (field.value !== wanted) {
    field.value = wanted;
    field.setSelectionRange(start + text.length, start + text.length);
  }
  field.inputMode = mode;
  if (had === field) return;
  if (had && had !== document.body) had.focus({ preventScroll: true });
  else field.blur();
}
