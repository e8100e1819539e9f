"""The page with the picture of the graph around one entity, as HTML and SVG.

Law: one file that loads nothing from anywhere and says so in its policy. What was left out is told: entities beyond the
most connected ones, names of lines without room, and private rows.

A drawing as SVG inside a page. Each type has a colour and a shape, so that neither alone must tell it; each card is a
link into the list below, so that it is reached by keyboard and says something where no script runs. No attribute styles
anything: the page's policy would not let it.
Source: docs/graph.md; promise 6, promise 9.
"""

import base64
import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Final

from voice.core.graph.subgraph import Subgraph, mentioned_together, most_connected
from voice.core.messages import showing as messages
from voice.core.records import Entity, GraphRow, Observation, Relation, TrustTier
from voice.core.render.picture.drawing import ICON, KINDS, PAD, SMALL_SIZE, Card, Drawing, Line, draw, has_ended
from voice.core.render.picture.edges import Curve
from voice.core.render.picture.layout import LayoutPoint
from voice.core.text.display import counted, escape_markup, printable
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
        inside = "".join(
            (*self._head(card), *self._observations(entity), *self._relations(entity), *self._co_mentions(entity))
        )
        return f'<section class="entry {card.kind}" id="e{number}">{inside}</section>'

    def _head(self, card: Card) -> Iterator[str]:
        entity = card.entity
        yield f"<h3>{shape_svg(card.kind)}{_bdi(entity.name)}</h3>"
        also = f" · {messages.also(', '.join(map(_bdi, entity.aliases)))}" if entity.aliases else ""
        yield f'<p class="soft">{_bdi(entity.entity_type)}{also}{self._qualified(entity)}</p>'
        if entity.description:
            yield f'<p dir="auto">{_text(entity.description)}</p>'

    def _relations(self, entity: Entity) -> Iterator[str]:
        ties = [row for row in self.part.relations if entity.id in (row.source_id, row.target_id)]
        if ties:
            yield f'<ul class="ties">{"".join(self._relation_item(row, entity) for row in ties)}</ul>'

    def _relation_item(self, row: Relation, here: Entity) -> str:
        source, target = (self._named(each, here) for each in (row.source_id, row.target_id))
        about = f": {_text(row.description)}" if row.description else ""
        return f"<li>{source} → {_bdi(row.rel_type.replace('_', ' '))} → {target}{about}{self._qualified(row)}</li>"

    def _named(self, entity_id: str, here: Entity) -> str:
        name = _bdi(self.part.by_id[entity_id].name)
        return name if entity_id == here.id else f'<a href="#e{self.place[entity_id]}">{name}</a>'

    def _co_mentions(self, entity: Entity) -> Iterator[str]:
        counts = {
            one if other == entity.id else other: count
            for (one, other), count in mentioned_together(self.part.observations).items()
            if entity.id in (one, other)
        }
        if counts:
            first = sorted(counts, key=lambda each: (-counts[each], self.place[each]))
            named = ", ".join(f"{self._named(each, entity)} ({counts[each]})" for each in first)
            yield f'<p class="soft">{messages.named_together(named)}</p>'

    def _observations(self, entity: Entity) -> Iterator[str]:
        said = [row for row in self.part.observations if entity.id in row.entity_ids]
        if said:
            yield f'<ul class="said">{"".join(map(self._sentence, said[:MAX_SAID]))}</ul>'  # the newest come first
        if len(said) > MAX_SAID:
            older = counted(len(said) - MAX_SAID, "older note")
            yield f'<p class="soft">{_with_code(messages.older_notes(older))}</p>'

    def _sentence(self, row: Observation) -> str:
        day = f"{in_zone(row.created_at, self.timezone).date()}" if has_date(row.created_at) else ""
        speaker = f" · {_bdi(row.speaker)}" if row.speaker else ""
        time = f'<time datetime="{day}">{day}{speaker}</time>' if day else f"{messages.UNDATED}{speaker}"
        return f'<li>{time}<span dir="auto">{_text(row.text)}</span>{self._qualified(row)}</li>'

    def _qualified(self, row: GraphRow) -> str:
        """Return what a reader must know of a row: when it holds, and that it is private or not fully trusted."""
        told: Sequence[str] = (
            *([messages.since(self._day(row.valid_from))] if row.valid_from else []),
            *([messages.until(self._day(row.valid_until))] if row.valid_until else []),
            *([messages.ENDED] if isinstance(row, Relation) and has_ended(row, self.now) else []),
            *([messages.trust(row.trust.value)] if row.trust is not TrustTier.GREEN else []),
            *([messages.PRIVATE] if row.is_private else []),
        )
        return f' <span class="why">({", ".join(told)})</span>' if told else ""

    def _day(self, moment: datetime) -> str:
        return f"{in_zone(moment, self.timezone).date()}"


def _text(text: str) -> str:  # printable first: no sign that turns the reading order
    return escape_markup(printable(text))


def _with_code(message: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", message)


def _bdi(text: str) -> str:
    return f"<bdi>{_text(text)}</bdi>"  # a name in Arabic must not turn the line around it


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
    lines = [*_head(view), *_notices(part, shown, drawing, view), *_stage(drawing, view), *_list(shown, drawing, view)]
    return Page(
        html="\n".join([*lines, *_foot(part, view)]) + "\n",
        shown=shown,
        entities_in_reach=len(part.entities),
        hidden_names=drawing.hidden_names,
    )


def _head(view: View) -> Iterator[str]:
    title = escape_markup(printable(view.focus.name))
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy()}">'  # a file is served without headers
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">'
    yield f"<title>{title}</title>\n<style>{page_style()}</style>\n</head>\n<body>"
    yield f'<header><h1 dir="auto">{title}</h1>'


def _notices(part: Subgraph, shown: Subgraph, drawing: Drawing, view: View) -> Iterator[str]:
    counts = ", ".join(
        (
            counted(len(shown.entities), "entity", "entities"),
            *([counted(len(shown.relations), "relation")] if shown.relations else []),
            *([counted(len(shown.observations), "note")] if shown.observations else []),
        )
    )
    yield f'<p class="soft">{messages.within_steps(counts, counted(view.hops, "step"))}</p>'
    if len(shown.entities) < len(part.entities):
        entities = counted(len(part.entities), "entity", "entities")
        yield f'<p class="told notice">{_with_code(messages.most_connected(len(shown.entities), entities))}</p>'
    if len(shown.entities) == 1:
        yield f'<p class="told notice">{_with_code(messages.NOTHING_LINKED)}</p>'
    if drawing.hidden_names:
        yield f'<p class="told soft">{messages.hidden_names(drawing.hidden_names)}</p>'
    yield f'<p class="told soft keys">{messages.PICTURE_KEYS}</p></header>\n<main>'


def _stage(drawing: Drawing, view: View) -> Iterator[str]:
    name = printable(view.focus.name)
    yield '<div class="stage">'
    yield drawing_svg(drawing, messages.picture_of(name))
    yield f'<aside id="panel" tabindex="0" aria-label="{messages.SELECTED_CARD}"></aside></div>'
    yield (
        f'<div class="zoom"><button type="button" data-by="0.8" aria-label="{messages.SMALLER}">−</button>'
        f'<button type="button" data-by="1.25" aria-label="{messages.LARGER}">+</button>'
        f'<button type="button" data-by="0">{messages.WHOLE_PICTURE}</button></div>'
    )
    yield f'<ul class="legend" aria-label="{messages.LEGEND_LABEL}">{"".join(_legend(drawing))}</ul>'


def _legend(drawing: Drawing) -> Iterator[str]:
    used = {card.kind for card in drawing.cards}
    for kind in (*KINDS, "other"):  # in one order, whatever the picture holds
        if kind in used:
            yield f"<li>{shape_svg(kind)}{kind}</li>"
    looks = {(bool(line.words), line.has_ended) for line in drawing.lines}
    for key, look, words in (
        ((True, False), "", messages.RELATION),
        ((True, True), "ended", messages.ENDED_RELATION),
        ((False, False), "thread", messages.SAME_NOTES),
    ):
        if key in looks:
            tip = '<path class="tip" d="M38 6 28 1.500 28 10.500Z"/>' if key[0] else ""  # sentences draw no arrow
            yield (
                '<li><svg width="40" height="12" viewBox="0 0 40 12" aria-hidden="true">'
                f'<g class="line {look}"><path d="M1 6H{30 if tip else 39}"/>{tip}</g></svg>{words}</li>'
            )


def _list(shown: Subgraph, drawing: Drawing, view: View) -> Iterator[str]:
    place = {card.entity.id: number for number, card in enumerate(drawing.cards)}
    listing = Listing(part=shown, place=place, now=view.now, timezone=view.timezone)
    yield f'<h2 id="list">{messages.IN_WORDS}</h2>\n<div class="list">'
    yield from (listing.entry(number, card) for number, card in enumerate(drawing.cards))
    yield "</div>\n</main>"


def _foot(part: Subgraph, view: View) -> Iterator[str]:
    private = messages.WITH_PRIVATE_ROWS if view.include_private else messages.NO_PRIVATE_ROWS
    if part.private_left_out and not view.include_private:
        private = messages.rows_left_out(counted(part.private_left_out, "private row"))
    told = messages.picture_foot(in_zone(view.now, view.timezone).date(), private)
    yield f"<footer>{told}</footer>\n<script>{_data('picture.js')}</script>\n</body>\n</html>"


_TIP_LENGTH: Final = 10.0
_TIP_WIDTH: Final = 4.5
_SHAPES: Final = {  # in a square of 20 by 20
    "person": '<circle class="shape" cx="10" cy="10" r="8"/>',
    "project": '<rect class="shape" x="2.5" y="2.5" width="15" height="15" rx="2"/>',
    "tool": '<path class="shape" d="M10 1.5 18.5 17H1.5Z"/>',
    "place": '<path class="shape" d="M10 19C5 13 3 10.500 3 7.800a7 7 0 0 1 14 0C17 10.500 15 13 10 19Z"/>',
    "organisation": '<path class="shape" d="M10 1.500 17.400 5.750v8.500L10 18.500 2.600 14.250v-8.500Z"/>',
    "event": '<path class="shape" d="m10 1 2.700 5.900 6.400.700-4.800 4.300 1.400 6.300L10 15l-5.700 3.200 1.400-6.300'
    'L.900 7.600l6.400-.700Z"/>',
    "concept": '<path class="shape" d="M10 1 19 10 10 19 1 10Z"/>',
    "other": '<circle class="shape" cx="10" cy="10" r="7"/>',
}


def shape_svg(kind: str) -> str:
    """Return the sign of a type, as a picture of its own."""
    return f'<svg class="{kind}" width="18" height="18" viewBox="0 0 20 20" aria-hidden="true">{_SHAPES[kind]}</svg>'


def drawing_svg(drawing: Drawing, title: str, *, links: Sequence[str] = (), about: str = "") -> str:
    """Return the picture.

    Args:
        drawing: what is to be seen.
        title: what it shows, for who does not see it.
        links: where each card leads to, in their order; none: into the list below the picture.
        about: what it shows, in a sentence more.
    """
    ways = links or tuple(f"#e{number}" for number in range(len(drawing.cards)))
    width, height = math.ceil(drawing.width), math.ceil(drawing.height)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    told = f'role="group" aria-label="{escape_markup(title)}"'
    return "\n".join(
        (
            f'<div class="scroll"><svg class="net {least_width(width)}" {size} {told}>',
            *([f"<desc>{escape_markup(about)}</desc>"] if about else []),
            *(_line(line) for line in reversed(drawing.lines)),  # reversed: lines at the focus lie on top
            *(_card(number, card, drawing, ways[number]) for number, card in enumerate(drawing.cards)),
            "</svg></div>",
        )
    )


def _line(line: Line) -> str:
    strength = "" if line.weight < 2 else "more" if line.weight < 5 else "most"  # three strengths of line
    looks = ["line", *(["ended"] if line.has_ended else []), *([] if line.words else ["thread", strength])]
    inside = "".join(_inside(line, line.curve))
    return f'<g class="{" ".join(looks).strip()}" data-a="{line.source}" data-b="{line.target}">{inside}</g>'


def _inside(line: Line, curve: Curve) -> Iterator[str]:
    if not line.words:
        yield f"<title>{messages.notes_name_both(line.weight)}</title>{_path(curve, curve.end)}"
        return
    yield f"<title>{escape_markup(', '.join(line.words))}{f' ({messages.ENDED})' if line.has_ended else ''}</title>"
    back = _end_direction(curve)
    yield _path(curve, curve.end - back.times(_TIP_LENGTH * 0.7, _TIP_LENGTH * 0.7))  # ends inside the tip
    yield _tip(curve.end, back)
    at = line.name_at.at if line.name_at else curve.at(0.5)
    crowded = "" if line.name_at else ' class="crowded"'
    yield (
        # 0.35 of the size below the middle: the base of the letters.
        f'<text{crowded} x="{at.x:.1f}" y="{at.y + SMALL_SIZE * 0.35:.1f}" font-size="{SMALL_SIZE:g}" '
        f'text-anchor="middle">{escape_markup(line.name)}</text>'
    )


def _end_direction(curve: Curve) -> LayoutPoint:
    """Return which way the curve goes at its end, one long."""
    way = curve.end - curve.bend
    length = math.hypot(way.x, way.y) or 1.0  # a curve of no length has no direction
    return way.times(1 / length, 1 / length)


def _path(curve: Curve, end: LayoutPoint) -> str:
    return (
        f'<path d="M{curve.start.x:.1f} {curve.start.y:.1f}Q{curve.bend.x:.1f} {curve.bend.y:.1f} {end.x:.1f} '
        f'{end.y:.1f}"/>'
    )


def _tip(end: LayoutPoint, way: LayoutPoint) -> str:
    foot = end - way.times(_TIP_LENGTH, _TIP_LENGTH)
    side = LayoutPoint(-way.y * _TIP_WIDTH, way.x * _TIP_WIDTH)
    one, other = foot + side, foot - side
    return f'<path class="tip" d="M{end.x:.1f} {end.y:.1f} {one.x:.1f} {one.y:.1f} {other.x:.1f} {other.y:.1f}Z"/>'


def _card(number: int, card: Card, drawing: Drawing, way: str) -> str:
    ties = sum(bool(line.words) and number in (line.source, line.target) for line in drawing.lines)  # not mentions
    told = f"{printable(card.entity.name)}, {', '.join(card.small)}, {counted(ties, 'relation')}"
    looks = f"card {card.kind}{' focus' if card.is_focus else ''}"
    place = f'x="{card.left:.1f}" y="{card.top:.1f}" width="{card.box.width:g}" height="{card.box.height:g}" rx="11"'
    icon = LayoutPoint(card.left + PAD, card.box.at.y - ICON / 2)
    return (
        f'<a class="{looks}" href="{escape_markup(way)}" aria-label="{escape_markup(told)}" data-x="{card.box.at.x:g}" '
        f'data-y="{card.box.at.y:g}"><title>{escape_markup(printable(card.entity.name))}</title>'
        f'<rect class="base" {place}/><rect class="rim" {place}/>'
        f'<g transform="translate({icon.x:.1f} {icon.y:.1f})">{_SHAPES[card.kind]}</g>{"".join(_words(card))}</a>'
    )


def _words(card: Card) -> Iterator[str]:
    left = card.left + PAD + ICON + 9
    base = card.top + PAD - 1.5  # letters stand on `base`, PAD below the rim
    for line in card.lines:
        base += card.size * 1.25
        yield f'<text class="name" x="{left:.1f}" y="{base - card.size * 0.2:.1f}" font-size="{card.size:g}">'
        yield f"{escape_markup(line)}</text>"
    for line in card.small:
        base += SMALL_SIZE * 1.25
        yield f'<text class="small" x="{left:.1f}" y="{base - 1:.1f}" font-size="{SMALL_SIZE:g}">'
        yield f"{escape_markup(line)}</text>"


_WIDEST: Final = 40  # hundreds of pixels
_LEGIBLE: Final = 0.85  # how small a picture may become to fit a window; below that it is scrolled


def page_style() -> str:
    """Return the page's stylesheet."""
    # Widths as classes: the policy forbids style attributes.
    return _data("picture.css") + "".join(f".w{each}{{min-width:{each}00px}}" for each in range(1, _WIDEST + 1))


def _data(name: str) -> str:
    return (files("voice") / "data" / "picture" / name).read_text(encoding="utf-8")


def least_width(width: float) -> str:
    """Return the class that keeps a picture of that width legible."""
    return f"w{min(max(int(width * _LEGIBLE / 100), 1), _WIDEST)}"


def policy() -> str:
    """Return the page's content security policy: these two texts, and nothing from anywhere."""
    own = f"style-src {_allowed(page_style())}; script-src {_allowed(_data('picture.js'))}"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _allowed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"  # only a text with this hash
