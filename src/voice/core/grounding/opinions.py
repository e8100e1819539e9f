"""Which sentences a verifier is asked about, and what its opinion may change.

Law: an opinion may find a sentence supported that is merely in other words, be it a copied one with a stretch reworded
(`rewording`), and may take support away; it never reaches a citation, an unknown id, or a sentence that a hard check
vetoed, be it only in one of its parts (numbers, dates, names, persons, quotations …). Any veto wins; support needs all
verifiers that are set up, or most of them, by policy; one that gave no opinion supports nothing. With no opinion at all
the default verdict stands.

Source: GROUNDING step 5; DESIGN 6 stage 5; docs/adr/0004-what-a-verifier-may-lift.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from voice.core.grounding.claims import Judged, unsupportedness
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage
from voice.core.grounding.rewording import ALTERED, is_reworded
from voice.core.grounding.values import GroundedResponse
from voice.core.grounding.verification import ClaimPair, Ensemble, Lapse, Scores, Thresholds, Verification

PARAPHRASE: Final = "paraphrase"
"""The flag of a sentence that is supported by opinion, not by its words."""
_MOST_SHOWN = 3
_WORD_FOR_WORD = 0.1
"""Up to this support score a sentence is the source's own but for a particle; no opinion on that is worth its price."""
_WHY: Mapping[Lapse, str] = {
    "late": "did not answer in time",
    "failed": "failed",
    "malformed": "gave no usable answer",
    "budget": "was not asked, because of the spending cap",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What the verifiers together make of a sentence."""

    effect: Literal["supported", "unsupported", "contradicted"] | None
    """None leaves the default verdict."""
    by: tuple[str, ...] = ()
    """The verifiers whose votes decided."""


def pair_of(text: str, judged: Judged, passages: Sequence[Passage]) -> ClaimPair | None:
    """Return what a verifier is asked about a sentence, None where no opinion could change anything.

    Args:
        text: the sentence.
        judged: its default outcome.
        passages: the cited sentences, in order.
    """
    is_verbatim = judged.verdict == "supported" and (judged.score or 0.0) <= _WORD_FOR_WORD
    if is_verbatim or not passages or not is_open(text, judged):
        return None
    return as_pair(text, judged, passages)


def as_pair(text: str, judged: Judged, passages: Sequence[Passage]) -> ClaimPair:
    """Return a sentence beside the few cited sentences that hold most of it, in their order."""
    used = judged.support.used if judged.support else ()
    chosen = {id(passage) for passage in used or passages[:_MOST_SHOWN]}
    return ClaimPair(
        claim=text,
        evidence=tuple(_shown(passage) for passage in passages if id(passage) in chosen),
        days=tuple(passage.said_on for passage in passages if id(passage) in chosen),
        lexical=unsupportedness(judged),
    )


def is_open(text: str, judged: Judged) -> bool:
    """Return whether an opinion may change the outcome: a claim that the score decided, or the copy check by itself.

    Args:
        text: the sentence.
        judged: its default outcome.
    """
    return (
        judged.kind in ("claim", "quotation")
        and judged.weight > 0
        and judged.support is not None
        and judged.verdict in ("supported", "unsupported")
        and (_is_unchecked(judged) or is_reworded(text, judged))
    )


def _is_unchecked(judged: Judged) -> bool:
    return all(finding.effect == "note" for finding in judged.findings) and not any(
        part.findings for part in judged.parts
    )


def vote(scores: Scores, thresholds: Thresholds) -> Literal["supported", "unsupported", "contradicted"] | None:
    """Return what a verifier's numbers say by its own thresholds; None is neither."""
    if thresholds.contradiction is not None and scores.contradicted >= thresholds.contradiction:
        return "contradicted"
    if thresholds.doubt is not None and scores.entailed < thresholds.doubt:
        return "unsupported"
    if thresholds.support is not None and scores.entailed >= thresholds.support:
        return "supported"
    return None


def weigh(given: Mapping[str, tuple[Scores | None, Thresholds]], ensemble: Ensemble) -> Opinion:
    """Return the opinion of all verifiers that are set up, by name; None = that one gave no numbers.

    A contradiction wins over a doubt, a doubt over any support. `all`: every one of them supports the sentence;
    `majority`: more than half of them do.
    """
    votes = {name: vote(scores, lines) if scores else None for name, (scores, lines) in given.items()}
    for effect in ("contradicted", "unsupported"):
        against = tuple(name for name, one in votes.items() if one == effect)
        if against:
            return Opinion(effect=effect, by=against)
    for_it = tuple(name for name, one in votes.items() if one == "supported")
    needed = len(votes) if ensemble == "all" else len(votes) // 2 + 1
    return Opinion(effect="supported", by=for_it) if for_it and len(for_it) >= needed else Opinion(effect=None)


def under_opinion(text: str, judged: Judged, opinion: Opinion | None) -> Judged:
    """Return the outcome of the sentence `text` with an opinion taken into account; a hard check is never overruled."""
    if opinion is None or opinion.effect is None or opinion.effect == judged.verdict or not is_open(text, judged):
        return judged
    who = ", ".join(opinion.by)
    if opinion.effect == "supported":
        finding = Finding(flag=PARAPHRASE, text=f"the source says this in other words ({who})", effect="note")
    else:
        said = "say otherwise" if opinion.effect == "contradicted" else "do not say this"
        finding = Finding(flag="verifier", text=f"the sources {said} ({who})", effect=opinion.effect)
    if opinion.effect != "supported":
        return replace(judged, verdict=opinion.effect, findings=(*judged.findings, finding))
    noted = (replace(one, effect="note") if one.flag == ALTERED else one for one in judged.findings)
    parts = tuple(replace(part, verdict="supported", findings=()) for part in judged.parts)
    return replace(judged, verdict=opinion.effect, findings=(*noted, finding), parts=parts)


def with_verification(response: GroundedResponse, verification: Verification | None) -> GroundedResponse:
    """Return the response with the record of its verifiers; a lapse stands in its notes, too."""
    if verification is None:
        return response
    said = [f"the verifier {name} {_WHY[lapse]}; the verdicts do not rest on it" for name, lapse in verification.lapses]
    notes = "; ".join([*([response.notes] if response.notes else []), *said])
    return replace(response, verification=verification, notes=notes or None)


def _shown(passage: Passage) -> str:
    """Return an evidence sentence with who said it, where it does not say so itself."""
    speaker = passage.speaker
    return passage.text if speaker is None or passage.text.startswith(f"{speaker}:") else f"{speaker}: {passage.text}"
