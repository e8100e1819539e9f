"""How little the cited words resemble a sentence: one number for ranking, never a proof.

Law: a fitted sum of few plain measures, the same for every language; word for word is 0. What it says is how likely a
sentence is invented, not whether a paraphrase is true: it separates a strong model's true sentences from its false ones
little better than chance (DESIGN 6), so no rung rests on it.

Weights: `python -m bench.support`, on public answers; docs/grounding-measured.md has the figures.
"""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from voice.core.grounding.guards.doubt import Doubt
from voice.core.text.sentences import sentences
from voice.core.text.words import Word, words

FEATURES: Final = ("new words", "broken pairs", "lacking in the best", "numbers", "names")
WEIGHTS: Final = (4.837, 3.39, 0.612, 1.177, 0.942)
BIAS: Final = -3.988


@dataclass(frozen=True, slots=True)
class Likeness:
    """The plain measures of one sentence beside what it cites, each higher where less is alike."""

    features: tuple[float, ...]

    @property
    def score(self) -> float:
        """How little it is alike, 0-1."""
        total = BIAS + sum(weight * value for weight, value in zip(WEIGHTS, self.features, strict=True))
        return 1 / (1 + math.exp(-total))


def likeness(text: str, sources: Sequence[str], doubts: Sequence[Doubt] = ()) -> Likeness:
    """Return how little `sources` resemble `text`.

    Args:
        text: one sentence, or a whole answer.
        sources: the cited texts.
        doubts: what the guards found in it.
    """
    told = words(text)
    said = [words(sentence) for source in sources for sentence in sentences(source)]
    keys, held = {word.key for word in told}, {word.key for own in said for word in own}
    stems = {word.stem for word in told if not word.is_stop}
    return Likeness(
        (
            len(keys - held) / len(keys) if keys else 0.0,
            _broken(told, said),
            _lacking(stems, said),
            float(any(doubt.flag in ("number", "date") for doubt in doubts)),
            float(any(doubt.flag in ("name", "identifier") for doubt in doubts)),
        )
    )


def _broken(told: Sequence[Word], said: Sequence[Sequence[Word]]) -> float:
    pairs = set(pairwise(word.stem for word in told))
    held = set[tuple[str, str]]().union(*(pairwise(word.stem for word in own) for own in said))
    return len(pairs - held) / len(pairs) if pairs else 0.0


def _lacking(stems: AbstractSet[str], said: Sequence[Sequence[Word]]) -> float:
    held = max((len(stems & {word.stem for word in own}) for own in said), default=0)
    return 1 - held / len(stems) if stems else 0.0
