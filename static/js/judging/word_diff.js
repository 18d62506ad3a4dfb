// What an edit changed: by words, to display, and by characters, to count.

const TOKEN = /\s*[\p{L}\p{N}\p{M}_]+|\s*[^\s\p{L}\p{N}\p{M}_]|\s+/gu;
// A stretch with more pairs of words is displayed as replaced whole, so that typing stays smooth.
const MAX_PAIRS = 250000;

// The number of equal items at the start and at the end of two lists.
function ends(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [start, end];
}

// Levenshtein distance in code points, as in the metric Pres_Lev.
export function distance(before, after) {
  let [a, b] = [[...before], [...after]];
  const [start, end] = ends(a, b);
  a = a.slice(start, a.length - end);
  b = b.slice(start, b.length - end);
  let row = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = new Uint32Array(b.length + 1);
    next[0] = i;
    for (let j = 1; j <= b.length; j++) {
      next[j] = a[i - 1] === b[j - 1] ? row[j - 1] : 1 + Math.min(row[j - 1], row[j], next[j - 1]);
    }
    row = next;
  }
  return row[b.length];
}

// [[kind, text], ...], kind "same", "removed" or "added", by the longest common subsequence of words.
export function wordDiff(before, after) {
  const [a, b] = [before.match(TOKEN) ?? [], after.match(TOKEN) ?? []];
  const [start, end] = ends(a, b);
  const pieces = [["same", a.slice(0, start)]];
  pieces.push(...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)));
  pieces.push(["same", end ? a.slice(-end) : []]);
  return joined(pieces);
}

function middle(a, b) {
  if (a.length * b.length > MAX_PAIRS) return [["removed", a], ["added", b]];
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  const pieces = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      pieces.push(["same", [a[i]]]);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || table[i + 1][j] >= table[i][j + 1])) {
      pieces.push(["removed", [a[i]]]);
      i += 1;
    } else {
      pieces.push(["added", [b[j]]]);
      j += 1;
    }
  }
  return pieces;
}

// Merge neighbours of one kind; removed before added.
function joined(pieces) {
  const merged = [];
  let change = { removed: "", added: "" };
  const close = () => {
    for (const kind of ["removed", "added"]) if (change[kind]) merged.push([kind, change[kind]]);
    change = { removed: "", added: "" };
  };
  for (const [kind, tokens] of pieces) {
    const text = tokens.join("");
    if (!text) continue;
    if (kind !== "same") {
      change[kind] += text;
    } else {
      close();
      if (merged.at(-1)?.[0] === "same") merged.at(-1)[1] += text;
      else merged.push(["same", text]);
    }
  }
  close();
  return merged;
}
