"""How much of an answer is told in other words than its sources'.

Law: a sentence that keeps to a source shares its words, the small ones too, in their order; one that keeps to nothing
shares few. It is a likeness of wording alone: it ranks answers beside what the judge found and decides nothing. Of a
claim it counts a tenth, for the judge has weighed a claim's words already; a question and a remark are no claims and
get no verdict, but a set that labels whole answers counts them as text.

Source: docs/grounding-measured.md, "Answers of several sentences".
"""

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from voice.core.grounding.claims import Judged
from voice.core.grounding.passages import Passage
from voice.core.text.words import words

_OF_CLAIMS = 0.1


def strangeness(texts: Sequence[str], judged: Sequence[Judged], passages: Sequence[Passage]) -> float:
    """Return how strange an answer's wording is to its sources: 0 word for word, 1 no claim and no word of theirs.

    Args:
        texts: the answer's sentences.
        judged: their outcomes, in the same order.
        passages: the sentences of all its sources.
    """
    said = [[word.key for word in passage.words] for passage in passages]
    told = [[word.key for word in words(text)] for text in texts]
    count = sum(map(len, told))
    strange = sum(
        (_OF_CLAIMS if one.kind == "claim" else 1.0) * (len(keys) - _kept(keys, said))
        for keys, one in zip(told, judged, strict=True)
    )
    return strange / count if count else 0.0


def _kept(keys: Sequence[str], said: Sequence[Sequence[str]]) -> int:
    """Return how many of a sentence's words stand in their order in one of the sources' sentences, the most of any."""
    return max((LCSseq.similarity(keys, other) for other in said), default=0)
