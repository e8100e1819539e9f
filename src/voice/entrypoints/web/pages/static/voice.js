// What pages do beyond what forms and links do. Each page can be read, and everything be done, without it.
"use strict";

(() => {
  const asking = () => document.querySelector(".turn.is-asking:not(.is-done)");
  const composer = document.getElementById("composer");
  const question = document.getElementById("question");
  const panel = document.getElementById("evidence");
  const themes = document.querySelector(".themes");

  // ---- asking ----

  const withdrawn = "You cancelled the question. It is still in the field.";
  const unreachable = "The server does not answer. Your question is still in the field; ask again when the server is back.";

  const fields = composer?.elements;
  let sent = null; // what is being answered, while it is

  function busy(is) {
    sent = is ? { text: question.value, when: fields.when.value, private: fields.private.checked } : null;
    composer.querySelector("[data-stop]").hidden = !is;
    document.getElementById("ask-button").disabled = is;
  }

  // What a question says, its time and that it lets private rows in are of this one question; what was typed or ticked
  // meanwhile is of the next one.
  function takeBack() {
    if (!sent) return; // it was stopped when its answer was already on the way
    if (question.value === sent.text) question.value = "";
    if (fields.when.value === sent.when) fields.when.value = "";
    if (sent.private) fields.private.checked = false;
  }

  function say(text) {
    const place = document.getElementById("composer-problem");
    place.replaceChildren();
    if (!text) return;
    const box = document.createElement("p");
    box.className = "problem";
    box.textContent = text;
    place.append(box);
  }

  const AIR = 16; // pixels between what is shown and the edge, or the composer

  // What arrived is in sight to its end, clear of the composer where that lies over the foot of the window; of what is
  // longer than the window its beginning is.
  function show(box) {
    if (!box) return;
    const bar = getComputedStyle(composer);
    const over = bar.position === "sticky" ? composer.offsetHeight + (parseFloat(bar.bottom) || 0) : 0;
    const { top, bottom, height } = box.getBoundingClientRect();
    const end = innerHeight - over - AIR;
    if (top < AIR || height > end - AIR) scrollBy(0, top - AIR);
    else if (bottom > end) scrollBy(0, bottom - end);
  }

  // A question that had no answer can be taken up again where one can ask.
  function offerAgain() {
    for (const button of document.querySelectorAll("[data-again][hidden]")) button.hidden = false;
  }

  function over() {
    asking()?.classList.add("is-done");
    busy(false);
  }

  // An answer that was cut off leaves no half of a turn behind.
  function cutOff(text) {
    asking()?.remove();
    over();
    say(text);
    question.focus({ preventScroll: true });
    show(document.getElementById("composer-problem"));
  }

  if (composer) {
    composer.addEventListener("htmx:before:request", (event) => {
      if (event.target !== composer) return;
      say("");
      busy(true);
    });
    composer.addEventListener("htmx:sse:after:message", () => {
      const turn = asking();
      if (turn && !turn.dataset.seen) {
        turn.dataset.seen = "1";
        turn.scrollIntoView({ block: "start" });
      }
    });
    composer.addEventListener("voice:answered", (event) => {
      const turn = asking();
      history.replaceState(null, "", event.detail.data);
      takeBack();
      over();
      question.placeholder = "Ask another question";
      themes.elements.back.value = location.pathname + location.search;
      document.title = `${document.querySelector("#talk-head h1").textContent} · voice`;
      composer.querySelector("#topic")?.closest(".field").remove();
      document.querySelector(".recent")?.remove();
      document.querySelector(".talk").classList.remove("is-new");
      offerAgain();
      question.focus({ preventScroll: true });
      show(turn);
    });
    composer.addEventListener("voice:failed", () => {
      const turn = asking();
      over();
      question.focus({ preventScroll: true });
      show(turn);
    });
    composer.addEventListener("htmx:sse:close", () => {
      if (asking()) cutOff(unreachable);
    });
    composer.addEventListener("htmx:error", () => {
      if (composer.dataset.stopped) return;
      cutOff(unreachable);
    });
    // What is no piece of a page (a refusal of the guard, say) is told, not put into the conversation.
    composer.addEventListener("htmx:before:response", (event) => {
      const raw = event.detail.ctx.response.raw;
      if (event.target !== composer || raw.ok) return;
      event.preventDefault();
      cutOff(`The server rejected the question (${raw.status}). It is still in the field. Open the link that voice serve printed, then ask again.`);
    });
    composer.querySelector("[data-stop]").addEventListener("click", () => {
      composer.dataset.stopped = "1";
      htmx.trigger(composer, "htmx:abort");
      cutOff(withdrawn);
      delete composer.dataset.stopped;
    });
    // Pressed, it takes no focus: the composer would grow or shrink with it, and the click miss it.
    document.getElementById("ask-button").addEventListener("mousedown", (event) => event.preventDefault());
    document.addEventListener("click", (event) => {
      const again = event.target.closest?.("[data-again]");
      if (!again) return;
      question.value = again.dataset.again;
      question.focus();
      question.select();
    });
    offerAgain();
    question.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (sent === null && question.value.trim()) composer.requestSubmit();
    });
  }

  // ---- what was typed, while the colours change ----

  // Other colours are another page: what every form of this one holds is laid aside for that moment, and for no longer.
  const DRAFT = "voice-draft";
  const ticked = (field) => field.matches("[type=radio], [type=checkbox]");

  // Each field that somebody fills in, by its form (those of one action are counted), its name and which of these it is.
  function fillable() {
    const counted = {};
    const nth = (key) => `${key} ${(counted[key] = (counted[key] ?? -1) + 1)}`;
    return [...document.forms].filter((form) => form !== themes).flatMap((form) => {
      const place = nth(form.getAttribute("action") ?? "");
      const fields = [...form.elements].filter((each) => each.name && each.matches("input:not([type=hidden]), textarea, select"));
      return fields.map((field) => [nth(`${place} ${field.name}`), field]);
    });
  }

  themes.addEventListener("submit", () => {
    const held = fillable().map(([key, field]) => [key, ticked(field) ? field.checked : field.value]);
    try { sessionStorage.setItem(DRAFT, JSON.stringify(held)); } catch { /* nothing is kept */ }
  });

  function takeUp() {
    let held = [];
    try {
      held = JSON.parse(sessionStorage.getItem(DRAFT) ?? "[]");
      sessionStorage.removeItem(DRAFT);
    } catch { /* nothing was kept */ }
    const there = new Map(held.length ? fillable() : []);
    for (const [key, value] of held) {
      const field = there.get(key);
      const what = field && ticked(field) ? "checked" : "value";
      if (!field || field[what] === value) continue;
      field[what] = value;
      for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    }
  }

  takeUp();

  // ---- what a sentence rests on ----

  const hint = panel?.innerHTML;
  let shown = null;

  let entering = null;
  let returning = null;

  const sheet = panel?.closest(".evidence");
  const narrow = matchMedia("(max-width: 47.99rem)");
  const LEAST = 96; // pixels of it that are seen beside a sentence as long as the window

  // In a narrow window it lies over the conversation: at the foot or, where it would cover its sentence there, at the
  // head, and no higher than leaves the sentence in sight. Nothing is scrolled: the pointer would then be on another.
  function place() {
    if (!shown) return;
    const { top, bottom } = shown.getBoundingClientRect();
    if (narrow.matches && (bottom <= 0 || top >= innerHeight)) return; // what is out of sight cannot be covered
    sheet.style.maxBlockSize = "";
    const height = sheet.offsetHeight;
    const [above, below] = [top - AIR / 2, innerHeight - bottom - AIR / 2];
    const isAbove = narrow.matches && below < height && below < above;
    const room = isAbove ? above : below;
    sheet.classList.toggle("is-above", isAbove);
    if (narrow.matches && height > room) sheet.style.maxBlockSize = `${Math.max(room, LEAST)}px`;
  }

  // Where the focus was in the panel it goes back to the sentence, and what that rests on is not fetched again.
  function close() {
    if (panel.contains(document.activeElement)) returning = shown;
    panel.innerHTML = hint;
    shown?.removeAttribute("aria-current");
    shown = null;
    returning?.focus({ preventScroll: true });
    returning = null;
  }

  if (panel) {
    sheet.hidden = false; // nothing hints at it where no script runs
    document.addEventListener("focus", (event) => {
      if (returning && event.target === returning) event.stopImmediatePropagation();
    }, true);
    addEventListener("resize", place);
    addEventListener("scrollend", place); // moving to a sentence may scroll to it, and takes its time
    // Over the conversation it gives way to whatever is done there.
    const giveWay = () => { if (shown && narrow.matches) close(); };
    document.addEventListener("pointerdown", (event) => {
      if (!event.target.closest?.(".evidence, .sentence-text")) giveWay();
    });
    composer?.addEventListener("focusin", giveWay);
    composer?.addEventListener("submit", giveWay);
    document.addEventListener("htmx:after:swap", () => {
      if (!shown && panel.querySelector("[data-close]")) close(); // it came when it was not wanted any more
      const button = panel.querySelector("[data-close]");
      if (button) button.hidden = false;
      place();
      if (button && entering) panel.focus();
      entering = null;
    });
    document.addEventListener("keydown", (event) => {
      const sentence = event.target.closest?.(".sentence-text");
      if (event.key !== "Enter" || !sentence) return;
      if (sentence === shown && panel.querySelector("[data-close]")) {
        event.preventDefault();
        panel.focus();
      } else {
        entering = sentence;
      }
    });
    document.addEventListener("htmx:before:request", (event) => {
      if (!event.target.matches?.(".sentence-text")) return;
      if (entering !== event.target) entering = null;
      shown?.removeAttribute("aria-current");
      shown = event.target;
      shown.setAttribute("aria-current", "true");
      place();
    });
    panel.addEventListener("click", (event) => {
      if (!event.target.closest("[data-close]")) return;
      close();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && shown) close();
    });
  }
})();
