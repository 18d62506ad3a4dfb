// htmx, where a page has it in <template id="htmx-later">: the page of a task does, since there only
// a sheet that is opened over it asks for anything.

let loading;

export function withHtmx() {
  if (globalThis.htmx) return Promise.resolve();
  loading ??= load().catch((error) => {
    loading = undefined; // the next time asks again
    throw error;
  });
  return loading;
}

async function load() {
  // Before that htmx would wait for an event that has passed.
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
  const script = document.getElementById("htmx-later").content.querySelector("script").cloneNode();
  await new Promise((done, fail) => {
    script.addEventListener("load", done);
    script.addEventListener("error", fail);
    document.head.append(script);
  });
}
