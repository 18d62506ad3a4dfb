// Keyboard shortcuts. They are off while a dialog is open and, except the one that submits, while the
// user types; single keys can be switched off (WCAG 2.1.4).
import { find } from "../dom.js";
import { loadText, storeText } from "../storage.js";

const OFF = "rarrweb-single-keys-off";
const STAY = "rarrweb-stay";

const singleKeysAreOn = () => !loadText(OFF);

// Whether to move on after an answer by key.
export const movesOn = () => !loadText(STAY);

// The two check boxes in the list of keys.
export function listenToSwitches() {
  const single = find("#single-keys");
  single.checked = singleKeysAreOn();
  single.addEventListener("change", () => storeText(OFF, single.checked ? "" : "1"));
  const moving = find("#move-on");
  moving.checked = movesOn();
  moving.addEventListener("change", () => storeText(STAY, moving.checked ? "" : "1"));
}

const SUBMIT = "ctrl+Enter";
const TEXT = "textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable]";

function isTyping(target) {
  return target instanceof Element && target.closest(TEXT) !== null;
}

function isUsedBy(target, key) {
  if (!(target instanceof Element)) return false;
  if (key === " ") return target.closest("button, a, input, summary, [role=button]") !== null;
  // Arrows scroll the evidence once it has the focus.
  if (key === "ArrowDown" || key === "ArrowUp") return target.closest(".evidence-pane") !== null;
  return false;
}

// single: key -> action, without modifiers; combined: "ctrl+z" -> action.
export function listen({ single, combined }) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const altGraph = event.getModifierState("AltGraph"); // how "[" is typed on many keyboards
    const control = (event.ctrlKey || event.metaKey) && !altGraph;
    const alt = event.altKey && !altGraph;
    let action;
    if (control || alt) {
      const name = [control && "ctrl", alt && "alt", event.shiftKey && "shift", key].filter(Boolean).join("+");
      if (!isTyping(event.target) || name === SUBMIT) action = combined[name];
    } else if (!isTyping(event.target) && (event.key.length > 1 || singleKeysAreOn()) && !isUsedBy(event.target, event.key)) {
      action = single[key];
    }
    if (!action) return;
    event.preventDefault();
    if (!event.repeat || /^(Arrow|Page)/.test(event.key) || ["j", "k"].includes(key)) action();
  });
}
