"""Correct or forget one sentence of a note, found by its words.

Law: the note's own text is corrected, so that the statements made of it, pins and what waits follow as after any
correction, and the rest of the note stays (ruling I9). A statement that rests on no note is changed by itself. What is
forgotten goes with every earlier text of its note; what else was corrected in it is kept as its past. Whoever is
interrupted asks for the same again: the words are found in the note's past and go. Nothing is done to a row that has
changed since it was shown.

Source: rulings F, G, I9.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final, TypeGuard

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.corrections import Correction, superseded
from voice.core.graph.removal.forget_cascade import ForgetRequest, thoughts_of
from voice.core.graph.thoughts.sentence_edits import SentenceMatch, TextRow, sentence_at, sentence_matches, text_of
from voice.core.records import EmbeddingStatus, Observation, Row, RowStatus, Thought
from voice.core.session.forgetting import rests_on
from voice.ports.row_queries import HistoryStore
from voice.ports.stores import MemoryStore
from voice.services.graph.correct import Corrected, Correcting, CorrectRequest, KeptCorrections
from voice.services.removal.forget import Forget, ForgetReach
from voice.services.retrieval.row_lookups import every_row

_CHANGED: Final = "the note has changed since you saw it, so nothing was done; check it and try again"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceEdited:
    """The result of forgetting a sentence."""

    reached: ForgetReach
    note_id: str | None
    """What says the rest; None where nothing else was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceEdits:
    """Changes single sentences of one memory."""

    store: MemoryStore
    correcting: Correcting
    history: HistoryStore
    forget: Forget

    async def find(self, words: str, within: Collection[str] = (), *, past: bool = False) -> tuple[SentenceMatch, ...]:
        """Return the sentences that hold these whole words, in this order, the oldest row first; only in the rows
        `within` and their notes, if any. `past`: also in superseded rows, where no live one holds them; of a note's
        past the last text that does. Raises InvalidParams: there is nothing to look for; UnknownId: one of the rows is
        not there."""
        if not any(char.isalnum() for char in words):  # "…" is in many sentences
            raise InvalidParams("give the words to look for")
        rows = await self.store.fetch(sorted(within)) if within else {}
        missing = next((each for each in within if each not in rows), None)
        if missing is not None:
            raise UnknownId(f"there is no {missing!r}; `voice retrieve` shows ids")
        inside = frozenset(rows).union(each for row in rows.values() for each in thoughts_of(row))
        found = [
            each
            async for row in every_row(self.store)
            if _is_editable(row) and (not within or row.id in inside)
            for each in sentence_matches(row, words)
        ]
        live = [each for each in found if each.row.status is RowStatus.ACTIVE]
        gone = [each for each in found if past and each.row.status is RowStatus.SUPERSEDED]
        later = {each.row.id for each in gone}
        last = [each for each in gone if each.row.superseded_by not in later]  # the last text that says it
        return tuple(sorted(live or last, key=lambda each: (each.row.recorded_at, each.row.id)))

    async def at(self, row_id: str, start: int, end: int) -> SentenceMatch:
        """Return the sentence that holds a stretch of what a row says, as it stands in the row's note. Raises
        UnknownId: there is no such row; InvalidParams: it is no thought and no observation, or says nothing there."""
        row = (await self.store.fetch([row_id])).get(row_id)
        if row is None:
            raise UnknownId(f"there is no {row_id!r}; `voice retrieve` shows ids")
        if not isinstance(row, Thought | Observation):
            raise InvalidParams(f"{row_id} has no sentences; correct it as a whole")
        match = await self.in_note(row, start, end) or sentence_at(row, start, end)  # of both, the note is changed
        if match is None:
            raise InvalidParams(f"{row_id} has no text there")
        return match

    async def in_note(self, row: TextRow, start: int, end: int) -> SentenceMatch | None:
        """Return the same sentence of the note that a statement stands in, word for word; None where there is none."""
        first = row.provenance[0] if isinstance(row, Observation) and row.provenance else None
        if first is None:
            return None
        note = (await self.store.fetch([first.thought_id])).get(first.thought_id)
        if not isinstance(note, Thought) or note.status is not RowStatus.ACTIVE or note.is_synthesis:
            return None
        stands = note.content[first.start : first.end] == text_of(row)  # an edited note may say it elsewhere
        return sentence_at(note, first.start + start, first.start + end) if stands else None

    async def correct(
        self, match: SentenceMatch, words: str, *, reason: str | None = None, dry_run: bool = False
    ) -> Corrected:
        """Put `words` in the place of those that were found, and let follow what rests on the row. Raises
        InvalidParams: the row has changed meanwhile, or cannot be corrected like that."""
        await self._require_unchanged(match)
        request = CorrectRequest(row_id=match.row.id, text=match.put(words), reason=reason)
        return await self.correcting(request, dry_run=dry_run)

    async def ahead(self, match: SentenceMatch) -> ForgetReach:
        """Return what `take` would take away. Raises InvalidParams: the row has changed, or cannot be corrected. It is
        what goes with the sentence and the note's earlier texts, without what the rest of the note goes on saying; the
        turns are those that cite any statement of the note as it stands, for that text goes."""
        await self._require_unchanged(match)
        rest = match.without()
        moved: frozenset[str] = frozenset()
        if rest and match.row.status is RowStatus.ACTIVE:
            made = await self.correcting(CorrectRequest(row_id=match.row.id, text=rest), dry_run=True)
            moved = frozenset(made.moved)
        found = await self.forget.preview(_request(match), "forget")
        if not rest:
            return found
        lost = (row for row in found.rows.derived if not (isinstance(row, Observation) and row.text in rest))
        gone = {match.row.id, *(row.id for row in lost if row.id not in moved)}
        derived = tuple(
            row
            for row in found.rows.derived
            if row.id in gone and not (isinstance(row, Observation) and row.text in text_of(match.row))
        )
        rows = replace(found.rows, derived=derived)
        exchanges = tuple(each for each in found.exchanges if rests_on(each, gone))
        return replace(found, rows=rows, exchanges=exchanges)

    async def take(self, match: SentenceMatch, *, with_files: bool = False) -> SentenceEdited:
        """Forget the sentence: the note goes on without it, and what it said before goes for good; `with_files` with
        the files in the data directory that name it. Raises InvalidParams: the row has changed meanwhile, or cannot be
        corrected; StoreError, SessionConflict: not all of it is gone; ask for the same again."""
        await self._require_unchanged(match)
        rest = match.without()
        note_id = match.row.superseded_by  # corrected already, by a run that was cut short
        if rest and match.row.status is RowStatus.ACTIVE:
            note_id = (await self.correcting(CorrectRequest(row_id=match.row.id, text=rest))).row_id
        if rest:
            await self._keep_past(note_id, match.sentence)
            await self.forget.seal(match.row.id, match.sentence)  # before it goes: no import brings it back in between
        reached = await self.forget(_request(match), "forget", with_files=with_files)
        return SentenceEdited(reached=reached, note_id=note_id if rest else None)

    async def _keep_past(self, note_id: str | None, sentence: str) -> None:
        """Keep what else was corrected of a note as its past, for its file may say it still."""
        note = (await self.store.fetch([note_id or ""])).get(note_id or "")  # "" is no id
        if not isinstance(note, Thought):
            return
        ingest = self.correcting.ingest
        text = (await KeptCorrections.of(self.history, self.correcting.graph, [note])).taken_back(note, sentence)
        held = [each.content for each in await self.history.replaced_by([note.id]) if isinstance(each, Thought)]
        if text not in (note.content, *held):  # kept before
            was = superseded(note, by=note.id, correction=Correction(at=ingest.clock.now()))
            past = replace(was, id=ingest.ids.new_id("t"), content=text, embedding_status=EmbeddingStatus.PENDING)
            await ingest.save([past], names=await ingest.names.known())

    async def _require_unchanged(self, match: SentenceMatch) -> None:
        now = (await self.store.fetch([match.row.id])).get(match.row.id)
        same = isinstance(now, Thought | Observation) and text_of(now) == text_of(match.row)
        if now is None or not same or now.status is not match.row.status:
            raise InvalidParams(_CHANGED)


def _request(match: SentenceMatch) -> ForgetRequest:
    return ForgetRequest(ids=frozenset({match.row.id}), sentence=match.sentence if match.without() else None)


def _is_editable(row: Row) -> TypeGuard[TextRow]:
    """Return whether a row is a note of the person's, or a statement that rests on none, and may be changed."""
    if isinstance(row, Thought):
        return not row.is_synthesis and row.status in (RowStatus.ACTIVE, RowStatus.SUPERSEDED)
    is_alone = isinstance(row, Observation) and not row.provenance
    return is_alone and row.status in (RowStatus.ACTIVE, RowStatus.SUPERSEDED)
