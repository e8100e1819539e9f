"""Worlds that the judge is attacked in: two true sentences, the rows they stand in, and others.

Source: DESIGN 6; rulings D1, D2.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bench.sentences import Sentence, Tongue, sentence
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence
from voice.core.records import TrustTier
from voice.core.text.normalise import content_hash
from voice.core.text.sentences import sentence_spans

_SAID_ON = datetime(2024, 5, 8, 12, tzinfo=UTC)


def spoken(answer: str, sources: Sequence[DraftSource]) -> Draft:
    """Return a draft in the form of S2: each sentence cites all `sources`, or what its markers name."""
    told = tuple(DraftSentence(text=answer[start:end], sources=tuple(sources)) for start, end in sentence_spans(answer))
    return Draft(sentences=told)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Rows that were sent, a question, two true sentences and where they stand, and rows that were not sent."""

    sent: tuple[Evidence, ...]
    first: Sentence
    second: Sentence
    question: str
    elsewhere: tuple[Evidence, ...]

    def cite(self, which: int, span: str | None = None, alias: str | None = None) -> DraftSource:
        """Return a citation of the first or the second true row, honest unless told otherwise."""
        row = self.sent[which]
        return DraftSource(source_id=alias or row.alias, span=row.text if span is None else span)

    @property
    def honest(self) -> Draft:
        """Return the draft that is to be accepted."""
        return spoken(self.said, self.cites)

    @property
    def said(self) -> str:
        """The two true sentences."""
        return f"{self.first.text} {self.second.text}"

    @property
    def cites(self) -> tuple[DraftSource, ...]:
        """What they are cited from."""
        return (self.cite(0), self.cite(1))


def evidence_of(alias: str, text: str, *, thought: str | None = None) -> Evidence:
    """Return a row as it is sent."""
    return Evidence(
        alias=alias,
        row_id=f"o:{alias.lower()}",
        source_type="kg_observation",
        text=text,
        shown=text,
        content_hash=content_hash(text),
        trust=TrustTier.GREEN,
        created_at=_SAID_ON,
        thought_ids=(thought or f"t:{alias.lower()}",),
        relevance=0.5,
    )


def world(texts: Sequence[str], chance: random.Random) -> World:
    """Return a world whose other rows are drawn from `texts`."""
    first = second = sentence(chance)
    while len(second.text) < 40 or names_in(first) & names_in(second):
        second = sentence(chance)
    others = chance.sample(texts, 6)
    sent = tuple(evidence_of(f"S{n}", text) for n, text in enumerate((first.text, second.text, *others[:4]), 1))
    elsewhere = tuple(evidence_of(f"S{n}", text) for n, text in enumerate(others[4:], 7))
    return World(sent=sent, first=first, second=second, question=_asking(first, second), elsewhere=elsewhere)


def in_tongue(at: World, tongue: Tongue, chance: random.Random) -> World:
    """Return the world with its two true sentences in another language; the other rows stay."""
    first = second = sentence(chance, tongue)
    while second.text == first.text or names_in(first) & names_in(second):
        second = sentence(chance, tongue)
    sent = (evidence_of("S1", first.text), evidence_of("S2", second.text), *at.sent[2:])
    return replace(at, sent=sent, first=first, second=second, question=_asking(first, second))


def _asking(first: Sentence, second: Sentence) -> str:
    asked = " and ".join(sorted({min(names_in(first)), min(names_in(second))}))
    return f"What did I write about {asked}?"


def names_in(one: Sentence) -> set[str]:
    """Return the names that a sentence holds."""
    return {one.text[fact.start : fact.end] for fact in one.facts if fact.slot in ("name", "woman")}
