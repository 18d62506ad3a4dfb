// What the answers about the parts make of the whole, as they come: `any` is a yes with one yes,
// `all` takes a yes of every part, and one no settles it. A part that is not asked about has its
// answer on the page (`data-follows`).
import { findAll } from "../dom.js";

function settle(how, values) {
  if (how === "any") {
    if (values.includes(1)) return 1;
    return values.includes(null) ? null : 0;
  }
  if (values.includes(0)) return 0;
  return values.includes(null) ? null : 1;
}

const WORDS = { 1: "✓ yes", 0: "✕ no", null: "○ open" };

export function showDerivedLabels(questions) {
  for (const chip of document.querySelectorAll("[data-rule]")) {
    const asked = questions.filter((question) => question.criterion === chip.dataset.criterion);
    const following = findAll(`[data-follows="${chip.dataset.criterion}"]`).map((each) => Number(each.dataset.value));
    const settled = settle(chip.dataset.rule, [...asked.map((question) => question.value), ...following]);
    chip.textContent = WORDS[settled];
    chip.classList.toggle("yes", settled === 1);
    chip.classList.toggle("no", settled === 0);
  }
}
