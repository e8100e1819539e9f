"""What everything else is held against: BM25 as textbooks have it, over each item's own words.

Law: no date, no speaker, no neighbours, no vectors; English stems, English stop words left out of the question, k1 1.2
and b 0.75; ties go to the item that stands first. It shares no code with the program but the table of stop words.
"""

import re
from collections import Counter
from functools import lru_cache
from math import log
from typing import Final, Protocol, cast

from snowballstemmer.english_stemmer import EnglishStemmer

from bench.corpus import Corpus
from voice.core.text.word_lists import STOPWORDS

K1: Final = 1.2
B: Final = 0.75
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


class _Stemmer(Protocol):
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 - the vendor's name


_STEMMER: Final = cast("_Stemmer", EnglishStemmer())


class PlainBm25:
    """One corpus, ready to be asked."""

    def __init__(self, corpus: Corpus) -> None:
        self._ids = [row.id for row in corpus.rows]
        self._holders: dict[str, list[tuple[int, int]]] = {}
        lengths: list[int] = []
        for place, row in enumerate(corpus.rows):
            counts = Counter(map(_stem, _words(row.content)))
            lengths.append(counts.total())
            for stem, times in counts.items():
                self._holders.setdefault(stem, []).append((place, times))
        mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
        self._damping = [K1 * (1 - B + B * length / mean) for length in lengths]

    def best(self, question: str, limit: int) -> list[str]:
        """Return the ids of the items that share a word with the question, best first."""
        scores = dict[int, float]()
        for stem in {_stem(word) for word in _words(question) if word not in STOPWORDS["en"]}:
            holders = self._holders.get(stem, [])
            rarity = log(1 + (len(self._ids) - len(holders) + 0.5) / (len(holders) + 0.5))
            for place, times in holders:
                gain = rarity * (K1 + 1) * times / (times + self._damping[place])
                scores[place] = scores.get(place, 0.0) + gain
        ranked = sorted(scores, key=lambda place: (-scores[place], place))
        return [self._ids[place] for place in ranked[:limit]]


def _words(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in _WORD.findall(text.replace("\u2019", "'").casefold())]


@lru_cache(1 << 16)
def _stem(word: str) -> str:
    return _STEMMER.stemWord(word)
