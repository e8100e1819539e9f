// The queue by keyboard: a key counts only while a candidate has the focus, and never where something is typed; where
// nothing has the focus, j and the arrow down lead to the first candidate that waits.
"use strict";
(() => {
  const queue = document.getElementById("queue");
  if (!queue) { return; }
  const help = document.querySelector("[data-keys]");
  const on = document.querySelector("[data-keys-on]");
  const KEPT = "voice-queue-keys";
  help.hidden = false;
  try { on.checked = localStorage.getItem(KEPT) !== "off"; } catch { /* nothing is kept where that is forbidden */ }
  const tell = () => queue.classList.toggle("has-keys", on.checked);
  tell();
  on.addEventListener("change", () => {
    tell();
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

  document.addEventListener("keydown", (event) => {
    const leads = ["j", "ArrowDown"].includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!leads || !on.checked || document.activeElement !== document.body) { return; }
    const first = rows().find((each) => !each.dataset.decided) ?? rows()[0];
    if (!first) { return; }
    event.preventDefault();
    first.focus();
  });

  // What a verdict leaves in place of a row keeps the focus; a decided one hands it on to what waits next. (htmx gives
  // the focus back to what bears the id of what had it: that is the row that was decided.)
  let last = null;
  let from = null;
  queue.addEventListener("submit", (event) => {
    last = event.target.closest("[data-candidate]");
    from = document.activeElement;
  });
  document.addEventListener("htmx:after:swap", () => {
    const row = last && document.getElementById(last.id);
    const held = document.activeElement;
    const hasMovedOn = queue.contains(held) && held !== from && held !== row;
    if (!row || row === last || hasMovedOn) { return; }
    last = null;
    const all = rows();
    const next = all.slice(all.indexOf(row) + 1).find((each) => !each.dataset.decided);
    decided = row.dataset.decided ? row : null;
    (row.dataset.decided && next ? next : row).focus();
  });
})();
