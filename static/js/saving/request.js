// Requests about an item: one PUT of JSON.

function csrfToken() {
  // Read each time: it changes when the user logs in again in another tab.
  const cookie = document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/);
  if (cookie) return decodeURIComponent(cookie[1]);
  return document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

export function put(url, body, extra) {
  return fetch(url, {
    method: "PUT",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
    body: JSON.stringify(body),
    redirect: "error",
    ...extra,
  });
}

// A template's URL of task 0, for another task.
export function urlOf(template, task) {
  return template.replace("/0/", `/${task}/`);
}
