// A line after fifty minutes of judging without a pause. The time goes along from item to item.
import { find } from "../dom.js";

const KEPT = "rarrweb-at-work";
const LONG_MS = 50 * 60_000;
const PAUSE_MS = 5 * 60_000;
const INPUT = ["pointerdown", "keydown", "wheel", "scroll"];

function read() {
  try {
    const [since, last] = JSON.parse(sessionStorage.getItem(KEPT));
    return { since, last };
  } catch {
    return { since: Date.now(), last: Date.now() };
  }
}

export function remindOfPauses() {
  const line = find("#pause .notice");
  const note = (since) => {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify([since, Date.now()]));
    } catch {
      // Forbidden: then nobody is reminded.
    }
  };
  const look = () => {
    const { since, last } = read();
    const from = Date.now() - last > PAUSE_MS ? Date.now() : since;
    note(from);
    line.hidden = Date.now() - from < LONG_MS;
  };
  for (const name of INPUT) document.addEventListener(name, look, { capture: true, passive: true });
  line.querySelector("button").addEventListener("click", () => {
    note(Date.now());
    line.hidden = true;
  });
  look();
}
