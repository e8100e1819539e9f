"""Notes that were edited, moved or imported again since an earlier import.

Law, of each:

- Moved notes keep their ids and words; they and what is distilled from them say where and when they stand now. What is
  indexed of a row is embedded again where that changed.
- An import again can hide a row and tag it, never show it or untag it: what a file leaves out is no order. A row that
  rests on a thought follows it (ruling C10), in the same transaction; what an interrupted import left, the next does.
- A note at a known place with other words is the old one corrected (ruling F), not another one. It is taken for that
  only where nothing is guessed: one note in the file and one in the memory are of that place, they have half of their
  words in common, and the file does not name its thoughts itself.
- A note that was corrected here stays corrected, however often its old file comes again; where the file says something
  new besides, its owner's corrections are put into that, sentence by sentence.

Source: rulings C10, F, H, I1, I4; docs/formats.md.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from voice.core.graph.consequences import is_edit_of
from voice.core.graph.thoughts.distillation import distil, packed
from voice.core.interchange.memory_lines import ParsedLine, ThoughtLine
from voice.core.messages import memory as messages
from voice.core.records import Entity, Inheritance, Observation, Relation, Row, RowStatus, Thought
from voice.core.retrieval.searchable_text import indexed_text
from voice.ports.row_queries import HistoryStore
from voice.ports.stores import GraphStore, MemoryStore, WriteBatch
from voice.services.graph.correct import Corrected, Correcting, CorrectRequest, KeptCorrections
from voice.services.memory.ingest import MAX_TRANSACTION_ROWS, Ingest
from voice.services.retrieval.row_lookups import fetch_thoughts


async def move_note(ingest: Ingest, graph: GraphStore, row_id: str, new: Thought) -> None:
    """Update the place and the date of a thought, if it is there, and of the observations taken from it, or nothing."""
    row = (await ingest.store.fetch([row_id])).get(row_id)
    if not isinstance(row, Thought):
        return
    after = replace(
        row, source_ref=new.source_ref, created_at=new.created_at, kind=new.kind, speaker=new.speaker, thread=new.thread
    )
    if after == row:  # nothing to write, no new revision
        return
    resting = [each for each in await graph.derived_from([row_id]) if isinstance(each, Observation)]
    told = _moved_observations(after, resting)
    rows = (replace(after, revision=row.revision + 1), *told)
    said = {each.id: indexed_text(each, {}) for each in (row, *resting)}  # names stay out: they do not change here
    if all(indexed_text(each, {}) == said[each.id] for each in rows):  # same text, so the vectors stay
        await ingest.store.write(WriteBatch(rows=rows))
    else:
        await ingest.save(rows, names=await ingest.names.known())


def _moved_observations(thought: Thought, resting: list[Observation]) -> list[Observation]:
    """Return those of the observations that are the thought's own sentences, with where and when they stand now."""
    paths = {each.id: each.context_path for each in distil(thought)}
    return [
        replace(
            each,
            created_at=thought.created_at,
            speaker=thought.speaker,
            thread=thought.thread,
            context_path=paths[each.id],
            revision=each.revision + 1,
        )
        for each in resting
        if each.id in paths and each.status is not RowStatus.REDACTED  # a redacted row keeps its silence
    ]


_AnyRow = TypeVar("_AnyRow", Thought, Entity, Observation, Relation, Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReimportOutcome:
    """The changes to rows that were known; counts of the rows that a file named."""

    made_private: int = 0
    tagged: int = 0

    def __add__(self, other: "ReimportOutcome") -> "ReimportOutcome":
        return ReimportOutcome(made_private=self.made_private + other.made_private, tagged=self.tagged + other.tagged)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReimportedRows:
    """Makes stored rows as private as a file says, and gives them its tags."""

    store: MemoryStore
    graph: GraphStore

    async def thoughts(self, told: Sequence[Thought]) -> ReimportOutcome:
        """Pass on what a file says of stored thoughts. Raises StoreError: it failed; what was written before stays."""
        said = {thought.id: thought for thought in told if thought.is_private or thought.tags}  # others bring nothing
        done = ReimportOutcome()
        ids = list(said)
        for start in range(0, len(ids), MAX_TRANSACTION_ROWS):
            stored = await fetch_thoughts(self.store, ids[start : start + MAX_TRANSACTION_ROWS])
            wanted = {row_id: _stricter(row, said[row_id]) for row_id, row in stored.items()}
            await self._write(stored, wanted)
            done += _outcome(stored, wanted)
        return done

    async def graph_rows(self, told: Mapping[str, Row], there: Mapping[str, Row]) -> ReimportOutcome:
        """Take over what a file says of the rows of the graph `there`. Raises StoreError: nothing was written."""
        wanted = {row_id: _stricter(row, told[row_id]) for row_id, row in there.items()}
        changed = tuple(row for row_id, row in wanted.items() if row is not there[row_id])  # the same object: no news
        if changed:
            await self.store.write(WriteBatch(rows=changed))
        return _outcome(there, wanted)

    async def _write(self, stored: Mapping[str, Row], wanted: Mapping[str, Thought]) -> None:
        """Write changed thoughts with what must follow; of unchanged ones, only what rests on private ones is read."""
        rows: dict[str, list[Row]] = {
            # Of an unchanged one too: a crash may have left rows that must follow it.
            row_id: [] if thought is stored[row_id] else [thought]
            for row_id, thought in wanted.items()
            if thought is not stored[row_id] or thought.is_private
        }
        for row in await self.graph.derived_from(list(rows)) if rows else ():
            named = () if isinstance(row, Thought) else (span.thought_id for span in row.provenance)
            behind = tuple(wanted[thought_id] for thought_id in named if thought_id in wanted)
            heir = _stricter(row, Inheritance.of(behind))
            if heir is not row:
                rows[next(thought.id for thought in behind if thought.id in rows)].append(heir)  # with one it rests on
        for group in packed(rows.values(), size=MAX_TRANSACTION_ROWS):
            await self.store.write(WriteBatch(rows=tuple(group)))


def _stricter(row: _AnyRow, by: Row | Inheritance) -> _AnyRow:
    """Return `row` as private and as tagged as `by`; the row itself where that is nothing new."""
    private, tags = row.is_private or by.is_private, (*row.tags, *by.tags)
    after = replace(row, is_private=private, tags=tags, revision=row.revision + 1)
    return row if (after.is_private, after.tags) == (row.is_private, row.tags) else after


def _outcome(before: Mapping[str, Row], after: Mapping[str, Row]) -> ReimportOutcome:
    pairs = [(row, after[row_id]) for row_id, row in before.items()]
    return ReimportOutcome(
        made_private=sum(one.is_private != other.is_private for one, other in pairs),
        tagged=sum(one.tags != other.tags for one, other in pairs),
    )


STOOD: Final = "sentences that you corrected in voice"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEdits:
    """The edited notes of an import, and the thoughts left to store."""

    rest: tuple[Thought, ...]
    corrected: tuple[Corrected, ...] = ()
    stood: tuple[Thought, ...] = ()
    """Notes, as their files say them, in which something stands otherwise that a person corrected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedNotes:
    """The correction of edited notes during an import."""

    history: HistoryStore
    correcting: Correcting

    async def __call__(
        self, thoughts: Sequence[Thought], *, named: Collection[str] = (), places: Collection[str] = ()
    ) -> NoteEdits:
        """Correct the stored versions of edited notes. `named`: ids that the file gave itself: such thoughts are no
        edits. `places`: where other thoughts of the same import were found before. Raises StoreError: run it again to
        go on."""
        edits = await self.among(thoughts, named=named, places=places)
        kept = await KeptCorrections.of(self.history, self.correcting.graph, [old for _, old in edits])
        # What the owner corrected stands in what the file says now.
        said = {new.id: replace(new, content=kept.within(old.id, new.content)) for new, old in edits}
        changes = [(old, said[new.id]) for new, old in edits if said[new.id].content != old.content]
        corrected = [await self.correcting(edit_request(old.id, new)) for old, new in changes]
        return NoteEdits(
            rest=tuple(thought for thought in thoughts if thought.id not in said),
            corrected=tuple(corrected),
            stood=tuple(new for new, _ in edits if said[new.id].content != new.content),
        )

    async def among(
        self, thoughts: Sequence[Thought], *, named: Collection[str] = (), places: Collection[str] = ()
    ) -> list[tuple[Thought, Thought]]:
        """Return each edited note with its stored version, without changing anything; takes the arguments of a call."""
        alone = [row for row in _sole_at_place(thoughts) if row.id not in named and row.source_ref not in places]
        fresh = (await self.correcting.ingest.admitted(alone)).fresh
        before = await self._stored_by_place(fresh)
        pairs = [(thought, before.get(thought.source_ref or "")) for thought in fresh]
        # A time and a speaker are one place in two chats.
        same = ((new, old) for new, old in pairs if old is not None and len({new.thread, old.thread} - {None}) < 2)
        return [(new, old) for new, old in same if is_edit_of(old.content, new.content)]

    async def _stored_by_place(self, thoughts: Sequence[Thought]) -> dict[str, Thought]:
        """Return the one live thought that is stored of each place, by place."""
        refs = [thought.source_ref for thought in thoughts if thought.source_ref]
        held = await self.history.found_at(refs)
        return {thought.source_ref: thought for thought in _sole_at_place(held) if thought.source_ref}


def named_by(lines: Iterable[ParsedLine]) -> frozenset[str]:
    """Return the ids of thoughts that a file gives itself."""
    records = (line.record for line in lines)
    return frozenset(each.id for each in records if isinstance(each, ThoughtLine) and each.id is not None)


def _sole_at_place(thoughts: Sequence[Thought]) -> list[Thought]:
    """Return the live thoughts that are the only ones of their place, without what the inner voice wrote."""
    of_place = Counter(thought.source_ref for thought in thoughts)
    # Of two at one place, none is surely the other's past; a bare number is a place in any file.
    places = {place for place, many in of_place.items() if place and many == 1 and not place.isdecimal()}
    alone = (thought for thought in thoughts if thought.source_ref in places)
    return [thought for thought in alone if thought.status is RowStatus.ACTIVE and not thought.is_synthesis]


def edit_request(row_id: str, thought: Thought) -> CorrectRequest:
    """Return the request to correct a row to what its edited file says."""
    return CorrectRequest(
        row_id=row_id,
        new_id=thought.id,  # the id of the new words: the next import knows it
        text=thought.content,
        reason=messages.NOTE_EDITED,  # tells an edit from a person's correction
        author=thought.origin,
        tags=thought.tags,
        is_private=thought.is_private,
    )
