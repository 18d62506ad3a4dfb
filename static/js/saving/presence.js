// The rater's visit to the item, the lease that it renews, and the notices about both.
import { find } from "../dom.js";
import { clock } from "../texts.js";
import { Lease } from "./lease.js";
import { urlOf } from "./request.js";
import { Visit } from "./visit.js";

export class Presence {
  // announce(words): to a screen reader.
  constructor({ root, announce }) {
    const { task, leaseLeft, visitUrl } = root.dataset;
    Object.assign(this, { leaseLeft, announce });
    this.lease = new Lease({ onStage: (stage, time) => this.#showLease(stage, time) });
    this.visit = new Visit({
      url: urlOf(visitUrl, task),
      onReply: (reply) => this.update(reply),
      isUrgent: () => this.lease.isEnding,
    });
  }

  start() {
    this.visit.start();
    this.lease.renew(this.leaseLeft === "" ? null : Number(this.leaseLeft) * 1000);
  }

  // After each reply of the server.
  update({ late, held, submitted, skipped, released, lease_until: until, saved_at: now }) {
    const isOpen = !submitted && !skipped && !released;
    find("#late").hidden = !(late || (isOpen && !held));
    find("#released").hidden = !released || submitted;
    this.lease.renew(isOpen && held ? Date.parse(until) - Date.parse(now) : null);
  }

  #showLease(stage, time) {
    find("#lease").hidden = stage === "";
    if (stage === "") return;
    const words =
      stage === "warning"
        ? `Still there? Press a key or click before ${clock(time)} to keep this item. After that, another rater may get it.`
        : "You were inactive for half an hour, so another rater may get this item. You can continue: your answers are saved.";
    find("[data-lease]").textContent = words;
    this.announce(words);
  }
}
