"""The picture of the graph around one entity: as a part of a page, and as a page of its own that is one file.

Law: the file loads nothing from anywhere and says so in its policy. What was left out is told: entities beyond the
most connected ones, names of lines without room, and private rows. Every value is escaped, and can only be read.

Each type has a colour and a shape, so that neither alone must tell it; each card is a link, so that it is reached by
keyboard and says something where no script runs. No attribute styles anything: the page's policy would not let it.
Source: docs/graph.md; promise 6, promise 9.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple, Protocol, cast

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from voice.core.graph.subgraph import Subgraph, mentioned_together, most_connected
from voice.core.records import Entity, Observation, Relation
from voice.core.render.picture.drawing import Card, Drawing, draw, has_ended
from voice.core.render.picture.layout import LayoutPoint
from voice.core.text.display import counted, printable
from voice.core.text.instants import has_date, in_zone

MAX_SAID: Final = 40
"""Observations of one entity in the file; of more, the newest."""
_WIDEST: Final = 40  # hundreds of pixels


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


class CardEntry(NamedTuple):
    """What is known of a card's entity."""

    card: Card
    relations: list[Relation]
    observations: list[Observation]
    """The newest first."""
    together: list[tuple[str, int]]
    """Which entities the same notes name, and how many; the most frequent first."""


class _Parts(Protocol):
    """The macros of `drawing.html`."""

    def picture(self, drawing: Drawing, title: str, urls: Sequence[str], about: str) -> str: ...
    def sign(self, kind: str) -> str: ...


def picture_page(part: Subgraph, view: View) -> Page:
    """Return the page about `part`, the surroundings of `view.focus`."""
    shown = most_connected(part, view.focus.id, view.limit)
    drawing = draw(shown, view.focus.id, now=view.now, seed=view.seed)
    html = _templates().get_template("page.html").render(
        view=view,
        shown=shown,
        reached=len(part.entities),
        left_out=part.private_left_out,
        drawing=drawing,
        title=f"A picture of what is around {printable(view.focus.name)}; the list below says the same in words",
        urls=[f"#e{number}" for number in range(len(drawing.cards))],
        counts=", ".join(
            (
                counted(len(shown.entities), "entity", "entities"),
                *([counted(len(shown.relations), "relation")] if shown.relations else []),
                *([counted(len(shown.observations), "note")] if shown.observations else []),
            )
        ),
        entries=entries_of(shown, drawing),
        place={card.entity.id: number for number, card in enumerate(drawing.cards)},
    )  # fmt: skip
    hidden = drawing.hidden_names
    return Page(html=html, shown=shown, entities_in_reach=len(part.entities), hidden_names=hidden)


def entries_of(shown: Subgraph, drawing: Drawing) -> Iterator[CardEntry]:
    """Yield what is known of each entity that is drawn, in the order of the cards."""
    pairs = mentioned_together(shown.observations)
    place = {card.entity.id: number for number, card in enumerate(drawing.cards)}
    for card in drawing.cards:
        here = card.entity.id
        together = [(one if other == here else other, n) for (one, other), n in pairs.items() if here in (one, other)]
        yield CardEntry(
            card,
            [row for row in shown.relations if here in (row.source_id, row.target_id)],
            [row for row in shown.observations if here in row.entity_ids],
            sorted(together, key=lambda each: (-each[1], place[each[0]])),
        )


def drawing_svg(drawing: Drawing, title: str, urls: Sequence[str], *, about: str = "") -> Markup:
    """Return the picture, whose cards lead to `urls`; `title` and `about` say what it shows to who does not see it."""
    return Markup(_parts().picture(drawing, title, urls, about))  # noqa: S704 - a template, which escapes


def sign_svg(kind: str) -> Markup:
    """Return the sign of a type, as a picture of its own."""
    return Markup(_parts().sign(kind))  # noqa: S704 - a template, which escapes


def _parts() -> _Parts:
    return cast("_Parts", _templates().get_template("drawing.html").module)


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=DictLoader({name: _data(name) for name in ("drawing.html", "page.html")}),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    helpers = {"counted": counted, "has_date": has_date, "has_ended": has_ended, "in_zone": in_zone}
    own = {"policy": _policy(), "style": page_style(), "script": _data("picture.js")}  # texts of the program
    told = {name: Markup(text) for name, text in own.items()}  # noqa: S704 - no text of a memory is among them
    known = {**helpers, **told, "most_said": MAX_SAID}
    cast("dict[str, object]", environment.globals).update(known)
    cast("dict[str, object]", environment.filters)["place"] = _place
    return environment


def _place(at: LayoutPoint) -> str:
    return f"{at.x:.1f} {at.y:.1f}"


def _inert(value: object) -> object:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def page_style() -> str:
    """Return the page's stylesheet."""
    # Widths as classes: the policy forbids style attributes.
    return _data("picture.css") + "".join(f".w{each}{{min-width:{each}00px}}" for each in range(1, _WIDEST + 1))


def _data(name: str) -> str:
    return (files("voice") / "data" / "picture" / name).read_text(encoding="utf-8")


def _policy() -> str:
    """Return the page's content security policy: these two texts, and nothing from anywhere."""
    own = f"style-src {_allowed(page_style())}; script-src {_allowed(_data('picture.js'))}"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _allowed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"  # only a text with this hash
