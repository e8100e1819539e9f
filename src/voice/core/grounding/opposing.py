"""A claim against a state that excludes it: "Jonas is healthy", of "Jonas broke his wrist".

Law: a claim that tells a state (`opposed`) is contradicted by a cited sentence that tells, of the same subject, the
state that excludes it, unless any cited sentence tells the claim's own state: then what holds is a matter of time, and
for the other checks. Whether both speak of one subject is asked as a challenge asks it (`counter`).

Source: DESIGN 6 stage 4 (opposites); ruling D1.
"""

from collections.abc import Sequence
from dataclasses import replace

from voice.core.grounding.claims import Grounds, Judged
from voice.core.grounding.counter import Claim, states_the_opposite
from voice.core.grounding.findings import Finding
from voice.core.grounding.opposed import opposed, states_of
from voice.core.grounding.passages import Passage


def with_opposites(texts: Sequence[str], judged: Sequence[Judged], grounds: Grounds) -> list[Judged]:
    """Return the outcomes of an answer's sentences, those contradicted whose state the evidence excludes.

    Args:
        texts: the sentences.
        judged: their outcomes, in the same order.
        grounds: what they were judged against.
    """
    return [
        replace(one, verdict="contradicted", findings=(*one.findings, _EXCLUDED))
        if one.weight and one.kind != "question" and _is_excluded(text, grounds)
        else one
        for text, one in zip(texts, judged, strict=True)
    ]


_EXCLUDED = Finding(flag="antonym", text="the source tells of this what excludes it", effect="contradicted")


def _is_excluded(text: str, grounds: Grounds) -> bool:
    stated = {(state.pair, state.side) for state in states_of(text)}
    if not stated:
        return False
    claim = Claim.of(text, grounds.rows, None)
    against = [passage for passage in grounds.passages if _excludes(claim, passage)]
    if not against:
        return False
    pairs = {pair for pair, _ in stated}
    told = {(state.pair, state.side) for passage in grounds.passages for state in states_of(passage.text, pairs)}
    return not stated & told


def _excludes(claim: Claim, passage: Passage) -> bool:
    """Return whether a sentence tells what excludes the claim's state, in a word that the claim lacks."""
    state = opposed(claim.states, passage.text)
    if state is None or passage.text[state.start : state.end].lower() in claim.text.lower():
        return False
    return states_the_opposite(claim, passage)
