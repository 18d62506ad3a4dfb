// States of an answer: null (not judged) or the number of a level; 1 is a full yes, 0 a no. In a
// campaign of two stages a sentence can also be UNCLEAR: it cannot be understood.

export const UNCLEAR = "unclear";

export function parseState(text) {
  if (text === UNCLEAR) return text;
  return text === "" || text === undefined ? null : Number(text);
}

export function formatState(state) {
  return state === null ? "" : String(state);
}
