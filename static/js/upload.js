// Shows how much of a large file has been sent; without it the form works all the same.
import { fill, gettext } from "./texts.js";

document.addEventListener("htmx:xhr:progress", (event) => {
  const form = event.target.closest?.("#upload-form");
  if (!form || !event.detail.lengthComputable) return;
  const percent = Math.floor((100 * event.detail.loaded) / event.detail.total);
  form.querySelector(".sending").hidden = false;
  form.querySelector("#sending").value = percent;
  form.querySelector(".sending label").textContent =
    percent < 100
      ? fill(gettext("Sending the file: %(percent)s %"), { percent })
      : gettext("The file has arrived and is being stored");
});

document.addEventListener("htmx:sendError", (event) => fail(event));
document.addEventListener("htmx:responseError", (event) => fail(event));

function fail(event) {
  const form = event.target.closest?.("#upload-form");
  if (!form) return;
  const sending = form.querySelector(".sending");
  sending.hidden = false;
  sending.querySelector("label").textContent =
    gettext("The file was not taken: the connection broke or the server refused it. Try again.");
}
