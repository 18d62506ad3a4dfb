// What a page reports of its rater at work, the lease that this renews, and the notices about both.
// Several tabs or browsers may have an item open: every answer is absolute and has a sequence, so
// the later one holds (docs/nothing-is-lost.md).
import { find } from "../dom.js";
import { clock } from "../texts.js";
import { Lease } from "./lease.js";
import { urlOf } from "./request.js";
import { Visit } from "./visit.js";

export class Presence {
  // say(words): to a screen reader.
  constructor({ root, say }) {
    const { task, leaseLeft } = root.dataset;
    Object.assign(this, { leaseLeft, say });
    this.lease = new Lease({ onStage: (stage, time) => this.#showLease(stage, time) });
    this.visit = new Visit({
      url: urlOf(root.dataset.visitUrl, task),
      onState: (detail) => this.update(detail),
      isUrgent: () => this.lease.isEnding,
    });
  }

  start() {
    this.visit.start();
    this.lease.renewed(this.leaseLeft === "" ? null : Number(this.leaseLeft) * 1000);
  }

  // After each reply of the server.
  update({ late, held, submitted, skipped, released, lease_until: until, saved_at: now }) {
    const isOpen = !submitted && !skipped && !released;
    find("#late").hidden = !(late || (isOpen && !held));
    find("#released").hidden = !released || submitted;
    this.lease.renewed(isOpen && held ? Date.parse(until) - Date.parse(now) : null);
  }

  #showLease(stage, time) {
    find("#lease").hidden = stage === "";
    if (stage === "") return;
    const words =
      stage === "warning"
        ? `Still there? Press a key or click before ${clock(time)} to keep this item. After that, another rater may get it.`
        : "You were inactive for half an hour, so another rater may get this item. You can continue: your answers are saved.";
    find("[data-lease]").textContent = words;
    this.say(words);
  }
}
