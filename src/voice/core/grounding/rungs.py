"""The rung of each sentence: what rules proved, what a verifier said, what nobody checked.

Law: quoted is decided by rules and by nothing else; a verifier decides on the rest by words that were found; where
nobody verifies a guard vetoes, and all else stays unverified.

Source: DESIGN 6 (the ladder of proof).
"""

from dataclasses import dataclass

from voice.core.grounding.proof import Proof, ProvenSentence
from voice.core.grounding.values import PROVEN
from voice.core.grounding.verification.outcome import Decided, decided
from voice.core.grounding.verifier_values import VerificationReply


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSentence:
    """One sentence with its rung."""

    sentence: ProvenSentence
    decided: Decided
    weight: float
    verifier: str | None
    """Who checked it; None where rules decided."""

    @property
    def is_proven(self) -> bool:
        """Whether it may be shown without a warning."""
        return self.decided.rung in PROVEN


def judged_sentences(
    proof: Proof, reply: VerificationReply | None, verifier: str | None = None
) -> tuple[JudgedSentence, ...]:
    """Return the sentences of a draft, each on its rung.

    Args:
        proof: what the rules found out about the draft.
        reply: what a verifier that is believed said to `what_to_verify(proof)`; None: nobody verified.
        verifier: who that was.
    """
    opinions = {opinion.number: opinion for opinion in reply.opinions} if reply else {}
    judged: list[JudgedSentence] = []
    number = 0
    for one in proof.sentences:
        if one.is_quoted:
            outcome = Decided("quoted", tuple((quote.row, quote.start, quote.end) for quote in one.quoted))
        elif reply is not None and one.is_open:
            number += 1
            outcome = decided(one, opinions.get(number), today=proof.context.today)
        else:
            outcome = _unasked(one, by_model=proof.context.by_model)
        who = verifier if number and outcome.rung in ("verified", "unsupported", "contradicted") else None
        weight = 0.0 if outcome.rung == "remark" else one.weight
        judged.append(JudgedSentence(sentence=one, decided=outcome, weight=weight, verifier=who))
    return tuple(judged)


def _unasked(one: ProvenSentence, *, by_model: bool) -> Decided:
    """Return the rung of a sentence that rules alone decide: a guard vetoes, all else stays unverified."""
    if one.kind != "claim" and not by_model:
        return Decided("remark")
    if one.ended is not None:
        return Decided("unsupported", reason=one.ended)
    if one.doubts:
        return Decided("unsupported", reason=one.doubts[0].told)
    if one.kind == "claim" and not one.rows:
        return Decided("unsupported", reason="it cites no source")
    return Decided("unverified")
