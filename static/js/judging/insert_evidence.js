// The bar that puts what is marked in a source into the passage: it says what goes where, and when it
// is done it offers to take it back. It lies above the footer, in the reach of a thumb.
import { find } from "../dom.js";
import { fill } from "../texts.js";
import { Marking } from "./marking.js";
import { cutOut, putIn } from "./text_edit.js";

const MOST = 40; // characters of a quotation
const AROUND = /\S+(?:\s+\S+)?\s*$/u; // two words before the cursor

function quoted(text) {
  const signs = [...text];
  return fill("“%(words)s”", { words: signs.length > MOST ? `${signs.slice(0, MOST).join("")}…` : text });
}

export class InsertBar {
  #place = [0, 0]; // what is marked in the passage, or where the cursor is
  #isPlaced = false; // whether the rater has shown where in the passage
  #done = "";

  // change(edit, words): what it does to the text; say(words): to a screen reader; undo(): the last
  // answer.
  constructor(field, { change, say, undo }) {
    Object.assign(this, { field, change, say, undo });
    this.bar = find("#put");
    this.marking = new Marking({
      onChange: () => this.#begin(),
      onWords: (text) => this.say(fill("%(words)s is marked", { words: quoted(text) })),
    });
    for (const name of ["focus", "pointerup", "keyup", "select"]) {
      field.addEventListener(name, () => {
        this.#isPlaced = true;
        this.show();
      });
    }
    document.addEventListener("selectionchange", () => document.activeElement === field && this.show());
    for (const [id, act] of [["#put-in", () => this.put()], ["#put-undo", () => this.#takeBack()], ["#put-close", () => this.close()], ["#cut", () => this.cut()]]) {
      find(id).addEventListener("click", act);
      // The focus stays where it is, and with it what is marked.
      find(id).addEventListener("mousedown", (event) => event.preventDefault());
    }
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && event.target !== field && !document.querySelector("dialog[open]")) this.close();
    });
  }

  // What is marked in the passage.
  get #old() {
    return this.field.value.slice(...this.#place);
  }

  get #isWritable() {
    return !this.field.readOnly && !this.field.disabled;
  }

  show() {
    // A field that keeps the focus while a finger marks a source forgets its own mark.
    if (!this.marking.isSelected) this.#place = [this.field.selectionStart, this.field.selectionEnd];
    find("#cut").disabled = !this.#isWritable || !this.#old;
    const { text } = this.marking;
    this.bar.hidden = !this.#isWritable || (!text && !this.#done);
    if (this.bar.hidden) return;
    find("#put-says").textContent = text ? this.#marks(text) : this.#done;
    find("#put-in").hidden = !text || !this.#isPlaced;
    find("#put-in [data-does]").textContent = this.#does();
    find("#put-undo").hidden = Boolean(text);
  }

  // What is marked goes into the passage.
  put() {
    const { text } = this.marking;
    if (!text) return this.say("Nothing is marked in the evidence.");
    if (!this.#isPlaced) return this.say(this.#marks(text));
    const [place, old] = [this.#place, this.#old.trim()];
    const words = old
      ? fill("%(new)s in place of %(old)s", { new: quoted(text), old: quoted(old) })
      : fill("%(new)s put in", { new: quoted(text) });
    const hadFocus = document.activeElement === find("#put-in");
    this.marking.forget();
    this.change(putIn(this.field.value, ...place, text), words);
    this.#done = `${words}.`;
    this.show();
    if (hadFocus) find("#put-undo").focus();
    return undefined;
  }

  // What is marked in the passage goes.
  cut() {
    if (!this.#old) return;
    this.change(cutOut(this.field.value, ...this.#place), fill("%(old)s deleted", { old: quoted(this.#old.trim()) }));
    this.show();
  }

  // After the person typed, or another button changed the text: what was put in is old news.
  settle() {
    this.#done = "";
    this.show();
  }

  close() {
    this.marking.forget();
    this.settle();
  }

  #begin() {
    this.#done = "";
    this.show();
    if (!this.bar.hidden) this.marking.reveal(this.bar.getBoundingClientRect().top);
  }

  #takeBack() {
    this.undo();
    this.settle();
  }

  #marks(text) {
    const words = this.#isPlaced
      ? "%(words)s is marked."
      : "%(words)s is marked. Click in the passage where it belongs, or mark there what it replaces.";
    return fill(words, { words: quoted(text) });
  }

  #does() {
    const old = this.#old.trim();
    if (old) return fill("Put it in place of %(old)s", { old: quoted(old) });
    const before = this.field.value.slice(0, this.#place[0]).match(AROUND)?.[0].trim();
    return before ? fill("Put it in after %(words)s", { words: quoted(before) }) : "Put it in at the start";
  }
}
