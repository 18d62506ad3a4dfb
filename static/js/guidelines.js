// The instructions: that a rater has read a new version, beside a task; and, in the editor, that
// nothing written is lost by leaving.

// ---- Beside a task ----------------------------------------------------------------------------
const judging = document.getElementById("judging");
const banner = document.getElementById("guidelines-changed");
const dialog = document.getElementById("guidelines-dialog");

function token() {
  const cookie = document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/);
  return cookie ? decodeURIComponent(cookie[1]) : document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

// From here on, answers are given under the new version.
async function confirmRead() {
  const problem = banner.querySelector("[data-problem]");
  let words = "";
  try {
    const response = await fetch(banner.dataset.confirmUrl, {
      method: "POST",
      headers: { "X-CSRFToken": token(), "HX-Request": "true" },
      redirect: "error",
    });
    if (response.status !== 204) words = "Not recorded: the server refused it. Load the page again.";
  } catch {
    words = "Not recorded: no connection. Press it again in a moment.";
  }
  problem.textContent = words;
  problem.hidden = !words;
  if (words) return false;
  judging.dataset.guidelines = banner.dataset.version;
  return true;
}

function putAway() {
  const hadFocus = banner.contains(document.activeElement);
  banner.hidden = true;
  if (hadFocus) document.getElementById("main").focus({ preventScroll: true });
}

if (banner && judging) {
  banner.querySelector("[data-read-guidelines]").addEventListener("click", async () => {
    if (await confirmRead()) putAway();
  });
  // Whoever opens the new instructions has them in front of them.
  let isRead = false;
  new MutationObserver(async () => {
    if (dialog.open && !isRead) isRead = await confirmRead();
    if (isRead && !dialog.open) putAway();
  }).observe(dialog, { attributeFilter: ["open"] });
}

// ---- The editor --------------------------------------------------------------------------------
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
