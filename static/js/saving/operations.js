// The log of what the server has not acknowledged yet, in this browser's IndexedDB: written before
// the request, removed by its acknowledgement, read again by the next page.
//
// An operation is {id, user, task, name, order, change}: `name` says which answer, `order` grows
// with every operation of a task, `change` is the whole new state. Two people at one machine, and
// two items, never mix. Where IndexedDB is forbidden or broken, localStorage takes its place; where
// that is too, the page still works, and only a closed tab then loses.
import { uuid } from "./request.js";

const DATABASE = "rarrweb";
const STORE = "operations";
const PATIENCE_MS = 2000;
const ROOT = "rarrweb-unsaved";

function open() {
  return new Promise((resolve) => {
    let request;
    try {
      request = indexedDB.open(DATABASE, 1);
    } catch {
      resolve(null);
      return;
    }
    request.onupgradeneeded = () => {
      request.result.createObjectStore(STORE, { keyPath: ["user", "task", "name", "order"] });
    };
    request.onsuccess = () => {
      const database = request.result;
      database.onversionchange = () => database.close();
      resolve(database);
    };
    request.onerror = () => resolve(null);
    setTimeout(() => resolve(null), PATIENCE_MS); // browsers are known to hang here
  });
}

export class Operations {
  #database = null;
  #plain;

  constructor(user) {
    this.user = String(user);
    this.#plain = new Plain(this.user);
    this.opened = open().then((database) => {
      this.#database = database;
    });
  }

  // Resolves when the change will outlive the page.
  keep(task, name, change) {
    const operation = { id: uuid(), user: this.user, task, name, order: change.sequence, change };
    if (!this.#database) return Promise.resolve(this.#plain.keep(operation));
    return this.#write((store) => store.put(operation)).catch(() => this.#plain.keep(operation));
  }

  // Forget a change and those before it, but none that came after it.
  forget(task, name, order) {
    this.#plain.forget(task, name, order);
    if (!this.#database) return Promise.resolve();
    const range = IDBKeyRange.bound([this.user, task, name, 0], [this.user, task, name, order]);
    return this.#write((store) => store.delete(range)).catch(() => {});
  }

  // The last operation of each name of each task of this person.
  async all() {
    await this.opened;
    const latest = new Map();
    for (const operation of [...(await this.#read()), ...this.#plain.all()]) {
      const key = `${operation.task}:${operation.name}`;
      if (!(latest.get(key)?.order >= operation.order)) latest.set(key, operation);
    }
    return [...latest.values()];
  }

  #write(act) {
    return new Promise((resolve, reject) => {
      const transaction = this.#database.transaction(STORE, "readwrite");
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
      act(transaction.objectStore(STORE));
      transaction.commit?.(); // on its way now, even if the page closes in this very moment
    });
  }

  #read() {
    if (!this.#database) return Promise.resolve([]);
    return new Promise((resolve) => {
      try {
        const store = this.#database.transaction(STORE).objectStore(STORE);
        const request = store.getAll(IDBKeyRange.bound([this.user], [this.user, []]));
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => resolve([]);
      } catch {
        resolve([]); // closed by another tab that brings a newer version
      }
    });
  }
}

// The same in localStorage: one entry a name. It is written at once, so it also takes what comes
// while the database opens.
class Plain {
  constructor(user) {
    this.prefix = `${ROOT}:${user}:`;
  }

  keep({ task, name, change }) {
    try {
      localStorage.setItem(`${this.prefix}${task}:${name}`, JSON.stringify(change));
    } catch {
      // Full or forbidden.
    }
  }

  forget(task, name, order) {
    try {
      const key = `${this.prefix}${task}:${name}`;
      const kept = JSON.parse(localStorage.getItem(key));
      if (kept && kept.sequence <= order) localStorage.removeItem(key);
    } catch {
      // Forbidden, or not ours.
    }
  }

  all() {
    const found = [];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const key = localStorage.key(i);
        if (!key.startsWith(this.prefix)) continue;
        const [task, ...name] = key.slice(this.prefix.length).split(":");
        const change = JSON.parse(localStorage.getItem(key));
        if (!change || !Number.isSafeInteger(change.sequence)) continue;
        found.push({ task, name: name.join(":"), order: change.sequence, change });
      }
    } catch {
      // Forbidden, or something that is not ours: what was read so far will do.
    }
    return found;
  }
}
