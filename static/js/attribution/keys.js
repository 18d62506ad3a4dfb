// The judging page's keys. They are dead while a dialog is open and, except the one that submits,
// while somebody types; the single ones can be switched off (WCAG 2.1.4).
import { isKept, keep } from "../judging/kept.js";

const OFF = "rarrweb-single-keys-off";
const GO_ON = "rarrweb-go-on-after-a-key";
const HAND_IN = "rarrweb-hand-in-after-a-key";

export const singleKeysAreOn = () => !isKept(OFF);
export const switchSingleKeys = (on) => keep(OFF, !on);

// Whether an answer by key goes on to the next open question.
export const goesOn = () => isKept(GO_ON);
export const switchGoingOn = (on) => keep(GO_ON, on);

// Whether an item of one question is handed in once it is answered.
export const handsIn = () => isKept(HAND_IN);
export const switchHandingIn = (on) => keep(HAND_IN, on);

const SUBMIT = "ctrl+Enter";
const TEXT = "textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable]";

function isTyping(target) {
  return target instanceof Element && target.closest(TEXT) !== null;
}

function hasOwnUse(target, key) {
  if (!(target instanceof Element)) return false;
  if (key === " ") return target.closest("button, a, input, summary, [role=button]") !== null;
  // Arrows scroll the evidence once somebody is in it.
  if (key === "ArrowDown" || key === "ArrowUp") return target.closest(".evidence-pane") !== null;
  return false;
}

// `single`: key -> action, for keys alone, by the keys that they have by default; `combined`:
// "ctrl+z" -> action.
export function listen({ single, combined, keymap }) {
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
    } else if (!isTyping(event.target) && (event.key.length > 1 || singleKeysAreOn()) && !hasOwnUse(event.target, event.key)) {
      action = single[keymap.meaning(key)];
    }
    if (!action) return;
    event.preventDefault();
    if (!event.repeat || event.key.startsWith("Arrow") || ["j", "k"].includes(keymap.meaning(key))) action();
  });
}
