// Keys on the page of one passage as several runs revised it; [ and ] are in revision.js.
import "./revision.js";
import { find, findAll } from "./dom.js";
import { listen } from "./judging/keys.js";

for (const button of findAll("[data-open-dialog]")) {
  button.hidden = false;
  button.addEventListener("click", () => document.getElementById(button.dataset.openDialog).showModal());
}

function foldEvidence() {
  const all = findAll(".sources");
  const open = all.some((each) => !each.open);
  for (const each of all) each.open = open;
}

function writeNote() {
  find("#add-note").open = true;
  find("#new-note").focus();
}

listen({
  single: { e: foldEvidence, n: writeNote, "?": () => find("#keys-dialog").showModal() },
  combined: {},
});

find("#new-note").addEventListener("keydown", (event) => {
  if (event.key === "Escape") event.target.blur();
});
