// What a rater marked in a source, to put it into the passage: with the mouse, with a finger, or word
// by word with the arrow keys. It stays marked while the place in the passage is looked for.

const MARKED = "marked"; // the name of the highlight in static/css/judging.css
const SOURCES = "[data-source], .evidence .text, .evidence h3 [dir], .context";
const WORDS = /[\p{L}\p{N}\p{M}_]+(?:[.,:'’-][\p{L}\p{N}\p{M}_]+)*/gu;

const sourceOf = (node) => (node instanceof Element ? node : node?.parentElement)?.closest(SOURCES) ?? null;

export class Marking {
  text = "";
  #range = null;
  #isDown = false;
  #isOnSource = false; // the last click, or touch

  // onChange(): after something else is marked, or nothing any more.
  // onWords(text): after the keys marked it.
  constructor({ onChange, onWords }) {
    Object.assign(this, { onChange, onWords });
    document.addEventListener("selectionchange", () => this.#isDown || this.#look());
    document.addEventListener("pointerdown", ({ target }) => {
      this.#isDown = true;
      this.#isOnSource = sourceOf(target) !== null;
    }, true);
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, () => {
        this.#isDown = false;
        this.#look();
      }, true);
    }
    for (const article of document.querySelectorAll("article.evidence")) {
      article.addEventListener("keydown", (event) => this.#byWord(event, article));
    }
  }

  // Whether the browser's own selection is in a source, and not in the passage.
  get isSelected() {
    const selection = getSelection();
    return !selection.isCollapsed && sourceOf(selection.anchorNode) !== null;
  }

  forget() {
    getSelection().removeAllRanges();
    this.#mark(null);
  }

  // Into view, above what lies over the page's lower edge.
  reveal(edge) {
    if (!this.#range) return;
    const pane = sourceOf(this.#range.startContainer)?.closest(".evidence-pane");
    const room = pane && getComputedStyle(pane).overflowY === "auto" ? pane.getBoundingClientRect() : null;
    const { top, bottom } = this.#range.getBoundingClientRect();
    const [low, high] = [Math.min(room?.bottom ?? edge, edge) - 8, Math.max(room?.top ?? 0, 0) + 8];
    const by = bottom > low ? bottom - low : top < high ? top - high : 0;
    if (by) (room ? pane : window).scrollBy({ top: by, behavior: "instant" });
  }

  #look() {
    const selection = getSelection();
    const source = sourceOf(selection.anchorNode) ?? sourceOf(selection.focusNode);
    if (!source) return; // in the passage, or nowhere: what is marked stays marked
    // A button that is touched may take the browser's mark away, but not ours.
    if (selection.isCollapsed) return this.#isOnSource && this.#mark(null);
    // Of one source alone; the triple click that takes a paragraph ends in the next.
    const range = selection.getRangeAt(0).cloneRange();
    if (!source.contains(range.startContainer)) range.setStart(source, 0);
    if (!source.contains(range.endContainer)) range.setEnd(source, source.childNodes.length);
    return this.#mark(range);
  }

  #mark(range) {
    const text = range ? range.toString().replace(/\s+/gu, " ").trim() : "";
    if (text === this.text && !range === !this.#range) return;
    this.text = text;
    this.#range = text ? range : null;
    if (globalThis.CSS?.highlights) {
      if (this.#range) CSS.highlights.set(MARKED, new Highlight(this.#range));
      else CSS.highlights.delete(MARKED);
    }
    this.onChange();
  }

  // With Shift: a word more, or one fewer.
  #byWord(event, article) {
    if (event.target !== article || event.ctrlKey || event.altKey || event.metaKey) return;
    const source = article.querySelector(".text");
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] * (getComputedStyle(source).direction === "rtl" ? -1 : 1);
    const words = [...source.textContent.matchAll(WORDS)].map((word) => [word.index, word.index + word[0].length]);
    if (!step || !words.length) return;
    event.preventDefault();
    const node = source.firstChild;
    const selection = getSelection();
    const isHere = selection.anchorNode === node && !selection.isCollapsed;
    const wordAt = (offset) => words.findLastIndex(([start]) => start <= offset);
    const isBackwards = isHere && selection.anchorOffset > selection.focusOffset;
    let anchor = isHere ? wordAt(selection.anchorOffset - (isBackwards ? 1 : 0)) : -1;
    let focus = isHere ? wordAt(selection.focusOffset - (isBackwards ? 0 : 1)) : step > 0 ? -1 : words.length;
    focus = Math.min(Math.max(focus + step, 0), words.length - 1);
    if (!event.shiftKey || anchor === -1) anchor = focus;
    const [from, to] = anchor <= focus ? [words[anchor][0], words[focus][1]] : [words[anchor][1], words[focus][0]];
    selection.setBaseAndExtent(node, from, node, to);
    this.#look();
    this.onWords(this.text);
  }
}
