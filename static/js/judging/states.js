// States of an answer: null (not judged) or the number of a level; 1 is a full yes, 0 a no. In a
// campaign of two stages a sentence can also be UNCLEAR: it cannot be understood.

export const UNCLEAR = "unclear";

// A click: not judged -> yes -> no -> partly, where there is such a level -> not judged. A submitted
// item's answers cannot be cleared.
export function following(state, levels, { mayClear }) {
  const cycle = [...(mayClear ? [null] : []), 1, 0, ...levels.filter((level) => level > 1)];
  return cycle[(cycle.indexOf(state) + 1) % cycle.length];
}

export function parseState(text) {
  if (text === UNCLEAR) return text;
  return text === "" || text === undefined ? null : Number(text);
}

export function formatState(state) {
  return state === null ? "" : String(state);
}
