// Everything that pages store in this browser: preferences, drafts, and the log of unsaved changes.
// Where the browser forbids it, pages work, but what is unsaved is lost with its tab.

export function loadText(name, area = "localStorage") {
  try {
    return globalThis[area].getItem(name) ?? "";
  } catch {
    return "";
  }
}

export function storeText(name, text, area = "localStorage") {
  try {
    if (text) globalThis[area].setItem(name, text);
    else globalThis[area].removeItem(name);
  } catch {
    // Full or forbidden.
  }
}

const DATABASE = "rarrweb-changes";
const STORE = "changes";
const PREFIX = "rarrweb-unsaved";

// Resolves to null where IndexedDB is forbidden or broken. Browsers are known to hang here.
function openDatabase() {
  return new Promise((resolve) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(STORE, { keyPath: ["user", "task", "name", "sequence"] });
    };
    request.onsuccess = () => {
      const database = request.result;
      database.onversionchange = () => database.close();
      resolve(database);
    };
    request.onerror = () => resolve(null);
  }).catch(() => null);
}

// The changes that the server has not acknowledged: added before the request, removed after the
// reply, replayed by a later page. A change is {sequence, …}, the whole new state of one answer or
// comment (`name`) of a task. Each user's are separate. localStorage replaces IndexedDB until that
// is open, and where it fails.
export class ChangeLog {
  #database = null;
  #opened;

  constructor(user) {
    this.user = String(user);
    this.prefix = `${PREFIX}:${user}:`;
    this.#opened = openDatabase().then((database) => {
      this.#database = database;
    });
  }

  // Resolves when the change will outlive the page.
  async add(task, name, change) {
    try {
      const { user } = this;
      await this.#write((store) => store.put({ user, task, name, sequence: change.sequence, change }));
    } catch {
      storeText(`${this.prefix}${task}:${name}`, JSON.stringify(change));
    }
  }

  // Remove the change with this sequence and earlier ones of the same name.
  async remove(task, name, sequence) {
    const key = `${this.prefix}${task}:${name}`;
    if (parseChange(key)?.sequence <= sequence) storeText(key, "");
    const range = [0, sequence].map((bound) => [this.user, task, name, bound]);
    await this.#write((store) => store.delete(IDBKeyRange.bound(...range))).catch(() => {});
  }

  // The user's changes as {task, name, change}: first those in localStorage, then, once IndexedDB
  // has opened, the last of each name there.
  async *changes() {
    yield* this.#inLocalStorage();
    await this.#opened;
    const latest = new Map();
    for (const each of await this.#read().catch(() => [])) latest.set(`${each.task}:${each.name}`, each);
    yield* latest.values();
  }

  #inLocalStorage() {
    let keys = [];
    try {
      keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    } catch {
      // Forbidden.
    }
    return keys.flatMap((key) => {
      const [task, ...name] = key.slice(this.prefix.length).split(":");
      const change = parseChange(key);
      return Number.isSafeInteger(change?.sequence) ? [{ task, name: name.join(":"), change }] : [];
    });
  }

  #write(act) {
    return new Promise((resolve, reject) => {
      const transaction = this.#database.transaction(STORE, "readwrite");
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
      act(transaction.objectStore(STORE));
      transaction.commit?.(); // at once, even if the page closes now
    });
  }

  // In the order of their keys, so by sequence within a name.
  #read() {
    return new Promise((resolve, reject) => {
      const store = this.#database.transaction(STORE).objectStore(STORE);
      const request = store.getAll(IDBKeyRange.bound([this.user], [this.user, []]));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }
}

function parseChange(key) {
  try {
    return JSON.parse(loadText(key));
  } catch {
    return null;
  }
}
