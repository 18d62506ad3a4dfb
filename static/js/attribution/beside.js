// The toolbar beside the current sentence, where there is room for a lane of its own: the text does not
// move for it, and nothing of the text is under it. Elsewhere it lies above the footer (attribution.css).

// Returns what puts it beside the sentence that current() gives; it also keeps it there when lines
// break elsewhere.
export function beside(passage, current) {
  const lane = passage.querySelector(".lane");
  const place = () => {
    const [line] = current().getClientRects();
    if (!line || getComputedStyle(lane).display === "contents") return;
    const at = Math.max(line.top - lane.getBoundingClientRect().top, 0);
    lane.style.setProperty("--at", `${Math.round(at)}px`);
  };
  new ResizeObserver(place).observe(passage.querySelector(".text"));
  const bar = lane.querySelector(".bar");
  new ResizeObserver(() => passage.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);
  return place;
}
