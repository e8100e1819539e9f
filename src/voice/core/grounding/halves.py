"""The parts of a compound sentence against its evidence: half a truth is not one.

Law: a sentence whose one part is held by the evidence and whose other part is not is unsupported, however much weight
the held part brings. A part is judged by the sentences that may be about the whole sentence's subject, first by those
that support the whole. Only the contrast counts: where no part is held well, the sentence is a loose paraphrase, and
its own score decides. What is found adds to the score no more than it takes to pass the threshold.

Source: DESIGN 6 stage 3; ruling D1. How the constants were chosen: docs/grounding-measured.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voice.core.grounding.clauses import LINKS, Part, parts_of, words_of
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage
from voice.core.grounding.support import Support, credited_share, support_of
from voice.core.text.words import Word

_HELD_WELL = 0.6
"""A part under this score is held by the evidence: nearly word for word."""
_LACKING = 0.3
"""A part of which the evidence holds less than this share is not."""
MARGIN = 0.05
"""A part is shorter than a sentence, so that what it lacks weighs more: so much is let off."""
_PAST = 0.01
"""How far past the threshold an unsupported part takes a sentence."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedPart:
    """One part of a sentence with what the evidence holds of it."""

    part: Part
    support: Support
    """Its own, by the evidence that supports the whole or, where that does not hold it well, by all of it."""
    held: float
    """The share of its weight that the evidence holds."""

    @property
    def score(self) -> float:
        """Its support score; higher is less supported."""
        return self.support.score


def weigh_parts(
    text: str, found: Sequence[Word], support: Support, passages: Sequence[Passage]
) -> tuple[WeighedPart, ...]:
    """Return the parts of a compound sentence with their support; nothing for a simple one.

    Args:
        text: the sentence.
        found: its words.
        support: its support as a whole.
        passages: the evidence that may be about its subject.
    """
    parts = parts_of(text, found)
    if len(parts) < 2 or not support.used:
        return ()
    return tuple(_weighed(part, words_of(part, found), support.used, passages) for part in parts)


def _weighed(part: Part, own: Sequence[Word], used: Sequence[Passage], passages: Sequence[Passage]) -> WeighedPart:
    support = support_of(own, used)
    if support.score >= _HELD_WELL:
        support = min(support, support_of(own, passages), key=lambda found: found.score)
    held = frozenset[str]().union(*(passage.stems for passage in support.used))
    content = [word for word in own if not word.is_stop]
    return WeighedPart(part=part, support=support, held=credited_share(content, held))


def half_true(text: str, weighed: Sequence[WeighedPart], score: float, threshold: float) -> list[Finding]:
    """Return a finding for each part that the evidence lacks while it holds another part of the sentence well.

    Args:
        text: the sentence.
        weighed: its parts.
        score: its support score with all that was noted of it.
        threshold: the policy's.
    """
    if not any(one.score < _HELD_WELL for one in weighed):
        return []
    findings: list[Finding] = []
    for index, one in enumerate(weighed):
        target = min(one.score - MARGIN, threshold + _PAST)
        weight = max(0.0, target - score)
        if one.held < _LACKING and target > min(score, threshold):
            reason = f"the cited sources hold another part of this sentence, but not {name_of(text, index, one.part)}"
            findings.append(Finding(flag="part", text=reason, effect="note", weight=weight))
            score += weight
    return findings


def name_of(text: str, index: int, part: Part) -> str:
    """Return which part is meant, without a free word of the answer: "the second part, from “because” on"."""
    place = f"the {_ORDINALS[index]} part" if index < len(_ORDINALS) else f"part {index + 1}"
    first = text[part.start : part.end].split(maxsplit=1)[0].lower()
    return f"{place}, from “{first}” on" if first in LINKS else place
