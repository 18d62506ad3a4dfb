// How long the item remains this rater's, with a warning before that ends.

const WARN_MS = 3 * 60 * 1000;

export class Lease {
  #ends = Infinity; // on this page's clock, as the computer's may be wrong
  #timer = 0;
  #stage = "";

  // onStage(stage, time): stage "", "warning" or "over"; time: the Date at which the lease ends.
  constructor({ onStage }) {
    this.onStage = onStage;
    // Timers of a hidden tab come late, and those of a sleeping machine not at all.
    document.addEventListener("visibilitychange", () => this.#check());
  }

  get isEnding() {
    return this.#stage !== "";
  }

  // null without a lease: the item is submitted, or another rater's.
  renew(milliseconds) {
    this.#ends = milliseconds === null ? Infinity : performance.now() + milliseconds;
    this.#check();
  }

  #check() {
    clearTimeout(this.#timer);
    const left = this.#ends - performance.now();
    if (left === Infinity) this.#show("");
    else if (left > WARN_MS) this.#wait(left - WARN_MS, "");
    else if (left > 0) this.#wait(left, "warning");
    else this.#show("over");
  }

  #wait(milliseconds, stage) {
    this.#show(stage);
    // A timer takes no more than 24 days.
    this.#timer = setTimeout(() => this.#check(), Math.min(milliseconds, 2 ** 31 - 1));
  }

  #show(stage) {
    if (stage === this.#stage) return;
    this.#stage = stage;
    this.onStage(stage, new Date(Date.now() + this.#ends - performance.now()));
  }
}
