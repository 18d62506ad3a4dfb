// The states of an answer: null (not judged) or the number of a level: 1 yes, 0 no.

// What a click does: not judged -> yes -> no -> not judged.
export function following(value) {
  return value === null ? 1 : value === 1 ? 0 : null;
}

// What a press of the button `chosen` does: a second press takes the answer back.
export function toggled(value, chosen) {
  return value === chosen ? null : chosen;
}

export function read(text) {
  return text === "" || text === undefined ? null : Number(text);
}

export function written(value) {
  return value === null ? "" : String(value);
}

// A change that was kept in this browser before there were levels says true or false.
export function asLevel(value) {
  return value === null ? null : Number(value);
}

export const WORDS = {
  attributable: { 1: "fully attributable", 0: "not attributable", null: "not judged" },
  useful: { 1: "useful", 0: "not useful", null: "not rated" },
};
