/* The page of one revision: [ and ] walk through the run, and what belongs together lights up. */

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

/* A sentence, its evidence, and the other sentences on that evidence. */
let lit;
const light = (event) => {
  const number = event.target.closest?.("[data-evidence]")?.dataset.evidence;
  if (number === lit) return; // a long page has a thousand sentences: look only at a change
  lit = number;
  for (const part of document.querySelectorAll("[data-evidence]")) {
    part.classList.toggle("lit", part.dataset.evidence === number);
  }
};
document.addEventListener("pointerover", light);
document.addEventListener("focusin", light);
