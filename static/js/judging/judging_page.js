// What every judging page has around its questions: saving, undo, comment, submitting, dialogs, keys.
//
// An entry is one question about one target:
//   {criterion, target, value, text, accept(value, sequence, text), words(), focus(), mark(isMissing)}
// accept() takes a newer answer than the entry has, and returns whether it was newer.
import { find, findAll } from "../dom.js";
import { Presence } from "../saving/presence.js";
import { urlOf } from "../saving/request.js";
import { COMMENT, LOGGED_OUT, Saver } from "../saving/saver.js";
import { ChangeLog } from "../storage.js";
import { clock } from "../texts.js";
import { listen, listenToSwitches, movesOn } from "./keys.js";
import { onNewWidth, read } from "./panes.js";

export const root = document.getElementById("judging");
export const isOpen = "open" in root.dataset;

const COMMENT_PAUSE_MS = 600;
const task = root.dataset.task;
const DEFAULTS = { beforeLeaving: () => {}, onChange: () => {}, firstGap: ([first]) => first };
const toComment = () => find("#comment").focus({ preventScroll: true });

export class JudgingPage {
  #sequence = Number(root.dataset.sequence);
  #commentSequence = Number(root.dataset.commentSequence);
  #done = []; // groups of answers that one undo takes back
  #undone = [];
  #announced = "";
  #changed = null; // announced once it is saved
  #isLeaving = false;
  #form = find("#submit-form");
  #comment = find("#comment");
  #commentSaved = this.#comment.value;
  #pause = 0;
  #chipBefore = null; // the state of the chip before a text was too long

  // entry(criterion, target): the entry, or undefined; missing(): the required entries without an
  // answer, the next one first; firstGap(missing): the first on the page; gapWords(missing): a
  // sentence or two about them;
  // onChange(): after any state changed; beforeLeaving(): to save what is being typed;
  // reveal(): brings the current question into view;
  // home(): moves the focus from the comment back; single: the page's own keys.
  constructor(parts) {
    Object.assign(this, DEFAULTS, parts);
    this.log = new ChangeLog(root.dataset.user);
    this.presence = new Presence({ root, announce: (words) => this.announce(words) });
    this.saver = new Saver({
      task,
      log: this.log,
      url: urlOf(root.dataset.saveUrl, task),
      visit: () => this.presence.visit.totals(),
      onState: (state, detail) => this.#showState(state, detail),
    });
    this.#listenToComment();
    root.addEventListener("input", () => this.#showTooLong());
    this.#listenToLeaving();
    this.#listenToDialogs();
    this.#listenToKeys();
    find("[data-undo]").addEventListener("click", () => this.#step("undo"));
    find("#try-again").addEventListener("click", () => this.saver.retry());
  }

  async start() {
    this.reveal();
    onNewWidth(() => this.reveal());
    this.#showHistory();
    this.onChange();
    if (!find("#gaps").hidden && this.missing().length) this.#toFirstGap();
    if (isOpen) this.presence.start();
    if ("skipped" in root.dataset) this.#makeReadOnly();
    await this.#replay();
    const chip = find("#saved");
    // Only now: the browser might have had answers that the server has not.
    if (isOpen && this.#sequence && chip.dataset.state === "quiet") find("[data-chip]").textContent = "✓ All saved";
    this.onChange();
    root.dataset.ready = "";
  }

  get isSubmitted() {
    return "submitted" in root.dataset;
  }

  announce(words) {
    // A screen reader skips the same words again: an invisible difference makes them new.
    this.#announced = words === this.#announced ? `${words}\u00a0` : words;
    find("#announcement").textContent = this.#announced;
  }

  // Take answers [entry, value, text] that one click gives together, and one undo takes back
  // together. The last of them is announced.
  judge(...answers) {
    if (!isOpen) return;
    const steps = answers
      .filter(([entry, value, text = ""]) => entry && (entry.value !== value || entry.text !== text))
      .map(([entry, value, text = ""]) => ({ entry, before: [entry.value, entry.text], after: [value, text] }));
    if (!steps.length) return;
    this.#done.push(steps);
    this.#undone = [];
    for (const { entry, after } of steps) this.#apply(entry, ...after);
    this.#showHistory();
  }

  toMissing() {
    const [first] = this.missing();
    if (first === undefined) this.announce("All questions are answered.");
    else first.focus();
  }

  // After an answer by key, to that entry or to the next open question. After a click, nothing moves
  // under the pointer.
  moveOn(next = this.missing()[0]) {
    if (movesOn() && isOpen) next?.focus();
  }

  // ---- Saving -------------------------------------------------------------------------------
  #nextSequence() {
    this.#sequence = Math.max(this.#sequence + 1, Date.now());
    return this.#sequence;
  }

  #apply(entry, value, text) {
    const { criterion, target } = entry;
    const change = { criterion, target, value, sequence: this.#nextSequence() };
    if (text) change.text = text;
    if (root.dataset.guidelines) change.guidelines = Number(root.dataset.guidelines);
    entry.accept(value, change.sequence, text);
    entry.mark(false);
    if (!find("#gaps").hidden) {
      const missing = this.missing();
      if (missing.length) this.#showGaps(missing);
      else find("#gaps").hidden = true;
    }
    this.#changed = entry.words();
    this.onChange();
    this.saver.put(`${criterion}:${target}`, change);
  }

  // Undoing an answer gives a new answer, saved like any other.
  #step(direction) {
    const [from, to] = direction === "undo" ? [this.#done, this.#undone] : [this.#undone, this.#done];
    if (!from.length || !isOpen) return;
    const steps = from.pop();
    to.push(steps);
    for (const { entry, before, after } of steps) this.#apply(entry, ...(direction === "undo" ? before : after));
    steps.at(-1).entry.focus();
    this.#showHistory();
  }

  #showHistory() {
    find("[data-undo]").disabled = !isOpen || !this.#done.length;
  }

  #showState(state, detail) {
    const chip = find("#saved");
    this.#chipBefore = null;
    chip.dataset.state = state;
    find("#try-again").hidden = state !== "failed";
    find("#logged-out").hidden = detail?.message !== LOGGED_OUT;
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
        find("#submitted")?.remove();
        this.#showGaps([], "A researcher has sent this item back to you. Submit it again when you are done.");
      }
      for (const row of detail.judgments) {
        this.entry(row.criterion, row.target)?.accept(row.value, row.sequence, row.text ?? "");
        this.#sequence = Math.max(this.#sequence, row.sequence);
      }
      this.onChange();
      if (isOvertaken) this.announce(find("[data-chip]").textContent);
      else if (this.#changed) this.announce(`${this.#changed}, saved`);
      this.#changed = null;
    } else {
      const next = detail.seconds === null ? "" : ` Trying again in ${detail.seconds} s.`;
      find("[data-chip]").textContent = `! Not saved: ${detail.message}.${next}`.replace("..", ".");
      if (this.#changed) this.announce(`${this.#changed}, not saved: ${detail.message}`);
      this.#changed = null;
    }
    this.#showTooLong();
  }

  // The texts that must be shortened before they are saved (limits.js).
  #tooLong() {
    return isOpen ? findAll("#judging .judged textarea").filter((field) => !field.validity.valid) : [];
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

  // Save what earlier pages of this item could not. saving/unsaved_notice.js does so for other items.
  async #replay() {
    for await (const { task: owner, name, change } of this.log.changes()) {
      if (owner !== task) continue;
      this.#sequence = Math.max(this.#sequence, change.sequence);
      const isNewer = name === COMMENT
        ? this.#acceptComment(change)
        : this.entry(change.criterion, change.target)?.accept(change.value, change.sequence, change.text ?? "");
      if (isNewer) this.saver.put(name, change);
      else this.log.remove(task, name, change.sequence);
    }
  }

  #acceptComment({ text, sequence }) {
    if (sequence <= this.#commentSequence) return false;
    this.#commentSequence = sequence;
    this.#comment.value = this.#commentSaved = text;
    return true;
  }

  // A skipped item can only be read.
  #makeReadOnly() {
    this.#comment.readOnly = true;
    for (const control of findAll("#judging .task-columns :is(input, button, textarea)")) {
      if (control !== this.#comment && !control.matches("[data-reading], .notice *")) control.disabled = true;
    }
    for (const element of findAll("#judging [role=button]")) element.setAttribute("aria-disabled", "true");
    for (const control of findAll("#submit-form .primary, [data-skip]")) control.disabled = true;
    this.#showHistory();
  }

  // ---- The comment: saved when the typing pauses --------------------------------------------
  #saveComment() {
    clearTimeout(this.#pause);
    if (!isOpen || this.#comment.value === this.#commentSaved || !this.#comment.validity.valid) return;
    this.#commentSaved = this.#comment.value;
    this.#changed = "comment";
    this.#commentSequence = this.#nextSequence();
    // The server refuses NUL.
    this.saver.put(COMMENT, { text: this.#comment.value.replaceAll("\0", ""), sequence: this.#commentSequence });
  }

  #listenToComment() {
    this.#comment.addEventListener("input", () => {
      clearTimeout(this.#pause);
      this.#pause = setTimeout(() => this.#saveComment(), COMMENT_PAUSE_MS);
    });
    // Browsers scroll only the caret's line into view; the rest would lie under the bar.
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
    find("[data-comment]").addEventListener("click", toComment);
  }

  // ---- Leaving: only after all is saved ----------------------------------------------
  async #saveThen(act) {
    if (this.#isLeaving || this.#tooLong().some((field) => !field.reportValidity())) return;
    this.#isLeaving = true;
    this.beforeLeaving();
    this.#saveComment();
    const saved = await this.saver.settled();
    this.#isLeaving = false;
    if (saved) act();
    else this.announce("Not saved yet, so this page stays.");
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
    // From the browser's page cache the page would show an old state.
    addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
  }

  #showGaps(missing, why = "Not submitted yet.") {
    find("[data-why]").textContent = why;
    find("[data-gaps]").textContent = missing.length ? this.gapWords(missing) : "";
    find("#gaps").hidden = false;
    for (const entry of missing) entry.mark(true);
  }

  #toFirstGap() {
    const missing = this.missing();
    this.#showGaps(missing);
    this.firstGap(missing).focus();
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
        c: toComment,
        i: open("guidelines-dialog"),
        q: click("[data-ask]"),
        x: click("[data-skip]"),
        "?": open("keys-dialog"),
        PageDown: read(1),
        PageUp: read(-1),
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
