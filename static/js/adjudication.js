// Adjudicating an item by keys: 1, 2, 3 answer, 0 clears, J and K move, Ctrl+Enter saves; and the
// reasons that a click inserts.
import { find, findAll } from "./dom.js";
import { listen } from "./judging/keys.js";

const form = find("#settle");
const targets = findAll("#settle .target.card");
let current = 0;

function go(to) {
  current = Math.min(Math.max(to, 0), targets.length - 1);
  targets.forEach((target, index) => target.classList.toggle("here", index === current));
}

// The focus goes to the chosen answer, for arrow keys and screen readers.
function choose(key) {
  const radios = [...targets[current].querySelectorAll("input[type=radio]")];
  const radio = key === "0" ? radios.at(-1) : radios.slice(0, -1)[Number(key) - 1];
  if (!radio) return;
  radio.checked = true;
  radio.focus();
}

function move(by) {
  go(current + by);
  const radio = find("input[type=radio]:checked", targets[current]) ?? find("input[type=radio]", targets[current]);
  radio.focus();
  targets[current].scrollIntoView({ block: "nearest" });
}

targets.forEach((target, index) => target.addEventListener("focusin", () => go(index)));
for (const quick of findAll("#settle .quick")) quick.hidden = false;
form.addEventListener("click", (event) => {
  const chip = event.target.closest("[data-reason]");
  if (!chip) return;
  const field = find("textarea", chip.closest(".why"));
  field.value = [field.value.trim(), chip.dataset.reason].filter(Boolean).join(" ");
  field.focus();
});
if (targets.length) {
  go(0);
  const digits = [..."0123456789"].map((key) => [key, () => choose(key)]);
  listen({
    single: { ...Object.fromEntries(digits), j: () => move(1), k: () => move(-1) },
    combined: { "ctrl+Enter": () => form.requestSubmit() },
  });
}
