"""The stored thoughts of a folder's notes.

Law: a note is the thoughts that it was known by, as they are now: corrections are followed. Where such a thought is no
more, because a sentence of it was forgotten with all of its past, what was found at the note's place is the note.

Source: rulings I4, I9.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from voice.core.interchange.folders import Followed
from voice.core.records import RowStatus, Thought
from voice.ports.history import HistoryStore
from voice.ports.stores import MemoryStore

_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldNotes:
    """The reader of stored notes."""

    store: MemoryStore
    history: HistoryStore

    async def known_again(self, known: Followed, others: Mapping[str, Followed]) -> tuple[Followed, frozenset[str]]:
        """Return what the memory knows of a folder, and the places whose notes now have other thoughts.

        Args:
            known: what was known of it.
            others: what is known of other folders, by root.

        Raises:
            StoreError: the rows cannot be read.
        """
        heads = await self.heads([row_id for noted in known.notes.values() for row_id in noted.ids])
        lost = [place for place, noted in known.notes.items() if not heads.keys() >= set(noted.ids)]
        found = await self.at(lost, others)
        notes = dict(known.notes)
        for place, rows in found.items():
            left = [row_id for row_id in notes[place].ids if row_id in heads]
            there = {heads[row_id].id for row_id in left}
            notes[place] = replace(notes[place], ids=(*left, *(row.id for row in rows if row.id not in there)))
        again = frozenset(place for place in found if notes[place].ids != known.notes[place].ids)
        return replace(known, notes=notes), again

    async def at(self, places: Iterable[str], others: Mapping[str, Followed]) -> dict[str, tuple[Thought, ...]]:
        """Return the thoughts that are found at places, but for those of other folders."""
        wanted = list(places)
        theirs = [
            row_id
            for each in others.values()
            for place in wanted
            if place in each.notes
            for row_id in each.notes[place].ids
        ]
        claimed = {row.id for row in (await self.heads(theirs)).values()}
        found: dict[str, tuple[Thought, ...]] = {}
        for start in range(0, len(wanted), _PAGE):
            for row in await self.history.found_at(wanted[start : start + _PAGE]):
                if row.id not in claimed and row.source_ref and not row.is_synthesis:
                    found[row.source_ref] = (*found.get(row.source_ref, ()), row)
        return found

    async def heads(self, ids: Sequence[str]) -> dict[str, Thought]:
        """Return what each thought is now, corrections followed, by the id asked for; what is no more is absent."""
        at = {row_id: row_id for row_id in ids}
        heads: dict[str, Thought] = {}
        while at:
            rows: dict[str, object] = {}
            asked = list(dict.fromkeys(at.values()))
            for start in range(0, len(asked), _PAGE):
                rows |= await self.store.fetch(asked[start : start + _PAGE])
            ahead: dict[str, str] = {}
            for row_id, now in at.items():
                row = rows.get(now)
                if not isinstance(row, Thought) or row.status is RowStatus.REDACTED:
                    continue
                if row.status is RowStatus.SUPERSEDED:
                    ahead |= {row_id: row.superseded_by} if row.superseded_by else {}
                else:
                    heads[row_id] = row
            at = ahead
        return heads
