"""The page: a picture of what lies around one entity, its legend, and all of it in words.

Law: one file that loads nothing from anywhere and says so in its policy. What was left out is told: entities beyond the
most connected ones, names of lines without room, and private rows.

Source: docs/graph.md; promise 6, promise 9.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from voice.core.graph.subgraph import Subgraph, most_connected
from voice.core.records import Entity
from voice.core.render.picture.listing import Listing
from voice.core.render.picture.look import SCRIPT, STYLE, policy
from voice.core.render.picture.plan import KINDS, Drawing, draw
from voice.core.render.picture.svg import drawing_svg, shape_svg
from voice.core.text.counting import counted
from voice.core.text.days import in_zone
from voice.core.text.inert import printable
from voice.core.text.markup import markup_safe


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is to be shown, and to whom."""

    focus: Entity
    hops: int
    limit: int
    """How many entities are drawn at most."""
    now: datetime
    timezone: str
    seed: int = 0
    include_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page, with what it holds."""

    html: str
    shown: Subgraph
    entities_in_reach: int
    hidden_names: int


def picture_page(part: Subgraph, view: View) -> Page:
    """Return the page about `part`, the surroundings of `view.focus`."""
    shown = most_connected(part, view.focus.id, view.limit)
    drawing = draw(shown, view.focus.id, now=view.now, seed=view.seed)
    lines = [*_head(view), *_told(part, shown, drawing, view), *_stage(drawing, view), *_list(shown, drawing, view)]
    return Page(
        html="\n".join([*lines, *_foot(part, view)]) + "\n",
        shown=shown,
        entities_in_reach=len(part.entities),
        hidden_names=drawing.hidden_names,
    )


def _head(view: View) -> Iterator[str]:
    title = markup_safe(printable(view.focus.name))
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy()}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">'
    yield f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>"
    yield f'<header><h1 dir="auto">{title}</h1>'


def _told(part: Subgraph, shown: Subgraph, drawing: Drawing, view: View) -> Iterator[str]:
    counts = ", ".join(
        (
            counted(len(shown.entities), "entity", "entities"),
            *([counted(len(shown.relations), "relation")] if shown.relations else []),
            *([counted(len(shown.observations), "note")] if shown.observations else []),
        )
    )
    yield f'<p class="soft">{counts} within {counted(view.hops, "step")}</p>'
    if len(shown.entities) < len(part.entities):
        yield (
            f'<p class="told notice">Shown are the {len(shown.entities):,} most connected of '
            f"{counted(len(part.entities), 'entity', 'entities')} within reach; <code>--most</code> sets how many.</p>"
        )
    if len(shown.entities) == 1:
        yield (
            '<p class="told notice">Nothing is linked with it yet: a relation (<code>voice kg add relation</code>) or '
            "a note that names two entities links them.</p>"
        )
    if drawing.hidden_names:
        names = counted(drawing.hidden_names, "name of a line has", "names of lines have")
        yield f'<p class="told soft">{names} no room and shows at the line when one of its ends is pointed at.</p>'
    yield (
        '<p class="told soft keys">Point at a card to see its notes; click keeps it. By keyboard: Tab and the arrow '
        "keys go from card to card, Enter to its entry below, Escape shows all again.</p></header>\n<main>"
    )


def _stage(drawing: Drawing, view: View) -> Iterator[str]:
    name = printable(view.focus.name)
    yield '<div class="stage">'
    yield drawing_svg(drawing, f"What lies around {name}, as a picture; the list below says the same in words")
    yield '<aside id="panel" tabindex="0" aria-label="The card pointed at"></aside></div>'
    yield (
        '<div class="zoom"><button type="button" data-by="0.8" aria-label="Smaller">−</button>'
        '<button type="button" data-by="1.25" aria-label="Larger">+</button>'
        '<button type="button" data-by="0">Whole picture</button></div>'
    )
    yield f'<ul class="legend" aria-label="Legend">{"".join(_legend(drawing))}</ul>'


def _legend(drawing: Drawing) -> Iterator[str]:
    used = {card.kind for card in drawing.cards}
    for kind in (*KINDS, "other"):
        if kind in used:
            yield f"<li>{shape_svg(kind)}{kind}</li>"
    looks = {(bool(line.words), line.has_ended) for line in drawing.lines}
    for key, look, words in (
        ((True, False), "", "relation, in its direction"),
        ((True, True), "ended", "relation that has ended"),
        ((False, False), "thread", "named by the same notes"),
    ):
        if key in looks:
            tip = '<path class="tip" d="M38 6 28 1.500 28 10.500Z"/>' if key[0] else ""
            yield (
                '<li><svg width="40" height="12" viewBox="0 0 40 12" aria-hidden="true">'
                f'<g class="line {look}"><path d="M1 6H{30 if tip else 39}"/>{tip}</g></svg>{words}</li>'
            )


def _list(shown: Subgraph, drawing: Drawing, view: View) -> Iterator[str]:
    place = {card.entity.id: number for number, card in enumerate(drawing.cards)}
    listing = Listing(part=shown, place=place, now=view.now, timezone=view.timezone)
    yield '<h2 id="list">In words</h2>\n<div class="list">'
    yield from (listing.entry(number, card) for number, card in enumerate(drawing.cards))
    yield "</div>\n</main>"


def _foot(part: Subgraph, view: View) -> Iterator[str]:
    private = "no private rows are in it"
    if view.include_private:
        private = "private rows are in it"
    elif part.private_left_out:
        private = f"{counted(part.private_left_out, 'private row')} left out"
    yield (
        f"<footer>Drawn on {in_zone(view.now, view.timezone).date()} from one person's own memory; {private}. This "
        "file loads nothing from anywhere. It is a copy: what is forgotten later stays in it until it is deleted."
        f"</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>"
    )
