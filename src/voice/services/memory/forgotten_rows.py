"""Look up which rows and sentences were forgotten before, and keep those out of what comes in.

Law: a row is forgotten when a tombstone bears its id, or holds the keyed hash of what it says; the second is why it
does not come back under another id, by whichever door (ruling H). What was archived and taken away is not forgotten:
its tombstone holds another hash, so the same words may be said anew; only a file that brings it in again is stopped.
What is forgotten after it was taken away is known by that other hash alone, where its archive cannot be read.

A note comes in without a sentence that was forgotten, whatever its file says (rulings H, I9); every other character of
it stays, and that is counted by its place. A note that says nothing else does not come in.

Source: rulings H, I4, I9; docs/forgetting.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.row_display import stored_text_of
from voice.core.graph.thoughts.sentence_edits import runs_of_sentences, without_spans
from voice.core.interchange.build import id_again
from voice.core.interchange.memory_lines import Omission
from voice.core.records import PREFIX_OF_TABLE, Row, Table, Thought, Tombstone, table_of
from voice.core.text.normalise import clean_text, content_hash, hash_of_normal, keyed_hash, norm_v1
from voice.ports.stores import TombstoneStore

_GUARD: Final = "~redacted"  # no row's id ends so


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """Looks rows up among the tombstones of one store."""

    tombstones: TombstoneStore
    key: bytes = field(repr=False)

    async def among(self, rows: Sequence[Row]) -> frozenset[str]:
        """Return the ids of those rows that were forgotten before, under these ids or others."""
        return await self.in_words(rows) | await self.tombstones.buried([row.id for row in rows])

    async def in_words(self, rows: Sequence[Row]) -> frozenset[str]:
        """Return the ids of those rows of which what they say was forgotten before, under whatever id."""
        hashes = {row.id: forgotten_hashes(self.key, row) for row in rows}
        held = await self.tombstones.tombstoned([keyed for each in hashes.values() for keyed in each])
        return frozenset(row_id for row_id, each in hashes.items() if not each.isdisjoint(held))

    async def taken_away(self, thoughts: Sequence[Thought]) -> frozenset[str]:
        """Return the ids of those that were archived and taken away, under these ids or as the same file's words."""
        hashes = {thought.id: _taken_hashes(self.key, thought) for thought in thoughts}
        held = await self.tombstones.tombstoned([keyed for both in hashes.values() for keyed in both])
        away = [thought for thought in thoughts if not hashes[thought.id].isdisjoint(held)]
        buried = await self.tombstones.buried([thought.id for thought in away])
        # Typed anew, the same words may come in; only the file that brought them may not.
        return frozenset(thought.id for thought in away if thought.source_ref is not None or thought.id in buried)

    async def under_free_ids(self, thoughts: Sequence[Thought]) -> dict[str, Thought]:
        """Return thoughts by their files' ids; of a note forgotten as it left, by the next one, as it is back (I4)."""
        found = {thought.id: thought for thought in thoughts}
        unsure: dict[str, Thought] = dict(found)
        while unsure:  # the next id may have been forgotten as well
            row_ids: dict[str, str] = {left_hash(self.key, thought.id): row_id for row_id, thought in unsure.items()}
            buried: list[str] = [row_ids[each] for each in await self.tombstones.tombstoned(list(row_ids))]
            unsure = {row_id: replace(found[row_id], id=id_again(found[row_id].id)) for row_id in buried}
            found |= unsure
        return found

    async def absent(self, row_id: str, otherwise: str) -> UnknownId:
        """Return the error for an id that no row bears: what became of the row, or `otherwise`."""
        for stone in await self.tombstones.tombstones():
            if stone.row_id == row_id:
                return UnknownId(f"{row_id} is gone: it was {stone.reason} on {stone.at.date()}")
        return UnknownId(otherwise)

    async def no_thought(self, row_id: str) -> UnknownId:
        """Return the error for an id that no thought bears; see `absent`."""
        return await self.absent(
            row_id, f"there is no thought {row_id}; `voice retrieve` shows the ids of thoughts (t:…)"
        )

    async def require_new(self, row: Row) -> None:
        """Check that a row may come in. Raises InvalidParams: it was forgotten before (ruling H)."""
        if await self.among([row]):
            raise InvalidParams(
                "you forgot this before, so it stays forgotten; to keep it after all, say it in other words"
            )


def guard_id(row_id: str) -> str:
    """Return the id of the tombstone that stops what a row lost from being stored again; no row has it."""
    return f"{PREFIX_OF_TABLE[table_of(row_id)]}:{row_id.partition(':')[2]}{_GUARD}"


def holds_sentence(stone: Tombstone) -> bool:
    """Return whether a tombstone stops a sentence that was forgotten or redacted, by itself or with its note."""
    return stone.row_id.endswith(_GUARD) and stone.reason != "finalised"  # archived notes may be typed in anew


def forgotten_hashes(key: bytes, row: Row) -> frozenset[str]:
    """Return the hashes of which one in a tombstone says that what `row` says was forgotten; none of a bare row."""
    said = _hash_of_words(row)
    if said is None:
        return frozenset()
    taken = (sealed_hash(key, _taken(key, said, is_private=each)) for each in (False, True))
    return frozenset((keyed_hash(key, said), *taken))


def tombstone_hash(key: bytes, row: Row) -> str | None:
    """Return what a tombstone of `row` holds of it; None when it says nothing, as a redacted row does."""
    said = _hash_of_words(row)
    return None if said is None else keyed_hash(key, said)


def taken_hash(key: bytes, row: Row) -> str | None:
    """Return the hash of a row taken to an archive, other for a private one, against older archives; None: no words."""
    said = _hash_of_words(row)
    return None if said is None else _taken(key, said, is_private=row.is_private)


def sealed_hash(key: bytes, taken: str) -> str:
    """Return what is held of a row that was forgotten after it was taken away, from what was held of it till then."""
    return keyed_hash(key, f"sealed {taken}")


def sentence_hash(key: bytes, words: str) -> str:
    """Return what a tombstone holds of words that were forgotten by themselves."""
    return keyed_hash(key, content_hash(clean_text(words)))


def left_hash(key: bytes, row_id: str) -> str:
    """Return the hash of a row forgotten as its note left: of none of its words, which a file may say again."""
    return keyed_hash(key, f"left {row_id}")


def _taken_hashes(key: bytes, row: Row) -> frozenset[str]:
    """Return what a row's tombstone may hold once it was taken away, private or not; nothing where it says nothing."""
    said = _hash_of_words(row)
    return frozenset(() if said is None else (_taken(key, said, is_private=each) for each in (False, True)))


def _taken(key: bytes, said: str, *, is_private: bool) -> str:
    what = "finalised private" if is_private else "finalised"
    return keyed_hash(key, f"{what} {said}")


def _hash_of_words(row: Row) -> str | None:
    """Return the content hash of what a row says; None when that is nothing."""
    normal = norm_v1(clean_text(stored_text_of(row)))
    return hash_of_normal(normal) if normal else None


SENTENCES: Final = "sentences that you forgot before"
_LONGEST: Final = 3  # sentences that were forgotten as one


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainingSentences:
    """Thoughts without their forgotten sentences."""

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
    """The forgotten sentences of one memory."""

    hashes: frozenset[str]
    key: bytes = field(repr=False)
    notes: frozenset[str] = frozenset()
    """The hashes of whole notes: one that was forgotten as it is stays whole, and is told of as such…"""
    alone: frozenset[str] = frozenset()
    """…unless one of these sentences was forgotten by itself."""

    @classmethod
    async def known_to(cls, forgotten: Forgotten) -> "ForgottenSentences":
        """Return the sentences that were forgotten or redacted, by themselves or with the notes that said them."""
        stones = await forgotten.tombstones.tombstones()
        sealed = [stone for stone in stones if holds_sentence(stone)]
        of_notes = [stone for stone in stones if stone.row_id.startswith(PREFIX_OF_TABLE[Table.THOUGHTS])]
        return cls(
            hashes=frozenset(stone.keyed_hash for stone in sealed),
            key=forgotten.key,
            notes=frozenset(stone.keyed_hash for stone in of_notes if not holds_sentence(stone)),
            alone=frozenset(stone.keyed_hash for stone in of_notes if holds_sentence(stone)),
        )

    def out_of(self, thoughts: Sequence[Thought]) -> RemainingSentences:
        """Return what thoughts say without them."""
        if not self.hashes:  # no hashing where nothing was forgotten
            return RemainingSentences(thoughts=tuple(thoughts))
        kept: list[Thought] = []
        cut: set[str] = set()
        left_out: list[Omission] = []
        for thought in thoughts:
            runs = runs_of_sentences(thought.content, _LONGEST)
            hashed = {span: sentence_hash(self.key, thought.content[slice(*span)]) for span in runs}
            spans = [span for span, held in hashed.items() if held in self.hashes]
            # Forgotten as a whole and never in part: it stays whole, and `Ingest` tells it as forgotten.
            if self.alone.isdisjoint(hashed.values()) and not self.notes.isdisjoint(
                forgotten_hashes(self.key, thought)
            ):
                spans = []
            text = without_spans(thought.content, spans).strip() if spans else thought.content
            kept += [replace(thought, content=text)] if text else []  # nothing else in it: it does not come in
            if spans:
                cut.add(thought.id)
                place = thought.source_ref or thought.id
                left_out.append(Omission(where=place, reason=SENTENCES, count=len(spans)))
        return RemainingSentences(thoughts=tuple(kept), cut=frozenset(cut), left_out=tuple(left_out))
