"""Join passages and whole lists around the rows that a search found.

Law: a passage and a list hold nothing that the search itself could not have found. The note itself tells what its list
is; what is shown of it are rows of the graph, and a line that no row says is named as missing.

Source: DESIGN 5 "Re-ranking"; rulings A2, I1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.answering.answer_layout import RowSpan
from voice.core.answering.content_selection import FoundList, NoteList, NoteSpan, select_list
from voice.core.records import Observation, Thought
from voice.core.retrieval.passages import EvidenceRequest, Passage, join_passages, nearby, thought_of
from voice.core.retrieval.values import Candidate
from voice.core.text.note_context import page_name, title_of
from voice.ports.stores import GraphStore
from voice.services.retrieval.search import Retrieve

PASSAGE_LIMIT: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinPassages:
    """The builder of passages from neighbouring sentences."""

    retrieve: Retrieve
    graph: GraphStore

    async def __call__(self, hits: Sequence[Candidate], request: EvidenceRequest) -> tuple[Passage, ...]:
        """Return the passages around the first of `hits`, in the same order, of rows that `request` could find."""
        first = hits[: 2 * PASSAGE_LIMIT]  # several hits may join in one passage
        thoughts = {thought for hit in first if (thought := thought_of(hit)) is not None}
        places = await self.graph.sentences_of(sorted(thoughts))
        found = {hit.row.id: hit for hit in hits}
        beside = [row_id for row_id in nearby(first, places) if row_id not in found]
        visible = {each.row.id: each for each in await self.retrieve.fetch_named(beside, request)}
        return join_passages(first, places, visible | found, limit=PASSAGE_LIMIT)  # a hit keeps its scores


@dataclass(frozen=True, slots=True, kw_only=True)
class FindLists:
    """The search for the list that a question asks for."""

    retrieve: Retrieve
    graph: GraphStore

    async def __call__(self, passage: Passage, question: str, request: EvidenceRequest) -> FoundList | None:
        """Return the list around a passage that a question asks for, of rows that `request` could find, or None."""
        hit = passage.hit.row
        thought_id = thought_of(passage.hit)
        if thought_id is None or not isinstance(hit, Observation):
            return None
        thought = (await self.retrieve.store.fetch([thought_id])).get(thought_id)
        if not isinstance(thought, Thought):
            return None
        title = page_name(title_of(thought.source_ref) or "")
        found = select_list(thought.content, _span_in(thought_id, passage), question, title=title)
        if found is None:
            return None
        rows = await self._rows(thought, found, request)
        return FoundList(
            note_list=found,
            title=title,
            path=hit.context_path,
            rows=tuple(row for row, _ in rows),
            items=tuple(line[0] for line in _lines(found.items, rows, thought)),
            lines=tuple(_lines(found.lines, rows, thought)),
        )

    async def _rows(self, thought: Thought, found: NoteList, request: EvidenceRequest) -> list[tuple[Candidate, int]]:
        """Return the rows that hold lines of a list, each with where it begins in the note."""
        first, last = found.lines[0].start, found.lines[-1].end
        places = (await self.graph.sentences_of([thought.id])).get(thought.id, [])
        starts = {place.row_id: place.start for place in places if place.start < last and first < place.end}
        visible = await self.retrieve.fetch_named(list(starts), request)
        return [(row, starts[row.row.id]) for row in sorted(visible, key=lambda each: starts[each.row.id])]


def _span_in(thought_id: str, passage: Passage) -> NoteSpan:
    rows = [each.row for each in passage.rows if isinstance(each.row, Observation)]
    places = [place for row in rows for place in row.provenance[:1] if place.thought_id == thought_id]
    return NoteSpan(min(place.start for place in places), max(place.end for place in places))


def _lines(
    places: Sequence[NoteSpan], rows: Sequence[tuple[Candidate, int]], thought: Thought
) -> Iterator[tuple[RowSpan, ...]]:
    """Yield of each place whose beginning a row says the stretches of rows that say it as the note does."""
    for place in places:
        stretches: list[RowSpan] = []
        for row, begins in rows:
            start, end = max(place.start, begins), min(place.end, begins + len(row.text))
            said = row.text[start - begins : end - begins]
            is_next = stretches or start == place.start  # the first must begin the line
            if start < end and is_next and said.strip() and said == thought.content[start:end]:
                stretches.append(RowSpan(row.row.id, start - begins, end - begins, goes_on=bool(stretches)))
        if stretches:
            yield tuple(stretches)
