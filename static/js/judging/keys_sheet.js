// The sheet of keys: it lists them, lets a rater choose others, and every control of the page
// prints the key that works now.
import { goesOn, handsIn, singleKeysAreOn, switchGoingOn, switchHandingIn, switchSingleKeys } from "../attribution/keys.js";
import { fill } from "../texts.js";
import { Keymap, keyOf, printed } from "./keymap.js";

const SINGLE = /^(.|Space)$/u;
const sheet = document.getElementById("keys-dialog");

// The keymap that the sheet's own rows describe.
export function readKeymap() {
  const rows = [];
  for (const term of sheet.querySelectorAll("dl.keys dt")) {
    if (term.textContent.includes("+")) continue; // keys together are not a rater's to choose
    const what = term.nextElementSibling.textContent.trim();
    for (const element of term.querySelectorAll("kbd")) {
      const key = keyOf(element.textContent.trim());
      element.dataset.key = key;
      if (SINGLE.test(element.textContent.trim())) rows.push({ key, what, element });
    }
  }
  return new Keymap(rows);
}

export function listenToSheet(keymap) {
  const says = sheet.querySelector("#keys-say");
  const reset = sheet.querySelector("#keys-reset");
  const buttons = new Map();
  const others = [...document.querySelectorAll("#judging kbd")].filter((element) => {
    const key = keyOf(element.textContent.trim());
    const isOurs = keymap.rows.some((row) => row.key === key);
    if (isOurs) element.dataset.key = key;
    return isOurs;
  });
  let waiting = null;

  const show = () => {
    for (const element of others) element.textContent = printed(keymap.now(element.dataset.key));
    for (const [row, button] of buttons) {
      row.element.textContent = row === waiting ? "…" : printed(keymap.now(row.key));
      const label = { key: printed(keymap.now(row.key)), what: row.what };
      button.setAttribute("aria-label", fill("%(key)s: %(what)s. Choose another key", label));
    }
    reset.hidden = !keymap.isChanged;
  };
  const wait = (row) => {
    waiting = row;
    says.textContent = row ? fill("Press the key for “%(what)s”. Esc cancels.", row) : "";
    show();
  };

  for (const row of keymap.rows) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "key";
    row.element.replaceWith(button);
    button.append(row.element);
    button.addEventListener("click", () => wait(row));
    button.addEventListener("blur", () => waiting === row && wait(null));
    buttons.set(row, button);
  }
  sheet.addEventListener("keydown", (event) => {
    if (!waiting || ["Shift", "Control", "Alt", "AltGraph", "Meta", "Tab"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Escape") {
      wait(null);
      return;
    }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const refusal = keymap.refusal(waiting.key, key);
    if (refusal) {
      says.textContent = refusal;
      return;
    }
    const { what } = waiting;
    keymap.choose(waiting.key, key);
    wait(null);
    says.textContent = fill("%(key)s is now the key for: %(what)s.", { key: printed(key), what });
  });
  reset.addEventListener("click", () => {
    keymap.reset();
    wait(null);
    says.textContent = "All keys are reset.";
  });
  listenToSwitches();
  show();
}

function listenToSwitches() {
  const single = sheet.querySelector("#single-keys");
  single.checked = singleKeysAreOn();
  single.addEventListener("change", () => switchSingleKeys(single.checked));
  const going = sheet.querySelector("#go-on");
  going.checked = goesOn();
  going.addEventListener("change", () => switchGoingOn(going.checked));
  const handing = sheet.querySelector("#hand-in-at-once");
  handing.checked = handsIn();
  handing.addEventListener("change", () => switchHandingIn(handing.checked));
}
