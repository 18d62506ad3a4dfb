// One tab of this browser writes to an item; a second one reads until it takes over.
//
// A Web Lock says which: it is free the moment its tab is gone, however that went. Pages of a
// plain http address have no locks; there a tab asks the others and waits a moment for an answer.

// A reload's old page may hold its lock for a moment. Tries are counted, and not their time, which
// on a slow machine is over before a lock that nobody holds is given.
const LOCK_TRIES = 12;
const LOCK_PAUSE_MS = 50;
const ANSWER_MS = 250;
const TAKE_OVER = "rarrweb-take-over";

export class Tabs {
  #has = false;
  #heard = () => {};
  #letGo = () => {};

  // onTaken(): another tab has taken the item over.
  constructor({ user, task, onTaken }) {
    Object.assign(this, { task, onTaken });
    this.name = `rarrweb-item-${user}-${task}`;
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = ({ data }) => this.#listen(data);
  }

  // Whether this tab may write; byForce takes it from whichever tab has it.
  async take({ byForce }) {
    if (byForce) this.channel.postMessage("taken");
    this.#has = await (navigator.locks ? this.#lock(byForce) : this.#ask(byForce));
    return this.#has;
  }

  // Reload this page as the one that writes.
  takeOver() {
    try {
      sessionStorage.setItem(TAKE_OVER, this.task);
    } catch {
      // Without storage the reload can only ask.
    }
    location.reload();
  }

  // Whether this page was reloaded to take over.
  static isTakingOver(task) {
    try {
      const asked = sessionStorage.getItem(TAKE_OVER) === task;
      sessionStorage.removeItem(TAKE_OVER);
      return asked;
    } catch {
      return false;
    }
  }

  #listen(data) {
    if (data === "mine") this.#heard(true);
    if (!this.#has) return;
    if (data === "whose") this.channel.postMessage("mine");
    if (data === "taken") this.#lose();
  }

  #lose() {
    if (!this.#has) return;
    this.#has = false;
    this.#letGo();
    this.onTaken();
  }

  async #lock(byForce) {
    if (byForce) return this.#request({ steal: true });
    for (let tried = 0; tried < LOCK_TRIES; tried += 1) {
      if (tried) await new Promise((goOn) => setTimeout(goOn, LOCK_PAUSE_MS));
      if (await this.#request({ ifAvailable: true })) return true;
    }
    return false;
  }

  #request(how) {
    return new Promise((resolve) => {
      const hold = (lock) => {
        resolve(lock !== null);
        return lock && new Promise((letGo) => {
          this.#letGo = letGo;
        });
      };
      navigator.locks.request(this.name, how, hold).catch(() => {
        resolve(false);
        this.#lose(); // stolen
      });
    });
  }

  #ask(byForce) {
    if (byForce) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.#heard = (isTaken) => resolve(!isTaken);
      setTimeout(() => resolve(true), ANSWER_MS);
      this.channel.postMessage("whose");
    });
  }
}
