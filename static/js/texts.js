// The words of a page in its language. They come in a catalog that templates/base.html loads before
// any module; where it did not come, the English of the modules stands.
//
// Give gettext and ngettext the whole text, written out, so that `manage.py makemessages -d djangojs`
// finds it, and fill its places afterwards: fill(gettext("Item %(number)s"), { number }).

const ENGLISH = {
  gettext: (text) => text,
  ngettext: (one, many, count) => (count === 1 ? one : many),
};

export const { gettext, ngettext } = globalThis.django ?? ENGLISH;

// Puts values in the places of a text; what they are called is for whoever translates.
export function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (place, name) => (name in values ? String(values[name]) : place));
}

// A time of today, to the minute.
export const clock = (time) => time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
