"""What the picture shows, in words: one entry per entity.

Law: the list says all that the picture says, and more: it is what a screen reader reads, what is there without a
script, and what the panel beside the picture is filled from. An observation is given word for word, with its day.

Source: rulings A21, C10, E; docs/graph.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from voice.core.graph.subgraph import Subgraph, together
from voice.core.records import Entity, GraphRow, Observation, Relation, TrustTier
from voice.core.render.picture.plan import Card, has_ended
from voice.core.render.picture.svg import shape_svg
from voice.core.text.counting import counted
from voice.core.text.days import in_zone
from voice.core.text.inert import printable
from voice.core.text.instants import is_told
from voice.core.text.markup import markup_safe

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
        day = f"{in_zone(row.created_at, self.timezone).date()}" if is_told(row.created_at) else ""
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
    return markup_safe(printable(text))


def _bdi(text: str) -> str:
    return f"<bdi>{_text(text)}</bdi>"
