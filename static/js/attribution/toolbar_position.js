// The toolbar next to the current sentence, in a lane that covers no text, where the window is wide
// enough for one. Elsewhere it lies above the footer (attribution.css).

// Returns the function that moves the toolbar to the sentence that current() returns. A change of
// the layout moves it, too.
export function positionToolbar(passage, current) {
  const lane = passage.querySelector(".lane");
  const position = () => {
    const [line] = current().getClientRects();
    if (!line || getComputedStyle(lane).display === "contents") return;
    const top = Math.max(line.top - lane.getBoundingClientRect().top, 0);
    lane.style.setProperty("--at", `${Math.round(top)}px`);
  };
  new ResizeObserver(position).observe(passage.querySelector(".text"));
  const bar = lane.querySelector(".bar");
  new ResizeObserver(() => passage.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);
  return position;
}
