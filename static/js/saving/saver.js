// Brings every change to the server: one idempotent PUT of absolute states at a time, tried
// again until it is acknowledged. A change is an answer {criterion, target, value, sequence}
// or a comment {text, sequence}; the log of operations keeps it until then.
import { put } from "./request.js";

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30000;
const TIME_LIMIT = 15000;
const LOG_PATIENCE = 500;
const COMMENT = "comment";

async function refusal(response) {
  try {
    return (await response.json()).errors[0].detail;
  } catch {
    return "";
  }
}

export class Saver {
  #pending = new Map(); // name -> change
  #written = Promise.resolve(); // that the log has all of them
  #sending = false;
  #timer = 0;
  #pause = FIRST_PAUSE;
  #waiting = [];
  #isFinal = false; // the server has refused for good; the changes stay in this browser

  // urls: {judgments, comment}; onState(state, detail): "saving", "saved" with the server's
  // answer, "failed" with {message, seconds}; seconds is null when it makes no sense to go on.
  // visit(): what the page tells of itself with each save; undefined where it tells nothing.
  constructor({ task, operations, urls, onState, visit = () => undefined }) {
    Object.assign(this, { task, operations, urls, onState, visit });
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#flush();
      else this.retry();
    });
    addEventListener("pagehide", () => this.#flush());
  }

  get size() {
    return this.#pending.size;
  }

  // Whether leaving now would cut short a save that may still come through.
  get isBusy() {
    return this.#pending.size > 0 && !this.#isFinal;
  }

  put(name, change) {
    this.#pending.set(name, change);
    const kept = this.operations.keep(this.task, name, change);
    this.#written = Promise.all([this.#written, kept]).catch(() => {});
    this.#isFinal = false;
    this.onState("saving");
    this.retry();
  }

  // Try now, whatever the pause says.
  retry() {
    clearTimeout(this.#timer);
    if (this.#pending.size) this.#send();
  }

  // The person has thrown away what is left.
  discard() {
    clearTimeout(this.#timer);
    this.#pending.clear();
  }

  // Resolves to true when everything is saved, to false when a try failed.
  settled() {
    if (!this.#pending.size) return Promise.resolve(true);
    const answer = new Promise((resolve) => this.#waiting.push(resolve));
    this.retry();
    return answer;
  }

  async #send() {
    if (this.#sending) return;
    this.#sending = true;
    try {
      while (this.#pending.size) {
        // First the log, then the wire; but a browser whose log hangs must still save.
        await Promise.race([this.#written, new Promise((go) => setTimeout(go, LOG_PATIENCE))]);
        if (!this.#pending.size) break;
        const [kind, sent] = this.#batch();
        const failure = await this.#put(kind, sent);
        // What was sent while the page was hidden was quicker.
        if (!this.#pending.size && !failure?.dropped) break;
        if (failure) {
          this.#failed(failure);
          return;
        }
      }
      this.#tell(true);
    } finally {
      this.#sending = false;
    }
  }

  // The answers together, then the comment: ["judgments" | "comment", [[name, change], ...]].
  #batch() {
    const answers = [...this.#pending].filter(([name]) => name !== COMMENT);
    return answers.length ? ["judgments", answers] : ["comment", [...this.#pending]];
  }

  #request(kind, sent, extra) {
    const changes = sent.map(([, change]) => change);
    const body = kind === "comment" ? { ...changes[0] } : { answers: changes };
    const visit = this.visit();
    return put(this.urls[kind], visit ? { ...body, visit } : body, extra);
  }

  // Undefined when saved, else {message, final}.
  async #put(kind, sent) {
    let response;
    try {
      response = await this.#request(kind, sent, { signal: AbortSignal.timeout(TIME_LIMIT) });
    } catch {
      return { message: "no connection" };
    }
    if (response.ok) {
      let body;
      try {
        body = await response.json();
      } catch {
        return { message: "no connection" };
      }
      this.#acknowledged(sent);
      this.#pause = FIRST_PAUSE;
      this.onState(this.#pending.size ? "saving" : "saved", body);
      return undefined;
    }
    if (response.status === 400 && sent.length > 1) {
      // One of them has no place in the item: the others must not suffer for it.
      for (const one of sent) {
        const failure = await this.#put(kind, [one]);
        if (failure && !failure.dropped) return failure;
      }
      return undefined;
    }
    const message = (await refusal(response)) || "the answer was refused";
    if (response.status === 400) {
      this.#acknowledged(sent);
      this.onState("failed", { message, seconds: null });
      return { dropped: true, final: true, message };
    }
    if (response.status === 409) return { final: true, message };
    if (response.status === 404) return { final: true, message: "you have no access to this item any more" };
    if (response.status === 401 || response.status === 403) {
      return { message: "you are logged out. Log in in another tab to continue" };
    }
    return { message: "the server does not answer" };
  }

  #acknowledged(sent) {
    for (const [name, change] of sent) {
      this.operations.forget(this.task, name, change.sequence);
      if (this.#pending.get(name) === change) this.#pending.delete(name);
    }
  }

  #failed({ message, final }) {
    clearTimeout(this.#timer);
    this.#isFinal = Boolean(final);
    if (final) {
      this.onState("failed", { message, seconds: null });
    } else {
      this.#timer = setTimeout(() => this.retry(), this.#pause);
      this.onState("failed", { message, seconds: Math.round(this.#pause / 1000) });
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    }
    this.#tell(false);
  }

  #tell(saved) {
    for (const resolve of this.#waiting.splice(0)) resolve(saved);
  }

  // The page goes away: send at once, without waiting for what is on its way. Sending an
  // answer twice does no harm; what does not arrive is in the log.
  #flush() {
    if (!this.#pending.size) return;
    const [answers, comment] = [[], []];
    for (const entry of this.#pending) (entry[0] === COMMENT ? comment : answers).push(entry);
    for (const [kind, sent] of [["judgments", answers], ["comment", comment]]) {
      if (!sent.length) continue;
      this.#request(kind, sent, { keepalive: true })
        .then(async (response) => {
          if (!response.ok) return;
          const body = await response.json();
          this.#acknowledged(sent);
          if (!this.#pending.size) this.onState("saved", body);
        })
        .catch(() => {});
    }
  }
}
