"""Evidence rows of a prompt: pinned rows, quarantine of instructions, rendering with neighbours.

Law: unknown attributes are omitted; row text cannot close its tag (`neutralise`). A row that follows another of its
note says so instead of repeating attributes. Old template versions render as before, so that their prompts can be
proven. Neighbours are shown only in spare room; rows of one note are grouped, in text order.

A pin overrides the ranking, never a filter, and needs a graph row (ruling A2). Newest first under a hard cap; what does
not fit is skipped and counted (ruling A17). A row that was also found keeps its relevance.

Rows that read like instructions, also together, are quarantined and reported, not deleted. U+2060 WORD JOINER keeps
text from imitating frame or alias; `norm_v1` drops it, so quotes still match. Provider messages that repeat part of
the prompt are replaced (promise 6).
Source: DESIGN 5, 6; rulings A2, A17, D4, D14, D20, D22, E, H, I1; spec retrieval-contract, Tier 1; promise 9.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, permutations

from voice.core.context.prompt_templates import PromptTemplate
from voice.core.grounding.source_labels import said_on
from voice.core.grounding.values import Evidence
from voice.core.text.normalise import WORD_JOINER
from voice.core.text.note_context import PATH_SIGN
from voice.core.text.prompt_injection import InstructionKind, find_instruction, split_instructions

PINS_SHARE = 0.2
"""Share of the variable part; with 15 % summary and a third recent, about a third remains for hits."""


PinnedRows = tuple[Evidence, ...]
"""A pin's graph rows: the target, or those distilled from the target thought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedPart:
    """The rows shown for their pins, with their tokens."""

    rows: tuple[Evidence, ...]
    tokens: int
    skipped: tuple[str, ...] = ()
    """Ids of rows that did not fit and were not found otherwise."""


def pinned_part(
    pins: Iterable[PinnedRows], evidence: Sequence[Evidence], cost: Callable[[Evidence], int], cap: int
) -> PinnedPart:
    """Choose rows for `pins` (newest first), each text once, within `cap` tokens; hits keep their relevance."""
    found = {row.row_id: row for row in evidence}
    shown: dict[str, Evidence] = {}
    skipped: list[str] = []
    tokens = 0
    for row in chain.from_iterable(pins):
        hit = found.get(row.row_id, row)  # what was also found keeps its relevance
        aliased = replace(row, relevance=hit.relevance, score=hit.score, alias=f"S{len(shown) + 1}")
        needed = cost(aliased)
        if row.content_hash in shown:  # pinned twice: one place
            continue
        if tokens + needed <= cap:
            shown[row.content_hash] = aliased
            tokens += needed
        elif row.row_id not in found:  # else it has its chance as a hit
            skipped.append(row.row_id)
    return PinnedPart(rows=tuple(shown.values()), tokens=tokens, skipped=tuple(dict.fromkeys(skipped)))


def not_pinned(evidence: Iterable[Evidence], part: PinnedPart) -> list[Evidence]:
    """Return the hits not shown for a pin already."""
    hashes = {row.content_hash for row in part.rows}
    return [row for row in evidence if row.content_hash not in hashes]


def count_truncated_pins(pins: Iterable[PinnedRows], shown: Iterable[Evidence]) -> int:
    """Count the pins that are not shown in full."""
    hashes = {row.content_hash for row in shown}
    return sum(any(row.content_hash not in hashes for row in pin) for pin in pins)


_MOST_OF_A_THOUGHT = 6  # thoughts with more rows are checked in order only, not in all pairs


def quarantined_ids(evidence: Iterable[Evidence], pinned: Iterable[PinnedRows]) -> tuple[str, ...]:
    """Return the distinct ids of rows that read like instructions, in order."""
    rows = {row.row_id: row for row in (*chain.from_iterable(pinned), *evidence)}
    together = {
        group[at].row_id
        for group in _groups(tuple(rows.values()))
        for at in split_instructions([row.text for row in group])
    }
    return tuple(row_id for row_id, row in rows.items() if row_id in together or _is_instruction(row))


def _is_instruction(row: Evidence) -> bool:
    path = (row.context or "").split(PATH_SIGN)
    return bool(instruction_in(row.text, row.speaker, row.thread, path=path) or split_instructions(path))


def instruction_in(
    text: str, speaker: str | None, thread: str | None = None, *, path: Sequence[str] = ()
) -> InstructionKind | None:
    """Return how a row's text, speaker, conversation or context path reads like instructions (ruling D22)."""
    shown = (text, speaker, thread, *path)
    return next((kind for each in shown if each and (kind := find_instruction(each))), None)


def without_rows(rows: Iterable[Evidence], ids: Iterable[str]) -> tuple[Evidence, ...]:
    """Return `rows` except those with these ids."""
    excluded = frozenset(ids)
    return tuple(row for row in rows if row.row_id not in excluded)


def pins_without(pinned: Iterable[PinnedRows], ids: tuple[str, ...]) -> tuple[PinnedRows, ...]:
    """Remove the rows with these ids from pins, and pins left empty."""
    return tuple(filter(None, (without_rows(pin, ids) for pin in pinned)))


def _groups(rows: Sequence[Evidence]) -> Iterator[Sequence[Evidence]]:
    """Yield the sequences that may form an instruction: all rows by time, and pairs of one thought."""
    # An order may be split over rows that only the prompt brings together.
    yield sorted(rows, key=lambda row: row.created_at)
    thoughts: dict[str, list[Evidence]] = {}
    for row in rows:
        for thought in row.thought_ids:
            thoughts.setdefault(thought, []).append(row)
    for own in thoughts.values():
        yield from permutations(own, 2) if len(own) <= _MOST_OF_A_THOUGHT else (own,)  # n rows have n·(n-1) pairs


_FRAME = re.compile(r"<(?=/?\s*source\b)", re.IGNORECASE)  # "<source", "</ source"
_ALIAS = re.compile(r"\b([Ss])(?=\d{1,6}\b)")  # "S1" in a note must not read as a source of this prompt
_HEADING = re.compile(r"^(?=#{1,6}\s)", re.MULTILINE)


def neutralise(text: str) -> str:
    """Break frame tags, look-alike aliases and headings with an invisible joiner."""
    framed = _FRAME.sub("<" + WORD_JOINER, text)
    unaliased = _ALIAS.sub(lambda match: match[1] + WORD_JOINER, framed)
    return _HEADING.sub(WORD_JOINER, unaliased)


def attribute(value: str) -> str:
    """Return `value` for a double-quoted attribute: one line, no quotes or angle brackets."""
    return neutralise(" ".join(value.split())).translate({ord('"'): "'", ord("<"): "(", ord(">"): ")"})


STRETCH = 20
"""Characters; more than our own messages and prompts have in common."""


def discreet_message(message: str, prompt: str, *, otherwise: str) -> str:
    """Return `message`, or `otherwise` if `STRETCH` characters of it are in `prompt`."""
    stretches = (message[start : start + STRETCH] for start in range(max(0, len(message) - STRETCH) + 1))
    repeats = len(message) >= STRETCH and any(stretch in prompt for stretch in stretches)
    return otherwise if repeats else message


def render_source(template: PromptTemplate, row: Evidence, before: Evidence | None = None) -> str:
    """Render a row under its alias; `before` is the row shown before it."""
    after = before if before is not None and follows(row, before) else None
    attributes = f' date="{_day(row)}"{_attribute("speaker", row.speaker)}{_attribute("thread", row.thread)}'
    until = f' until="{row.valid_until:%Y-%m-%d}"' if row.valid_until else ""
    slots = {
        "alias": row.alias,
        "date": f"{row.created_at:%Y-%m-%d}",  # the first two versions; `day` can be "undated"
        "day": _day(row),
        "kind": row.source_type.removeprefix("kg_"),
        "speaker": _attribute("speaker", row.speaker),
        "context": _attribute("context", row.context),
        "told": f' follows="{after.alias}"' if after else attributes,  # the same attributes are not repeated
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
    notes = {_note_of(row) for row in shown[pins:]} - {None}  # neighbours of hits, not of pins
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
    # No attribute is written for a missing context: the one before would be taken for this row's.
    return is_later and is_alike and (row.context is not None or before.context is None)


def _grouped_by_note(rows: Sequence[Evidence]) -> list[Evidence]:
    """Group rows by note, in text order, at the position of each note's first row."""
    notes: dict[str, list[Evidence]] = {}
    for row in rows:
        notes.setdefault(_note_of(row) or row.row_id, []).append(row)
    return [row for of_note in notes.values() for row in sorted(of_note, key=lambda row: row.place or ("", 0))]


def _note_of(row: Evidence) -> str | None:
    return row.place[0] if row.place else None
