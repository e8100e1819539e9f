"""What a verifier is asked about a draft.

Law: every sentence that is not quoted is asked about, once, with the whole rows it cites; what a guard doubts is put as
a question. Sentences whose citations are invented are never asked about: nothing can lift them.

Source: DESIGN 6 "The verifier".
"""

from collections.abc import Sequence
from datetime import date

from voice.core.grounding.answer_text import joined
from voice.core.grounding.proof import Proof, ProvenSentence
from voice.core.grounding.quotation.places import said_on
from voice.core.grounding.values import Evidence
from voice.core.grounding.verifier_values import CitedPassage, ClaimToVerify, VerificationRequest

MAX_CLAIMS = 40


def what_to_verify(proof: Proof, *, question: str, today: date | None) -> VerificationRequest | None:
    """Return what a verifier is to be asked about a draft; None where nothing is to be asked.

    Args:
        proof: what the rules found out about the draft.
        question: what the person asked.
        today: their day.
    """
    if proof.is_settled:
        return None
    open_ones = [one for one in proof.sentences if one.is_open][:MAX_CLAIMS]
    claims = tuple(claim_of(number, one) for number, one in enumerate(open_ones, 1))
    cited = {alias for claim in claims for alias in claim.cited}
    passages = tuple(passage_of(row) for row in proof.sent if row.alias in cited)
    answer = joined([(one.before, one.text) for one in proof.sentences]).text
    return VerificationRequest(question=question, today=today, claims=claims, passages=passages, answer=answer)


def passage_of(row: Evidence) -> CitedPassage:
    """Return a cited row as a verifier reads it."""
    return CitedPassage(
        alias=row.alias,
        text=row.text,
        day=said_on(row),
        speaker=row.speaker,
        context=row.context or row.thread,
        until=row.valid_until.date() if row.valid_until else None,
    )


def claim_of(number: int, one: ProvenSentence) -> ClaimToVerify:
    """Return a sentence as a verifier is asked about it."""
    return ClaimToVerify(
        number=number,
        text=one.text,
        cited=_aliases(one.rows),
        doubts=tuple(_asked(one.text[doubt.start : doubt.end]) for doubt in one.doubts),
        is_question=one.kind == "question",
    )


def _aliases(rows: Sequence[Evidence]) -> tuple[str, ...]:
    return tuple(row.alias for row in rows)


def _asked(words: str) -> str:
    return f"the cited passages do not give “{words.strip()}”"
