// Chooses between a text about one thing and a text about several.
export const plural = (count, one, many) => (count === 1 ? one : many);

// Puts values into a text: fill("Item %(number)s", { number }).
export function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (name, key) => (key in values ? String(values[key]) : name));
}

// A time of today, to the minute.
export const clock = (time) => time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
