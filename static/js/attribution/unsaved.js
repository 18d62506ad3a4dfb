// What the server has not acknowledged yet, kept in this browser: one entry an answer, under
// the person and the task, so that two tabs or two people at one machine never mix.
// Where the browser forbids storage, the page still works; only a closed tab then loses.

const ROOT = "rarrweb-unsaved";

export class Unsaved {
  constructor(user) {
    this.prefix = `${ROOT}:${user}:`;
  }

  #key(task, name) {
    return `${this.prefix}${task}:${name}`;
  }

  keep(task, name, change) {
    try {
      localStorage.setItem(this.#key(task, name), JSON.stringify(change));
    } catch {
      // Full or forbidden.
    }
  }

  // Forget a change, unless a later one has taken its place.
  forget(task, name, sequence) {
    try {
      const kept = JSON.parse(localStorage.getItem(this.#key(task, name)));
      if (kept && kept.sequence <= sequence) localStorage.removeItem(this.#key(task, name));
    } catch {
      // Forbidden, or not ours.
    }
  }

  // [[task, name, change], ...] of everything kept for this person.
  all() {
    const found = [];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const key = localStorage.key(i);
        if (!key.startsWith(this.prefix)) continue;
        const [task, ...name] = key.slice(this.prefix.length).split(":");
        const change = JSON.parse(localStorage.getItem(key));
        if (change && Number.isSafeInteger(change.sequence)) found.push([task, name.join(":"), change]);
      }
    } catch {
      // Forbidden, or something that is not ours: what was read so far will do.
    }
    return found;
  }
}
