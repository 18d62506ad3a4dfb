// Undo and redo. An undone answer is a new answer: it is saved like any other.

export class History {
  #done = [];
  #undone = [];

  add(step) {
    this.#done.push(step);
    this.#undone = [];
  }

  // The step to take back, or undefined.
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
