"""What somebody corrected in notes whose files are edited.

Law: what stands in the history of a note as its owner's correction is put into what its file says now, sentence by
sentence (`voice.core.graph.kept_corrections`). Reads, and writes nothing.

Source: rulings F, I4.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voice.core.graph.kept_corrections import Pair, corrected_sentences, is_correction, with_corrections
from voice.core.records import Observation, Thought
from voice.ports.history import HistoryStore
from voice.ports.stores import GraphStore

_PAGE = 500


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
            page, asked = asked[:_PAGE], asked[_PAGE:]
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
    for start in range(0, len(thought_ids), _PAGE):
        for row in await graph.derived_from(thought_ids[start : start + _PAGE]):
            if isinstance(row, Observation) and is_correction(row):
                found |= {span.thought_id: (*found.get(span.thought_id, ()), row.text) for span in row.provenance}
    return found
