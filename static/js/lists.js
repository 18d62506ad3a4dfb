// Ticked rows of a list's page. The list may be replaced, so its document listens.
const rows = (form, which = "") => [...form.querySelectorAll(`[name=row]${which}`)];

// What needs two rows, such as a comparison.
function offer(form) {
  for (const button of form.querySelectorAll(".with-two")) button.hidden = rows(form, ":checked").length < 2;
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-select-all]");
  if (!button) return;
  const boxes = rows(button.form);
  const all = boxes.every((each) => each.checked);
  for (const each of boxes) each.checked = !all;
  offer(button.form);
});
document.addEventListener("change", ({ target }) => {
  if (target.name === "row") offer(target.form);
});
