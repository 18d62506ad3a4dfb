// On every page of a logged-in user: send what earlier pages could not, because the connection, the
// server or the tab went away. A judging page does so for its own item.
import { find } from "../dom.js";
import { ChangeLog } from "../storage.js";
import { urlOf } from "./request.js";
import { Saver } from "./saver.js";

const SAVED_MS = 8000;
const notice = document.getElementById("unsaved");
const currentTask = document.getElementById("judging")?.dataset.task;

// Whether so many answers are saved, on their way, or failed ({failure, isFinal}).
function textOf(count, isSaved, failed) {
  const [answers, are, them] = count === 1 ? ["answer", "is", "it"] : ["answers", "are", "them"];
  if (isSaved) return `${count} ${answers} from before ${are} saved now.`;
  if (!failed) return `Saving ${count} ${answers} from before …`;
  const final = failed.isFinal ? ` This browser keeps ${them}.` : "";
  return `${count} ${answers} from before ${are} not saved yet: ${failed.failure}.${final}`.replace("..", ".");
}

class UnsavedNotice {
  #items = new Map(); // task -> {saver, failure, isFinal}
  #count = 0;

  constructor() {
    this.log = new ChangeLog(notice.dataset.user);
    find("[data-retry]", notice).addEventListener("click", () => {
      for (const { saver } of this.#items.values()) saver.retry();
    });
    find("[data-discard]", notice).addEventListener("click", () => this.#discard());
  }

  async start() {
    for await (const { task, name, change } of this.log.changes()) {
      if (task === currentTask) continue;
      this.#count += 1;
      this.#item(task).saver.put(name, change);
    }
  }

  #item(task) {
    if (!this.#items.has(task)) {
      const item = { failure: "", isFinal: false };
      item.saver = new Saver({
        task,
        log: this.log,
        url: urlOf(notice.dataset.saveUrl, task),
        onState: (state, detail) => {
          item.failure = state === "failed" ? detail.message : "";
          item.isFinal = state === "failed" && detail.seconds === null;
          queueMicrotask(() => this.#show());
        },
      });
      this.#items.set(task, item);
    }
    return this.#items.get(task);
  }

  #show() {
    const unsaved = [...this.#items].filter(([, { saver }]) => saver.size > 0);
    const count = unsaved.reduce((sum, [, { saver }]) => sum + saver.size, 0);
    const [task, failed] = unsaved.find(([, { failure }]) => failure) ?? [];
    notice.hidden = false;
    notice.classList.toggle("good", !count);
    notice.classList.toggle("warn", Boolean(failed));
    find("[data-retry]", notice).hidden = !failed;
    find("[data-discard]", notice).hidden = !failed?.isFinal;
    const link = find("a", notice);
    link.hidden = !failed;
    if (failed) link.href = urlOf(notice.dataset.taskUrl, task);
    find("[data-words]", notice).textContent = textOf(count || this.#count, !count, failed);
    if (!count) setTimeout(() => this.#hideIfSaved(), SAVED_MS);
  }

  // Without this, every page would report what the server will never accept.
  async #discard() {
    if (!confirm("Discard these answers? They are only in this browser.")) return;
    for await (const { task, name, change } of this.log.changes()) {
      const item = this.#items.get(task);
      if (!item?.isFinal) continue;
      await this.log.remove(task, name, change.sequence);
      item.saver.discard();
    }
    this.#hideIfSaved();
  }

  #hideIfSaved() {
    notice.hidden = [...this.#items.values()].every(({ saver }) => saver.size === 0);
  }
}

if (notice) new UnsavedNotice().start();
