"""Notes that were edited since an earlier import.

Law: a note at a known place with other words is the old one corrected (ruling F), not another one beside it. It is
taken for that only where nothing is guessed: one note in the file and one in the memory are of that place, they have
half of their words in common, and the file does not name its thoughts itself. What was brought in before is known: a
note that was corrected here stays corrected, however often its old file comes again, and sentence by sentence where the
file says something new besides.

Source: rulings F, H; docs/formats.md.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from voice.core.graph.following import is_edit_of
from voice.core.graph.kept_corrections import EDITED
from voice.core.interchange.lines import ParsedLine, ThoughtLine
from voice.core.records import RowStatus, Thought
from voice.ports.history import HistoryStore
from voice.services.correcting import Corrected, Correcting, CorrectRequest
from voice.services.kept_corrections import KeptCorrections

STOOD: Final = "sentences that you corrected in voice"
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """The edited notes of an import, and the thoughts left to store."""

    rest: tuple[Thought, ...]
    corrected: tuple[Corrected, ...] = ()
    stood: tuple[Thought, ...] = ()
    """Notes, as their files say them, in which something stands otherwise that a person corrected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """The correction of edited notes during an import."""

    history: HistoryStore
    correcting: Correcting

    async def __call__(
        self, thoughts: Sequence[Thought], *, named: Collection[str] = (), places: Collection[str] = ()
    ) -> Edits:
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
        return Edits(
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
