// Loads htmx on demand, where a page has it in <template id="htmx-later">: a task needs it only in a
// dialog.

let loading;

export function withHtmx() {
  if (globalThis.htmx) return Promise.resolve();
  loading ??= load().catch((error) => {
    loading = undefined; // try again next time
    throw error;
  });
  return loading;
}

async function load() {
  // Without this, htmx would wait for an event that is over.
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
  const script = document.getElementById("htmx-later").content.querySelector("script").cloneNode();
  await new Promise((done, fail) => {
    script.addEventListener("load", done);
    script.addEventListener("error", fail);
    document.head.append(script);
  });
}
