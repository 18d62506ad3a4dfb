// A long passage comes paragraph by paragraph, so that nobody has to hold all of it in mind: the next
// one shows when everything so far is judged, or when it is asked for.
import { fill, plural } from "../texts.js";

const LONG = 15; // sentences

export class Paragraphs {
  constructor(units, button) {
    Object.assign(this, { units, button, shown: 1 });
    this.of = []; // unit -> its paragraph, from 0
    let paragraph = 0;
    for (const unit of units) {
      if (unit.previousSibling?.textContent?.includes("\n") && this.of.length) paragraph += 1;
      this.of.push(paragraph);
    }
    this.count = paragraph + 1;
    this.isOn = units.length > LONG && this.count > 1;
    button.addEventListener("click", () => this.#more());
  }

  // After any change: as far as everything is judged, and one paragraph on.
  show(sentences) {
    if (!this.isOn) return;
    const open = [...this.units.keys()].find((index) => sentences.state(index) === null);
    const reached = open === undefined ? this.count : this.of[open] + 1;
    this.shown = Math.max(this.shown, reached, this.of[sentences.current] + 1);
    this.#apply();
  }

  // So that the unit can get the focus.
  reach(index) {
    if (!this.isOn || this.of[index] < this.shown) return;
    this.shown = this.of[index] + 1;
    this.#apply();
  }

  #more() {
    this.reach(this.of.indexOf(this.shown));
    this.units[this.of.indexOf(this.shown - 1)].querySelector(".s").focus();
  }

  #apply() {
    this.units.forEach((unit, index) => {
      unit.hidden = this.of[index] >= this.shown;
    });
    this.button.parentElement.hidden = this.shown >= this.count;
    const left = this.of.filter((paragraph) => paragraph >= this.shown).length;
    const more = plural(left, "Show the next paragraph (%(count)s more sentence)", "Show the next paragraph (%(count)s more sentences)");
    this.button.textContent = fill(more, { count: left });
  }
}
