// Undo and redo. Undoing an answer gives a new answer, saved like any other.

export class History {
  #done = [];
  #undone = [];

  add(step) {
    this.#done.push(step);
    this.#undone = [];
  }

  // The step to undo, or undefined.
  undo() {
    const step = this.#done.pop();
    if (step) this.#undone.push(step);
    return step;
  }

  redo() {
    const step = this.#undone.pop();
    if (step) this.#done.push(step);
    return step;
  }

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }
}
