// The judging page's keys. They are dead while somebody types or a dialog is open, and the
// single ones can be switched off (WCAG 2.1.4).

const OFF = "rarrweb-single-keys-off";

export function singleKeysAreOn() {
  try {
    return localStorage.getItem(OFF) === null;
  } catch {
    return true;
  }
}

export function switchSingleKeys(on) {
  try {
    if (on) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
  } catch {
    // Forbidden: the choice lasts as long as the page.
  }
}

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

// `single`: key -> action, for keys alone; `combined`: "ctrl+z" -> action.
export function listen({ single, combined }) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const altGraph = event.getModifierState("AltGraph"); // how "[" is typed on many keyboards
    const control = (event.ctrlKey || event.metaKey) && !altGraph;
    const alt = event.altKey && !altGraph;
    let action;
    if (control || alt) {
      const name = [control && "ctrl", alt && "alt", event.shiftKey && "shift", key];
      action = combined[name.filter(Boolean).join("+")];
    } else if ((event.key.length > 1 || singleKeysAreOn()) && !hasOwnUse(event.target, event.key)) {
      action = single[key];
    }
    if (!action) return;
    event.preventDefault();
    if (!event.repeat || event.key.startsWith("Arrow") || key === "j" || key === "k") action();
  });
}
