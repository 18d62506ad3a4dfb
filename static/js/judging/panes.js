// The page's panes scroll separately: what is judged, and what is read. Keys scroll what is read
// while the focus stays on what is judged.
import { find } from "../dom.js";

const readPane = () => find(".evidence-pane") ?? find(".judged > .scroll");

// Less than half of a pane, so that a sentence cut off at its edge is whole after the next key press.
export const read = (direction) => () => {
  const pane = readPane();
  pane.scrollBy(0, direction * 0.4 * pane.clientHeight);
};

export function liesIn(element, pane) {
  const [inner, outer] = [element.getBoundingClientRect(), pane.getBoundingClientRect()];
  return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
}

// Bring an element into view; of one that does not fit, the beginning.
export function reveal(element) {
  element.scrollIntoView({ block: "nearest" });
  if (!liesIn(element, element.closest(".scroll, .evidence-pane"))) element.scrollIntoView({ block: "start" });
}

// Call show() when the width of the window changes. The height also changes when a phone shows its
// keyboard.
export function onNewWidth(show) {
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    show();
  });
}
