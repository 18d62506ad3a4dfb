// Shows only the options of the chosen systems.
const form = document.querySelector(".new-run");

function show() {
  const chosen = [...form.querySelectorAll("[name=system]:checked")].map((box) => box.value);
  for (const option of form.querySelectorAll("[data-of]")) {
    option.hidden = !option.dataset.of.split(" ").some((system) => chosen.includes(system));
  }
}

form.addEventListener("change", show);
show();
