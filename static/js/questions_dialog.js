// The dialog of a task in which raters ask questions and read answers, and the error messages of its
// forms. A draft outlives the page.
import { withHtmx } from "./htmx.js";
import { loadText, storeText } from "./storage.js";

const dialog = document.getElementById("questions-dialog");
const content = document.getElementById("questions-dialog-content");
const NO_CONNECTION = "Not sent: no connection. Your text is still here.";

const draft = `rarrweb-question:${content?.dataset.task}`;
const field = () => document.getElementById("ask-text");
let isLoaded = false;

// The number of the focused or current sentence or part, from 1; 0 without one.
function currentSentence() {
  const focused = document.activeElement?.closest?.(".s, .part");
  const current = focused ?? document.querySelector(".s.here, .part:has(.question.here)");
  return Number(current?.id.replace(/^(sentence|part)-/, "")) || 0;
}

function chooseSentence(number) {
  const list = document.getElementById("ask-sentence");
  if (list && !field().value) list.value = [...list.options].some((option) => option.value === `${number}`) ? `${number}` : "";
}

let sentenceAtOpening = 0;

function open() {
  sentenceAtOpening = currentSentence();
  dialog.showModal();
  if (isLoaded) {
    chooseSentence(sentenceAtOpening);
    field()?.focus();
  } else {
    withHtmx().then(
      () => content.dispatchEvent(new Event("open-questions")),
      () => showFailure({ target: content, detail: { elt: content } }, NO_CONNECTION),
    );
  }
}

function prepare() {
  isLoaded = true;
  const form = document.getElementById("ask-form");
  if (form && "sent" in form.dataset) storeText(draft, "", "sessionStorage");
  else if (field() && !field().value) field().value = loadText(draft, "sessionStorage");
  chooseSentence(sentenceAtOpening);
  field()?.addEventListener("input", () => storeText(draft, field().value, "sessionStorage"));
  (document.getElementById("new-answers-heading") ?? field())?.focus();
  // The dialog shows every new answer.
  for (const mark of document.querySelectorAll("[data-new-answers]")) mark.remove();
  const notice = document.querySelector("[data-new-answers-notice]");
  if (notice) notice.hidden = true;
}

function showFailure(event, words) {
  const form = event.target.closest("form") ?? event.detail.elt?.closest("form");
  const problem = form?.querySelector("[data-problem]");
  if (problem) problem.textContent = words;
  else if (event.detail.elt === content) {
    content.firstElementChild.textContent = `${words} Close this and open it again.`;
  }
}

document.addEventListener("htmx:sendError", (event) => showFailure(event, NO_CONNECTION));
document.addEventListener("htmx:timeout", (event) => showFailure(event, "Not sent: the server does not answer. Your text is still here."));
document.addEventListener("htmx:responseError", (event) => {
  const gone = event.detail.xhr.status === 404 || event.detail.xhr.status === 403;
  showFailure(event, gone ? "Not sent: you have no access any more." : "Not sent: the server cannot take it now. Your text is still here.");
});

if (dialog) {
  for (const button of document.querySelectorAll("[data-ask]")) button.addEventListener("click", open);
  content.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target === content) prepare();
  });
}
