// What every judging page has around its questions: saving, undo, comment, handing in, leaving,
// dialogs and keys. The page itself brings its entries.
//
// An entry is one question about one target:
//   {criterion, target, value, text, accept(value, sequence, text), words(), focus(), miss(bool)}
// where accept() puts a state in place if it is newer than what the page shows, and says whether
// it did.
import { History } from "../attribution/history.js";
import { listen, singleKeysAreOn, switchSingleKeys } from "../attribution/keys.js";
import { Saver } from "../attribution/saver.js";
import { asLevel } from "../attribution/states.js";
import { Unsaved } from "../attribution/unsaved.js";

export const root = document.getElementById("judging");
export const find = (selector) => document.querySelector(selector);
export const findAll = (selector) => [...document.querySelectorAll(selector)];
export const isOpen = "open" in root.dataset;

const COMMENT_PAUSE_MS = 600;
const task = root.dataset.task;
const clock = (iso) => new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

export class Frame {
  #sequence = Number(root.dataset.sequence);
  #history = new History();
  #saidLast = "";
  #changed = null; // what to say once it is saved
  #leaving = false;
  #form = find("#hand-in");
  #comment = find("#comment");
  #commentSaved = this.#comment.value;
  #pause = 0;

  // entry(criterion, target): the entry, or undefined; missing(): the entries that are required
  // and open, the next one first; gapWords(missing): what is missing, in a sentence or two;
  // onChange(): after any state changed; beforeLeaving(): to save what is still being typed;
  // home(): where the focus goes when the comment is left; single: the page's own keys.
  constructor(parts) {
    Object.assign(this, { beforeLeaving: () => {}, onChange: () => {} }, parts);
    this.unsaved = new Unsaved(root.dataset.user);
    this.saver = new Saver({
      task,
      unsaved: this.unsaved,
      urls: this.#urlsOf(task),
      onState: (state, detail) => this.#showState(state, detail),
    });
    this.#listenToComment();
    this.#listenToLeaving();
    this.#listenToDialogs();
    this.#listenToKeys();
    find("[data-undo]").addEventListener("click", () => this.#step("undo"));
    find("[data-redo]").addEventListener("click", () => this.#step("redo"));
    find("#try-again").addEventListener("click", () => this.saver.retry());
  }

  start() {
    this.#replay();
    this.#showHistory();
    this.onChange();
    if (!find("#gaps").hidden && this.missing().length) this.#toFirstGap();
    root.dataset.ready = "";
  }

  say(words) {
    // The same words again would not be read out: an invisible difference makes them new.
    this.#saidLast = words === this.#saidLast ? `${words}\u00a0` : words;
    find("#says").textContent = this.#saidLast;
  }

  // An answer of the person, which can be undone.
  judge(entry, value, text = "") {
    if (!isOpen || !entry || (entry.value === value && entry.text === text)) return;
    const [before, after] = [[entry.value, entry.text], [value, text]];
    this.#history.add({ entry, before, after });
    this.#answer(entry, value, text);
    this.#showHistory();
  }

  toMissing() {
    const [first] = this.missing();
    if (first === undefined) this.say("Everything that is asked is answered.");
    else first.focus();
  }

  // ---- Saving -------------------------------------------------------------------------------
  #nextSequence() {
    this.#sequence = Math.max(this.#sequence + 1, Date.now());
    return this.#sequence;
  }

  #urlsOf(id) {
    return {
      judgments: root.dataset.judgmentsUrl.replace("/0/", `/${id}/`),
      comment: root.dataset.commentUrl.replace("/0/", `/${id}/`),
    };
  }

  #answer(entry, value, text) {
    const { criterion, target } = entry;
    const change = { criterion, target, value, sequence: this.#nextSequence() };
    if (text) change.text = text;
    entry.accept(value, change.sequence, text);
    entry.miss(false);
    if (!find("#gaps").hidden) {
      const missing = this.missing();
      if (missing.length) this.#showGaps(missing);
      else find("#gaps").hidden = true;
    }
    this.#changed = entry.words();
    this.onChange();
    this.saver.put(`${criterion}:${target}`, change);
  }

  #step(direction) {
    const taken = direction === "undo" ? this.#history.undo() : this.#history.redo();
    if (!taken || !isOpen) return;
    this.#answer(taken.entry, ...(direction === "undo" ? taken.before : taken.after));
    taken.entry.focus();
    this.#showHistory();
  }

  #showHistory() {
    find("[data-undo]").disabled = !isOpen || !this.#history.canUndo;
    find("[data-redo]").disabled = !isOpen || !this.#history.canRedo;
  }

  #showState(state, detail) {
    const chip = find("#saved");
    chip.dataset.state = state;
    find("#try-again").hidden = state !== "failed";
    if (state === "saving") {
      find("[data-chip]").textContent = "… Saving";
    } else if (state === "saved") {
      find("[data-chip]").textContent = `✓ Saved ${clock(detail.saved_at)}${detail.late ? ", late" : ""}`;
      find("#late").hidden = !detail.late;
      if ("submitted" in root.dataset && !detail.submitted) {
        delete root.dataset.submitted;
        find("#handed-in").hidden = true;
        this.#showGaps(this.missing(), "You took an answer back, so this item is a draft again.");
      }
      for (const row of detail.judgments) {
        this.entry(row.criterion, row.target)?.accept(row.value, row.sequence, row.text ?? "");
        this.#sequence = Math.max(this.#sequence, row.sequence);
      }
      this.onChange();
      if (this.#changed) this.say(`${this.#changed}, saved`);
      this.#changed = null;
    } else {
      const again = detail.seconds === null ? "" : ` Trying again in ${detail.seconds} s.`;
      find("[data-chip]").textContent = `! Not saved: ${detail.message}.${again}`.replace("..", ".");
      if (this.#changed) this.say(`${this.#changed}, not saved: ${detail.message}`);
      this.#changed = null;
    }
  }

  // What an earlier page could not bring to the server: its own first, then other items'.
  #replay() {
    const others = new Map();
    for (const [owner, name, change] of this.unsaved.all()) {
      if (owner !== task) {
        if (!others.has(owner)) {
          const urls = this.#urlsOf(owner);
          others.set(owner, new Saver({ task: owner, unsaved: this.unsaved, urls, onState: () => {} }));
        }
        others.get(owner).put(name, change);
      } else if (name === "comment") {
        if (change.sequence <= Number(root.dataset.sequence)) continue;
        this.#comment.value = change.text;
        this.saver.put(name, change);
      } else {
        const entry = this.entry(change.criterion, change.target);
        const isNewer = entry?.accept(asLevel(change.value), change.sequence, change.text ?? "");
        if (isNewer) this.saver.put(name, change);
        else this.unsaved.forget(task, name, change.sequence);
      }
    }
  }

  // ---- The comment: saved when the typing pauses --------------------------------------------
  #saveComment() {
    clearTimeout(this.#pause);
    if (!isOpen || this.#comment.value === this.#commentSaved) return;
    this.#commentSaved = this.#comment.value;
    this.#changed = "comment";
    // The server takes no NUL, and nobody means one.
    const text = this.#comment.value.replaceAll("\0", "");
    this.saver.put("comment", { text, sequence: this.#nextSequence() });
  }

  #listenToComment() {
    this.#comment.addEventListener("input", () => {
      clearTimeout(this.#pause);
      this.#pause = setTimeout(() => this.#saveComment(), COMMENT_PAUSE_MS);
    });
    this.#comment.addEventListener("blur", () => this.#saveComment());
    this.#comment.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.home();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "hidden") return;
      this.beforeLeaving();
      this.#saveComment();
    }, true);
    find("[data-comment]").addEventListener("click", () => this.#toComment());
  }

  #toComment() {
    this.#comment.focus({ preventScroll: true });
    this.#comment.scrollIntoView({ block: "nearest" });
  }

  // ---- Leaving: nothing goes before it is saved ----------------------------------------------
  async #saveThen(act) {
    if (this.#leaving) return;
    this.#leaving = true;
    this.beforeLeaving();
    this.#saveComment();
    const saved = await this.saver.settled();
    this.#leaving = false;
    if (saved) act();
    else this.say("Not saved yet, so this page stays.");
  }

  #listenToLeaving() {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!isOpen) return;
      this.beforeLeaving();
      if (this.missing().length) this.#toFirstGap();
      else this.#saveThen(() => this.#form.submit());
    });
    for (const link of findAll("[data-previous], [data-next]")) {
      link.addEventListener("click", (event) => {
        this.beforeLeaving();
        if (!this.saver.size && this.#comment.value === this.#commentSaved) return;
        event.preventDefault();
        this.#saveThen(() => location.assign(link.href));
      });
    }
    addEventListener("beforeunload", (event) => {
      this.beforeLeaving();
      if (this.saver.isBusy || (isOpen && this.#comment.value !== this.#commentSaved)) event.preventDefault();
    });
    // Back from the browser's page cache the page would show what it once knew.
    addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
  }

  #showGaps(missing, why = "Not handed in yet.") {
    find("[data-why]").textContent = why;
    find("[data-gaps]").textContent = this.gapWords(missing);
    find("#gaps").hidden = false;
    for (const entry of missing) entry.miss(true);
  }

  #toFirstGap() {
    const missing = this.missing();
    this.#showGaps(missing);
    (this.firstGap ?? ((all) => all[0]))(missing).focus();
  }

  // ---- Dialogs and keys -----------------------------------------------------------------------
  #listenToDialogs() {
    for (const button of findAll("[data-open-dialog]")) {
      button.addEventListener("click", () => document.getElementById(button.dataset.openDialog).showModal());
    }
    for (const dialog of findAll("dialog")) {
      dialog.addEventListener("click", (event) => {
        if (event.target === dialog) dialog.close(); // the backdrop
      });
    }
  }

  #listenToKeys() {
    const singleKeys = find("#single-keys");
    singleKeys.checked = singleKeysAreOn();
    singleKeys.addEventListener("change", () => switchSingleKeys(singleKeys.checked));
    const click = (selector) => () => find(selector)?.click();
    const open = (id) => () => document.getElementById(id).showModal();
    listen({
      single: {
        g: () => this.toMissing(),
        c: () => this.#toComment(),
        i: open("guidelines-dialog"),
        "?": open("keys-dialog"),
        ...this.single,
      },
      combined: {
        "ctrl+z": () => this.#step("undo"),
        "ctrl+shift+z": () => this.#step("redo"),
        "ctrl+y": () => this.#step("redo"),
        "ctrl+Enter": () => this.#form.requestSubmit(),
        "alt+ArrowLeft": click("[data-previous]"),
        "alt+ArrowRight": click("[data-next]"),
      },
    });
  }
}
