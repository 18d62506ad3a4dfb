// What every judging page has around its questions: saving, undo, comment, handing in, leaving,
// dialogs and keys. The page itself brings its entries.
//
// An entry is one question about one target:
//   {criterion, target, value, text, accept(value, sequence, text), words(), focus(), miss(bool)}
// where accept() puts a state in place if it is newer than what the page shows, and says whether
// it did.
import { History } from "../attribution/history.js";
import { find, findAll } from "../dom.js";
import { listen, listenToSwitches, movesOn } from "../attribution/keys.js";
import { Operations } from "../saving/operations.js";
import { Presence } from "../saving/presence.js";
import { urlOf } from "../saving/request.js";
import { Saver } from "../saving/saver.js";
import { clock } from "../texts.js";
import { arrange } from "./layout.js";

export const root = document.getElementById("judging");
export const isOpen = "open" in root.dataset;

const COMMENT_PAUSE_MS = 600;
const task = root.dataset.task;

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
  #chipBefore = null; // what the chip showed before a text was too long

  // entry(criterion, target): the entry, or undefined; missing(): the entries that are required
  // and open, the next one first; gapWords(missing): what is missing, in a sentence or two;
  // isSingle: whether there is one question only; onChange(): after any state changed;
  // beforeLeaving(): to save what is still being typed;
  // home(): where the focus goes when the comment is left; single: the page's own keys.
  constructor(parts) {
    Object.assign(this, { isSingle: false, beforeLeaving: () => {}, onChange: () => {} }, parts);
    this.operations = new Operations(root.dataset.user);
    this.presence = new Presence({ root, say: (words) => this.say(words) });
    this.saver = new Saver({
      task,
      operations: this.operations,
      urls: { judgments: urlOf(root.dataset.judgmentsUrl, task), comment: urlOf(root.dataset.commentUrl, task) },
      visit: () => this.presence.visit.totals(),
      onState: (state, detail) => this.#showState(state, detail),
    });
    this.#listenToComment();
    root.addEventListener("input", () => this.#showTooLong());
    this.#listenToLeaving();
    this.#listenToDialogs();
    this.#listenToKeys();
    find("[data-undo]").addEventListener("click", () => this.#step("undo"));
    find("[data-redo]").addEventListener("click", () => this.#step("redo"));
    find("#try-again").addEventListener("click", () => this.saver.retry());
  }

  async start() {
    arrange();
    this.#showHistory();
    this.onChange();
    if (!find("#gaps").hidden && this.missing().length) this.#toFirstGap();
    if (isOpen) this.presence.start();
    await this.#replay();
    if ("skipped" in root.dataset) this.#readOnly();
    this.onChange();
    root.dataset.ready = "";
  }

  get isSubmitted() {
    return "submitted" in root.dataset;
  }

  say(words) {
    // The same words again would not be read out: an invisible difference makes them new.
    this.#saidLast = words === this.#saidLast ? `${words}\u00a0` : words;
    find("#says").textContent = this.#saidLast;
  }

  // An answer of the person, which can be undone.
  judge(entry, value, text = "") {
    this.judgeTogether([[entry, value, text]]);
  }

  // Answers that one click gives together, and one undo takes back together. The last of them is
  // the one that is said.
  judgeTogether(answers) {
    if (!isOpen) return;
    const steps = answers
      .filter(([entry, value, text = ""]) => entry && (entry.value !== value || entry.text !== text))
      .map(([entry, value, text = ""]) => ({ entry, before: [entry.value, entry.text], after: [value, text] }));
    if (!steps.length) return;
    this.#history.add(steps);
    for (const { entry, after } of steps) this.#answer(entry, ...after);
    this.#showHistory();
  }

  toMissing() {
    const [first] = this.missing();
    if (first === undefined) this.say("All questions are answered.");
    else first.focus();
  }

  // After an answer, for raters who want that: submit an item that has one question, or go to the
  // next open question. After a click, nothing moves under the pointer.
  moveOn({ byKey }) {
    if (!movesOn() || !isOpen) return;
    if (this.isSingle) this.#form.requestSubmit();
    else if (byKey && this.missing().length) this.toMissing();
  }

  // ---- Saving -------------------------------------------------------------------------------
  #nextSequence() {
    this.#sequence = Math.max(this.#sequence + 1, Date.now());
    return this.#sequence;
  }

  #answer(entry, value, text) {
    const { criterion, target } = entry;
    const change = { criterion, target, value, sequence: this.#nextSequence() };
    if (text) change.text = text;
    if (root.dataset.guidelines) change.guidelines = Number(root.dataset.guidelines);
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
    const steps = direction === "undo" ? this.#history.undo() : this.#history.redo();
    if (!steps || !isOpen) return;
    for (const { entry, before, after } of steps) this.#answer(entry, ...(direction === "undo" ? before : after));
    steps.at(-1).entry.focus();
    this.#showHistory();
  }

  #showHistory() {
    find("[data-undo]").disabled = !isOpen || !this.#history.canUndo;
    find("[data-redo]").disabled = !isOpen || !this.#history.canRedo;
  }

  #showState(state, detail) {
    const chip = find("#saved");
    this.#chipBefore = null;
    chip.dataset.state = state;
    find("#try-again").hidden = state !== "failed";
    if (state === "saving") {
      find("[data-chip]").textContent = "… Saving";
    } else if (state === "saved") {
      // No answer of this page has a greater sequence.
      const isOvertaken = detail.judgments.some((row) => row.sequence > this.#sequence);
      const text = `✓ Saved ${clock(new Date(detail.saved_at))}${detail.late ? ", late" : ""}`;
      find("[data-chip]").textContent = isOvertaken ? `${text}, with later answers from another tab` : text;
      this.presence.update(detail);
      if (detail.submitted) root.dataset.submitted = ""; // perhaps in another tab
      if (this.#comment.value === this.#commentSaved) this.#comment.value = this.#commentSaved = detail.comment;
      if (this.isSubmitted && !detail.submitted) {
        delete root.dataset.submitted;
        find("#handed-in")?.remove();
        this.#showGaps([], "A researcher has sent this item back to you. Submit it again when you are done.");
      }
      for (const row of detail.judgments) {
        this.entry(row.criterion, row.target)?.accept(row.value, row.sequence, row.text ?? "");
        this.#sequence = Math.max(this.#sequence, row.sequence);
      }
      this.onChange();
      if (isOvertaken) this.say(find("[data-chip]").textContent);
      else if (this.#changed) this.say(`${this.#changed}, saved`);
      this.#changed = null;
    } else {
      const again = detail.seconds === null ? "" : ` Trying again in ${detail.seconds} s.`;
      find("[data-chip]").textContent = `! Not saved: ${detail.message}.${again}`.replace("..", ".");
      if (this.#changed) this.say(`${this.#changed}, not saved: ${detail.message}`);
      this.#changed = null;
    }
    this.#showTooLong();
  }

  // The texts that are not saved before they are shortened (static/js/limits.js).
  #tooLong() {
    return isOpen ? findAll("#judging .pane textarea").filter((field) => !field.validity.valid) : [];
  }

  #showTooLong() {
    const chip = find("#saved");
    const words = find("[data-chip]");
    if (this.#tooLong().length) {
      this.#chipBefore ??= [chip.dataset.state, words.textContent];
      chip.dataset.state = "failed";
      words.textContent = "! Not saved: a text is too long.";
    } else if (this.#chipBefore) {
      [chip.dataset.state, words.textContent] = this.#chipBefore;
      this.#chipBefore = null;
    }
  }

  // What an earlier page of this item could not bring to the server; what is left of other items
  // every page of a rater brings home (static/js/saving/unsaved_answers.js).
  async #replay() {
    for (const { task: owner, name, change } of await this.operations.all()) {
      if (owner !== task) continue;
      this.#sequence = Math.max(this.#sequence, change.sequence);
      if (name === "comment") {
        const isOld = change.sequence <= Number(root.dataset.commentSequence);
        if (isOld) this.operations.forget(task, name, change.sequence);
        else this.#takeUp(name, change);
        continue;
      }
      const entry = this.entry(change.criterion, change.target);
      const isNewer = entry?.accept(change.value, change.sequence, change.text ?? "");
      if (isNewer) this.saver.put(name, change);
      else this.operations.forget(task, name, change.sequence);
    }
  }

  #takeUp(name, change) {
    this.#comment.value = this.#commentSaved = change.text;
    this.saver.put(name, change);
  }

  // A skipped item can only be read.
  #readOnly() {
    this.#comment.readOnly = true;
    for (const control of findAll("#judging .pane :is(input, button, textarea)")) {
      if (control !== this.#comment && !control.matches("[data-open-dialog], [data-reading], [data-jump]")) control.disabled = true;
    }
    for (const element of findAll("#judging [role=button]")) element.setAttribute("aria-disabled", "true");
    for (const control of findAll("#hand-in .primary, [data-skip]")) control.disabled = true;
    this.#showHistory();
  }

  // ---- The comment: saved when the typing pauses --------------------------------------------
  #saveComment() {
    clearTimeout(this.#pause);
    if (!isOpen || this.#comment.value === this.#commentSaved || !this.#comment.validity.valid) return;
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
    // A browser is content with the caret's line, and the rest would lie under the bar.
    this.#comment.addEventListener("focus", () => this.#comment.scrollIntoView({ block: "nearest" }));
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
  }

  // ---- Leaving: nothing goes before it is saved ----------------------------------------------
  async #saveThen(act) {
    if (this.#leaving || this.#tooLong().some((field) => !field.reportValidity())) return;
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
    find("#skip-form")?.addEventListener("submit", (event) => {
      event.preventDefault();
      if (isOpen) this.#saveThen(() => find("#skip-form").submit());
    });
    for (const link of findAll("[data-previous], [data-next]")) {
      link.addEventListener("click", (event) => {
        this.beforeLeaving();
        if (!this.saver.size && this.#comment.value === this.#commentSaved && !this.#tooLong().length) return;
        event.preventDefault();
        this.#saveThen(() => (link.form ? link.form.submit() : location.assign(link.href)));
      });
    }
    addEventListener("beforeunload", (event) => {
      this.beforeLeaving();
      const isTyped = isOpen && this.#comment.value !== this.#commentSaved;
      if (this.saver.isBusy || isTyped || this.#tooLong().length) event.preventDefault();
    });
    // Back from the browser's page cache the page would show what it once knew.
    addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
  }

  #showGaps(missing, why = "Not handed in yet.") {
    find("[data-why]").textContent = why;
    find("[data-gaps]").textContent = missing.length ? this.gapWords(missing) : "";
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
    listenToSwitches();
    const click = (selector) => () => find(selector)?.click();
    const open = (id) => () => document.getElementById(id).showModal();
    listen({
      single: {
        g: () => this.toMissing(),
        c: () => this.#toComment(),
        t: () => find("#context")?.toggleAttribute("open"),
        i: open("guidelines-dialog"),
        q: click("[data-ask]"),
        x: click("[data-skip]"),
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
