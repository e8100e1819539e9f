"""Evidence retrieval over the program's own encoder and index: indexing a corpus, asking it, scoring the answers.

Law: recall@k is the share of a question's evidence among the first k items, averaged over the questions that can be
answered; each corpus is searched by itself; a vector is cached only under the hash of its model and its text.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from pathlib import Path
from typing import Final

from blake3 import blake3

from bench.corpus import Corpus, Question
from bench.feed import Feed
from bench.plain_bm25 import PlainBm25
from bench.report import progress
from voice.adapters.index.index import FoldedIndex
from voice.core.records import Table, VectorRow
from voice.core.retrieval.ranking import FusionProfile
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.values import RowFilter
from voice.ports.search_index import Embedder, IndexQuery

CUTS: Final = (5, 10, 20)
_CHUNK: Final = 32
_EVERYTHING: Final = RowFilter(tables=frozenset({Table.THOUGHTS}))

WORDS_ONLY: Final = FusionProfile(vector=0.0, lexical=1.0, speaker=0.0, neighbour=0.0)
VECTORS_ONLY: Final = FusionProfile(vector=1.0, lexical=0.0, speaker=0.0, neighbour=0.0)
_ASKERS: Final = frozenset({"user", "human"})
"""What chats between a person and an assistant call the person."""
_OF_THE_ASKER: Final = """
i i'm i've i'd i'll me my mine myself ich mich mir mein meine meinem meinen meiner meines yo mi mis mí conmigo
"""
_FIRST_PERSON: Final = frozenset(_OF_THE_ASKER.split())
"""In the languages there are phrase tables for."""


@dataclass(frozen=True, slots=True)
class Score:
    """How well one question was answered."""

    category: str
    recall: tuple[float, ...]
    """At each of `CUTS`."""
    ndcg: float


@dataclass(frozen=True, slots=True)
class Indexed:
    """A corpus with its index and its questions' vectors."""

    corpus: Corpus
    index: FoldedIndex
    vectors: Mapping[str, bytes]
    """By question."""
    note_of: Mapping[str, str] = field(default_factory=dict[str, str])
    """Which note a row is of, where evidence names notes."""

    def score(self, question: Question, found: Sequence[str]) -> Score:
        """Return how well the rows found, best first, answer a question; a note counts once, at its best row."""
        seen: set[str] = set()
        first: list[str] = []
        for row_id in found:
            note = self.note_of.get(row_id, row_id)
            first.append("" if note in seen else note)
            seen.add(note)
        return score_of(question, first)


async def index_corpus(corpus: Corpus, embedder: Embedder, cache: Path | None = None) -> Indexed:
    """Encode and index a corpus, and encode its questions."""
    texts = [indexed_text(row, {}) for row in corpus.rows]
    data = await encoded([*texts, *(question.text for question in corpus.questions)], embedder, corpus.name, cache)
    vectors = [
        VectorRow(row_id=row.id, model=embedder.model, dim=embedder.dim, data=data[text])
        for row, text in zip(corpus.rows, texts, strict=True)
    ]
    index = FoldedIndex(Feed(corpus.rows, vectors), None, model=embedder.model, dim=embedder.dim)
    await index.refresh()
    return Indexed(corpus, index, data)


def query_for(indexed: Indexed, question: Question, profile: FusionProfile) -> IndexQuery:
    """Return the query that `profile` asks with; an arm without weight is not asked at all."""
    return IndexQuery(
        filter=_EVERYTHING,
        vector=indexed.vectors[question.text] if profile.vector else None,
        text=question.text if profile.lexical else "",
        weights=profile.weights,
        limit=max(CUTS),
        speaker=named_speaker(question.text, indexed.corpus.speakers),
        speaker_weight=profile.speaker,
        neighbour_weight=profile.neighbour,
        coverage_weight=profile.coverage,
        question_weight=profile.question,
    )


async def scores(indexed: Indexed, profile: FusionProfile) -> list[Score]:
    """Ask all questions of the corpus."""
    asked = progress(indexed.corpus.questions, f"asking {indexed.corpus.name}")
    return [await _score(indexed, question, profile) for question in asked]


def plain_scores(corpus: Corpus) -> list[Score]:
    """Ask all questions of plain BM25."""
    plain = PlainBm25(corpus)
    return [score_of(question, plain.best(question.text, max(CUTS))) for question in corpus.questions]


def score_of(question: Question, found: Sequence[str]) -> Score:
    """Return how well the ids found, best first, answer the question."""
    is_evidence = [row_id in question.evidence for row_id in found]
    gain = sum(1 / log2(place + 2) for place, good in enumerate(is_evidence[:10]) if good)
    ideal = sum(1 / log2(place + 2) for place in range(min(10, len(question.evidence))))
    return Score(
        category=question.category,
        recall=tuple(sum(is_evidence[:cut]) / len(question.evidence) for cut in CUTS),
        ndcg=gain / ideal,
    )


def summary(found: Sequence[Score]) -> dict[str, object]:
    """Return the means over all questions and per category, and over how many questions."""
    return {
        **_counted(found),
        "by_category": {category: _counted(some) for category, some in by_category(found).items()},
    }


def by_category(found: Sequence[Score]) -> dict[str, list[Score]]:
    """Return the scores of each category, by name."""
    grouped: dict[str, list[Score]] = defaultdict(list)
    for score in found:
        grouped[score.category].append(score)
    return dict(sorted(grouped.items()))


def means(found: Sequence[Score]) -> dict[str, float]:
    """Return the mean of each measure."""
    recalls = {f"recall@{cut}": _mean(score.recall[place] for score in found) for place, cut in enumerate(CUTS)}
    return {**recalls, "ndcg@10": _mean(score.ndcg for score in found)}


async def encoded(texts: Sequence[str], embedder: Embedder, name: str, cache: Path | None) -> dict[str, bytes]:
    """Return the vector of each text; what `cache` knows is not encoded again."""
    known = {text: _cached(text, embedder, cache) for text in dict.fromkeys(texts)}
    missing = [text for text, vector in known.items() if vector is None]
    chunks = [missing[start : start + _CHUNK] for start in range(0, len(missing), _CHUNK)]
    for chunk in progress(chunks, f"encoding {name}"):
        for text, vector in zip(chunk, await embedder.embed(chunk), strict=True):
            known[text] = vector
            if cache is not None:
                _path(text, embedder, cache).write_bytes(vector)
    return {text: vector for text, vector in known.items() if vector is not None}


def _counted(found: Sequence[Score]) -> dict[str, float]:
    return {**means(found), "questions": len(found)}


async def _score(indexed: Indexed, question: Question, profile: FusionProfile) -> Score:
    answer = await indexed.index.search(query_for(indexed, question, profile))
    return indexed.score(question, [hit.row_id for hit in answer.hits])


def _cached(text: str, embedder: Embedder, cache: Path | None) -> bytes | None:
    path = None if cache is None else _path(text, embedder, cache)
    return path.read_bytes() if path is not None and path.exists() else None


def _path(text: str, embedder: Embedder, cache: Path) -> Path:
    return cache / blake3(f"{embedder.model}\x00{embedder.dim}\x00{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _mean(values: Iterable[float]) -> float:
    several = list(values)
    return round(sum(several) / len(several), 4) if several else 0.0


def named_speaker(question: str, names: Iterable[str]) -> str | None:
    """Return the one name of `names` that the question says, or None when it says none or several.

    A name is said when all its words stand in the question next to one another, in any case. A question that says no
    name and asks in the first person ("when did I …", "my …") is about its asker, whom chats call `user`. For data
    sets that name their speakers and have no graph; a turn takes the persons that `parse_query` finds.
    """
    names, said = tuple(names), _words(question)
    found = {name for name in names if _stands_in(_words(name), said)}
    if not found and not _FIRST_PERSON.isdisjoint(said):
        found = {name for name in names if name.casefold() in _ASKERS}
    return found.pop() if len(found) == 1 else None


def _stands_in(name: list[str], words: list[str]) -> bool:
    width = len(name)
    return bool(name) and any(words[start : start + width] == name for start in range(len(words) - width + 1))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    spaced = "".join(char if char.isalnum() or char == "'" or unicodedata.combining(char) else " " for char in folded)
    return [word.removesuffix("'s").strip("'") for word in spaced.split()]
