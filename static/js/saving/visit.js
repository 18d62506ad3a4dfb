// A rater's visit to a page: active and idle time, clicks, keys. Its totals so far go with every
// save, and by themselves now and then while the rater is active, which renews the lease. Active
// is: the tab is visible, and there was input within the last half minute.
import { put } from "./request.js";

const ACTIVE_MS = 30000;
const REPORT_MS = 60000;
const FIRST_REPORT_MS = 10000;
const URGENT_MS = 3000; // between reports that may all fail
const INPUT = ["pointerdown", "pointermove", "wheel", "scroll", "keydown", "input", "touchmove"];

// crypto.randomUUID is missing on plain http.
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export class Visit {
  #id = uuid();
  #active = 0;
  #idle = 0;
  #clicks = 0;
  #keys = 0;
  #since = performance.now();
  #lastInput = performance.now(); // the page was just opened
  #wasVisible = document.visibilityState === "visible";
  #lastReport = performance.now() - REPORT_MS + FIRST_REPORT_MS;
  #timer = 0;
  #isActive = false; // since the last report

  // onReply(reply): with the server's reply; isUrgent(): whether to report input at once.
  constructor({ url, onReply, isUrgent }) {
    Object.assign(this, { url, onReply, isUrgent });
  }

  start() {
    for (const name of INPUT) {
      document.addEventListener(name, () => this.#noteInput(), { capture: true, passive: true });
    }
    document.addEventListener("click", (event) => {
      if (event.detail > 0) this.#clicks += 1; // not clicks made by keys
    }, true);
    document.addEventListener("keydown", (event) => {
      if (!event.repeat) this.#keys += 1;
    }, true);
    document.addEventListener("visibilitychange", () => {
      this.#count();
      // A phone may end a hidden page at any time.
      if (document.visibilityState === "hidden" && this.#isActive) this.report({ keepalive: true });
    });
    addEventListener("pagehide", () => this.report({ keepalive: true }));
  }

  // The totals so far, about to be sent.
  totals() {
    this.#count();
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
      if (response.ok) this.onReply(await response.json());
    } catch {
      // No connection: the next report has the totals.
    }
  }

  #noteInput() {
    this.#count();
    this.#lastInput = performance.now();
    this.#isActive = true;
    if (this.isUrgent() && performance.now() - this.#lastReport > URGENT_MS) {
      this.report();
    } else if (!this.#timer) {
      const wait = Math.max(this.#lastReport + REPORT_MS - performance.now(), 0);
      this.#timer = setTimeout(() => {
        this.#timer = 0;
        if (this.#isActive) this.report(); // unless a save has reported meanwhile
      }, wait);
    }
  }

  // Count the time since the last call: active until half a minute after the last input.
  #count() {
    const now = performance.now();
    const until = Math.min(now, this.#lastInput + ACTIVE_MS);
    const active = this.#wasVisible ? Math.max(until - this.#since, 0) : 0;
    this.#active += active;
    this.#idle += now - this.#since - active;
    this.#since = now;
    this.#wasVisible = document.visibilityState === "visible";
  }
}
