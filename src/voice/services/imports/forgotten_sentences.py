"""Keep sentences that were forgotten out of what a file still says.

Law: what was forgotten stays forgotten, whatever its file says (rulings H, I9): a note comes in without such a
sentence, every other character of it stays, and that is counted by its place. A note that says nothing else does not
come in.

Source: rulings H, I4, I9; docs/forgetting.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from voice.core.graph.thoughts.sentence_edits import runs_of_sentences, without_spans
from voice.core.interchange.memory_lines import Omission
from voice.core.records import Thought, Tombstone
from voice.core.text.normalise import clean_text, content_hash, keyed_hash
from voice.services.memory.forgotten_rows import Forgotten, is_sealed_sentence

SENTENCES: Final = "sentences that you forgot before"
_LONGEST: Final = 3
"""Sentences that were forgotten in one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainingSentences:
    """What thoughts say without what was forgotten."""

    thoughts: tuple[Thought, ...]
    cut: frozenset[str] = frozenset()
    """The ids of those that lost a sentence; where links stand in them is not known any more."""
    left_out: tuple[Omission, ...] = ()
    """The sentences, counted by the place of their note."""

    def whole(self, among: Mapping[str, Thought]) -> dict[str, Thought]:
        """Return those of them that lost none, by the ids that they had here."""
        return {row_id: thought for row_id, thought in among.items() if row_id not in self.cut}


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenSentences:
    """Those of one memory."""

    hashes: frozenset[str]
    key: bytes = field(repr=False)

    @classmethod
    async def known_to(cls, forgotten: Forgotten) -> "ForgottenSentences":
        """Return the sentences that were forgotten by themselves.

        Raises:
            StoreError: they cannot be read.
        """
        stones: Iterable[Tombstone] = await forgotten.tombstones.tombstones()
        sealed = frozenset(stone.keyed_hash for stone in stones if is_sealed_sentence(stone))
        return cls(hashes=sealed, key=forgotten.key)

    def out_of(self, thoughts: Sequence[Thought]) -> RemainingSentences:
        """Return what thoughts say without them."""
        if not self.hashes:
            return RemainingSentences(thoughts=tuple(thoughts))
        kept: list[Thought] = []
        cut: set[str] = set()
        left_out: list[Omission] = []
        for thought in thoughts:
            spans = [span for span in runs_of_sentences(thought.content, _LONGEST) if self._holds(thought, *span)]
            text = without_spans(thought.content, spans).strip() if spans else thought.content
            kept += [replace(thought, content=text)] if text else []
            if spans:
                cut.add(thought.id)
                place = thought.source_ref or thought.id
                left_out.append(Omission(where=place, reason=SENTENCES, count=len(spans)))
        return RemainingSentences(thoughts=tuple(kept), cut=frozenset(cut), left_out=tuple(left_out))

    def _holds(self, thought: Thought, start: int, end: int) -> bool:
        return keyed_hash(self.key, content_hash(clean_text(thought.content[start:end]))) in self.hashes
