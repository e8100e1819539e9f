// Files that are dropped, how far an upload is, and an import that has come to its end. Without it forms do all that.
"use strict";

(() => {
  const form = document.getElementById("upload");
  const importing = document.querySelector("[data-importing]");
  importing?.addEventListener("voice:imported", () => location.reload());
  if (!form) return;

  const problem = document.getElementById("upload-problem");
  const progress = document.getElementById("upload-progress");
  const drop = form.querySelector("[data-drop]");
  const button = form.querySelector("button.primary");
  const UNREACHABLE = "The upload failed. Check that voice serve is running, and try again.";
  drop.querySelector(".drop-hint").hidden = false;

  function say(text) {
    problem.replaceChildren();
    if (!text) return;
    const box = document.createElement("p");
    box.className = "problem";
    box.textContent = text;
    problem.append(box);
    problem.scrollIntoView({ block: "nearest" });
  }

  function mib(bytes) {
    return (bytes / 1048576).toLocaleString("en", { maximumFractionDigits: 1 });
  }

  // Everything of the form, with each file under its path in the folder it came from.
  function dataOf(files) {
    const data = new FormData();
    for (const field of form.elements) {
      if (!field.name || field.type === "file" || (field.type === "checkbox" && !field.checked)) continue;
      data.append(field.name, field.value);
    }
    for (const [path, file] of files) data.append("files", file, path);
    return data;
  }

  function over() {
    button.disabled = false;
    progress.textContent = "";
  }

  function send(files) {
    if (!files.length) return say("Choose at least one file.");
    say("");
    button.disabled = true;
    const sent = new XMLHttpRequest();
    sent.open("POST", form.action);
    sent.upload.addEventListener("progress", (event) => {
      progress.textContent = `${mib(event.loaded)} of ${mib(event.total)} MiB sent`;
    });
    sent.addEventListener("load", () => {
      over();
      const page = new DOMParser().parseFromString(sent.responseText, "text/html");
      if (sent.status < 400) location.assign(sent.responseURL);
      else say(page.querySelector("main .problem, main")?.textContent.trim().replace(/\s+/g, " ") || UNREACHABLE);
    });
    sent.addEventListener("error", () => { over(); say(UNREACHABLE); });
    sent.send(dataOf(files));
  }

  function chosen() {
    return [...form.querySelectorAll("input[type=file]")]
      .flatMap((input) => [...input.files])
      .map((file) => [file.webkitRelativePath || file.name, file]);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(chosen());
  });

  // ---- dropping ----

  const fileOf = (entry) => new Promise((yes, no) => entry.file(yes, no));
  const somOf = (reader) => new Promise((yes, no) => reader.readEntries(yes, no));

  async function under(entry) {
    if (entry.isFile) return [[entry.fullPath.replace(/^\//, ""), await fileOf(entry)]];
    const reader = entry.createReader();
    const found = [];
    for (let some = await somOf(reader); some.length; some = await somOf(reader)) {
      for (const each of some) found.push(...await under(each));
    }
    return found;
  }

  async function droppedFiles(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.length) return [...transfer.files].map((file) => [file.name, file]);
    return (await Promise.all(entries.map(under))).flat();
  }

  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("is-over"); });
  }
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("is-over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    droppedFiles(event.dataTransfer).then(send, () => say("voice cannot read what you dropped. Choose the files with the buttons."));
  });
})();
