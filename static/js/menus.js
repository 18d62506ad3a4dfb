// A menu behind ⋯ lies over the page, so Esc, a click beside it and leaving it by Tab close it.
// Without this module its button still opens and closes it.

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.("details.more[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

for (const type of ["pointerdown", "focusin"]) {
  document.addEventListener(type, (event) => {
    for (const menu of document.querySelectorAll("details.more[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
}
