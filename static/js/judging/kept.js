// A rater's choices that are on or off, kept in this browser.

export function isKept(name) {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

export function keep(name, is) {
  try {
    if (is) localStorage.setItem(name, "1");
    else localStorage.removeItem(name);
  } catch {
    // Forbidden: the choice lasts as long as the page.
  }
}
