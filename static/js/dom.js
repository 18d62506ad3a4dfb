// Elements by a CSS selector: the first one, or all of them in a list.
export const find = (selector, root = document) => root.querySelector(selector);
export const findAll = (selector) => [...document.querySelectorAll(selector)];
