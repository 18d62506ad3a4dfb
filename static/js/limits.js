// A text over its limit is neither cut nor sent: the page says so, and the text stays to be
// shortened. A browser cuts what is pasted at `maxlength` without a word, so this module takes
// `maxlength` from every text area, and checks the length itself. The server does so again.

const LIMITED = "textarea[maxlength]";

function takeOver(field) {
  field.dataset.limit = field.maxLength;
  field.removeAttribute("maxlength");
}

function check(field) {
  const count = [...field.value].length;
  const limit = Number(field.dataset.limit);
  const [length, most] = [count, limit].map((number) => number.toLocaleString("en"));
  const words = count > limit ? `This text has ${length} characters: shorten it to ${most}.` : "";
  field.setCustomValidity(words);
  let notice = field.nextElementSibling?.matches("[data-over-limit]") ? field.nextElementSibling : null;
  if (!notice && words) {
    notice = document.createElement("p");
    notice.className = "errorlist";
    notice.dataset.overLimit = "";
    notice.setAttribute("role", "status");
    field.after(notice);
  }
  if (notice) notice.textContent = words;
}

for (const field of document.querySelectorAll(LIMITED)) takeOver(field);
// Of a fragment that came later.
document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.(LIMITED)) takeOver(target);
});
// In the capturing phase: the page's own listeners ask whether the text is valid.
document.addEventListener("input", ({ target }) => {
  if (target.matches?.("textarea[data-limit]")) check(target);
}, true);
