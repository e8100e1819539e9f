"""The page: a picture of what lies around one entity, its legend, and all of it in words.

Law: one file that loads nothing from anywhere and says so in its policy. What was left out is told: entities beyond the
most connected ones, names of lines without room, and private rows.

Source: docs/graph.md; promise 6, promise 9.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from voice.core.graph.subgraph import Subgraph, most_connected, together
from voice.core.records import Entity, GraphRow, Observation, Relation, TrustTier
from voice.core.render.picture.look import SCRIPT, STYLE, policy
from voice.core.render.picture.plan import KINDS, Card, Drawing, draw, has_ended
from voice.core.render.picture.svg import drawing_svg, shape_svg
from voice.core.text.display import counted
from voice.core.text.escaping import escape_markup, printable
from voice.core.text.instants import has_date, in_zone

MAX_SAID: Final = 40
"""Observations of one entity in the page; of more, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What every entry is made from."""

    part: Subgraph
    place: Mapping[str, int]
    now: datetime
    timezone: str

    def entry(self, number: int, card: Card) -> str:
        """Return what is known of one entity, as a section that links may lead to."""
        entity = card.entity
        inside = "".join((*self._head(card), *self._said(entity), *self._ties(entity), *self._threads(entity)))
        return f'<section class="entry {card.kind}" id="e{number}">{inside}</section>'

    def _head(self, card: Card) -> Iterator[str]:
        entity = card.entity
        yield f"<h3>{shape_svg(card.kind)}{_bdi(entity.name)}</h3>"
        also = f" · also {', '.join(map(_bdi, entity.aliases))}" if entity.aliases else ""
        yield f'<p class="soft">{_bdi(entity.entity_type)}{also}{self._qualified(entity)}</p>'
        if entity.description:
            yield f'<p dir="auto">{_text(entity.description)}</p>'

    def _ties(self, entity: Entity) -> Iterator[str]:
        ties = [row for row in self.part.relations if entity.id in (row.source_id, row.target_id)]
        if ties:
            yield f'<ul class="ties">{"".join(self._tie(row, entity) for row in ties)}</ul>'

    def _tie(self, row: Relation, here: Entity) -> str:
        source, target = (self._named(each, here) for each in (row.source_id, row.target_id))
        about = f": {_text(row.description)}" if row.description else ""
        return f"<li>{source} → {_bdi(row.rel_type.replace('_', ' '))} → {target}{about}{self._qualified(row)}</li>"

    def _named(self, entity_id: str, here: Entity) -> str:
        name = _bdi(self.part.by_id[entity_id].name)
        return name if entity_id == here.id else f'<a href="#e{self.place[entity_id]}">{name}</a>'

    def _threads(self, entity: Entity) -> Iterator[str]:
        counts = {
            one if other == entity.id else other: count
            for (one, other), count in together(self.part.observations).items()
            if entity.id in (one, other)
        }
        if counts:
            first = sorted(counts, key=lambda each: (-counts[each], self.place[each]))
            named = ", ".join(f"{self._named(each, entity)} ({counts[each]})" for each in first)
            yield f'<p class="soft">Named together with {named}</p>'

    def _said(self, entity: Entity) -> Iterator[str]:
        said = [row for row in self.part.observations if entity.id in row.entity_ids]
        if said:
            yield f'<ul class="said">{"".join(map(self._sentence, said[:MAX_SAID]))}</ul>'
        if len(said) > MAX_SAID:
            yield f'<p class="soft">and {counted(len(said) - MAX_SAID, "older note")}, which '
            yield "<code>voice kg show</code> shows</p>"

    def _sentence(self, row: Observation) -> str:
        day = f"{in_zone(row.created_at, self.timezone).date()}" if has_date(row.created_at) else ""
        speaker = f" · {_bdi(row.speaker)}" if row.speaker else ""
        time = f'<time datetime="{day}">{day}{speaker}</time>' if day else f"undated{speaker}"
        return f'<li>{time}<span dir="auto">{_text(row.text)}</span>{self._qualified(row)}</li>'

    def _qualified(self, row: GraphRow) -> str:
        """Return what a reader must know of a row: when it holds, and that it is private or not fully trusted."""
        told: Sequence[str] = (
            *([f"since {self._day(row.valid_from)}"] if row.valid_from else []),
            *([f"until {self._day(row.valid_until)}"] if row.valid_until else []),
            *(["ended"] if isinstance(row, Relation) and has_ended(row, self.now) else []),
            *([f"trust: {row.trust.value}"] if row.trust is not TrustTier.GREEN else []),
            *(["private"] if row.is_private else []),
        )
        return f' <span class="why">({", ".join(told)})</span>' if told else ""

    def _day(self, moment: datetime) -> str:
        return f"{in_zone(moment, self.timezone).date()}"


def _text(text: str) -> str:
    return escape_markup(printable(text))


def _bdi(text: str) -> str:
    return f"<bdi>{_text(text)}</bdi>"


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
    title = escape_markup(printable(view.focus.name))
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
