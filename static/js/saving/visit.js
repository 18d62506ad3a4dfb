// What a page knows of its rater's visit: time at work and idle, clicks, keys. It tells its totals
// so far with every save, and by itself now and then while somebody is at work, which renews the
// lease. At work is: the tab is visible, and there was input within the last half minute.
import { put, uuid } from "./request.js";

const ACTIVE_MS = 30000;
const REPORT_MS = 60000;
const FIRST_REPORT_MS = 10000;
const URGENT_MS = 3000; // no storm of reports where none gets through
const INPUT = ["pointerdown", "pointermove", "wheel", "scroll", "keydown", "input", "touchmove"];
export class Visit {
  #id = uuid();
  #active = 0;
  #idle = 0;
  #clicks = 0;
  #keys = 0;
  #since = performance.now();
  #lastInput = performance.now(); // somebody has just opened the page
  #wasVisible = document.visibilityState === "visible";
  #lastReport = performance.now() - REPORT_MS + FIRST_REPORT_MS;
  #timer = 0;
  #isActive = false; // since the last report

  // onState(detail): with the server's answer; isUrgent(): whether input should be told at once.
  constructor({ url, onState = () => {}, isUrgent = () => false }) {
    Object.assign(this, { url, onState, isUrgent });
  }

  start() {
    for (const name of INPUT) {
      document.addEventListener(name, () => this.#touch(), { capture: true, passive: true });
    }
    document.addEventListener("click", (event) => {
      if (event.detail > 0) this.#clicks += 1; // not the clicks that keys make
    }, true);
    document.addEventListener("keydown", (event) => {
      if (!event.repeat) this.#keys += 1;
    }, true);
    document.addEventListener("visibilitychange", () => {
      this.#settle();
      // A phone may end a hidden page without a word.
      if (document.visibilityState === "hidden" && this.#isActive) this.report({ keepalive: true });
    });
    addEventListener("pagehide", () => this.report({ keepalive: true }));
  }

  // The totals so far, for a save that is about to go out.
  totals() {
    this.#settle();
    this.#lastReport = performance.now();
    const isActive = this.#isActive;
    this.#isActive = false;
    return {
      id: this.#id,
      active_ms: Math.round(this.#active),
      idle_ms: Math.round(this.#idle),
      clicks: this.#clicks,
      keys: this.#keys,
      is_active: isActive,
    };
  }

  async report(extra) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    try {
      const response = await put(this.url, this.totals(), extra);
      if (response.ok) this.onState(await response.json());
    } catch {
      // No connection: the next report tells everything.
    }
  }

  #touch() {
    this.#settle();
    this.#lastInput = performance.now();
    this.#isActive = true;
    if (this.isUrgent() && performance.now() - this.#lastReport > URGENT_MS) {
      this.report();
    } else if (!this.#timer) {
      const wait = Math.max(this.#lastReport + REPORT_MS - performance.now(), 0);
      this.#timer = setTimeout(() => this.#reportIfActive(), wait);
    }
  }

  #reportIfActive() {
    this.#timer = 0;
    // A save has told it meanwhile.
    if (!this.#isActive) return;
    this.report();
  }

  // Count the time since the last look: until half a minute after the last input it was work.
  #settle() {
    const now = performance.now();
    const until = Math.min(now, this.#lastInput + ACTIVE_MS);
    const worked = this.#wasVisible ? Math.max(until - this.#since, 0) : 0;
    this.#active += worked;
    this.#idle += now - this.#since - worked;
    this.#since = now;
    this.#wasVisible = document.visibilityState === "visible";
  }
}
