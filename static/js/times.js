// Writes times, which the server gives in UTC, in the time zone of the browser.
import { clock } from "./texts.js";

function write(part) {
  for (const element of part.querySelectorAll("time:is([data-local], [title])")) {
    const time = new Date(element.dateTime);
    const day = time.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
    element[element.title ? "title" : "textContent"] = `${day}, ${clock(time)}`;
  }
}

document.addEventListener("htmx:load", ({ detail }) => write(detail.elt));
write(document);
