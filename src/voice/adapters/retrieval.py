"""Retrieval providers by name: the local ones, and those of other packages, whose answers are checked.

Law: a package brings a provider by an entry point of the group `voice.retrieval_providers`, which is called with a
`ProviderContext` and returns a `RetrievalProvider` (see `voice.adapters.extras`). A local name always means the local
provider. A provider that cannot be loaded, or breaks its contract, fails with an error that names it.

Another package's answer is accepted as a whole or not at all, before anything is fetched, counted or shown for it:
every score is a number in its range, every table is the one that the id says, no row comes twice and no table has more
rows than were asked for. An error names the provider and repeats nothing of its answer. A provider that does not answer
in time is cancelled, and the answer says so (spec nlq 9).

The local providers answer from the one search index, brought up to date first, with absolute scores that no limit
changes. The index alone decides what may be seen, and counts it.

    local-vector   max(cosine, 0); rows without a comparable vector are not found, and words count only if there is no
                   other row: a memory that another encoder wrote (promise 5)
    local-fts      0.7 of the words and 0.3 of the recency, over the best `WORDS_POOL` rows of a table by words (S4)
    local-hybrid   the calibrated sum of both arms and its boosts, mapped to [0, 1)

The index ranks by words, and recency orders the rows that it chose. So `local-fts` always chooses among the same number
of rows, and the result for a small limit is the start of that for a large one.

Source: spec retrieval-contract, Provider Contract, Custom Providers and Local FTS Provider; DESIGN 3; rulings A24, C9,
C17, C20, G.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

import anyio
import numpy as np

from voice.adapters.extras import all_names, installed, make
from voice.core.errors import ConfigurationError, EmbedderUnavailable, InvalidParams, RetrievalProviderError, VoiceError
from voice.core.records import TABLE_OF_PREFIX, Table
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
from voice.core.retrieval.values import Found, Hit
from voice.core.text.normalise import clean_text
from voice.ports.retrieval_provider import Embedding, ProviderAnswer, ProviderContext, ProviderQuery, RetrievalProvider
from voice.ports.search_index import Embedder, Freshness, IndexAnswer, IndexQuery, SearchIndex

HALF_LIFE_DAYS: Final = 30.0
"""The age at which a row's recency is one half."""
WORDS_POOL: Final = 500
"""Rows of a table that `local-fts` ranks, and so the most that it returns: as many as recall ever weighs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalVector:
    """Finds rows by meaning."""

    index: SearchIndex
    embedder: Embedder
    name: str = "local-vector"
    is_deterministic: bool = True

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return the rows nearest to the query; see `RetrievalProvider.search`."""
        vector = await _embed(self.embedder, query.text)
        asked = _index_query(query, VECTOR_ONLY, text="", vector=vector, limit=query.limit)
        answer = await _search(self.index, asked)
        embedding = _embedding(self.embedder, answer)
        if not embedding.compares_none(answer.admitted):
            return _answer(answer, rank_by_vector, query.limit, embedding)
        words = await LocalFts(index=self.index).search(query)
        return replace(words, embedding=embedding, by_words=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFts:
    """Finds rows by words, newer ones first; needs no encoder."""

    index: SearchIndex
    name: str = "local-fts"
    is_deterministic: bool = True

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return the rows that share the query's words; see `RetrievalProvider.search`."""
        # Always so many, see above.
        asked = _index_query(query, WORDS_ONLY, text=clean_text(query.text), vector=None, limit=WORDS_POOL)
        fresh = Freshness(now=query.now, half_life_days=HALF_LIFE_DAYS, keep=query.limit)
        answer = await _search(self.index, replace(asked, fresh=fresh))
        return _answer(answer, rank_by_words(query.now, half_life_days=HALF_LIFE_DAYS), query.limit, Embedding())


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalHybrid:
    """Finds rows by both, weighed as calibrated for the encoder."""

    index: SearchIndex
    embedder: Embedder
    name: str = "local-hybrid"
    is_deterministic: bool = True

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return the rows with the best sum of both arms; see `RetrievalProvider.search`."""
        profile = fusion_profile(self.embedder.model)
        vector = await _embed(self.embedder, query.text)
        asked = _index_query(query, profile, text=clean_text(query.text), vector=vector, limit=query.limit)
        answer = await _search(self.index, asked)
        return _answer(answer, rank_fused(profile), query.limit, _embedding(self.embedder, answer))


async def _embed(embedder: Embedder, text: str) -> bytes:
    vectors = await embedder.embed([clean_text(text)])
    if len(vectors) != 1 or len(vectors[0]) != 4 * embedder.dim:  # float32
        raise EmbedderUnavailable(
            f"{embedder.provider}/{embedder.model} did not return one vector of {embedder.dim} numbers; "
            "check SURR_EMBED_MODEL and SURR_EMBED_DIM"
        )
    numbers = np.frombuffer(vectors[0], dtype="<f4")
    if not np.isfinite(numbers).all() or not numbers.any():
        raise EmbedderUnavailable(f"{embedder.provider}/{embedder.model} returned a vector that is zero or not finite")
    return vectors[0]


async def _search(index: SearchIndex, asked: IndexQuery) -> IndexAnswer:
    await index.refresh()
    return await index.search(asked)


def _index_query(
    query: ProviderQuery, profile: FusionProfile, *, text: str, vector: bytes | None, limit: int
) -> IndexQuery:
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
    """Return at most `limit` rows of each table, all in the order `(-score, table, id)` (ruling C9)."""
    ranked = sorted(found, key=lambda each: (-each.rank_score, each.hit.table, each.hit.row_id))
    counts = Counter[Table]()
    kept: list[Found] = []
    for each in ranked:
        counts[each.hit.table] += 1
        if counts[each.hit.table] <= limit:
            kept.append(each)
    return kept


# Queries: a turn searches for its own, for the one that it follows, and for both without their time.
_REMEMBERED: Final = 16


class RecentVectors:
    """An embedder that remembers the vectors of recent texts."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept: dict[str, bytes] = {}
        self.provider, self.model, self.dim = embedder.provider, embedder.model, embedder.dim

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text; see `Embedder.embed`."""
        if len(texts) != 1:  # only a query repeats, and it is one text
            return await self._embedder.embed(texts)
        (text,) = texts
        vector = self._kept.pop(text, None)  # removed, so that it is put back as the newest
        if vector is None:
            vectors = await self._embedder.embed(texts)
            if len(vectors) != 1:
                return vectors
            vector = vectors[0]
        self._kept[text] = vector
        if len(self._kept) > _REMEMBERED:
            del self._kept[next(iter(self._kept))]  # the oldest
        return [vector]


GROUP: Final = "voice.retrieval_providers"


class InstalledProviders:
    """`RetrievalProviders`: the local ones and those of installed packages."""

    def __init__(self, local: Iterable[RetrievalProvider], context: ProviderContext) -> None:
        """Remember the local providers; others are made with `context` when they are asked for."""
        self._loaded: dict[str, RetrievalProvider] = {provider.name: provider for provider in local}
        self._local = tuple(self._loaded)
        self._context = context

    def names(self) -> tuple[str, ...]:
        """Return all names, the local ones first; see `RetrievalProviders.names`."""
        return all_names(self._local, GROUP)

    def require(self, name: str) -> None:
        """Check that there is a provider of that name, without loading it. Raises ConfigurationError: there is none;
        the message lists the names."""
        if name not in self._loaded and name not in installed(GROUP):
            known = ", ".join(self.names())
            raise ConfigurationError(
                f"SURR_INNER_VOICE_RETRIEVAL names no provider that is installed; use one of {known}"
            )

    def named(self, name: str) -> RetrievalProvider:
        """Return the provider of that name; see `RetrievalProviders.named`."""
        known = self._loaded.get(name)
        if known is not None:
            return known
        entry = installed(GROUP).get(name)
        if entry is None:
            raise InvalidParams(f"there is no such provider; use one of {', '.join(self.names())}")
        made = cast("RetrievalProvider", make(entry, self._context, kind="retrieval provider", is_one=_is_one))
        return self._loaded.setdefault(name, CheckedProvider(made, name))  # the first of two threads wins


def installed_providers(context: ProviderContext) -> InstalledProviders:
    """Return the three local providers, and those of other packages."""
    index, embedder = context.index, RecentVectors(context.embedder)
    local = (
        LocalVector(index=index, embedder=embedder),
        LocalHybrid(index=index, embedder=embedder),
        LocalFts(index=index),
    )
    return InstalledProviders(local, context)


def _is_one(made: object, name: str) -> bool:
    provider = cast("RetrievalProvider", made)
    own, search, _ = provider.name, provider.search, provider.is_deterministic  # may raise, which `make` reports
    return own == name and callable(search)


@dataclass(frozen=True, slots=True)
class CheckedProvider:
    """A `RetrievalProvider` that passes on only checked answers."""

    provider: RetrievalProvider
    name: str

    @property
    def is_deterministic(self) -> bool:
        """Whether the provider is deterministic, as it says."""
        return self.provider.is_deterministic is True  # `is True`: anything else is no

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return what the provider found; nothing, marked as incomplete, if it takes too long. Raises
        RetrievalProviderError: it raised an error of its own, or its answer breaks the contract; EmbedderUnavailable,
        StoreError: as `RetrievalProvider.search`."""
        answer = _NOT_IN_TIME  # stands if the time is up
        try:
            with anyio.move_on_after(query.within_s):
                answer = await self.provider.search(query)
        except VoiceError:
            raise
        except Exception as error:  # noqa: BLE001 - another package's code may raise anything, and quote what it read
            raise RetrievalProviderError(
                f"the retrieval provider {self.name} failed ({type(error).__name__}); {_ADVICE}"
            ) from None
        fault = next(_faults(answer, query.limit), None)
        if fault is not None:
            raise RetrievalProviderError(
                f"the retrieval provider {self.name} broke its contract: {fault}; nothing of it was used; {_ADVICE}"
            )
        return answer


_NOT_IN_TIME: Final = ProviderAnswer(found=(), admitted={}, matched={}, is_partial=True)
_ADVICE = "use another one, or tell its makers (voice.testing shows what is wrong)"


def _faults(answer: ProviderAnswer, limit: int) -> Iterator[str]:
    """Yield the faults of an answer, the coarsest first; even its declared types are checked."""
    if not _is_a(answer, ProviderAnswer):
        yield "it returned no ProviderAnswer"
    elif not _is_a(answer.found, Sequence) or not all(
        _is_a(one, Found) and _is_a(one.hit, Hit) for one in answer.found
    ):
        yield "what it found is not a sequence of Found"
    else:
        yield from _wrong_hits(answer.found)
        yield from _wrong_numbers(answer.found, limit)
        yield from _wrong_facts(answer)


def _wrong_hits(found: Sequence[Found]) -> Iterator[str]:
    for one in found:
        yield from _wrong_hit(one.hit)
        if not _is_number(one.score, 0.0, 1.0):
            yield "a score is not a number from 0 to 1"
        if not _is_number(one.rank_score):
            yield "a rank_score is not a number"
        if not all(_is_number(value) for _, value in one.boosts):
            yield "a boost is not a number"


def _wrong_hit(hit: Hit) -> Iterator[str]:
    table = TABLE_OF_PREFIX.get(hit.row_id.partition(":")[0]) if _is_a(hit.row_id, str) else None
    if table is None or table is not hit.table:
        yield "a hit's table is not the one its id says"
    if hit.cosine is not None and not _is_number(hit.cosine, -1.0, 1.0):
        yield "a cosine is not a number from -1 to 1"
    if not _is_number(hit.lexical, 0.0, 1.0):
        yield "a lexical score is not a number from 0 to 1"


def _wrong_numbers(found: Sequence[Found], limit: int) -> Iterator[str]:
    if len({one.hit.row_id for one in found}) < len(found):
        yield "a row appears twice"
    if any(count > limit for count in Counter(one.hit.table for one in found).values()):
        yield f"it returned more rows of a table than the {limit} it was asked for"


def _wrong_facts(answer: ProviderAnswer) -> Iterator[str]:
    for counts in (answer.admitted, answer.matched):
        if not _is_a(counts, Mapping) or not all(map(_is_count, counts.values())) or not set(counts) <= set(Table):
            yield "its counts are not whole numbers by table"
    embedding = answer.embedding
    if not _is_a(embedding, Embedding) or not all(map(_is_count, (embedding.dim, embedding.excluded_other_model))):
        yield "it does not say which encoder it used"


def _is_a(value: object, kind: type[object]) -> bool:
    return isinstance(value, kind)


def _is_number(value: object, low: float = -math.inf, high: float = math.inf) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):  # bool is an int
        return False
    return math.isfinite(value) and low <= value <= high


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
