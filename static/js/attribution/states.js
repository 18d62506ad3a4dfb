// The three states of an answer: null (not judged), true, false.

// What a click does: not judged -> yes -> no -> not judged.
export function following(value) {
  return value === null ? true : value === true ? false : null;
}

// What a press of the button `chosen` does: a second press takes the answer back.
export function toggled(value, chosen) {
  return value === chosen ? null : chosen;
}

export function read(text) {
  return text === "true" ? true : text === "false" ? false : null;
}

export function written(value) {
  return value === null ? "" : String(value);
}

export const WORDS = {
  attributable: { true: "fully attributable", false: "not attributable", null: "not judged" },
  useful: { true: "useful", false: "not useful", null: "not rated" },
};
