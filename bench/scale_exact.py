"""Which rows are the best, by brute force in float64: what an index that cuts corners is held against.

Law: nothing of the index is used but its terms and constants. Cosines are taken over the very vectors that were
written, BM25 over the very texts, neighbours and coverage by time as `adapters.index.row_scores` and `coverage` state
them. A row that was found is right when its exact score is at least that of the tenth best: ties are as good as one
another.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.report import progress
from bench.scale_data import CHUNK, Question, rows_from, vectors_from
from voice.adapters.index.query import K1, B
from voice.adapters.index.row_scores import (
    ANSWERED,
    AROUND,
    ENOUGH_TERMS,
    MAX_GAP,
    MOST_TERMS,
    REACH,
    neighbour_share,
    question_share,
)
from voice.adapters.index.terms import ASKS, Term, query_terms, row_terms
from voice.core.retrieval.ranking import DEFAULT_PROFILE, WORDS_UNIT, FusionProfile
from voice.core.retrieval.searchable_text import indexed_text

BEST: Final = 10
_ROUNDING: Final = 5e-6
"""Arm scores are rounded to six places before they are put together."""
_TABLES: Final = ("t", "o")

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The best rows the index named for a question, by the question's place among all."""

    number: int
    arm: str
    best: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corpus:
    """What is known of all rows, one a place."""

    ids: list[str]
    places: Mapping[str, int]
    moments: NDArray[np.int64]
    lengths: Scores
    counts: Mapping[int, Mapping[int, int]]
    """How often each term of a question stands in which row."""
    asks: NDArray[np.bool_]
    """Which rows end in a question."""


def profile_of(arm: str) -> FusionProfile:
    """Return what an arm weighs: the vectors alone, or both as the program does."""
    return FusionProfile(vector=1.0, lexical=0.0, speaker=0.0, neighbour=0.0) if arm == "vector" else DEFAULT_PROFILE


def recall_at_10(rows: int, dim: int, questions: Sequence[Question], asked: Iterable[Asked]) -> dict[str, float]:
    """Return, per arm, the share of the named rows that are among the exact ten best."""
    asked = list(asked)
    wanted = sorted({each.number for each in asked})
    corpus = _read(rows, {term for number in wanted for term, _ in query_terms(questions[number].text)})
    cosines = dict(zip(wanted, _cosines(rows, dim, [questions[number].vector for number in wanted]), strict=True))
    shares: dict[str, list[float]] = {}
    for each in asked:
        profile = profile_of(each.arm)
        text = questions[each.number].text if profile.lexical else ""
        scores = _scores(corpus, profile, cosines[each.number], text)
        shares.setdefault(each.arm, []).append(_share(corpus, scores, each.best))
    return {arm: round(sum(found) / len(found), 4) for arm, found in shares.items()}


def _scores(corpus: _Corpus, profile: FusionProfile, cosines: Scores, text: str) -> Scores:
    """Return what every row scores under `profile`."""
    taken = neighbour_share(corpus.lengths.astype(np.uint32))
    own = profile.vector * cosines.clip(min=0.0) + profile.lexical * _bm25(corpus, text) / WORDS_UNIT
    scores = own + profile.neighbour * taken * _lent(corpus, own) + profile.coverage * taken * _covered(corpus, text)
    return scores - profile.question * corpus.asks * question_share(corpus.lengths.astype(np.uint32))


def _share(corpus: _Corpus, scores: Scores, best: Sequence[str]) -> float:
    searched = np.array([row_id[0] in _TABLES for row_id in corpus.ids])
    scores = np.where(searched, scores, -1.0)
    size = min(BEST, int(searched.sum()))
    least = np.partition(scores, -size)[-size] - _ROUNDING
    right = [row_id for row_id in best if row_id in corpus.places and scores[corpus.places[row_id]] >= least]
    return len(right) / size


def _read(rows: int, terms: set[int]) -> _Corpus:
    ids: list[str] = []
    moments: list[int] = []
    lengths: list[int] = []
    asks: list[bool] = []
    counts: dict[int, dict[int, int]] = {term: {} for term in terms}
    for start in progress(range(0, rows, CHUNK), "exact words"):
        for row in rows_from(start, min(CHUNK, rows - start)):
            held = row_terms(indexed_text(row, {}))
            for term in terms & held.keys():
                counts[term][len(ids)] = held[term]
            asks.append(ASKS in held)
            ids.append(row.id)
            moments.append(int(row.created_at.timestamp() * 1e6))
            lengths.append(Counter(held).total())
    places = {row_id: place for place, row_id in enumerate(ids)}
    return _Corpus(
        ids=ids,
        places=places,
        moments=np.array(moments),
        lengths=np.array(lengths, dtype=np.float64),
        counts=counts,
        asks=np.array(asks),
    )


def _cosines(rows: int, dim: int, vectors: Sequence[bytes]) -> list[Scores]:
    asked = np.array([np.frombuffer(data, dtype="<f4") for data in vectors], dtype=np.float64)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    found = np.empty((len(asked), rows))
    for start in progress(range(0, rows, CHUNK), "exact cosines"):
        written = vectors_from(start, min(CHUNK, rows - start), dim).astype(np.float64)
        found[:, start : start + len(written)] = asked @ (written / np.linalg.norm(written, axis=1, keepdims=True)).T
    return list(found)


def _bm25(corpus: _Corpus, question: str) -> Scores:
    scores = np.zeros(len(corpus.ids))
    damping = K1 * (1 - B + B * corpus.lengths / corpus.lengths.mean())
    for term, weight in query_terms(question):
        held = corpus.counts[term]
        places = np.fromiter(held.keys(), dtype=np.intp, count=len(held))
        times = np.fromiter(held.values(), dtype=np.float64, count=len(held))
        scores[places] += weight * _rarity(corpus, term) * (K1 + 1) * times / (times + damping[places])
    return scores


def _rarity(corpus: _Corpus, term: Term) -> float:
    held = len(corpus.counts[term])
    return log(1 + (len(corpus.ids) - held + 0.5) / (held + 0.5))


def _covered(corpus: _Corpus, question: str) -> Scores:
    """Return, per row, what the heaviest terms weigh that it holds or a short row around it."""
    weighed = [(weight * _rarity(corpus, term), term) for term, weight in query_terms(question)]
    covered = np.zeros(len(corpus.ids))
    for weight, term in sorted(weighed, key=lambda pair: -pair[0])[:MOST_TERMS]:
        held = np.zeros(len(corpus.ids))
        held[list(corpus.counts[term])] = 1.0
        covered += (
            weight / WORDS_UNIT * np.maximum(held, _near(corpus, held * (corpus.lengths <= ENOUGH_TERMS), AROUND))
        )
    return covered


def _lent(corpus: _Corpus, own: Scores) -> Scores:
    """Return, per row, the best its neighbours lend: a question lends more to the row just after it."""
    return np.maximum(_near(corpus, own, REACH), ANSWERED * _near(corpus, own * corpus.asks, 1, after_only=True))


def _near(corpus: _Corpus, values: Scores, reach: int, *, after_only: bool = False) -> Scores:
    """Return, per row, the best value up to `reach` rows before it, or after it, in its table by time."""
    best = np.zeros(len(values))
    gap = MAX_GAP.total_seconds() * 1e6
    for table in _TABLES:
        places = np.array([place for place, row_id in enumerate(corpus.ids) if row_id[0] == table], dtype=np.intp)
        for step in range(1, reach + 1):
            before, after = places[:-step], places[step:]
            near = corpus.moments[after] - corpus.moments[before] <= gap
            best[after[near]] = np.maximum(best[after[near]], values[before[near]])
            if not after_only:
                best[before[near]] = np.maximum(best[before[near]], values[after[near]])
    return best
