// Sends every change of one task to the server: one idempotent PUT of absolute states at a time,
// repeated until it is acknowledged. A change is an answer {criterion, target, value, sequence, …}
// or, named "comment", a comment {text, sequence}. The log has it until then.
import { put } from "./request.js";

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30000;
const TIME_LIMIT = 15000;
const LOG_PATIENCE = 500;
export const COMMENT = "comment";
export const LOGGED_OUT = "you are logged out";

async function refusal(response) {
  try {
    return (await response.json()).errors[0].detail;
  } catch {
    return "the answer was refused";
  }
}

export class Saver {
  #pending = new Map(); // name -> change
  #logged = Promise.resolve(); // when the log has all of them
  #sending = false;
  #timer = 0;
  #pause = FIRST_PAUSE;
  #waiting = [];
  #isFinal = false; // the server has refused for good; the changes stay in the log

  // onState(state, detail): "saving", "saved" with the server's reply, "failed" with
  // {message, seconds}, seconds null when no further attempt follows.
  // visit(): the totals of the visit, or undefined.
  constructor({ task, log, url, onState, visit = () => undefined }) {
    Object.assign(this, { task, log, url, onState, visit });
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

  // Whether leaving now would interrupt a save that may still succeed.
  get isBusy() {
    return this.#pending.size > 0 && !this.#isFinal;
  }

  put(name, change) {
    if (this.#pending.get(name)?.sequence > change.sequence) return;
    this.#pending.set(name, change);
    this.#logged = Promise.all([this.#logged, this.log.add(this.task, name, change)]);
    this.#isFinal = false;
    this.onState("saving");
    this.retry();
  }

  // Send now, without waiting for the pause.
  async retry() {
    clearTimeout(this.#timer);
    if (this.#sending || !this.#pending.size) return;
    this.#sending = true;
    try {
      while (this.#pending.size) {
        // The log comes first, but a browser whose log hangs must still save.
        await Promise.race([this.#logged, new Promise((go) => setTimeout(go, LOG_PATIENCE))]);
        if (!this.#pending.size) break;
        const failure = await this.#send([...this.#pending]);
        // What was sent while the page was hidden was quicker.
        if (!this.#pending.size && !failure?.dropped) break;
        if (failure) {
          this.#failed(failure);
          return;
        }
      }
      this.#settle(true);
    } finally {
      this.#sending = false;
    }
  }

  // Give up the pending changes; the log still has them.
  discard() {
    clearTimeout(this.#timer);
    this.#pending.clear();
  }

  // Resolves to true when everything is saved, to false when an attempt failed.
  settled() {
    if (!this.#pending.size) return Promise.resolve(true);
    const isSaved = new Promise((resolve) => this.#waiting.push(resolve));
    this.retry();
    return isSaved;
  }

  // Undefined when saved, else {message, isFinal, dropped}.
  async #send(changes, extra = { signal: AbortSignal.timeout(TIME_LIMIT) }) {
    const answers = changes.filter(([name]) => name !== COMMENT).map(([, answer]) => answer);
    const comment = changes.find(([name]) => name === COMMENT)?.[1];
    let response;
    let reply;
    try {
      response = await put(this.url, { answers, comment, visit: this.visit() }, extra);
      if (response.ok) reply = await response.json();
    } catch {
      return { message: "no connection" };
    }
    if (response.ok) {
      this.#acknowledge(changes);
      this.#pause = FIRST_PAUSE;
      this.onState(this.#pending.size ? "saving" : "saved", reply);
      return undefined;
    }
    if (response.status === 400 && changes.length > 1) {
      // One of them does not fit the item: save the others.
      for (const change of changes) {
        const failure = await this.#send([change]);
        if (failure && !failure.dropped) return failure;
      }
      return undefined;
    }
    if (response.status === 400) {
      const message = await refusal(response);
      this.#acknowledge(changes);
      this.onState("failed", { message, seconds: null });
      return { dropped: true, isFinal: true, message };
    }
    if (response.status === 409) return { isFinal: true, message: await refusal(response) };
    if (response.status === 404) return { isFinal: true, message: "you have no access to this item any more" };
    if (response.status === 401 || response.status === 403) {
      return { message: LOGGED_OUT };
    }
    return { message: "the server does not answer" };
  }

  #acknowledge(changes) {
    for (const [name, change] of changes) {
      this.log.remove(this.task, name, change.sequence);
      if (this.#pending.get(name) === change) this.#pending.delete(name);
    }
  }

  #failed({ message, isFinal }) {
    clearTimeout(this.#timer);
    this.#isFinal = Boolean(isFinal);
    if (isFinal) {
      this.onState("failed", { message, seconds: null });
    } else {
      this.#timer = setTimeout(() => this.retry(), this.#pause);
      this.onState("failed", { message, seconds: Math.round(this.#pause / 1000) });
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    }
    this.#settle(false);
  }

  #settle(isSaved) {
    for (const resolve of this.#waiting.splice(0)) resolve(isSaved);
  }

  // The page goes away: send at once. Sending a change twice does no harm, and the log has what
  // does not arrive.
  #flush() {
    if (this.#pending.size) this.#send([...this.#pending], { keepalive: true });
  }
}
