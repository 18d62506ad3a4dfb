// Settling an item by keys: 1, 2, 3 answer, 0 takes it back, J and K go on and back, Ctrl+Enter saves;
// and the reasons that a click writes.
import { listen } from "./attribution/keys.js";
import { find, findAll } from "./dom.js";

const form = find("#settle");
const targets = findAll("#settle .target.card");
let here = 0;

function go(to) {
  here = Math.min(Math.max(to, 0), targets.length - 1);
  targets.forEach((target, place) => target.classList.toggle("here", place === here));
}

// The answer that holds now has the focus, so that arrows and a screen reader are there too.
function choose(key) {
  const radios = [...targets[here].querySelectorAll("input[type=radio]")];
  const radio = key === "0" ? radios.at(-1) : radios.slice(0, -1)[Number(key) - 1];
  if (!radio) return;
  radio.checked = true;
  radio.focus();
}

function move(by) {
  go(here + by);
  const radio = find("input[type=radio]:checked", targets[here]) ?? find("input[type=radio]", targets[here]);
  radio.focus();
  targets[here].scrollIntoView({ block: "nearest" });
}

targets.forEach((target, place) => target.addEventListener("focusin", () => go(place)));
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
