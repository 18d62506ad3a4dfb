// The states of an answer: null (not judged) or the number of a level; 1 is a full yes, 0 a no.
// A sentence has one more where the campaign asks in two stages: it cannot be understood.

export const UNCLEAR = "unclear";

// What a click does: not judged -> yes -> no -> partly, where there is such a level -> not judged.
// A quick double click says no, whatever the campaign offers. On a submitted item, which cannot be
// cleared, the cycle has no "not judged".
export function following(state, levels, { mayClear }) {
  const cycle = [...(mayClear ? [null] : []), 1, 0, ...levels.filter((level) => level > 1)];
  return cycle[(cycle.indexOf(state) + 1) % cycle.length];
}

// What a press of the button `chosen` does: a second press takes the answer back.
export function toggled(value, chosen) {
  return value === chosen ? null : chosen;
}

export function read(text) {
  if (text === UNCLEAR) return text;
  return text === "" || text === undefined ? null : Number(text);
}

export function written(value) {
  return value === null ? "" : String(value);
}
