// The palette (Ctrl+K), "/" for search, "?" for the keys. What it offers comes from the server; without a script the
// link that opens it leads to the page that lists the same. No key acts while somebody types in a field.
"use strict";
(() => {
  const link = document.querySelector("[data-palette]");
  const KEPT = "voice-single-keys";
  let isOpening = false;

  const isField = (place) => Boolean(place?.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]"));
  const isTypedIn = (place) => isField(place) && (place.matches("select") || (place.value ?? place.textContent) !== "");
  const areSingleOn = () => {
    try { return localStorage.getItem(KEPT) !== "off"; } catch { return true; }
  };

  function wireSwitches(root) {
    for (const label of root.querySelectorAll("[data-single-keys]")) {
      const box = label.querySelector("input");
      label.hidden = false;
      box.checked = areSingleOn();
      box.addEventListener("change", () => {
        try { localStorage.setItem(KEPT, box.checked ? "on" : "off"); } catch { /* nothing is kept where that is forbidden */ }
      });
    }
  }

  // ---- the two dialogs: fetched when they are opened, gone when they are closed ----

  async function open(id) {
    if (isOpening || document.querySelector("dialog[open]")) return;
    isOpening = true;
    const from = document.activeElement;
    try {
      const answer = await fetch("/keys/palette", { headers: { accept: "text/html" } });
      if (!answer.ok) throw new Error(answer.statusText);
      const held = document.createElement("template");
      held.innerHTML = await answer.text();
      const dialog = held.content.getElementById(id);
      document.body.append(dialog);
      dialog.addEventListener("close", () => {
        dialog.remove();
        if (from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true });
      });
      dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
      wireSwitches(dialog);
      if (id === "palette") wirePalette(dialog);
      dialog.showModal();
    } catch {
      location.assign(link.href);
    } finally {
      isOpening = false;
    }
  }

  function wirePalette(dialog) {
    const field = dialog.querySelector("[role=combobox]");
    const options = [...dialog.querySelectorAll("[role=option]")];
    const search = dialog.querySelector("[data-search]");
    let notes = [];
    let waiting = 0;
    const texts = new Map(options.map((each) => [each, each.textContent.toLocaleLowerCase()]));
    let chosen = null;

    const shown = () => [...dialog.querySelectorAll("[role=option]:not([hidden])")];
    const count = () => { dialog.querySelector("[data-count]").textContent = `${shown().length} to choose from`; };
    function choose(option) {
      chosen?.setAttribute("aria-selected", "false");
      chosen = option ?? null;
      chosen?.setAttribute("aria-selected", "true");
      chosen?.scrollIntoView({ block: "nearest" });
      if (chosen) field.setAttribute("aria-activedescendant", chosen.id);
      else field.removeAttribute("aria-activedescendant");
    }
    function narrow() {
      const words = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      for (const each of notes) each.remove();
      notes = [];
      for (const each of options) {
        if (each !== search) each.hidden = !words.every((word) => texts.get(each).includes(word));
      }
      search.hidden = words.length === 0;
      search.querySelector("[data-said]").textContent = field.value.trim();
      count();
      choose(shown()[0]);
    }
    // Notes with the very words, found by the search of the sources; where that fails, its entry is still there.
    async function findNotes() {
      const words = field.value.trim();
      if (words.length < 3) return;
      const asked = new URLSearchParams({ words, how: "words", kind: "thoughts" });
      const answer = await fetch(field.form.action, { method: "POST", body: asked, headers: { accept: "text/html" } }).catch(() => null);
      const page = document.createElement("template");
      page.innerHTML = answer?.ok ? await answer.text() : "";
      if (words !== field.value.trim()) return;
      for (const each of notes) each.remove();
      notes = [...page.content.querySelectorAll(".entry-text > a")].slice(0, 5).map(asOption);
      search.before(...notes);
      count();
    }
    function asOption(link, place) {
      const option = search.cloneNode(true);
      const [said, kind] = option.children;
      option.removeAttribute("data-search");
      option.setAttribute("aria-selected", "false");
      option.id = `palette-note-${place + 1}`;
      option.dataset.to = link.getAttribute("href");
      said.textContent = link.textContent.trim().slice(0, 120);
      said.dir = "auto";
      kind.textContent = "Note";
      return option;
    }
    function go(option) {
      if (option === search) field.form.submit();
      else if (option) {
        dialog.close();
        location.assign(option.dataset.to);
      }
    }
    field.addEventListener("input", () => {
      narrow();
      clearTimeout(waiting);
      waiting = setTimeout(findNotes, 250);
    });
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        const there = shown();
        choose(there[(there.indexOf(chosen) + step + there.length) % there.length]);
      } else if (event.key === "Enter") go(chosen);
      else return;
      event.preventDefault();
    });
    dialog.querySelector("[role=listbox]").addEventListener("click", (event) => go(event.target.closest("[role=option]")));
    narrow();
  }

  // ---- the keys ----

  function toSearch() {
    const field = document.querySelector("[role=search] input[type=search]");
    if (!field) {
      location.assign("/sources#words");
      return;
    }
    field.focus();
    field.select();
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.repeat) return;
    const place = event.target instanceof Element ? event.target : document.body;
    const isPalette = (event.ctrlKey !== event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k";
    if (isPalette && !isTypedIn(place) && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      open("palette");
      return;
    }
    const isSingle = !event.ctrlKey && !event.metaKey && !isField(place) && areSingleOn();
    if (!isSingle || document.querySelector("dialog[open]")) return;
    if (event.key === "/") {
      event.preventDefault();
      toSearch();
    } else if (event.key === "?") {
      event.preventDefault();
      open("keys-dialog");
    }
  });

  link?.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open("palette");
  });
  wireSwitches(document);
  const named = () => { if (location.hash === "#words") document.getElementById("words")?.focus(); };
  addEventListener("hashchange", named);
  named();
})();
