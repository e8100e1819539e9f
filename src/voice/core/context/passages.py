"""Render evidence rows for the model, with their neighbours in the note.

Law: unknown attributes are omitted; row text cannot close its tag (`neutralise`). A row that follows another of its
note says so instead of repeating attributes. Old template versions render as before, so that their prompts can be
proven. Neighbours are shown only in spare room; rows of one note are grouped, in text order.

Source: DESIGN 5, 6; rulings D4, D14, D20, D22, E, I1.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from voice.core.context.prompt_safety import attribute, neutralise
from voice.core.context.prompt_templates import PromptTemplate
from voice.core.grounding.source_labels import said_on
from voice.core.grounding.values import Evidence


def render_source(template: PromptTemplate, row: Evidence, before: Evidence | None = None) -> str:
    """Render a row under its alias; `before` is the row shown before it."""
    after = before if before is not None and follows(row, before) else None
    attributes = f' date="{_day(row)}"{_attribute("speaker", row.speaker)}{_attribute("thread", row.thread)}'
    until = f' until="{row.valid_until:%Y-%m-%d}"' if row.valid_until else ""
    slots = {
        "alias": row.alias,
        "date": f"{row.created_at:%Y-%m-%d}",
        "day": _day(row),
        "kind": row.source_type.removeprefix("kg_"),
        "speaker": _attribute("speaker", row.speaker),
        "context": _attribute("context", row.context),
        "told": f' follows="{after.alias}"' if after else attributes,
        "place": _attribute("context", row.context if after is None or row.context != after.context else None),
        "standing": until + (' superseded="yes"' if row.superseded_by else ""),
        "text": neutralise(row.shown),
    }
    return template.render("source", slots)


def render_disagreements(template: PromptTemplate, pairs: Iterable[tuple[Evidence, Evidence]]) -> str:
    """Render a line for each pair of conflicting rows, earlier first; empty if the template has no such block."""
    if not template.has("disagreement"):
        return ""
    return "".join(template.render("disagreement", _sides(*pair)) for pair in pairs)


def _sides(earlier: Evidence, later: Evidence) -> dict[str, str]:
    return {
        "earlier": earlier.alias,
        "earlier_date": f"{earlier.created_at:%Y-%m-%d}",
        "earlier_day": _day(earlier),
        "later": later.alias,
        "later_date": f"{later.created_at:%Y-%m-%d}",
        "later_day": _day(later),
    }


def _attribute(name: str, value: str | None) -> str:
    return f' {name}="{attribute(value)}"' if value else ""


def _day(row: Evidence) -> str:
    """Return the row's day as prompts from the third version on write it."""
    return str(said_on(row) or "undated")


def with_aliases(rows: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Alias rows by position: `S1`, `S2`, …"""
    return tuple(replace(row, alias=f"S{number}") for number, row in enumerate(rows, start=1))


def with_neighbours(
    shown: Sequence[Evidence], beside: Sequence[Evidence], *, pins: int, cost: Callable[[Evidence], int], room: int
) -> tuple[Evidence, ...]:
    """Add neighbours to the shown rows as far as they fit, and renumber the aliases.

    Args:
        shown: best first.
        beside: neighbours, those of the best row first.
        pins: how many leading rows are pinned and keep their positions.
        cost: tokens of an aliased row.
        room: tokens for all rows.
    """
    notes = {_note_of(row) for row in shown[pins:]} - {None}
    hashes = {row.content_hash for row in shown}
    more: list[Evidence] = []
    left = room - sum(map(cost, shown))
    for row in beside:
        needed = cost(replace(row, alias=f"S{len(shown) + len(more) + 1}"))
        if _note_of(row) in notes and row.content_hash not in hashes and needed <= left:
            more.append(row)
            hashes.add(row.content_hash)
            left -= needed
    while True:
        rows = with_aliases((*shown[:pins], *_grouped_by_note((*shown[pins:], *more))))
        if not more or sum(map(cost, rows)) <= room:
            return rows
        del more[-1]  # the same rows under other aliases may count a token more


def follows(row: Evidence, before: Evidence | None) -> bool:
    """Return whether a row comes later in the same note, so that it shares day, speaker and context."""
    if before is None or row.place is None or before.place is None:
        return False
    is_later = row.place[0] == before.place[0] and row.place[1] > before.place[1]
    is_alike = said_on(row) == said_on(before) and row.speaker == before.speaker
    return is_later and is_alike and (row.context is not None or before.context is None)


def _grouped_by_note(rows: Sequence[Evidence]) -> list[Evidence]:
    """Group rows by note, in text order, at the position of each note's first row."""
    notes: dict[str, list[Evidence]] = {}
    for row in rows:
        notes.setdefault(_note_of(row) or row.row_id, []).append(row)
    return [row for of_note in notes.values() for row in sorted(of_note, key=lambda row: row.place or ("", 0))]


def _note_of(row: Evidence) -> str | None:
    return row.place[0] if row.place else None
