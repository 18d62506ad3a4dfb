// Choices and drafts of a person, kept in this browser. Where it forbids that, they last as long as
// the page.

export function stored(name, area = "localStorage") {
  try {
    return globalThis[area].getItem(name) ?? "";
  } catch {
    return "";
  }
}

export function store(name, text, area = "localStorage") {
  try {
    if (text) globalThis[area].setItem(name, text);
    else globalThis[area].removeItem(name);
  } catch {
    // Full or forbidden.
  }
}
