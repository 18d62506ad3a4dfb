// A button that checks every row of a list's page. The list may be replaced, so its document listens.
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-select-all]");
  for (const each of button?.form.elements ?? []) if (each.name === "row") each.checked = true;
});
