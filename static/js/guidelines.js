// The editor of the instructions: leaving loses nothing that is written.

const editor = document.getElementById("guidelines-editor");
if (editor) {
  const written = () => [...editor.querySelectorAll("textarea, input[type=text]")].map((field) => field.value).join("\0");
  const first = written();
  let isSaving = false;
  editor.addEventListener("submit", () => {
    isSaving = true;
  });
  addEventListener("beforeunload", (event) => {
    if (!isSaving && written() !== first) event.preventDefault();
  });
  const text = editor.querySelector("textarea");
  const preview = editor.querySelector(".previewing");
  // The preview stays near the place that is written at.
  text.addEventListener("scroll", () => {
    const height = text.scrollHeight - text.clientHeight;
    if (height > 0) preview.scrollTop = (text.scrollTop / height) * (preview.scrollHeight - preview.clientHeight);
  });
}
