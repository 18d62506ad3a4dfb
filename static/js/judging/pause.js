// A line after fifty minutes of judging without a pause. The time goes along from item to item.
import { find } from "../dom.js";
import { ACTIVE_MS } from "../saving/visit.js";

const KEPT = "rarrweb-at-work";
const LONG_MS = 50 * 60_000;
const PAUSE_MS = 5 * 60_000;
const INPUT = ["pointerdown", "keydown", "wheel", "scroll"];

// [time at work since the last pause, when there was input last]
function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? [0, Date.now()];
  } catch {
    return [0, Date.now()];
  }
}

function note(worked) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([worked, Date.now()]));
  } catch {
    // Forbidden: then nobody is reminded.
  }
}

export function remindOfPauses() {
  const line = find("#pause .notice");
  const look = () => {
    const [worked, last] = read();
    const gap = Date.now() - last;
    const now = gap > PAUSE_MS ? 0 : worked + Math.min(gap, ACTIVE_MS);
    note(now);
    line.hidden = now < LONG_MS;
  };
  for (const name of INPUT) document.addEventListener(name, look, { capture: true, passive: true });
  line.querySelector("button").addEventListener("click", () => {
    note(0);
    line.hidden = true;
  });
  look();
}
