// A long list of boxes to tick, with a field that finds some: <div data-filters="ID" hidden> holds
// the field and a word on how many are shown, and the labels of the list have data-filtered, the
// words that they are found by. Without this module the field stays hidden and all are shown.

const FEW = 8; // so many are seen at a glance

for (const filter of document.querySelectorAll("[data-filters]")) {
  const list = document.getElementById(filter.dataset.filters);
  const labels = [...list.querySelectorAll("[data-filtered]")];
  const field = filter.querySelector("input");
  const says = filter.querySelector("[data-shown]");

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const label of labels) {
      const found = words.every((word) => label.dataset.filtered.includes(word));
      // What is ticked goes with the form, so it stays in sight.
      label.hidden = !found && !label.querySelector("input").checked;
    }
    for (const group of list.querySelectorAll("[role=group]")) {
      group.hidden = !group.querySelector("[data-filtered]:not([hidden])");
    }
    const shown = labels.filter((label) => !label.hidden).length;
    says.textContent = `${shown} / ${labels.length}`;
  }

  field.addEventListener("input", show);
  // Finding is no change of the form, and Enter in it is no start of the campaign.
  field.addEventListener("change", (event) => event.stopPropagation());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  if (labels.length > FEW) {
    show();
    filter.hidden = false;
  }
}
