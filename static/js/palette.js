// The palette: Ctrl+K (⌘K) opens it, arrows choose, Enter opens, Esc closes.
import { withHtmx } from "./htmx.js";

const palette = document.getElementById("palette");
const input = palette?.querySelector("input");
const places = document.getElementById("palette-places");
const links = () => [...places.querySelectorAll("a")];
let isStale = false; // the list is older than the input
let isLeaving = false; // Enter was pressed while the list was stale

function open() {
  if (palette.open) return;
  palette.showModal();
  input.value = "";
  isLeaving = false;
  withHtmx().then(() => input.dispatchEvent(new Event("palette-open")), () => {}); // Enter still sends the form
}

// The input keeps the focus.
function choose(step) {
  const all = links();
  if (!all.length) return;
  const now = all.findIndex((link) => link.ariaSelected === "true");
  const next = now < 0 ? (step > 0 ? 0 : all.length - 1) : (now + step + all.length) % all.length;
  all.forEach((link, index) => link.setAttribute("aria-selected", index === next));
  input.setAttribute("aria-activedescendant", all[next].id);
  all[next].scrollIntoView({ block: "nearest" });
}

function leave() {
  const chosen = links().find((link) => link.ariaSelected === "true") ?? (input.value.trim() && links()[0]);
  if (chosen) location.assign(chosen.href);
}

// The links are the options of the combobox.
function nameRoles() {
  places.querySelectorAll("ul").forEach((list) => {
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", input.getAttribute("aria-label"));
  });
  places.querySelectorAll("li").forEach((row) => row.setAttribute("role", "none"));
  links().forEach((link, index) => {
    link.id = `palette-link-${index}`;
    link.tabIndex = -1;
    link.setAttribute("role", "option");
    link.setAttribute("aria-selected", "false");
  });
  input.removeAttribute("aria-activedescendant");
  isStale = false;
  if (isLeaving) leave();
  isLeaving = false;
}

if (palette) {
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  document.getElementById("open-palette")?.addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      if (isLeaving) return; // the list did not load: open the search page
      event.preventDefault();
      isLeaving = isStale;
      if (!isStale) leave();
    }
    event.stopPropagation(); // not the page's own keys
  });
  input.addEventListener("input", () => { isStale = true; isLeaving = false; });
  places.addEventListener("htmx:afterSwap", nameRoles);
  palette.addEventListener("click", (event) => {
    if (event.target === palette) palette.close();
  });
}
