"""How little the cited words resemble a sentence: one number for ranking, never a proof.

Law: a fitted sum of few plain measures, the same for every language; word for word is 0. What it says is how likely a
sentence is invented, not whether a paraphrase is true: it separates a strong model's true sentences from its false ones
little better than chance (DESIGN 6), so no rung rests on it.

Weights: `python -m bench.support`, on public answers; docs/grounding-measured.md has the figures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from voice.core.grounding.guards.doubt import Doubt
from voice.core.text.sentences import sentences
from voice.core.text.words import words

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
    told, said = words(text), _said(tuple(sources))
    keys, stems = {word.key for word in told}, {word.stem for word in told if not word.is_stop}
    pairs = set(pairwise(word.stem for word in told))
    return Likeness(
        (
            len(keys - said.keys) / len(keys) if keys else 0.0,
            len(pairs - said.pairs) / len(pairs) if pairs else 0.0,
            1 - max((len(stems & own) for own in said.stems), default=0) / len(stems) if stems else 0.0,
            float(any(doubt.flag in ("number", "date") for doubt in doubts)),
            float(any(doubt.flag in ("name", "identifier") for doubt in doubts)),
        )
    )


class _Said(NamedTuple):
    """What the sources say, as far as it is compared."""

    keys: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    stems: frozenset[frozenset[str]]
    """Of each of their sentences; of two that have the same words, once."""


@lru_cache(maxsize=8)
def _said(sources: tuple[str, ...]) -> _Said:
    """Return what `sources` say: read once for all sentences that cite them."""
    said = [words(sentence) for source in sources for sentence in sentences(source)]
    return _Said(
        frozenset(word.key for own in said for word in own),
        frozenset(pair for own in said for pair in pairwise(word.stem for word in own)),
        frozenset(frozenset(word.stem for word in own) for own in said),
    )
