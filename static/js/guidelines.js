// The editor of the instructions: the browser asks before unsaved text is lost.

const editor = document.getElementById("guidelines-editor");
if (editor) {
  const currentText = () => [...editor.querySelectorAll("textarea, input[type=text]")].map((field) => field.value).join("\0");
  const saved = currentText();
  let isSaving = false;
  editor.addEventListener("submit", () => {
    isSaving = true;
  });
  addEventListener("beforeunload", (event) => {
    if (!isSaving && currentText() !== saved) event.preventDefault();
  });
  const text = editor.querySelector("textarea");
  const preview = editor.querySelector(".previewing");
  // The preview scrolls with the text.
  text.addEventListener("scroll", () => {
    const height = text.scrollHeight - text.clientHeight;
    if (height > 0) preview.scrollTop = (text.scrollTop / height) * (preview.scrollHeight - preview.clientHeight);
  });
}
