"""The local providers: words, vectors, and both.

Law: each answers from the one search index, brought up to date first, by absolute scores that no limit changes. The
index alone decides what may be seen and counts it.

    local-vector   max(cosine, 0); rows without a comparable vector are not found, and words are looked at only where
                   there is no other row: a memory that another encoder wrote (promise 5)
    local-fts      0.7 of the words and 0.3 of the recency, over the best `WORDS_POOL` rows of a table by words (S4)
    local-hybrid   the calibrated sum of both arms and what raises it, brought into [0, 1)

The index ranks words; recency orders those it chose. So `local-fts` always chooses among the same number of rows,
however few are asked for: what is returned for a small limit begins what is returned for a large one.

Source: spec retrieval-contract, Local FTS Provider; rulings A24, C9, C17, C20, G.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from voice.core.errors import EmbedderUnavailable
from voice.core.records import Table
from voice.core.retrieval.ranking import (
    VECTOR_ONLY,
    WORDS_ONLY,
    FusionProfile,
    Rank,
    fusion_profile,
    rank_by_vector,
    rank_by_words,
    rank_fused,
)
from voice.core.text.normalise import clean_text
from voice.ports.retrieval_provider import Embedding, Found, ProviderAnswer, ProviderQuery
from voice.ports.search_index import Embedder, Freshness, IndexAnswer, IndexQuery, SearchIndex

HALF_LIFE_DAYS: Final = 30.0
"""After so many days a row's recency is half."""
WORDS_POOL: Final = 500
"""Rows of a table that `local-fts` ranks, and so the most that it returns of one: as many as recall ever weighs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalVector:
    """Finds what means the same."""

    index: SearchIndex
    embedder: Embedder
    name: str = "local-vector"
    is_deterministic: bool = True

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return the rows nearest to the query; see `RetrievalProvider.search`."""
        vector = await _embedded(self.embedder, query.text)
        asked = _asked(query, VECTOR_ONLY, text="", vector=vector, limit=query.limit)
        answer = await _searched(self.index, asked)
        embedding = _embedding(self.embedder, answer)
        if not embedding.compares_none(answer.admitted):
            return _answer(answer, rank_by_vector, query.limit, embedding)
        words = await LocalFts(index=self.index).search(query)
        return replace(words, embedding=embedding, by_words=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFts:
    """Finds what says the same, newer rows before older ones; needs no encoder."""

    index: SearchIndex
    half_life_days: float = HALF_LIFE_DAYS
    name: str = "local-fts"
    is_deterministic: bool = True

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return the rows that share the query's words; see `RetrievalProvider.search`."""
        asked = _asked(query, WORDS_ONLY, text=clean_text(query.text), vector=None, limit=WORDS_POOL)
        fresh = Freshness(now=query.now, half_life_days=self.half_life_days, keep=query.limit)
        answer = await _searched(self.index, replace(asked, fresh=fresh))
        return _answer(answer, rank_by_words(query.now, half_life_days=self.half_life_days), query.limit, Embedding())


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalHybrid:
    """Finds by both, weighed as calibrated for the encoder."""

    index: SearchIndex
    embedder: Embedder
    name: str = "local-hybrid"
    is_deterministic: bool = True

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return the rows with the best sum of both arms; see `RetrievalProvider.search`."""
        profile = fusion_profile(self.embedder.model)
        vector = await _embedded(self.embedder, query.text)
        asked = _asked(query, profile, text=clean_text(query.text), vector=vector, limit=query.limit)
        answer = await _searched(self.index, asked)
        return _answer(answer, rank_fused(profile), query.limit, _embedding(self.embedder, answer))


async def _embedded(embedder: Embedder, text: str) -> bytes:
    vectors = await embedder.embed([clean_text(text)])
    if len(vectors) != 1 or len(vectors[0]) != 4 * embedder.dim:
        raise EmbedderUnavailable(
            f"{embedder.provider}/{embedder.model} did not return one vector of {embedder.dim} numbers; "
            "check SURR_EMBED_MODEL and SURR_EMBED_DIM"
        )
    numbers = np.frombuffer(vectors[0], dtype="<f4")
    if not np.isfinite(numbers).all() or not numbers.any():
        raise EmbedderUnavailable(f"{embedder.provider}/{embedder.model} returned a vector without direction")
    return vectors[0]


async def _searched(index: SearchIndex, asked: IndexQuery) -> IndexAnswer:
    await index.refresh()
    return await index.search(asked)


def _asked(query: ProviderQuery, profile: FusionProfile, *, text: str, vector: bytes | None, limit: int) -> IndexQuery:
    return IndexQuery(
        filter=query.filter,
        vector=vector,
        text=text,
        weights=profile.weights,
        limit=limit,
        speaker=query.speaker,
        speaker_weight=profile.speaker,
        neighbour_weight=profile.neighbour,
        coverage_weight=profile.coverage,
        question_weight=profile.question,
        exclude_ids=query.exclude_ids,
    )


def _embedding(embedder: Embedder, answer: IndexAnswer) -> Embedding:
    return Embedding(
        provider=embedder.provider,
        model=embedder.model,
        dim=embedder.dim,
        excluded_other_model=answer.excluded_other_model,
    )


def _answer(answer: IndexAnswer, rank: Rank, limit: int, embedding: Embedding) -> ProviderAnswer:
    found = [ranked for hit in answer.hits if (ranked := rank(hit)) is not None]
    return ProviderAnswer(
        found=tuple(_best_of_each_table(found, limit)),
        admitted=answer.admitted,
        matched=answer.matched,
        embedding=embedding,
    )


def _best_of_each_table(found: Iterable[Found], limit: int) -> list[Found]:
    """Return at most `limit` of each table, all in the order `(-score, table, id)` (ruling C9)."""
    ranked = sorted(found, key=lambda one: (-one.rank_score, one.hit.table, one.hit.row_id))
    taken: Mapping[Table, list[Found]] = {table: [] for table in Table}
    for one in ranked:
        taken[one.hit.table].append(one)
    kept = {one.hit.row_id for of_table in taken.values() for one in of_table[:limit]}
    return [one for one in ranked if one.hit.row_id in kept]
