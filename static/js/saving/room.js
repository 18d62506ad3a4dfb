// On every page of a person who is logged in: bring home what an earlier page could not, because
// the connection, the server or the tab went away. A judging page does so for its own item.
import { Operations } from "./operations.js";
import { urlOf } from "./request.js";
import { Saver } from "./saver.js";

const GOOD_MS = 8000;
const notice = document.getElementById("unsaved");
const find = (selector) => notice.querySelector(selector);
const own = document.getElementById("judging")?.dataset.task;

const words = (count) => `${count} answer${count === 1 ? "" : "s"} from before`;

class Room {
  #items = new Map(); // task -> {saver, count, failure}
  #count = 0;

  constructor() {
    this.operations = new Operations(notice.dataset.user);
    find("[data-retry]").addEventListener("click", () => {
      for (const { saver } of this.#items.values()) saver.retry();
    });
    find("[data-discard]").addEventListener("click", () => this.#discard());
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
    find("[data-retry]").hidden = !failed;
    find("[data-discard]").hidden = !failed?.[1].isFinal;
    const link = find("a");
    link.hidden = !failed;
    if (failed) link.href = urlOf(notice.dataset.taskUrl, failed[0]);
    find("[data-words]").textContent = this.#words(left, failed?.[1]);
    if (!left) setTimeout(() => this.#settled(), GOOD_MS);
  }

  #words(left, failed) {
    if (!left) return `${words(this.#count)} ${this.#count === 1 ? "is" : "are"} saved now.`;
    if (!failed) return `Saving ${words(left)} …`;
    const what = `${words(left)} ${left === 1 ? "is" : "are"} not saved yet: ${failed.failure}.`.replace("..", ".");
    return failed.isFinal ? `${what} This browser keeps ${left === 1 ? "it" : "them"}.` : what;
  }

  // What the server will never take need not be asked about on every page for good.
  async #discard() {
    if (!confirm("Throw these answers away? They are only in this browser.")) return;
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

if (notice) new Room().start();
