// Which key does what. Pages name their actions by the keys that the questionnaire gives them; a
// rater may choose others, kept in this browser for this kind of task.
import { fill } from "../texts.js";

const ROOT = "rarrweb-keys";
const NAMES = { "↓": "ArrowDown", "↑": "ArrowUp", Space: " " };
const kind = document.getElementById("judging").dataset.kind;

// As a key is written in the page -> as the keyboard says it: "U" -> "u", "Space" -> " ".
export function keyOf(printed) {
  return NAMES[printed] ?? printed.toLowerCase();
}

export function printed(key) {
  if (key === " ") return "Space";
  return Object.keys(NAMES).find((name) => NAMES[name] === key) ?? key.toUpperCase();
}

function stored() {
  try {
    const kept = JSON.parse(localStorage.getItem(`${ROOT}:${kind}`)) ?? {};
    return Object.fromEntries(Object.entries(kept).filter(([, key]) => typeof key === "string"));
  } catch {
    return {};
  }
}

export class Keymap {
  // rows: [{key, what}], every single key of the page as it is when nobody has chosen.
  constructor(rows) {
    this.rows = rows;
    this.chosen = stored();
  }

  // The key that does now what `key` does by default.
  now(key) {
    return this.chosen[key] ?? key;
  }

  // The default key whose action `pressed` has now; undefined where it has none any more.
  meaning(pressed) {
    const moved = this.rows.find((row) => this.chosen[row.key] === pressed);
    if (moved) return moved.key;
    return pressed in this.chosen ? undefined : pressed;
  }

  // Why `key` cannot do what `of` does, in a sentence; empty where it can.
  refusal(of, key) {
    if ([...key].length !== 1) {
      return fill("“%(key)s” is reserved: press a letter, a digit or a symbol.", { key });
    }
    const other = this.rows.find((row) => row.key !== of && this.now(row.key) === key);
    if (!other) return "";
    const taken = "%(key)s is taken: “%(what)s”. Press another, or change that one first.";
    return fill(taken, { key: printed(key), what: other.what });
  }

  choose(of, key) {
    if (key === of) delete this.chosen[of];
    else this.chosen[of] = key;
    this.#keep();
  }

  reset() {
    this.chosen = {};
    this.#keep();
  }

  get isChanged() {
    return Object.keys(this.chosen).length > 0;
  }

  #keep() {
    try {
      if (this.isChanged) localStorage.setItem(`${ROOT}:${kind}`, JSON.stringify(this.chosen));
      else localStorage.removeItem(`${ROOT}:${kind}`);
    } catch {
      // Forbidden: the choice lasts as long as the page.
    }
  }
}
