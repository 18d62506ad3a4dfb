// Copy buttons: <button data-copy="ID" hidden> copies the value of the field with that id.
// Without this module the button stays hidden and the field can be selected by hand.

async function copy(field) {
  field.focus();
  field.select();
  // The clipboard API is missing on plain http; the old command still works there.
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(field.value);
      return true;
    } catch {
      // Refused by the browser: try the other way.
    }
  }
  return document.execCommand("copy");
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  const says = document.querySelector(`[data-copy-says="${button.dataset.copy}"]`);
  button.hidden = false;
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => {
    const copied = await copy(field);
    says.textContent = copied ? "✓ Copied" : "It is selected: press Ctrl+C or ⌘C.";
  });
}
