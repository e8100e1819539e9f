// An answer is copied with its sources. Without this script the same link keeps it as a file.
"use strict";
(() => {
  if (!navigator.clipboard) { return; } // on an address that is not safe a browser copies nothing: the link stays a file
  document.documentElement.classList.add("has-clipboard");
  const spoken = document.createElement("p");
  spoken.className = "unseen";
  spoken.setAttribute("role", "status");
  document.querySelector("main").append(spoken);
  const SAID = 2500; // milliseconds that it is told

  const text = async (url) => {
    const answer = await fetch(url, { credentials: "same-origin" });
    if (!answer.ok) { throw new Error(`${answer.status}`); }
    return answer.text();
  };

  // A browser copies only right behind the click: where it can wait for what is copied, it is given the promise.
  const copy = (url) => {
    if (typeof ClipboardItem === "undefined") { return text(url).then((said) => navigator.clipboard.writeText(said)); }
    const blob = text(url).then((said) => new Blob([said], { type: "text/plain" }));
    return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-copy]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) { return; }
    event.preventDefault();
    const said = link.querySelector("[data-copy-said]");
    const before = said.dataset.before ?? (said.dataset.before = said.textContent);
    const tell = (words) => {
      said.textContent = words || before;
      spoken.textContent = words;
    };
    copy(link.href).then(
      () => { tell("Copied"); },
      () => { location.assign(link.href); }, // what cannot be copied is kept as a file
    ).then(() => setTimeout(tell, SAID, ""));
  });
})();
