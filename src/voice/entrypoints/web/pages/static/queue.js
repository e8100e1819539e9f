// The queue by keyboard: a key counts only while a candidate has the focus, and never where something is typed.
"use strict";
(() => {
  const queue = document.getElementById("queue");
  if (!queue) { return; }
  const help = document.querySelector("[data-keys]");
  const on = document.querySelector("[data-keys-on]");
  const KEPT = "voice-queue-keys";
  help.hidden = false;
  try { on.checked = localStorage.getItem(KEPT) !== "off"; } catch { /* nothing is kept where that is forbidden */ }
  on.addEventListener("change", () => {
    try { localStorage.setItem(KEPT, on.checked ? "on" : "off"); } catch { /* as above */ }
  });

  const rows = () => [...queue.querySelectorAll("[data-candidate]")];
  const go = (from, step) => {
    const all = rows();
    const to = all[all.indexOf(from) + step];
    if (to) { to.focus(); to.scrollIntoView({ block: "nearest" }); }
  };
  const press = (row, key) => {
    const button = row.querySelector(`button[data-key="${key}"]`);
    if (button) { button.click(); }
    return Boolean(button);
  };
  const deeds = {
    j: (row) => go(row, 1),
    ArrowDown: (row) => go(row, 1),
    k: (row) => go(row, -1),
    ArrowUp: (row) => go(row, -1),
    a: (row) => press(row, "a"),
    r: (row) => press(row, "r"),
    u: (row) => press(row, "u") || press(decided ?? row, "u"),
    e: (row) => {
      const more = row.querySelector("details[data-key]");
      if (!more) { return; }
      more.open = true;
      more.querySelector("input:not([type=hidden]), textarea").focus();
    },
    "?": () => { help.open = !help.open; help.scrollIntoView({ block: "nearest" }); },
  };
  let decided = null;

  queue.addEventListener("keydown", (event) => {
    const row = event.target.closest("[data-candidate]");
    if (!row) { return; }
    if (event.key === "Escape" && event.target !== row) {
      const more = event.target.closest("details");
      if (more) { more.open = false; }
      row.focus();
      return;
    }
    const deed = deeds[event.key];
    const typing = event.target.matches("input, textarea, select");
    if (!deed || typing || !on.checked || event.ctrlKey || event.metaKey || event.altKey) { return; }
    event.preventDefault();
    deed(row);
  });

  // What a verdict leaves in place of a row keeps the focus; a decided one hands it on to what waits next.
  document.addEventListener("htmx:after:swap", () => {
    if (queue.contains(document.activeElement)) { return; }
    const row = document.getElementById(last);
    if (!row) { return; }
    const all = rows();
    const next = all.slice(all.indexOf(row) + 1).find((each) => !each.dataset.decided);
    decided = row.dataset.decided ? row : null;
    (row.dataset.decided && next ? next : row).focus();
  });
  let last = "";
  queue.addEventListener("submit", (event) => { last = event.target.closest("[data-candidate]").id; });
})();
