// Marks the words of the current sentence in the evidence. Off until a rater wants it: the marks may
// sway an answer, so that the server is told of every visit that had them.
import { find, findAll } from "../dom.js";

const KEPT = "rarrweb-shared-words";
const WORD = /[\p{L}\p{N}]+/gu;
const SHORT = 3; // such words stand in any two texts, unless they are numbers
const COMMON = new Set((
  "about after also been before being between both could does during each every from have having however into more most "
  + "much only other over same several should some such than that their them then there these they this those through "
  + "under until upon very were what when where which while whose will with within would your"
).split(" "));

function wordsIn(text) {
  return [...text.matchAll(WORD)]
    .map((match) => ({ word: match[0].toLowerCase(), start: match.index, end: match.index + match[0].length }))
    .filter(({ word }) => /\p{N}/u.test(word) || (word.length > SHORT && !COMMON.has(word)));
}

export class SharedWords {
  #sentence = "";
  #button = find("[data-shared]");

  // onShown(): when marks are shown for the first time.
  constructor({ onShown }) {
    this.onShown = onShown;
    if (!this.#button || !("highlights" in CSS)) {
      if (this.#button) this.#button.hidden = true;
      return;
    }
    this.#button.addEventListener("click", () => this.#switch(!this.isOn));
    this.#switch(this.#isKept());
  }

  get isOn() {
    return this.#button?.getAttribute("aria-pressed") === "true";
  }

  show(sentence) {
    this.#sentence = sentence;
    if (this.isOn) this.#mark();
  }

  #switch(on) {
    this.#button.setAttribute("aria-pressed", String(on));
    try {
      if (on) localStorage.setItem(KEPT, "1");
      else localStorage.removeItem(KEPT);
    } catch {
      // Forbidden: the choice lasts as long as the page.
    }
    if (on) {
      this.onShown();
      this.#mark();
    } else {
      CSS.highlights.delete("shared-words");
    }
  }

  #isKept() {
    try {
      return localStorage.getItem(KEPT) !== null;
    } catch {
      return false;
    }
  }

  #mark() {
    const said = new Set(wordsIn(this.#sentence).map(({ word }) => word));
    const ranges = [];
    for (const text of findAll(".evidence .text")) {
      const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      while (nodes.nextNode()) {
        for (const { word, start, end } of wordsIn(nodes.currentNode.data)) {
          if (!said.has(word)) continue;
          const range = new Range();
          range.setStart(nodes.currentNode, start);
          range.setEnd(nodes.currentNode, end);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("shared-words", new Highlight(...ranges));
  }
}
