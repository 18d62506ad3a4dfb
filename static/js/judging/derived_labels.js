// Labels of the whole item, from the answers about its parts: `any` is a yes with one yes, `all` with
// a yes for every part. A part without a question has its answer in `data-follows`.
import { findAll } from "../dom.js";

function labelOf(how, values) {
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
    const about = questions.filter((question) => question.criterion === chip.dataset.criterion);
    const following = findAll(`[data-follows="${chip.dataset.criterion}"]`).map((each) => Number(each.dataset.value));
    const label = labelOf(chip.dataset.rule, [...about.map((question) => question.value), ...following]);
    chip.textContent = WORDS[label];
    chip.classList.toggle("yes", label === 1);
    chip.classList.toggle("no", label === 0);
  }
}
