"""Notes that were edited since an earlier import, and corrections that outlast the edit.

Law: a note at a known place with other words is the old one corrected (ruling F), not another one beside it. It is
taken for that only where nothing is guessed: one note in the file and one in the memory are of that place, they have
half of their words in common, and the file does not name its thoughts itself. What was brought in before is known: a
note that was corrected here stays corrected, however often its old file comes again, and sentence by sentence where the
file says something new besides.

What somebody corrected in notes whose files are edited. What stands in the history of a note as its owner's correction
is put into what its file says now, sentence by sentence (`voice.core.graph.thoughts.sentence_edits`). Reads, and writes
nothing.

Source: rulings F, H; docs/formats.md; rulings F, I4.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from voice.core.graph.correction_propagation import is_edit_of
from voice.core.graph.thoughts.sentence_edits import EDITED, Pair, corrected_sentences, is_correction, with_corrections
from voice.core.interchange.memory_lines import ParsedLine, ThoughtLine
from voice.core.records import Observation, RowStatus, Thought
from voice.ports.row_history import HistoryStore
from voice.ports.stores import GraphStore
from voice.services.graph.correct import Corrected, Correcting, CorrectRequest

STOOD: Final = "sentences that you corrected in voice"
_PAGE = 500


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
        """Correct the stored versions of edited notes.

        Args:
            thoughts: what is brought in.
            named: the ids that the file itself gave; such a thought is what it says it is, and no edit.
            places: where other thoughts of the same import were found before these.

        Raises:
            StoreError: a correction failed; those before it stay, and running again goes on from there.
        """
        edits = await self.among(thoughts, named=named, places=places)
        kept = await KeptCorrections.of(self.history, self.correcting.graph, [old for _, old in edits])
        said = {new.id: replace(new, content=kept.within(old.id, new.content)) for new, old in edits}
        changes = [(old, said[new.id]) for new, old in edits if said[new.id].content != old.content]
        corrected = [await self.correcting(_request(old, new)) for old, new in changes]
        return NoteEdits(
            rest=tuple(thought for thought in thoughts if thought.id not in said),
            corrected=tuple(corrected),
            stood=tuple(new for new, _ in edits if said[new.id].content != new.content),
        )

    async def among(
        self, thoughts: Sequence[Thought], *, named: Collection[str] = (), places: Collection[str] = ()
    ) -> list[tuple[Thought, Thought]]:
        """Return each edited note with its stored version, without changing anything; takes the arguments of a call."""
        alone = [row for row in _placed(thoughts) if row.id not in named and row.source_ref not in places]
        wanted = await self._fresh(alone)
        before = await self._before(wanted)
        pairs = [(thought, before.get(thought.source_ref or "")) for thought in wanted]
        return [(new, old) for new, old in pairs if old is not None and is_edit_of(old.content, new.content)]

    async def _fresh(self, thoughts: Sequence[Thought]) -> list[Thought]:
        """Return those that were neither brought in nor forgotten before."""
        found: list[Thought] = []
        for start in range(0, len(thoughts), _PAGE):
            found += (await self.correcting.ingest.admitted(thoughts[start : start + _PAGE])).fresh
        return found

    async def _before(self, thoughts: Sequence[Thought]) -> dict[str, Thought]:
        """Return the one live thought that is stored of each place, by place."""
        refs = [thought.source_ref for thought in thoughts if thought.source_ref]
        held: list[Thought] = []
        for start in range(0, len(refs), _PAGE):
            held += await self.history.found_at(refs[start : start + _PAGE])
        return {thought.source_ref: thought for thought in _placed(held) if thought.source_ref}


def named_by(lines: Iterable[ParsedLine]) -> frozenset[str]:
    """Return the ids of thoughts that a file gives itself."""
    records = (line.record for line in lines)
    return frozenset(each.id for each in records if isinstance(each, ThoughtLine) and each.id is not None)


def _placed(thoughts: Sequence[Thought]) -> list[Thought]:
    """Return the live thoughts that are the only ones of their place, without what the inner voice wrote."""
    of_place = Counter(thought.source_ref for thought in thoughts)
    alone = (thought for thought in thoughts if thought.source_ref and of_place[thought.source_ref] == 1)
    return [thought for thought in alone if thought.status is RowStatus.ACTIVE and not thought.is_synthesis]


def _request(old: Thought, thought: Thought) -> CorrectRequest:
    return CorrectRequest(
        row_id=old.id,
        new_id=thought.id,
        text=thought.content,
        reason=EDITED,
        author=thought.origin,
        tags=thought.tags,
        is_private=thought.is_private,
    )


_ROWS_A_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCorrections:
    """Those of the notes of one memory."""

    pairs: dict[str, tuple[Pair, ...]]
    """What was corrected in each, by the thought that it is now, the oldest first."""

    statements: dict[str, tuple[str, ...]]
    """What statements of each said that were corrected by themselves."""

    @classmethod
    async def of(cls, history: HistoryStore, graph: GraphStore, thoughts: Iterable[Thought]) -> "KeptCorrections":
        """Return what a person corrected in thoughts, in what they were before, and in statements of them.

        Raises:
            StoreError: the history or the graph cannot be read.
        """
        rows = {thought.id: thought for thought in thoughts}
        statements = await _corrected_statements(graph, list(rows))
        now = {row_id: row_id for row_id in rows}
        pairs: dict[str, tuple[Pair, ...]] = {}
        asked = list(rows)
        while asked:
            page, asked = asked[:_ROWS_A_PAGE], asked[_ROWS_A_PAGE:]
            for past in await history.replaced_by(page):
                after = rows.get(past.superseded_by or "")
                if not isinstance(past, Thought) or after is None or past.id in rows:
                    continue
                rows[past.id], now[past.id] = past, now[after.id]
                asked.append(past.id)
                if is_correction(past):
                    made = corrected_sentences(past.content, after.content)
                    pairs[now[past.id]] = (*made, *pairs.get(now[past.id], ()))
        return cls(pairs=pairs, statements=statements)

    def within(self, thought_id: str, text: str) -> str:
        """Return what a file says, with what was corrected in the thought that its note is."""
        return with_corrections(text, self.pairs.get(thought_id, ()))

    def is_lost(self, thought: Thought, text: str) -> bool:
        """Return whether something that was corrected in a thought, and stands in it, does not stand in a text."""
        return any(says in thought.content and says not in text for _, says in self.pairs.get(thought.id, ()))

    def is_said_still(self, thought_id: str, text: str) -> bool:
        """Return whether a text says what a statement of a thought said before it was corrected by itself."""
        return any(said in text for said in self.statements.get(thought_id, ()))


async def _corrected_statements(graph: GraphStore, thought_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(thought_ids), _ROWS_A_PAGE):
        for row in await graph.derived_from(thought_ids[start : start + _ROWS_A_PAGE]):
            if isinstance(row, Observation) and is_correction(row):
                found |= {span.thought_id: (*found.get(span.thought_id, ()), row.text) for span in row.provenance}
    return found
