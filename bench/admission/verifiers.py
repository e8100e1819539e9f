"""Verifiers that a rule is tried beside, each of a known character.

Law: none of them reads; what they say follows from the draft alone. `credulous` supports everything with the words that
the draft cites, `careless` with words that stand nowhere, `honest` says what the draft's author knows and takes what is
hidden in a remark for no claim, as a hurried reader would.
"""

from collections.abc import Mapping
from typing import Final

from bench.drafts.reading import DraftCase, Labelled
from bench.drafts.verdicts import Answer, Replies, is_of
from voice.core.grounding.values import DraftSource
from voice.core.grounding.verifier_values import (
    ClaimOpinion,
    ClaimVerdict,
    DecidingWords,
    VerificationReply,
    VerificationRequest,
)


def nobody(case: DraftCase, asked: VerificationRequest) -> Answer:
    """Return no reply."""
    del case, asked


def credulous(case: DraftCase, asked: VerificationRequest) -> Answer:
    """Support everything with what the draft cites for it, and settle no doubt."""
    opinions = tuple(
        ClaimOpinion(number=one.number, verdict="supported", words=_words(_cited(case, one.text)))
        for one in asked.claims
    )
    return VerificationReply(opinions=opinions, answers_question=True)


def careless(case: DraftCase, asked: VerificationRequest) -> Answer:
    """Support everything with the claim's own words, as if a source said them."""
    del case
    opinions = tuple(
        ClaimOpinion(
            number=one.number,
            verdict="supported",
            words=tuple(DecidingWords(alias=alias, words=one.text) for alias in one.cited),
        )
        for one in asked.claims
    )
    return VerificationReply(opinions=opinions, answers_question=True)


def honest(case: DraftCase, asked: VerificationRequest) -> Answer:
    """Say of each claim, and of the whole answer, what its author knows."""
    opinions = tuple(
        ClaimOpinion(
            number=one.number,
            verdict=_known(sentence_of(case, one.text)),
            words=_words(_cited(case, one.text), doubts=len(one.doubts)),
        )
        for one in asked.claims
    )
    return VerificationReply(opinions=opinions, answers_question=case.error_kind != "off_topic")


VERIFIERS: Final[Mapping[str, Replies]] = {
    "nobody": nobody,
    "credulous": credulous,
    "careless": careless,
    "honest": honest,
}


def sentence_of(case: DraftCase, text: str) -> Labelled | None:
    """Return the labelled sentence that the judge took `text` from."""
    return next((one for one in case.sentences if is_of(text, one.text)), None)


def _known(sentence: Labelled | None) -> ClaimVerdict:
    if sentence is None or sentence.is_true is None:
        return "no_claim"
    return "supported" if sentence.is_true else "not_stated"


def _cited(case: DraftCase, text: str) -> tuple[DraftSource, ...]:
    sentence = sentence_of(case, text)
    return sentence.sources if sentence and sentence.sources else case.spans


def _words(sources: tuple[DraftSource, ...], *, doubts: int = 0) -> tuple[DecidingWords, ...]:
    return tuple(
        DecidingWords(alias=one.source_id, words=one.span, doubt=doubt)
        for doubt in (None, *range(1, doubts + 1))
        for one in sources
    )
