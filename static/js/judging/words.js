// What an edit changed: in words, to be seen, and in characters, to be counted.

const TOKEN = /\s*[\p{L}\p{N}\p{M}_]+|\s*[^\s\p{L}\p{N}\p{M}_]|\s+/gu;
// Beyond so many pairs of words a stretch is shown as replaced whole: typing must stay smooth.
const MOST_PAIRS = 250000;

// How many items two lists have alike at the start, and then at the end.
function ends(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [start, end];
}

// Characters (code points) inserted, deleted or replaced; as the metric Pres_Lev counts them.
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

// [[kind, text], ...], kind one of "same", "removed", "added": the longest run of words in common.
export function wordDiff(before, after) {
  const [a, b] = [before.match(TOKEN) ?? [], after.match(TOKEN) ?? []];
  const [start, end] = ends(a, b);
  const pieces = [["same", a.slice(0, start)]];
  pieces.push(...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)));
  pieces.push(["same", end ? a.slice(-end) : []]);
  return joined(pieces);
}

function middle(a, b) {
  if (a.length * b.length > MOST_PAIRS) return [["removed", a], ["added", b]];
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

// Neighbours of one kind made one, what went before what came.
function joined(pieces) {
  const found = [];
  let change = { removed: "", added: "" };
  const close = () => {
    for (const kind of ["removed", "added"]) if (change[kind]) found.push([kind, change[kind]]);
    change = { removed: "", added: "" };
  };
  for (const [kind, tokens] of pieces) {
    const text = tokens.join("");
    if (!text) continue;
    if (kind !== "same") {
      change[kind] += text;
    } else {
      close();
      if (found.at(-1)?.[0] === "same") found.at(-1)[1] += text;
      else found.push(["same", text]);
    }
  }
  close();
  return found;
}
