// The picture of the graph: where it is larger than its place, its middle is in sight first.
"use strict";
(() => {
  const stage = document.querySelector(".picture-stage");
  const focus = stage?.querySelector(".net .focus");
  if (!focus) { return; }
  const [place, card] = [stage, focus].map((each) => each.getBoundingClientRect());
  stage.scrollLeft += card.x + card.width / 2 - (place.x + place.width / 2);
  stage.scrollTop += card.y + card.height / 2 - (place.y + place.height / 2);
})();
