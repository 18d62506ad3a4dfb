// Copy buttons: <button data-copy="ID" hidden> copies the value of the field with that id.

const PATIENCE_MS = 1000; // a browser that asks its user for permission may never answer

const tooLong = () =>
  new Promise((_, reject) => setTimeout(() => reject(new Error("no answer")), PATIENCE_MS));

async function copy(field) {
  const folded = field.closest("details:not([open])");
  if (!folded) {
    field.focus();
    field.select();
  }
  // The clipboard API is missing on plain http; the old command still works there.
  if (navigator.clipboard) {
    try {
      await Promise.race([navigator.clipboard.writeText(field.value), tooLong()]);
      return true;
    } catch {
      // Refused by the browser: try the old command.
    }
  }
  if (folded) {
    folded.open = true; // a hidden field cannot be selected
    field.focus();
    field.select();
  }
  return document.execCommand("copy");
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  const status = document.querySelector(`[data-copy-status~="${button.dataset.copy}"]`);
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => {
    const copied = await copy(field);
    status.textContent = copied ? "✓ Copied" : "It is selected: press Ctrl+C or ⌘C.";
  });
  button.hidden = false;
}
