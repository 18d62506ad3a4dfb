// The page of one revision: [ and ] go to the run's other revisions; related parts are highlighted.

document.addEventListener("keydown", (event) => {
  // On many keyboards [ and ] need AltGr, which some systems report as Ctrl+Alt.
  const isAltGr = event.getModifierState("AltGraph");
  if (!isAltGr && (event.ctrlKey || event.altKey || event.metaKey)) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const rel = { "[": "prev", "]": "next" }[event.key];
  const link = rel && document.querySelector(`.list-nav a[rel=${rel}]`);
  if (link) link.click();
});

// A sentence, its evidence, and the other sentences on that evidence.
let highlighted;
const highlight = (event) => {
  const number = event.target.closest?.("[data-evidence]")?.dataset.evidence;
  if (number === highlighted) return; // a long page has a thousand sentences
  highlighted = number;
  for (const part of document.querySelectorAll("[data-evidence]")) {
    part.classList.toggle("lit", part.dataset.evidence === number);
  }
};
document.addEventListener("pointerover", highlight);
document.addEventListener("focusin", highlight);
