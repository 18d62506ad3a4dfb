// A filter for a long list of check boxes: <div data-filters="ID" hidden> has the field and a
// [data-count], and each label of the list has its words in data-filtered.

const MIN_LABELS = 9;

for (const filter of document.querySelectorAll("[data-filters]")) {
  const list = document.getElementById(filter.dataset.filters);
  const labels = [...list.querySelectorAll("[data-filtered]")];
  const field = filter.querySelector("input");
  const count = filter.querySelector("[data-count]");

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const label of labels) {
      const matches = words.every((word) => label.dataset.filtered.includes(word));
      // Checked boxes stay visible: the form sends them.
      label.hidden = !matches && !label.querySelector("input").checked;
    }
    for (const group of list.querySelectorAll("[role=group]")) {
      group.hidden = !group.querySelector("[data-filtered]:not([hidden])");
    }
    const visible = labels.filter((label) => !label.hidden).length;
    count.textContent = `${visible} / ${labels.length}`;
  }

  field.addEventListener("input", show);
  // Filtering neither changes nor submits the form.
  field.addEventListener("change", (event) => event.stopPropagation());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  if (labels.length >= MIN_LABELS) {
    show();
    filter.hidden = false;
  }
}
