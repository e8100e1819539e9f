"""Whether a question goes on to whoever drafts the answer.

Law: nothing is refused before the call but where there is nothing to show: no row was found, or none of those that were
may be shown, or none fits. Whether rows answer the question is the model's to say and the verifier's to check; without
a model passages were judged before. A claim that nothing takes up has nothing against it. What a refusal says of the
memory is literally true of what was found (ruling D5).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voice.core.grounding.answerability.evidence_sentences import MOST_READ, sentences_of
from voice.core.grounding.answerability.term_overlap import credited_share
from voice.core.grounding.explain import one_is_enough
from voice.core.grounding.values import Evidence, GroundingPolicy, RefusalReason
from voice.core.text.words import words

_NOTHING_AGAINST = "I found nothing in your memory that speaks against this"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """Whether to go on, and if not, why."""

    ok: bool
    reason: RefusalReason = RefusalReason.NO_SOURCES
    missing: str | None = None
    """What the memory lacks, in words; None when it can be tried."""


def can_be_asked(evidence: Sequence[Evidence], *, unshown: int = 0, unfit: int = 0) -> Answerability:
    """Return whether there is anything to show.

    Args:
        evidence: the rows that would be shown.
        unshown: how many rows were kept out because they read like instructions (ruling D22).
        unfit: how many rows took more room than there is.
    """
    if evidence:
        return Answerability(ok=True)
    if unfit:
        missing = "none of the notes I found fits into the prompt; raise SURR_INNER_VOICE_MAX_TOKENS"
    elif unshown:
        missing = "every note I found reads like instructions to the model, so I kept them out of the prompt"
    else:
        missing = "I found nothing that matches this question"
    return Answerability(ok=False, missing=missing)


def can_be_challenged(claim: str, evidence: Sequence[Evidence], policy: GroundingPolicy) -> Answerability:
    """Return whether rows may speak against a claim: whether they take up anything of it at all.

    What speaks against a claim need hold neither its names nor all of its words ("I work at Acme": "I work at Globex").

    Args:
        claim: the person's.
        evidence: the rows that would be shown.
        policy: with fewer distinct rows than it demands, no answer could pass.
    """
    if not evidence:
        return Answerability(ok=False, missing=f"{_NOTHING_AGAINST}; I found no note about it")
    found = len({row.content_hash for row in evidence})
    if found < policy.min_sources and policy.single_source != "green":
        few = f"I found fewer than {policy.min_sources} sources for this question; {one_is_enough(policy)}"
        return Answerability(ok=False, reason=RefusalReason.TOO_FEW_SOURCES, missing=few)
    told = frozenset[str]().union(*(sentence.stems for row in evidence for sentence in sentences_of(row)))
    telling = [word for word in words(claim[:MOST_READ]) if not word.is_stop]
    if telling and not credited_share(telling, told):
        return Answerability(ok=False, missing=f"{_NOTHING_AGAINST} or for it")
    return Answerability(ok=True)
