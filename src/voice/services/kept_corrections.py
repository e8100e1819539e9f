"""What somebody corrected in notes whose files are edited.

Law: what stands in the history of a note as its owner's correction is put into what its file says now, sentence by
sentence (`voice.core.graph.kept_corrections`). Reads, and writes nothing.

Source: rulings F, I4.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from voice.core.graph.kept_corrections import Pair, corrected_sentences, is_correction, with_corrections
from voice.core.records import Thought
from voice.ports.history import HistoryStore

_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCorrections:
    """Those of the notes of one memory."""

    pairs: dict[str, tuple[Pair, ...]]
    """What was corrected in each, by the thought that it is now, the oldest first."""

    @classmethod
    async def of(cls, history: HistoryStore, thoughts: Iterable[Thought]) -> "KeptCorrections":
        """Return what a person corrected in thoughts, and in what they were before.

        Raises:
            StoreError: the history cannot be read.
        """
        rows = {thought.id: thought for thought in thoughts}
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
        return cls(pairs=pairs)

    def within(self, thought_id: str, text: str) -> str:
        """Return what a file says, with what was corrected in the thought that its note is."""
        return with_corrections(text, self.pairs.get(thought_id, ()))

    def is_lost(self, thought: Thought, text: str) -> bool:
        """Return whether something that was corrected in a thought, and stands in it, does not stand in a text."""
        return any(says in thought.content and says not in text for _, says in self.pairs.get(thought.id, ()))
