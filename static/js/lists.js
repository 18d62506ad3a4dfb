// A button that checks or unchecks every row of a list's page. The list may be replaced, so its document listens.
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-select-all]");
  const boxes = [...(button?.form.querySelectorAll("[name=row]") ?? [])];
  const all = boxes.every((each) => each.checked);
  for (const each of boxes) each.checked = !all;
});
