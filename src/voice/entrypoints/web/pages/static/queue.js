// The queue by keyboard, one candidate after the other: a key counts only while a candidate has the focus, and never
// where something is typed; where nothing has the focus, j and the arrow down lead to the first candidate that waits.
// An approval is held back for a moment, so that it can be undone: what is in the graph is changed there.
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
  const isOpen = (row) => !row.dataset.decided && !row.classList.contains("held");
  const after = (row) => {
    const all = rows();
    return all.slice(all.indexOf(row) + 1).find(isOpen);
  };
  // Behind the last one the focus goes to one that was passed over; where none is left, to the way on.
  const goOn = (row) => (after(row) ?? rows().find(isOpen) ?? document.querySelector(".pager [rel=next]") ?? row).focus();
  const show = (row) => {
    row.focus();
    row.scrollIntoView({ block: "nearest" });
  };
  const go = (from, step) => {
    const all = rows();
    const to = all[all.indexOf(from) + step];
    if (to) { show(to); }
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
    a: (row) => isOpen(row) && press(row, "a"),
    r: (row) => isOpen(row) && press(row, "r"),
    u: (row) => takeBack() || press(row, "u") || press(decided ?? row, "u"),
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
    const typing = event.target.matches("input:not([type=checkbox]), textarea, select");
    if (!deed || typing || !on.checked || event.ctrlKey || event.metaKey || event.altKey) { return; }
    event.preventDefault();
    deed(row);
  });

  document.addEventListener("keydown", (event) => {
    const leads = ["j", "ArrowDown"].includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!leads || !on.checked || document.activeElement !== document.body) { return; }
    const first = rows().find(isOpen) ?? rows()[0];
    if (!first) { return; }
    event.preventDefault();
    first.focus();
  });

  // ---- an approval that can still be undone ----

  const HELD = 8000; // milliseconds until it is carried out
  let held = null;

  const note = () => {
    const said = document.createElement("p");
    said.className = "held-note";
    const words = document.createElement("span");
    words.setAttribute("role", "status");
    words.textContent = "Approved. It enters the graph in a few seconds.";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button small";
    button.textContent = "Undo";
    const hint = document.createElement("kbd");
    hint.className = "hint";
    hint.setAttribute("aria-hidden", "true");
    hint.textContent = "u";
    button.append(hint);
    button.addEventListener("click", takeBack);
    said.append(words, button);
    return said;
  };

  function hold(row, form, button) {
    const said = note();
    held = { row, form, button, said, timer: setTimeout(carryOut, HELD) };
    row.classList.add("held");
    row.querySelector(".candidate-head").after(said);
    goOn(row);
    document.activeElement.scrollIntoView({ block: "nearest" });
  }

  function takeBack() {
    if (!held) { return false; }
    clearTimeout(held.timer);
    const { row, said } = held;
    held = null;
    said.remove();
    row.classList.remove("held");
    show(row);
    return true;
  }

  // It is sent in the background: the focus is elsewhere by now, and stays there.
  function carryOut() {
    if (!held) { return; }
    clearTimeout(held.timer);
    const { row, form, button, said } = held;
    held = null;
    said.remove();
    row.classList.remove("held");
    form.dataset.now = "1";
    form.requestSubmit(button);
    delete form.dataset.now;
  }

  queue.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.now) { return; }
    const row = form.closest("[data-candidate]");
    if (held && held.row !== row) { carryOut(); }
    const isApproval = event.submitter?.value === "approve" && form.hasAttribute("hx-post");
    if (!row || !isApproval) { return; }
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!held) { hold(row, form, event.submitter); }
  }, true);

  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") { carryOut(); } });
  addEventListener("pagehide", () => {
    if (!held) { return; }
    const { form, button } = held;
    held = null;
    navigator.sendBeacon(form.action, new URLSearchParams(new FormData(form, button)));
  });

  // ---- the focus goes on ----

  // What a verdict leaves in place of a row keeps the focus; a decided one hands it on to what waits next. (htmx gives
  // the focus back to what bears the id of what had it: that is the row that was decided.)
  let last = null;
  let from = null;
  queue.addEventListener("submit", (event) => {
    if (event.target.dataset.now) { return; }
    last = event.target.closest("[data-candidate]");
    from = document.activeElement;
  });
  document.addEventListener("htmx:after:swap", () => {
    const row = last && document.getElementById(last.id);
    const focused = document.activeElement;
    const hasMovedOn = queue.contains(focused) && focused !== from && focused !== row;
    if (!row || row === last || hasMovedOn) { return; }
    last = null;
    decided = row.dataset.decided ? row : null;
    if (row.dataset.decided) { goOn(row); } else { row.focus(); }
  });

  // Where a verdict makes the page anew, the next one in the same place gets the focus.
  const PLACE = "voice-queue-place";
  queue.addEventListener("submit", (event) => {
    if (event.target.hasAttribute("hx-post")) { return; }
    const at = rows().indexOf(event.target.closest("[data-candidate]"));
    try { sessionStorage.setItem(PLACE, `${location.pathname} ${at}`); } catch { /* the focus is where it was */ }
  });
  try {
    const [path, at] = (sessionStorage.getItem(PLACE) ?? " ").split(" ");
    sessionStorage.removeItem(PLACE);
    const all = rows();
    if (path === location.pathname && all.length) { show(all[Math.min(Number(at), all.length - 1)]); }
  } catch { /* as above */ }
})();
