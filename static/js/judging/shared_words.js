// Marks the words of the current sentence in the evidence. Off until a rater wants it: the marks may
// sway an answer, so that the server is told of every visit that had them.
import { find, findAll } from "../dom.js";
import { isKept, keep } from "./kept.js";

const KEPT = "rarrweb-shared-words";
const CITED = /\[[\d\s,–-]+\]/gu;
const SHORT = 3; // such words stand in any two texts
// But numbers say something, and words of two signs where a sign is a syllable or no space stands between words.
const TELLING = /\p{N}|[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}/u;
const COMMON = new Set((
  "about after also been before being between both could does during each every from have having however into more most "
  + "much only other over same several should some such than that their them then there these they this those through "
  + "under until upon very were what when where which while whose will with within would your"
).split(" "));

const segmenter = globalThis.Intl?.Segmenter && new Intl.Segmenter(undefined, { granularity: "word" });

function wordsIn(text) {
  return [...segmenter.segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => ({ word: segment.toLowerCase().replace(/['’]s?$/u, ""), start: index, end: index + segment.length }))
    .filter(({ word }) => TELLING.test(word) || (word.length > SHORT && !COMMON.has(word)));
}

export class SharedWords {
  #sentence = "";
  #button = find("[data-shared]");

  // onShown(): when marks are shown for the first time.
  constructor({ onShown }) {
    this.onShown = onShown;
    if (!this.#button || !segmenter || !("highlights" in CSS)) {
      if (this.#button) this.#button.hidden = true;
      return;
    }
    this.#button.addEventListener("click", () => this.#switch(!this.isOn));
    this.#switch(isKept(KEPT));
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
    keep(KEPT, on);
    if (on) {
      this.onShown();
      this.#mark();
    } else {
      CSS.highlights.delete("shared-words");
    }
  }

  #mark() {
    const said = new Set(wordsIn(this.#sentence.replace(CITED, "")).map(({ word }) => word));
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
