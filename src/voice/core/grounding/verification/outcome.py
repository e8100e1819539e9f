"""What a verifier's words prove.

Law: a verdict of support counts with words that stand in a cited row, looked up by us and widened to whole sentences;
without them it is void. Where a guard doubted something, the words must hold the answer. A verifier lifts anything but
provenance.

Source: DESIGN 6 "The verifier", "Guards".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from voice.core.grounding.citations import alias_of
from voice.core.grounding.guards.doubt import Doubt
from voice.core.grounding.guards.doubts import doubts_of
from voice.core.grounding.guards.given import given_to
from voice.core.grounding.proof import ProvenSentence
from voice.core.grounding.quotation.matching import reads_as_an_order
from voice.core.grounding.quotation.statements import statements_of
from voice.core.grounding.values import Evidence, Rung
from voice.core.grounding.verifier_values import ClaimOpinion, DecidingWords
from voice.core.text.spans import locate

_BY_VERDICT: Mapping[str, Rung] = {"contradicted": "contradicted", "not_stated": "unsupported"}


class Decided(NamedTuple):
    """What became of one sentence."""

    rung: Rung
    grounds: tuple[tuple[Evidence, int, int], ...] = ()
    """Whole sentences of rows that decide, as row and half-open offsets."""
    reason: str | None = None


def decided(one: ProvenSentence, opinion: ClaimOpinion | None, *, today: date | None) -> Decided:
    """Return what an opinion makes of a sentence that is not quoted.

    Args:
        one: the sentence with its cited rows and doubts.
        opinion: None where the verifier gave none.
        today: the person's day.
    """
    if opinion is None:
        return Decided("unverified")
    if opinion.verdict == "no_claim":
        return _without_claim(one)
    if opinion.verdict != "supported":
        told = "say otherwise" if opinion.verdict == "contradicted" else "do not say this"
        return Decided(_BY_VERDICT[opinion.verdict], reason=f"the cited sources {told}")
    grounds = located(opinion.words, one.rows)
    if not grounds:
        return Decided("unverified", reason="the verifier named no words of a cited source")
    left = _unsettled(one, opinion, grounds, today)
    if left:
        return Decided("unsupported", grounds, reason=left[0].told)
    return Decided("verified", grounds)


def located(words: Sequence[DecidingWords], rows: Sequence[Evidence]) -> tuple[tuple[Evidence, int, int], ...]:
    """Return the whole sentences of the cited `rows` that hold `words`; what is not there is left out.

    A row that reads like an instruction proves nothing (ruling D22).
    """
    by_alias = {row.alias: row for row in rows}
    found: dict[tuple[str, int], tuple[Evidence, int, int]] = {}
    for one in words:
        named = by_alias.get(one.alias) or by_alias.get(alias_of(one.alias))
        for row in (named,) if named else rows:
            span = locate(one.words, row.text)
            if span.status is None or reads_as_an_order(row):
                continue
            for start, end in widened(row, span.start, span.end):
                found.setdefault((row.alias, start), (row, start, end))
            break
    return tuple(found.values())


def widened(row: Evidence, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return the whole sentences of `row` that the stretch touches; the stretch itself where it touches none."""
    whole = tuple((one.start, one.end) for one in statements_of(row.text) if one.start < end and start < one.end)
    return whole or ((start, end),)


def _without_claim(one: ProvenSentence) -> Decided:
    """Return a remark as one, unless a guard found something in it that can be true or false."""
    if one.doubts:
        return Decided("unsupported", reason=one.doubts[0].told)
    return Decided("remark")


def _unsettled(
    one: ProvenSentence, opinion: ClaimOpinion, grounds: Sequence[tuple[Evidence, int, int]], today: date | None
) -> list[Doubt]:
    """Return the doubts that the deciding words neither hold nor give by reckoning, and no other words settle."""
    if not one.doubts:
        return []
    told = [replace(row, text=row.text[start:end]) for row, start, end in grounds]
    still = {(doubt.flag, doubt.start) for doubt in doubts_of(one.text, given_to(told, today=today))}
    settled = {words.doubt for words in opinion.words if words.doubt is not None and located((words,), one.rows)}
    return [
        doubt
        for number, doubt in enumerate(one.doubts, 1)
        if number not in settled and (doubt.flag, doubt.start) in still
    ]
