// Whether the item is this page's to write: its lease, its place among other tabs and browsers,
// and the notices about both. The page learns where it stands from every answer of the server.
import { find } from "../dom.js";
import { clock, fill } from "../texts.js";
import { Lease } from "./lease.js";
import { urlOf } from "./request.js";
import { Tabs } from "./tabs.js";
import { Visit, tabName } from "./visit.js";

const WHERE = {
  tab: "This item is open in another tab of this browser, so it is read-only here.",
  browser: "This item is open in another browser, so it is read-only here.",
  taken: "You continued with this item in another tab. Your answers here are saved, and this tab is now read-only.",
};

export class EditLock {
  isElsewhere = false;
  #isWriting = false;

  // onLosing(): save what is being typed; onLost(): from now on this page only reads;
  // say(words): to a screen reader.
  constructor({ root, onLosing, onLost, say }) {
    const { user, task } = root.dataset;
    Object.assign(this, { root, onLosing, onLost, say });
    this.isOpen = "open" in root.dataset;
    this.tab = tabName();
    this.tabs = new Tabs({ user, task, onTaken: () => this.#lost("taken") });
    this.lease = new Lease({ onStage: (stage, time) => this.#showLease(stage, time) });
    this.visit = new Visit({
      url: urlOf(root.dataset.visitUrl, task),
      tab: this.tab,
      onState: (detail) => this.told(detail),
      isUrgent: () => this.lease.isEnding,
    });
    find("[data-take-over]").addEventListener("click", () => this.tabs.takeOver());
  }

  // Whether this page may write.
  async begin() {
    if (!this.isOpen) return true; // nobody writes to a closed campaign
    const { task, desk, leaseLeft } = this.root.dataset;
    const byForce = Tabs.isTakingOver(task);
    const isHere = await this.tabs.take({ byForce });
    if (!isHere) this.#lost("tab");
    else if (desk && desk !== this.tab && !byForce) this.#lost("browser");
    if (this.isElsewhere) return false;
    this.#isWriting = true;
    this.visit.start({ takesOver: byForce });
    if (byForce) this.visit.report();
    this.lease.renewed(leaseLeft === "" ? null : Number(leaseLeft) * 1000);
    return true;
  }

  totals() {
    return this.visit.totals();
  }

  // What the server says of the assignment, with any answer of its.
  told({ late, held, submitted, skipped, released, elsewhere, lease_until: until, saved_at: now }) {
    const isMine = !submitted && !skipped && !released;
    this.visit.takesOver = false;
    find("#late").hidden = !(late || (isMine && !held));
    find("#released").hidden = !released || submitted;
    this.lease.renewed(isMine && held ? Date.parse(until) - Date.parse(now) : null);
    if (elsewhere) this.#lost("browser");
  }

  #lost(where) {
    if (this.isElsewhere) return;
    if (this.#isWriting) this.onLosing();
    this.isElsewhere = true;
    this.visit.stop();
    this.lease.renewed(null);
    find("[data-elsewhere]").textContent = WHERE[where];
    find("#elsewhere").hidden = false;
    this.root.dataset.elsewhere = where;
    this.say(WHERE[where]);
    this.onLost();
  }

  #showLease(stage, time) {
    find("#lease").hidden = stage === "";
    if (stage === "") return;
    const text =
      stage === "warning"
        ? "Still there? Press a key or click before %(time)s to keep this item. After that, another rater may get it."
        : "You were inactive for half an hour, so another rater may get this item. You can continue: your answers are saved.";
    const words = fill(text, { time: clock(time) });
    find("[data-lease]").textContent = words;
    this.say(words);
  }
}
