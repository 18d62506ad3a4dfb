// How long the item is still this rater's: a quiet word before that ends, and one when it has.

const WARN_MS = 3 * 60 * 1000;

export class Lease {
  #ends = Infinity; // on this page's clock, as the person's may be wrong
  #timer = 0;
  #stage = "";

  // onStage(stage, clock): "", "warning" or "over", with the time of day at which it ends.
  constructor({ onStage }) {
    this.onStage = onStage;
    // Timers of a hidden tab come late, and those of a sleeping machine not at all.
    document.addEventListener("visibilitychange", () => this.#look());
  }

  get isEnding() {
    return this.#stage !== "";
  }

  // null where no lease runs: the item is handed in, or another's.
  renewed(milliseconds) {
    this.#ends = milliseconds === null ? Infinity : performance.now() + milliseconds;
    this.#look();
  }

  #look() {
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
    this.#timer = setTimeout(() => this.#look(), Math.min(milliseconds, 2 ** 31 - 1));
  }

  #show(stage) {
    if (stage === this.#stage) return;
    this.#stage = stage;
    this.onStage(stage, new Date(Date.now() + this.#ends - performance.now()));
  }
}
