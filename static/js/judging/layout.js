// The heights of what sticks to the edges of a judging page, so that it never covers the focus.

export function arrange() {
  keepClear("--footer", document.querySelector(".task-bar"));
  keepClear("--toolbar", document.querySelector(".passage .bar"));
  keepClear("--sentence", document.querySelector(".passage .bar .current"));
  keepClear("--verdict", document.querySelector(".passage .bar .radios"));
  keepInSight(document.getElementById("judging"));
}

// The height of what sticks to an edge, for the page's scroll padding.
function keepClear(name, element) {
  if (!element) return;
  const measure = () => {
    const isAtTheEdge = getComputedStyle(element.parentElement).gridColumnStart !== "2"; // not in a lane
    const sticks = isAtTheEdge && ["sticky", "fixed"].includes(getComputedStyle(element).position);
    document.documentElement.style.setProperty(name, `${sticks ? element.offsetHeight : 0}px`);
  };
  new ResizeObserver(measure).observe(element);
  addEventListener("resize", measure);
  measure();
}

// What has the focus stays in sight when a phone is turned or a window made narrower. Only the width
// counts: a phone's address bar changes the height while one scrolls.
function keepInSight(judging) {
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    if (judging.contains(document.activeElement)) document.activeElement.scrollIntoView({ block: "nearest" });
  });
}
