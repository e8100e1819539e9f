"""Draws docs/architecture.svg from the imports of the program, the same bytes wherever it runs.

Law: what is drawn is read off the code (`grimp`), never written down; where things stand is a pure function of it. A
package stands above whatever it imports, by the longest way down. Of the arrows only those are drawn that no other way
implies, so that each can be followed. The colours follow the reader's choice of light or dark.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import grimp

Edges = Mapping[str, frozenset[str]]
ROOT_PACKAGE = "voice"
ABOUT = {
    "entrypoints": "parse, call one service, render",
    "bootstrap": "settings → adapters → services",
    "wiring": "which services belong together",
    "testing": "contracts for packages of others",
    "services": "one use case a file",
    "adapters": "one vendor each, independent of one another",
    "ports": "what services need of the world: protocols of at most four methods",
    "core": "values and decisions: no input or output, no clock, no chance",
}
WIDTH, MARGIN, GAP, PAD = 960, 24, 46, 16
CHIP_HEIGHT, CHIP_GAP, ROW_GAP, HEAD = 26, 12, 26, 46
LETTER, WIDEST_GAP = 6.9, 56
STYLE = """\
svg{color-scheme:light dark;--page:#f6f5f2;--card:#fff;--ink:#1d2127;--soft:#5b6470;--rule:#dcd9d2;--line:#8a919c;
--mark:#b94c14}
@media (prefers-color-scheme:dark){svg{--page:#15181d;--card:#1f242b;--ink:#eceef1;--soft:#a4adb9;--rule:#343b45;
--line:#7b8592;--mark:#f39a66}}
text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:var(--ink)}
.name{font-weight:650;font-size:15px}.about{fill:var(--soft)}.chip text{text-anchor:middle}
.group{fill:var(--card);stroke:var(--rule)}.core{stroke:var(--mark);stroke-width:1.5}
.chip rect{fill:var(--page);stroke:var(--rule)}.in{stroke:var(--line);stroke-width:1.2;fill:none}
.to{stroke:var(--line);stroke-width:1.6;fill:none}.head{fill:var(--line)}
"""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with a name."""

    name: str
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """Its middle from the left."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height


def architecture_svg() -> str:
    """Return the picture of this program."""
    graph = grimp.build_graph(ROOT_PACKAGE, cache_dir=None)
    groups = edges_between(graph, ROOT_PACKAGE)
    inside = {name: edges_between(graph, f"{ROOT_PACKAGE}.{name}") for name in groups}
    return drawing({name: groups[name] for name in groups if name != "__main__"}, inside)


def edges_between(graph: grimp.ImportGraph, parent: str) -> Edges:
    """Return which children of a package import which others; without packages among them there is nothing to show."""
    children = {child.rpartition(".")[2]: child for child in graph.find_children(parent)}
    if parent != ROOT_PACKAGE and not any(graph.find_children(child) for child in children.values()):
        return {}
    below = {name: {child, *graph.find_descendants(child)} for name, child in children.items()}
    return {
        name: frozenset(
            other
            for other, modules in below.items()
            if other != name and any(graph.find_modules_directly_imported_by(one) & modules for one in below[name])
        )
        for name in sorted(children)
    }


def levels(edges: Edges) -> dict[str, int]:
    """Return how far above the ground each stands: 0 imports nothing, and each is above all it imports.

    Raises:
        ValueError: they import one another in a circle.
    """
    found: dict[str, int] = {}
    while len(found) < len(edges):
        ready = {name for name in edges if name not in found and edges[name] <= found.keys()}
        if not ready:
            raise ValueError(f"a circle among {sorted(edges.keys() - found.keys())}")
        found.update({name: 1 + max((found[one] for one in edges[name]), default=-1) for name in ready})
    return found


def reduced(edges: Edges) -> list[tuple[str, str]]:
    """Return the edges that no longer way implies."""
    reach: dict[str, frozenset[str]] = {}
    for name in sorted(edges, key=levels(edges).__getitem__):
        reach[name] = edges[name].union(*(reach[one] for one in edges[name]))
    return [
        (name, one)
        for name in sorted(edges)
        for one in sorted(edges[name])
        if not any(one in reach[other] for other in edges[name])
    ]


def drawing(groups: Edges, inside: Mapping[str, Edges]) -> str:
    """Return the whole picture."""
    boxes: dict[str, Box] = {}
    chips: dict[str, dict[str, Box]] = {}
    y = float(MARGIN)
    for row in by_level(groups):
        widths = _widths(row, inside)
        placed = {name: chips_of(inside[name], widths[name] - 2 * PAD) for name in row}
        height = max(_height(chips_of_one) for chips_of_one in placed.values())
        x = float(MARGIN)
        for name in row:
            box = boxes[name] = Box(name, x, y, widths[name], height)
            chips[name] = _moved(placed[name], box.x + PAD, box.y + HEAD)
            x += widths[name] + GAP
        y += height + GAP
    height = y - GAP + MARGIN
    body = [
        *(line for name, box in boxes.items() for line in _group(box, chips[name], inside[name])),
        *(_arrow(boxes[one], boxes[other]) for one, other in reduced(groups)),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        'aria-label="The packages of voice, each above what it imports">'
    )
    backdrop = f'<rect width="{WIDTH}" height="{height:.0f}" rx="12" fill="var(--page)"/>'
    return "\n".join([head, f"<style>{STYLE}</style>", backdrop, *body, "</svg>"]) + "\n"


def _widths(row: Sequence[str], inside: Mapping[str, Edges]) -> dict[str, float]:
    """Return how wide the groups of a row are; one that shows what is in it is twice as wide as one that does not."""
    shares = {name: 2 if inside[name] else 1 for name in row}
    free = WIDTH - 2 * MARGIN - GAP * (len(row) - 1)
    return {name: free * share / sum(shares.values()) for name, share in shares.items()}


def by_level(edges: Edges) -> list[list[str]]:
    """Return the names of each level, the highest first."""
    found = levels(edges)
    return [
        sorted(name for name in found if found[name] == level) for level in sorted(set(found.values()), reverse=True)
    ]


def chips_of(edges: Edges, width: float) -> dict[str, Box]:
    """Return where the children of a group stand in it, each row in the middle."""
    placed: dict[str, Box] = {}
    y = 0.0
    for level in by_level(edges):
        for row in _wrapped(level, width):
            taken = sum(map(_chip_width, row))
            gap = min(WIDEST_GAP, (width - taken) / (len(row) + 1))
            x = (width - taken - gap * (len(row) - 1)) / 2
            for name in row:
                placed[name] = Box(name, x, y, _chip_width(name), CHIP_HEIGHT)
                x += _chip_width(name) + gap
            y += CHIP_HEIGHT + ROW_GAP
    return placed


def _chip_width(name: str) -> float:
    return round(LETTER * len(name) + 20)


def _wrapped(names: Sequence[str], width: float) -> Iterator[list[str]]:
    row: list[str] = []
    for name in names:
        if row and sum(map(_chip_width, [*row, name])) + CHIP_GAP * len(row) > width:
            yield row
            row = []
        row.append(name)
    yield row


def _height(chips: Mapping[str, Box]) -> float:
    return HEAD + (max(chip.bottom for chip in chips.values()) + PAD if chips else 6)


def _moved(chips: Mapping[str, Box], x: float, y: float) -> dict[str, Box]:
    return {name: Box(name, chip.x + x, chip.y + y, chip.width, chip.height) for name, chip in chips.items()}


def _group(box: Box, chips: Mapping[str, Box], edges: Edges) -> Iterator[str]:
    kind = "group core" if box.name == "core" else "group"
    yield f'<rect class="{kind}" {_place(box)} rx="10"/>'
    about = escape(ABOUT.get(box.name, ""))
    yield (
        f'<text x="{box.x + PAD:.1f}" y="{box.y + 28:.1f}"><tspan class="name">{escape(box.name)}</tspan>'
        f'<tspan class="about" dx="10">{about}</tspan></text>'
    )
    yield from (_thread(chips[one], chips[other]) for one, other in reduced(edges))
    yield from (_chip(chip) for chip in chips.values())


def _place(box: Box) -> str:
    return f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'


def _chip(chip: Box) -> str:
    return (
        f'<g class="chip"><rect {_place(chip)} rx="13"/>'
        f'<text x="{chip.middle:.1f}" y="{chip.y + 17.5:.1f}">{escape(chip.name)}</text></g>'
    )


def _thread(one: Box, other: Box) -> str:
    bend = (other.y - one.bottom) / 2
    return (
        f'<path class="in" d="M{one.middle:.1f} {one.bottom:.1f}C{one.middle:.1f} {one.bottom + bend:.1f} '
        f'{other.middle:.1f} {other.y - bend:.1f} {other.middle:.1f} {other.y:.1f}"/>'
    )


def _arrow(one: Box, other: Box) -> str:
    """Return an arrow: straight down where one lies above the other, else from near edge to near edge."""
    left, right = max(one.x, other.x), min(one.x + one.width, other.x + other.width)
    start = end = (left + right) / 2
    if left > right:
        start, end = (left + 24, right - 24) if one.x > other.x else (right - 24, left + 24)
    bend = (other.y - one.bottom) / 2
    return (
        f'<path class="to" d="M{start:.1f} {one.bottom:.1f}C{start:.1f} {one.bottom + bend:.1f} '
        f'{end:.1f} {other.y - bend:.1f} {end:.1f} {other.y - 8:.1f}"/>'
        f'<path class="head" d="M{end - 5:.1f} {other.y - 9:.1f}h10l-5 9z"/>'
    )


def write(path: Path) -> None:
    """Write the picture to a file."""
    path.write_text(architecture_svg(), encoding="utf-8")
