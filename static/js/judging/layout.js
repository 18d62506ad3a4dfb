// The heights of sticky bars, for the page's scroll padding: they never cover the focus.

export function arrange() {
  reserve("--footer", document.querySelector(".task-bar"));
  reserve("--toolbar", document.querySelector(".passage .bar"));
  reserve("--sentence", document.querySelector(".passage .bar .current"));
  reserve("--verdict", document.querySelector(".passage .bar .radios"));
  keepFocusInView(document.getElementById("judging"));
}

function reserve(name, element) {
  if (!element) return;
  const measure = () => {
    const isAtEdge = getComputedStyle(element.parentElement).gridColumnStart !== "2"; // not in a lane
    const sticks = isAtEdge && ["sticky", "fixed"].includes(getComputedStyle(element).position);
    document.documentElement.style.setProperty(name, `${sticks ? element.offsetHeight : 0}px`);
  };
  new ResizeObserver(measure).observe(element);
  addEventListener("resize", measure);
  measure();
}

// The focus stays in view when a phone is turned or a window made narrower. Only the width counts: a
// phone's address bar changes the height during scrolling.
function keepFocusInView(judging) {
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    if (judging.contains(document.activeElement)) document.activeElement.scrollIntoView({ block: "nearest" });
  });
}
