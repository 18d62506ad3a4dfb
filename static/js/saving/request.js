// How pages speak with the server about an item: one PUT of JSON.

function token() {
  // Read each time: it changes when the person logs in again in another tab.
  const cookie = document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/);
  if (cookie) return decodeURIComponent(cookie[1]);
  return document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

export function put(url, body, extra) {
  return fetch(url, {
    method: "PUT",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", "X-CSRFToken": token() },
    body: JSON.stringify(body),
    redirect: "error",
    ...extra,
  });
}

// An address that a template wrote for the item 0, for another item.
export function urlOf(template, task) {
  return template.replace("/0/", `/${task}/`);
}

export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Pages of a plain http address have no randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
