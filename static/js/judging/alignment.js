// Where each sentence of the original is in a text that was edited since; and the edits that leave
// one of them out, or put it back. An edit is {start, end, text}: what of the text gives way to what.
import { UNSPACED } from "./text_edit.js";

const PIECE = /\S[^\n]*?(?:[.!?…]["”’»)\]]*(?=\s|$)|[。！？]["”’」』）]*|(?=\n)|$)/gu;
const WORDS = new RegExp(`${UNSPACED.source}|[\\p{L}\\p{N}\\p{M}_]+`, "gu");
const LEAST_ALIKE = 0.25; // of 1, where all words are the same
const MOST_PIECES = 4; // that a sentence was parted into

// original: a text; sentences: [{start, end}] in it. Returns for each of them [{start, end, state}] in
// `text`, where state is "kept", "changed" or "gone"; of one that is gone, the place where it was.
export function align(original, sentences, text) {
  const words = sentences.map(({ start, end }) => original.slice(start, end));
  const found = [];
  let at = 0;
  for (const [index, start] of [...anchors(words, text), [words.length, text.length]]) {
    found.push(...became(words.slice(found.length, index), text, at, start));
    if (index === words.length) break;
    at = start + words[index].length;
    found.push({ start, end: at });
  }
  let before = 0;
  return found.map((place, index) => {
    if (place === null) return { start: before, end: before, state: "gone" };
    before = place.end;
    return { ...place, state: text.slice(place.start, place.end) === words[index] ? "kept" : "changed" };
  });
}

// The sentences that stand in the text word for word, and nowhere else: the longest chain of them
// that is in order. [[index, start], ...]
function anchors(words, text) {
  const once = words.flatMap((sentence, index) => {
    const at = text.indexOf(sentence);
    const isOnce = at !== -1 && text.indexOf(sentence, at + 1) === -1;
    return isOnce && words.indexOf(sentence) === words.lastIndexOf(sentence) ? [[index, at]] : [];
  });
  const chains = []; // of each, the longest chain that ends with it: its length, and what is before
  once.forEach(([index, at], number) => {
    let before = -1;
    for (let each = 0; each < number; each++) {
      const isBefore = once[each][1] + words[once[each][0]].length <= at;
      if (isBefore && (before === -1 || chains[each].length > chains[before].length)) before = each;
    }
    chains.push({ length: before === -1 ? 1 : chains[before].length + 1, before });
  });
  let last = chains.reduce((best, each, number) => (best === -1 || each.length > chains[best].length ? number : best), -1);
  const longest = [];
  for (; last !== -1; last = chains[last].before) longest.unshift(once[last]);
  return longest;
}

// What became of sentences between two that stand as they were: for each {start, end}, or null. The
// pieces of that stretch go, in order, to the sentences that are most like them.
function became(sentences, text, from, to) {
  const pieces = [...text.slice(from, to).matchAll(PIECE)].map((piece) => {
    const start = from + piece.index;
    return { start, end: start + piece[0].trimEnd().length };
  });
  const wordsOf = (each) => each.toLowerCase().match(WORDS) ?? [];
  const ours = sentences.map(wordsOf);
  const theirs = pieces.map(({ start, end }) => wordsOf(text.slice(start, end)));
  // best[i][j]: how alike the first i sentences and the first j pieces can be, and the last step.
  const best = Array.from({ length: ours.length + 1 }, () => Array.from({ length: theirs.length + 1 }, () => ({ score: 0, pieces: 0 })));
  for (let i = 1; i <= ours.length; i++) {
    for (let j = 0; j <= theirs.length; j++) {
      let choice = { score: best[i - 1][j].score, pieces: 0 };
      if (j && best[i][j - 1].score >= choice.score) choice = { score: best[i][j - 1].score, pieces: -1 };
      for (let count = 1; count <= Math.min(j, MOST_PIECES); count++) {
        const alike = likeness(ours[i - 1], theirs.slice(j - count, j).flat());
        const score = best[i - 1][j - count].score + alike;
        if (alike >= LEAST_ALIKE && score > choice.score) choice = { score, pieces: count };
      }
      best[i][j] = choice;
    }
  }
  const found = sentences.map(() => null);
  let [i, j] = [ours.length, theirs.length];
  while (i > 0) {
    const step = best[i][j].pieces;
    if (step === -1) {
      j -= 1;
      continue;
    }
    i -= 1;
    if (step > 0) found[i] = { first: j - step, last: j - 1 };
    j -= step;
  }
  replaced(found, pieces.length);
  return found.map((each) => each && { start: pieces[each.first].start, end: pieces[each.last].end });
}

// A piece that is like none, where a sentence is missing, is what the sentence was replaced by.
function replaced(found, count) {
  let free = 0;
  found.forEach((each, index) => {
    if (each) {
      free = each.last + 1;
      return;
    }
    const end = found.slice(index).find((later) => later)?.first ?? count;
    const isLastMissing = found[index + 1] !== null;
    if (free >= end) return;
    found[index] = { first: free, last: isLastMissing ? end - 1 : free };
    free = found[index].last + 1;
  });
}

// The share of words that two stretches have in common, whatever their order.
function likeness(a, b) {
  if (!a.length || !b.length) return 0;
  const counts = new Map();
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const left = counts.get(word) ?? 0;
    if (left) common += 1;
    counts.set(word, left - 1);
  }
  return (2 * common) / (a.length + b.length);
}

const spaceBefore = (text, at) => text.slice(0, at).match(/\s*$/u)[0];
const spaceAfter = (text, at) => text.slice(at).match(/^\s*/u)[0];
const lines = (space) => space.split("\n").length;

// Without the sentence, and with one of the spaces around it: the one that parts paragraphs.
export function leftOut(text, { start, end }) {
  const [before, after] = [spaceBefore(text, start), spaceAfter(text, end)];
  const isFirst = start === before.length;
  const isLast = end + after.length === text.length;
  if (!isLast && (isFirst || lines(before) > lines(after))) return { start, end: end + after.length, text: "" };
  return { start: start - before.length, end, text: "" };
}

// The sentence as it was: in the place of what it became, or where it stood.
export function putBack(original, sentences, text, aligned, index) {
  const sentence = original.slice(sentences[index].start, sentences[index].end);
  const { start, end, state } = aligned[index];
  if (state !== "gone") return { start, end, text: sentence };
  const from = start - spaceBefore(text, start).length;
  const to = start + spaceAfter(text, start).length;
  const isFirst = index === 0;
  const isLast = index === sentences.length - 1;
  const gap = original.slice(isFirst ? 0 : sentences[index - 1].end, sentences[index].start);
  const next = original.slice(sentences[index].end, isLast ? original.length : sentences[index + 1].start);
  const before = from > 0 ? gap || (isFirst ? " " : "") : isFirst ? gap : "";
  const after = to < text.length ? next || (isLast ? " " : "") : isLast ? next : "";
  return { start: from, end: to, text: before + sentence + after };
}
