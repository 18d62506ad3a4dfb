// Clicks on a sentence. Every one counts, however fast: a quick double click is two. Not counted are
// bounces of a worn mouse button and the end of a drag that selects text.

const BOUNCE_MS = 40;
const DRAG_PX = 5;

export function onRealClick(element, act) {
  let last = -Infinity;
  let down = null;
  element.addEventListener("pointerdown", (event) => {
    down = { x: event.clientX, y: event.clientY };
  });
  element.addEventListener("mousedown", (event) => {
    if (event.detail > 1) event.preventDefault(); // a second fast click would select a word
  });
  element.addEventListener("click", (event) => {
    // A screen reader or a switch clicks without a pointer: no bounce, no drag.
    const byPointer = event.detail > 0 && down !== null;
    if (byPointer) {
      const moved = Math.hypot(event.clientX - down.x, event.clientY - down.y);
      const bounced = event.timeStamp - last < BOUNCE_MS;
      last = event.timeStamp;
      down = null;
      if (moved > DRAG_PX || bounced) return;
    }
    act();
  });
}
