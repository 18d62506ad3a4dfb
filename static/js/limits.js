// A text over its limit is neither cut nor sent: a message asks to shorten it. Browsers silently cut
// pasted text at `maxlength`, so this module replaces that attribute of text areas.

const LIMITED = "textarea[maxlength]";

function takeOver(field) {
  field.dataset.limit = field.maxLength;
  field.removeAttribute("maxlength");
}

function check(field) {
  const count = [...field.value].length;
  const limit = Number(field.dataset.limit);
  const [length, limitText] = [count, limit].map((number) => number.toLocaleString("en"));
  const words = count > limit ? `This text has ${length} characters: shorten it to ${limitText}.` : "";
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
// Text areas of fragments loaded later.
document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.(LIMITED)) takeOver(target);
});
// Capturing: before the page's own listeners check the validity.
document.addEventListener("input", ({ target }) => {
  if (target.matches?.("textarea[data-limit]")) check(target);
}, true);
