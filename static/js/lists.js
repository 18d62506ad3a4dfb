// A button that checks or unchecks every row of a list's page.
for (const button of document.querySelectorAll("[data-tick-all]")) {
  const boxes = [...button.form.elements].filter((each) => each.name === "row" && each.type === "checkbox");
  button.hidden = boxes.length < 2;
  button.addEventListener("click", () => {
    const all = boxes.every((each) => each.checked);
    for (const each of boxes) each.checked = !all;
  });
}
