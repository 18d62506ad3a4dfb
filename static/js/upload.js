// Shows the progress of an upload.

document.addEventListener("htmx:xhr:progress", (event) => {
  const form = event.target.closest?.("#upload-form");
  if (!form || !event.detail.lengthComputable) return;
  const percent = Math.floor((100 * event.detail.loaded) / event.detail.total);
  form.querySelector(".sending").hidden = false;
  form.querySelector("#sending").value = percent;
  form.querySelector(".sending label").textContent =
    percent < 100
      ? `Sending the file: ${percent} %`
      : "The file has arrived and is being stored";
});

document.addEventListener("htmx:sendError", (event) => fail(event));
document.addEventListener("htmx:responseError", (event) => fail(event));

function fail(event) {
  const form = event.target.closest?.("#upload-form");
  if (!form) return;
  const files = [...form.querySelectorAll("input[type=file]")].flatMap((field) => [...field.files]);
  const megabytes = (files.reduce((sum, file) => sum + file.size, 0) / 1e6).toFixed(1);
  const sending = form.querySelector(".sending");
  sending.hidden = false;
  // A browser may see a broken connection where a proxy refuses a file early.
  sending.querySelector("label").textContent =
    event.detail.xhr.status === 413
      ? `The file was not uploaded: ${megabytes} MB is over the limit of the server or of a proxy in front of it. An administrator can raise RARR_UPLOAD_MB, and the proxy’s limit (client_max_body_size in nginx).`
      : `The file was not uploaded: the connection failed or the server refused it. Try again. If it fails each time, a proxy may have a limit below ${megabytes} MB: an administrator can raise its limit (client_max_body_size in nginx).`;
}

// Suggest a name for a new dataset or corpus: that of the file, or of the first of several.
function nameAfterFile(form) {
  const name = form?.querySelector("[name=name]");
  const files = form?.querySelector("input[type=file]").files;
  if (!name || !files.length || name.value.trim()) return;
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  name.value = files[0].name.replace(/\.[^.]+$/, "").slice(0, 180) + more;
}

document.addEventListener("change", (event) => nameAfterFile(event.target.closest?.("#upload-form")));
nameAfterFile(document.getElementById("upload-form")); // a file chosen before this ran
