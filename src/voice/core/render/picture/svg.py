"""A drawing as SVG inside a page.

Law: each type has a colour and a shape, so that neither alone must tell it; each card is a link into the list below, so
that it is reached by keyboard and says something where no script runs. No attribute styles anything: the page's policy
would not let it.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from voice.core.graph.layout import Point
from voice.core.render.picture.lines import Curve
from voice.core.render.picture.look import least_width
from voice.core.render.picture.plan import ICON, PAD, SMALL_SIZE, Card, Drawing, Line
from voice.core.text.display import counted
from voice.core.text.escaping import escape_markup, printable

_TIP_LENGTH: Final = 10.0
_TIP_WIDTH: Final = 4.5
_SHAPES: Final = {
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
            *(_line(line) for line in reversed(drawing.lines)),
            *(_card(number, card, drawing, ways[number]) for number, card in enumerate(drawing.cards)),
            "</svg></div>",
        )
    )


def _line(line: Line) -> str:
    looks = ["line", *(["ended"] if line.has_ended else []), *([] if line.words else ["thread", _strength(line)])]
    inside = "".join(_inside(line, line.curve))
    return f'<g class="{" ".join(looks).strip()}" data-a="{line.source}" data-b="{line.target}">{inside}</g>'


def _strength(line: Line) -> str:
    return "" if line.weight < 2 else "more" if line.weight < 5 else "most"


def _inside(line: Line, curve: Curve) -> Iterator[str]:
    if not line.words:
        yield f"<title>{counted(line.weight, 'note names', 'notes name')} both</title>{_path(curve, curve.end)}"
        return
    yield f"<title>{escape_markup(', '.join(line.words))}{' (ended)' if line.has_ended else ''}</title>"
    back = _direction(curve)
    yield _path(curve, curve.end - back.times(_TIP_LENGTH * 0.7, _TIP_LENGTH * 0.7))
    yield _tip(curve.end, back)
    at = line.name_at.at if line.name_at else curve.at(0.5)
    crowded = "" if line.name_at else ' class="crowded"'
    yield (
        f'<text{crowded} x="{at.x:.1f}" y="{at.y + SMALL_SIZE * 0.35:.1f}" font-size="{SMALL_SIZE:g}" '
        f'text-anchor="middle">{escape_markup(line.name)}</text>'
    )


def _direction(curve: Curve) -> Point:
    """Return which way the curve goes at its end, one long."""
    way = curve.end - curve.bend
    length = math.hypot(way.x, way.y) or 1.0
    return way.times(1 / length, 1 / length)


def _path(curve: Curve, end: Point) -> str:
    return (
        f'<path d="M{curve.start.x:.1f} {curve.start.y:.1f}Q{curve.bend.x:.1f} {curve.bend.y:.1f} {end.x:.1f} '
        f'{end.y:.1f}"/>'
    )


def _tip(end: Point, way: Point) -> str:
    foot = end - way.times(_TIP_LENGTH, _TIP_LENGTH)
    side = Point(-way.y * _TIP_WIDTH, way.x * _TIP_WIDTH)
    one, other = foot + side, foot - side
    return f'<path class="tip" d="M{end.x:.1f} {end.y:.1f} {one.x:.1f} {one.y:.1f} {other.x:.1f} {other.y:.1f}Z"/>'


def _card(number: int, card: Card, drawing: Drawing, way: str) -> str:
    ties = sum(bool(line.words) and number in (line.source, line.target) for line in drawing.lines)
    told = f"{printable(card.entity.name)}, {', '.join(card.small)}, {counted(ties, 'relation')}"
    looks = f"card {card.kind}{' focus' if card.is_focus else ''}"
    place = f'x="{card.left:.1f}" y="{card.top:.1f}" width="{card.box.width:g}" height="{card.box.height:g}" rx="11"'
    icon = Point(card.left + PAD, card.box.at.y - ICON / 2)
    return (
        f'<a class="{looks}" href="{escape_markup(way)}" aria-label="{escape_markup(told)}" data-x="{card.box.at.x:g}" '
        f'data-y="{card.box.at.y:g}"><title>{escape_markup(printable(card.entity.name))}</title>'
        f'<rect class="base" {place}/><rect class="rim" {place}/>'
        f'<g transform="translate({icon.x:.1f} {icon.y:.1f})">{_SHAPES[card.kind]}</g>{"".join(_words(card))}</a>'
    )


def _words(card: Card) -> Iterator[str]:
    left = card.left + PAD + ICON + 9
    base = card.top + PAD - 1.5
    for line in card.lines:
        base += card.size * 1.25
        yield f'<text class="name" x="{left:.1f}" y="{base - card.size * 0.2:.1f}" font-size="{card.size:g}">'
        yield f"{escape_markup(line)}</text>"
    for line in card.small:
        base += SMALL_SIZE * 1.25
        yield f'<text class="small" x="{left:.1f}" y="{base - 1:.1f}" font-size="{SMALL_SIZE:g}">'
        yield f"{escape_markup(line)}</text>"
