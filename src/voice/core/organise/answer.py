"""The answer of the organising tool: its sources' own words, and the thought that it is kept as.

Law: every line of the answer is the beginning of a source's first line below its headings, word for word; nothing is
rewritten and nobody is asked (an answer in prose is what `ask` is for). What is kept is marked as the inner voice's own
by this one function, so that it is never a source of anything again, and only those may see it who may see all its
sources.

Source: spec rag-organize 2 (flow 3, 4, 7) and 3; rulings A1, A13, A14, C10, C12, H.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from voice.core.records import Inheritance, Origin, Thought
from voice.core.text.normalise import norm_v1
from voice.core.text.sentences import cap_span

ANSWER_CHARS: Final = 600
ANSWER_SOURCES: Final = 3
PIPELINE: Final = "inner_voice"
_HEADING: Final = re.compile(r"#{1,6}\s")
_LEAST_CHARS: Final = 450
"""Where an answer that is too long may end at the earliest, if a sentence or a word does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseSource:
    """A thought that was found."""

    thought_id: str
    similarity: float
    excerpt: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Organised:
    """What came of it; the spec's members, and in what way it is less than was asked for."""

    synthesized_answer: str = field(repr=False)
    """Empty where nothing was found."""
    sources: tuple[OrganiseSource, ...] = ()
    """Best first."""
    saved_thought_id: str | None = None
    pending_entities: int = 0
    """Entities of the sources that wait for review, since this call or before; with `stage_kg` only."""
    pending_relationships: int = 0
    marked_for_removal: int = 0
    """Thoughts that this call marked."""
    dry_run: bool = False
    """Nothing was changed; the counts say what would be."""
    warnings: tuple[str, ...] = ()


def answer_of(texts: Sequence[str]) -> str:
    """Return the first lines of the best sources, at most `ANSWER_CHARS` characters.

    A longer answer ends with a sentence where one ends late enough, else with a word (ruling C12). A line that says the
    same as one before it is left out.

    Args:
        texts: the sources' full texts, best first.
    """
    lines: dict[str, str] = {}
    for line in map(_first_line, texts[:ANSWER_SOURCES]):
        lines.setdefault(norm_v1(line), line)
    joined = "\n".join(line for line in lines.values() if line)
    start, end = cap_span(joined, lower=_LEAST_CHARS, upper=ANSWER_CHARS)
    return joined[start:end].rstrip()


def saved_answer(answer: str, sources: Sequence[Thought], *, row_id: str, now: datetime) -> Thought:
    """Return the answer as a thought of the inner voice's own (ruling A13).

    It is private if any source is, has all their tags, and the scope that they share (rulings C10, H).

    Args:
        answer: not empty.
        sources: the thoughts it was made of, best first.
        row_id: a fresh id.
        now: when it is made.
    """
    inherited = Inheritance.of(tuple(sources))
    return Thought(
        id=row_id,
        content=answer,
        created_at=now,
        recorded_at=now,
        origin=Origin.MODEL,
        tags=inherited.tags,
        is_private=inherited.is_private,
        scope=inherited.scope,
        is_summary=True,
        summary_of=tuple(source.id for source in sources),
        pipeline=PIPELINE,
    )


def _first_line(text: str) -> str:
    """Return the first line that says something: a heading only where nothing stands below it."""
    lines = [line.strip() for line in text.splitlines() if norm_v1(line)]
    return next((line for line in lines if not _HEADING.match(line)), lines[0] if lines else "")
