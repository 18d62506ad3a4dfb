// Two views of the same sentences: as a text, for the way it hangs together, and as a list with the
// answers beside each. Which one is remembered in this browser; a long passage begins as a list.

const CHOSEN = "rarrweb-sentences-as";
const MANY = 8;

function remembered() {
  try {
    return localStorage.getItem(CHOSEN);
  } catch {
    return null;
  }
}

export class Views {
  constructor(passage, { count, onChange }) {
    this.passage = passage;
    this.buttons = [...passage.querySelectorAll("[data-view]")];
    this.onChange = onChange;
    for (const button of this.buttons) button.addEventListener("click", () => this.choose(button.dataset.view));
    const kept = remembered();
    this.#show(["text", "list"].includes(kept) ? kept : count > MANY ? "list" : "text");
  }

  get isList() {
    return this.view === "list";
  }

  choose(view) {
    try {
      localStorage.setItem(CHOSEN, view);
    } catch {
      // Forbidden: the choice lasts as long as the page.
    }
    this.#show(view);
    this.onChange();
  }

  other() {
    this.choose(this.isList ? "text" : "list");
  }

  #show(view) {
    this.view = view;
    this.passage.classList.toggle("as-list", this.isList);
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
}
