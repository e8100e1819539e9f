"""Turn rows into a drawing: cards, lines and where they stand.

Law: a card is an entity, a line one direction between two entities; relations of one direction that hold now, and those
that have ended, share a line each. Two entities that only sentences name together are joined by a line without arrow
and name. What has no room is counted and said, never shown half.
Source: rulings C2, C19; docs/graph.md.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from voice.core.graph.subgraph import Subgraph, links, mentioned_together
from voice.core.records import Entity, Relation
from voice.core.render.picture.edges import Curve, curve_between, name_places
from voice.core.render.picture.layout import Box, LayoutPoint, Spacing, lay_out
from voice.core.text.display import counted, printable
from voice.core.text.lazy import late_pattern

_GRAPHEME: Final = late_pattern(r"\X")  # a letter with its marks, as a person sees it
# Widths are upper bounds over common sans-serif fonts, in shares of the letters' size.
_NARROW: Final = frozenset("ijltfrI.,:;!'|()[]{}- ")
_BROAD: Final = frozenset("mwMWQO@%&—…")
_ELLIPSIS: Final = "…"


def text_width(text: str, size: float) -> float:
    """Return how wide `text` is at most, set in a common sans-serif of `size`."""
    return size * sum(_width(cluster) for cluster in _GRAPHEME.findall(text))


def _width(cluster: str) -> float:
    head = cluster[0]  # the letter decides; marks on it take no room
    if unicodedata.east_asian_width(head) in {"W", "F"} or ord(head) >= 0x1F000:  # Chinese, Japanese, Korean, and emoji
        return 1.1
    if head in _NARROW:
        return 0.38
    if head in _BROAD:
        return 0.98
    return 0.72 if head.isupper() else 0.61


def broken(text: str, size: float, room: float, lines: int) -> tuple[str, ...]:
    """Return `text` as at most `lines` lines no wider than `room`, broken between words where that can be."""
    done: list[str] = []
    rest = text
    while rest and len(done) < lines:
        line = _truncate_to_fit(rest, size, room)
        rest = rest[len(line) :].lstrip()
        done.append(line.rstrip())
    if rest:
        done[-1] = _shorten(done[-1], size, room)  # the rest is cut, and shown so
    return tuple(done)


def _truncate_to_fit(text: str, size: float, room: float) -> str:
    """Return as much of the beginning of `text` as fits; at least one character."""
    if text_width(text, size) <= room:
        return text
    clusters = _GRAPHEME.findall(text)
    taken = 1
    while text_width("".join(clusters[: taken + 1]), size) <= room:
        taken += 1
    whole = "".join(clusters[:taken])
    if text[len(whole)] == " ":  # the cut falls between two words
        return whole
    space = whole.rfind(" ")
    return whole[:space] if space > 0 else whole  # a single long word is cut inside


def _shorten(line: str, size: float, room: float) -> str:
    clusters = _GRAPHEME.findall(line)
    while len(clusters) > 1 and text_width("".join(clusters) + _ELLIPSIS, size) > room:
        clusters.pop()
    return "".join(clusters).rstrip() + _ELLIPSIS


KINDS: Final = ("person", "project", "tool", "place", "organisation", "event", "concept")
"""The types with a colour and a shape of their own; every other one is `other`."""
NAME_SIZE: Final = 15.0
FOCUS_SIZE: Final = 19.0
SMALL_SIZE: Final = 12.0
ICON: Final = 20.0
PAD: Final = 11.0
_LINE: Final = 1.25  # of a line of text, in letters' sizes
_BOLD: Final = 1.1  # how much wider bold letters are than others
_ROOM: Final = 180.0  # for the name of a card; a longer one is broken
_LEAST_WIDTH: Final = 92.0
_MARGIN: Final = 18.0  # around the whole picture
_BOW: Final = 44.0  # between two lines of one pair of cards
_DETOURS: Final = (0.0, 60.0, -60.0, 120.0, -120.0)  # of a line, around cards; none is the distance of two bows
_THREADS_EACH: Final = 3  # lines of mentions at an entity, beside those at the focus
_ORIGIN: Final = LayoutPoint(0.0, 0.0)
# In the units of the picture, which are CSS pixels at full size.
_SPACING: Final = Spacing(across=280.0, down=140.0, gap=24.0, tie=LayoutPoint(60.0, 24.0))
_SPREADS: Final = (1.0, 1.12, 1.25, 1.4)  # stretched step by step until every name has room


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An entity, drawn."""

    entity: Entity
    kind: str
    lines: tuple[str, ...]
    small: tuple[str, ...]
    """What stands under the name."""
    size: float
    """Of the letters of the name."""
    box: Box
    is_focus: bool = False

    @property
    def left(self) -> float:
        """Where the card begins."""
        return self.box.at.x - self.box.width / 2

    @property
    def top(self) -> float:
        """Where the card begins, from above."""
        return self.box.at.y - self.box.height / 2

    @property
    def texts(self) -> Iterator[tuple[str, str, float, float]]:
        """Each of its lines with its look, the size of its letters, and what they stand on."""
        base = self.top + PAD - 1.5
        for line in self.lines:
            base += self.size * _LINE
            yield line, "name", self.size, base - self.size * 0.2
        for line in self.small:
            base += SMALL_SIZE * _LINE
            yield line, "small", SMALL_SIZE, base - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What joins two cards."""

    source: int
    target: int
    words: tuple[str, ...] = ()
    """The types of its relations; empty for a line that only sentences draw."""
    has_ended: bool = False
    weight: int = 1
    """How many sentences name both."""
    curve: Curve = Curve(start=_ORIGIN, bend=_ORIGIN, end=_ORIGIN)
    name_at: Box | None = None

    @property
    def name(self) -> str:
        """What stands on the line."""
        more = f" +{len(self.words) - 1}" if len(self.words) > 1 else ""
        return broken(self.words[0], SMALL_SIZE, _ROOM, 1)[0] + more if self.words else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Everything in its place; the upper left corner is the origin."""

    cards: tuple[Card, ...]
    lines: tuple[Line, ...]
    width: float
    height: float
    hidden_names: int
    """Names of lines for which there is no room."""

    @property
    def kinds(self) -> list[str]:
        """The types that are drawn, in one order whatever the picture holds."""
        return [kind for kind in (*KINDS, "other") if any(card.kind == kind for card in self.cards)]

    @property
    def looks(self) -> set[str]:
        """How lines look that are drawn: empty for a relation, `ended`, and `thread` for what notes name together."""
        return {("ended" if line.has_ended else "") if line.words else "thread" for line in self.lines}

    def ties(self, card: int) -> int:
        """Return how many lines of relations a card has."""
        return sum(bool(line.words) and card in (line.source, line.target) for line in self.lines)


def draw(part: Subgraph, focus: str, *, now: datetime, seed: int = 0) -> Drawing:
    """Return the drawing of a neighbourhood with the entity `focus` in the middle; `seed` chooses an arrangement."""
    order = _reading_order(part, focus)  # the focus is number 0
    place = {entity.id: number for number, entity in enumerate(order)}
    loops = {
        entity.id: sorted(  # a relation to itself is told on the card
            {_relation_name(row) for row in part.relations if row.source_id == row.target_id == entity.id}
        )
        for entity in order
    }
    notes = Counter(entity_id for row in part.observations for entity_id in row.entity_ids)
    cards = [_card(each, notes[each.id], loops[each.id], is_focus=each.id == focus) for each in order]
    lines = [*_relation_lines(part.relations, place, now), *_mention_lines(part, place)]
    places = lay_out(
        [(card.box.width, card.box.height) for card in cards],
        [(line.source, line.target) for line in lines],
        focus=0,
        spacing=_SPACING,
        seed=seed,
    )
    tried: list[Drawing] = []
    for spread in _SPREADS:
        tried.append(_place_cards(cards, lines, [each.times(spread) for each in places]))
        if not tried[-1].hidden_names:
            break
    return min(tried, key=lambda each: each.hidden_names)  # none had room for all: the fewest hidden


def _reading_order(part: Subgraph, focus: str) -> list[Entity]:
    """Return the entities as somebody would read them: the focus, then step by step, by name."""
    joined, named = links(part), part.by_id
    order: list[str] = []
    edge, seen = [focus], {focus}
    while edge:
        order += edge
        following = {other for each in edge for other in joined[each]} - seen  # breadth first: a ring at a time
        seen |= following
        edge = sorted(following, key=lambda each: (named[each].name.casefold(), each))
    order += sorted(named.keys() - seen, key=lambda each: (named[each].name.casefold(), each))  # what is not reached
    return [named[each] for each in order]


def _card(entity: Entity, observations: int, loops: Sequence[str], *, is_focus: bool) -> Card:
    size = FOCUS_SIZE if is_focus else NAME_SIZE
    kind = entity.entity_type.casefold()
    room = _ROOM * size / NAME_SIZE
    lines = broken(printable(entity.name) or entity.id, size * _BOLD, room, 2)
    told = printable(entity.entity_type) + (f" · {counted(observations, 'note')}" if observations else "")
    small = tuple(broken(text, SMALL_SIZE, room, 1)[0] for text in (told, *(f"↻ {loop}" for loop in loops)))
    widest = max(*(text_width(line, size * _BOLD) for line in lines), *(text_width(line, SMALL_SIZE) for line in small))
    width = max(_LEAST_WIDTH, PAD * 2 + ICON + 9 + widest)  # 9 between icon and name, as in `drawing.html`
    height = PAD * 2 + _LINE * (size * len(lines) + SMALL_SIZE * len(small))
    return Card(
        entity=entity,
        kind=kind if kind in KINDS else "other",
        lines=lines,
        small=small,
        size=size,
        box=Box(_ORIGIN, round(width), round(height)),  # whole pixels: sharp edges
        is_focus=is_focus,
    )


def has_ended(row: Relation, now: datetime) -> bool:
    """Return whether a relation no longer holds at `now`."""
    return row.valid_until is not None and row.valid_until <= now


def _relation_name(row: Relation) -> str:
    return printable(row.rel_type.replace("_", " ")) or "?"


def _relation_lines(relations: Iterable[Relation], place: Mapping[str, int], now: datetime) -> list[Line]:
    """Return a line for each direction between two entities, those at the focus first."""
    found: dict[tuple[int, int, bool], list[str]] = {}
    for row in relations:
        ends = place[row.source_id], place[row.target_id]
        if ends[0] != ends[1]:
            found.setdefault((*ends, has_ended(row, now)), []).append(_relation_name(row))  # ended: a line of its own
    return [
        Line(source=source, target=target, words=tuple(sorted(set(words))), has_ended=ended)
        # Lines at the focus choose room for their names first.
        for (source, target, ended), words in sorted(found.items(), key=lambda item: (min(item[0][:2]), item[0]))
    ]


def _mention_lines(part: Subgraph, place: Mapping[str, int]) -> list[Line]:
    """Return the lines that sentences alone draw: those at the focus, and of others each one's strongest."""
    related = {frozenset((place[row.source_id], place[row.target_id])) for row in part.relations}  # joined already
    pairs = [
        (count, *sorted((place[one], place[other])))
        for (one, other), count in mentioned_together(part.observations).items()
        if frozenset((place[one], place[other])) not in related
    ]
    drawn: dict[int, int] = {}
    kept: list[Line] = []
    for count, one, other in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        if one == 0 or min(drawn.get(one, 0), drawn.get(other, 0)) < _THREADS_EACH:  # 0, the focus, is the smaller
            kept.append(Line(source=one, target=other, weight=count))
            drawn[one], drawn[other] = drawn.get(one, 0) + 1, drawn.get(other, 0) + 1
    return kept


def _place_cards(cards: Sequence[Card], lines: Sequence[Line], places: Sequence[LayoutPoint]) -> Drawing:
    corner = LayoutPoint(  # becomes the origin: the picture has no negative places
        min(place.x - card.box.width / 2 for place, card in zip(places, cards, strict=True)) - _MARGIN,
        min(place.y - card.box.height / 2 for place, card in zip(places, cards, strict=True)) - _MARGIN,
    )
    boxes = [
        replace(card.box, at=LayoutPoint(round(place.x - corner.x), round(place.y - corner.y)))
        for place, card in zip(places, cards, strict=True)
    ]
    curves = [_clear_curve(line, bow, boxes) for line, bow in zip(lines, _curve_bends(lines), strict=True)]
    # A little air at both ends of a name.
    sizes = [(text_width(line.name, SMALL_SIZE) + 4, SMALL_SIZE * _LINE) if line.words else None for line in lines]
    names = name_places(curves, sizes, boxes)
    return Drawing(
        cards=tuple(replace(card, box=box) for card, box in zip(cards, boxes, strict=True)),
        lines=tuple(
            replace(line, curve=curve, name_at=name) for line, curve, name in zip(lines, curves, names, strict=True)
        ),
        width=max(box.at.x + box.width / 2 for box in boxes) + _MARGIN,
        height=max(box.at.y + box.height / 2 for box in boxes) + _MARGIN,
        hidden_names=sum(bool(line.words) and name is None for line, name in zip(lines, names, strict=True)),
    )


def _clear_curve(line: Line, bow: float, boxes: Sequence[Box]) -> Curve:
    """Return the course of a line, bowed further where it would run under cards that are not its own."""
    others = [box for number, box in enumerate(boxes) if number not in (line.source, line.target)]
    tried: list[tuple[int, Curve]] = []
    for more in _DETOURS:
        curve = curve_between(boxes[line.source], boxes[line.target], bow + more)
        tried.append((sum(any(box.covers(at, 0.0) for at in curve.samples) for box in others), curve))
        if not tried[-1][0]:
            break
    return min(tried, key=lambda each: each[0])[1]


def _curve_bends(lines: Sequence[Line]) -> list[float]:
    """Return how far each line is bowed, so that no two between the same cards lie on one another."""
    groups: dict[frozenset[int], list[int]] = {}
    for number, line in enumerate(lines):
        groups.setdefault(frozenset((line.source, line.target)), []).append(number)  # both directions in one group
    bows = [0.0] * len(lines)
    for members in groups.values():
        for position, number in enumerate(members):
            bow = (position - (len(members) - 1) / 2) * _BOW * 2
            bows[number] = bow if lines[number].source < lines[number].target else -bow  # "left" turns with the way
    return bows
