// On every page of a person who is logged in: bring home what an earlier page could not, because
// the connection, the server or the tab went away. A judging page does so for its own item.
import { find } from "../dom.js";
import { Operations } from "./operations.js";
import { urlOf } from "./request.js";
import { Saver } from "./saver.js";

const GOOD_MS = 8000;
const notice = document.getElementById("unsaved");
const own = document.getElementById("judging")?.dataset.task;

// What is said of so many answers: that they are saved, on their way, or why they are not.
function textOf(count, isSaved, failed) {
  const [answers, are, them] = count === 1 ? ["answer", "is", "it"] : ["answers", "are", "them"];
  if (isSaved) return `${count} ${answers} from before ${are} saved now.`;
  if (!failed) return `Saving ${count} ${answers} from before …`;
  const kept = failed.isFinal ? ` This browser keeps ${them}.` : "";
  return `${count} ${answers} from before ${are} not saved yet: ${failed.failure}.${kept}`.replace("..", ".");
}

class UnsavedAnswers {
  #items = new Map(); // task -> {saver, count, failure}
  #count = 0;

  constructor() {
    this.operations = new Operations(notice.dataset.user);
    find("[data-retry]", notice).addEventListener("click", () => {
      for (const { saver } of this.#items.values()) saver.retry();
    });
    find("[data-discard]", notice).addEventListener("click", () => this.#discard());
  }

  async start() {
    for (const { task, name, change } of await this.operations.all()) {
      if (task === own) continue;
      this.#item(task).saver.put(name, change);
      this.#count += 1;
    }
  }

  #item(task) {
    if (!this.#items.has(task)) {
      const item = { failure: "", isFinal: false };
      item.saver = new Saver({
        task,
        operations: this.operations,
        urls: {
          judgments: urlOf(notice.dataset.judgmentsUrl, task),
          comment: urlOf(notice.dataset.commentUrl, task),
        },
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
    const waiting = [...this.#items].filter(([, { saver }]) => saver.size > 0);
    const left = waiting.reduce((sum, [, { saver }]) => sum + saver.size, 0);
    const failed = waiting.find(([, { failure }]) => failure);
    notice.hidden = false;
    notice.classList.toggle("good", !left);
    notice.classList.toggle("warn", Boolean(failed));
    find("[data-retry]", notice).hidden = !failed;
    find("[data-discard]", notice).hidden = !failed?.[1].isFinal;
    const link = find("a", notice);
    link.hidden = !failed;
    if (failed) link.href = urlOf(notice.dataset.taskUrl, failed[0]);
    find("[data-words]", notice).textContent = textOf(left || this.#count, !left, failed?.[1]);
    if (!left) setTimeout(() => this.#settled(), GOOD_MS);
  }

  // What the server will never take need not be asked about on every page for good.
  async #discard() {
    if (!confirm("Discard these answers? They are only in this browser.")) return;
    for (const [task, item] of this.#items) {
      if (!item.isFinal) continue;
      for (const { name, order } of (await this.operations.all()).filter((each) => each.task === task)) {
        await this.operations.forget(task, name, order);
      }
      item.saver.discard();
    }
    this.#settled();
  }

  #settled() {
    notice.hidden = [...this.#items.values()].every(({ saver }) => saver.size === 0);
  }
}

if (notice) new UnsavedAnswers().start();
