// Questions: the sheet over a task where one asks and reads answers, and forms that say so when
// a message did not arrive. What is being written stays, also when the page is left.
import { withHtmx } from "./htmx.js";
import { store, stored } from "./judging/kept.js";

const dialog = document.getElementById("asking-dialog");
const asking = document.getElementById("asking");
const NO_CONNECTION = "Not sent: no connection. Your text is still here.";

const draft = `rarrweb-question:${asking?.dataset.task}`;
const field = () => document.getElementById("ask-text");
let isLoaded = false;

// The sentence that the rater is at, from 1; 0 where none is.
function currentSentence() {
  const at = document.activeElement?.closest?.("[id^=sentence-]") ?? document.querySelector(".s[id^=sentence-][tabindex='0']");
  return at ? Number(at.id.replace("sentence-", "")) || 0 : 0;
}

function chooseSentence(number) {
  const list = document.getElementById("ask-sentence");
  if (list && !field().value) list.value = [...list.options].some((option) => option.value === `${number}`) ? `${number}` : "";
}

let asked = 0;

function open() {
  asked = currentSentence();
  dialog.showModal();
  if (isLoaded) {
    chooseSentence(asked);
    field()?.focus();
  } else {
    withHtmx().then(
      () => asking.dispatchEvent(new Event("open-asking")),
      () => failed({ target: asking, detail: { elt: asking } }, NO_CONNECTION),
    );
  }
}

function arrived() {
  isLoaded = true;
  const form = document.getElementById("ask-form");
  if (form && "sent" in form.dataset) store(draft, "", "sessionStorage");
  else if (field() && !field().value) field().value = stored(draft, "sessionStorage");
  chooseSentence(asked);
  field()?.addEventListener("input", () => store(draft, field().value, "sessionStorage"));
  (document.getElementById("new-talk-heading") ?? field())?.focus();
  // What is in the sheet is read now.
  for (const told of document.querySelectorAll("[data-talk-new]")) told.remove();
  const notice = document.querySelector("[data-talk-notice]");
  if (notice) notice.hidden = true;
}

// A message that did not get through stands where it was, with a word beside it.
function failed(event, words) {
  const form = event.target.closest("form") ?? event.detail.elt?.closest("form");
  const place = form?.querySelector("[data-problem]");
  if (place) place.textContent = words;
  else if (event.detail.elt === asking) {
    asking.firstElementChild.textContent = `${words} Close this and open it again.`;
  }
}

document.addEventListener("htmx:sendError", (event) => failed(event, NO_CONNECTION));
document.addEventListener("htmx:timeout", (event) => failed(event, "Not sent: the server does not answer. Your text is still here."));
document.addEventListener("htmx:responseError", (event) => {
  const gone = event.detail.xhr.status === 404 || event.detail.xhr.status === 403;
  failed(event, gone ? "Not sent: you have no access any more." : "Not sent: the server cannot take it now. Your text is still here.");
});

if (dialog) {
  for (const button of document.querySelectorAll("[data-ask]")) button.addEventListener("click", open);
  asking.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target === asking) arrived();
  });
}

