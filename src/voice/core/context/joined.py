"""Rows with what stands beside them in their notes.

Law: what was found comes first: a neighbour is shown only where there is room left, only beside a row of its note that
is shown, and never twice. Rows of one note stand together, in the order of its text, at the place of the best of them;
each stays a row of its own, so that a citation points at one sentence.

Source: DESIGN 5 "Evidence … is a passage"; rulings I1, D14.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from voice.core.grounding.quotation.places import said_on
from voice.core.grounding.values import Evidence


def aliased(rows: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return rows under the aliases of their places, `S1`, `S2`, …"""
    return tuple(replace(row, alias=f"S{number}") for number, row in enumerate(rows, start=1))


def joined(
    shown: Sequence[Evidence], beside: Sequence[Evidence], *, pins: int, cost: Callable[[Evidence], int], room: int
) -> tuple[Evidence, ...]:
    """Return what is shown together with its neighbours, as far as there is room, under new aliases.

    Args:
        shown: the rows that are shown, each with its alias, the best first.
        beside: their neighbours, those of the best first.
        pins: how many of `shown` are pinned; these keep their places.
        cost: tokens of a row under its alias.
        room: tokens for all of them.
    """
    notes = {_note_of(row) for row in shown[pins:]} - {None}
    said = {row.content_hash for row in shown}
    more: list[Evidence] = []
    left = room - sum(map(cost, shown))
    for row in beside:
        needed = cost(replace(row, alias=f"S{len(shown) + len(more) + 1}"))
        if _note_of(row) in notes and row.content_hash not in said and needed <= left:
            more.append(row)
            said.add(row.content_hash)
            left -= needed
    while True:
        rows = aliased((*shown[:pins], *_together((*shown[pins:], *more))))
        if not more or sum(map(cost, rows)) <= room:
            return rows
        del more[-1]  # the same rows under other aliases may count a token more


def follows(row: Evidence, before: Evidence | None) -> bool:
    """Return whether a row comes later in the note of the one before it and may take its day, speaker and context."""
    if before is None or row.place is None or before.place is None:
        return False
    is_later = row.place[0] == before.place[0] and row.place[1] > before.place[1]
    told_alike = said_on(row) == said_on(before) and row.speaker == before.speaker
    return is_later and told_alike and (row.context is not None or before.context is None)


def _together(rows: Sequence[Evidence]) -> list[Evidence]:
    """Return rows with those of one note in a run, in the order of its text, where its first one stood."""
    notes: dict[str, list[Evidence]] = {}
    for row in rows:
        notes.setdefault(_note_of(row) or row.row_id, []).append(row)
    return [row for of_note in notes.values() for row in sorted(of_note, key=lambda row: row.place or ("", 0))]


def _note_of(row: Evidence) -> str | None:
    return row.place[0] if row.place else None
