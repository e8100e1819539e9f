"""Export conversations out of a store, and import them.

Law: what comes in never takes the place of what is there: ids that are taken are changed, links between turns follow
them, and a turn that is there already is not stored again, so the same file twice adds nothing and a file that goes
further than what is there adds the rest. What was judged elsewhere is kept as imported and its chain made anew here;
only what this very store sealed counts as its own.

Source: docs/sessions.md; rulings D21, H.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from voice.core.errors import DataFileError, StoreDamaged, StoreError
from voice.core.session.audit import ExchangeAudit
from voice.core.session.document import (
    Document,
    ImportedConversation,
    adopt_exchange,
    build_document,
    is_fuller,
    is_same_turn,
    replacement_id,
    with_links,
)
from voice.core.session.lifecycle import PRIVATE_TOPIC, append
from voice.core.session.turn_traces import ChainCheck, canonical_json, values_of, with_link
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.display import counted
from voice.ports.files import SessionFiles
from voice.ports.stores import MemoryStore, SessionStore
from voice.ports.system import Clock
from voice.services.sessions.lookup import (
    EVERY,
    all_exchanges,
    exchange_pages,
    hide_private_topic,
    load_session,
    was_deleted,
)

_BATCH: Final = 100  # turns in one transaction: a statement to the embedded engine is bounded (ruling H)
_BATCH_CHARS: Final = 16 * 2**20  # what they may say together, unless one of them alone says more
_AHEAD: Final = timedelta(days=1)  # how far another machine's clock may be ahead


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """A conversation that is ready to leave."""

    session: InnerVoiceSession
    """As it is told to who named it so."""
    exchanges: tuple[DialogueExchange, ...] = field(repr=False)
    document: Document = field(repr=False)
    private_turns: int
    """How many there are; their texts are in the document only where that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of importing a conversation."""

    session_id: str
    topic: str
    added: int
    known: int
    fuller: int
    """Private turns among them that are here without what was said, which the file tells."""
    further: int
    new_ids: int
    """Ids that were taken here: of turns, and of the session."""
    undisclosed: int
    missing_sources: int
    """Rows that its answers cite and that are not in this memory."""
    missing_turns: int
    """Turns that its prompts showed and that are not in the file."""
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcripts:
    """Exports and imports the conversations of one store."""

    sessions: SessionStore
    store: MemoryStore
    files: SessionFiles
    clock: Clock
    key: bytes = field(repr=False)
    audited: Callable[[Sequence[DialogueExchange]], Awaitable[Sequence[ExchangeAudit]]]
    timezone: str = "UTC"

    async def export(self, name: str, *, include_private: bool = False) -> Departure:
        """Return the session that a name means as it may leave, under `include_private` with the texts of private turns
        and the topic of a session that began with one. A transcript tells that topic to who named the session by it,
        too; a document, which goes elsewhere, does not. Raises UnknownId, InvalidParams: no session is meant, or
        several are; StoreDamaged: a turn is not what was kept."""
        session = await load_session(self.sessions, name, window=0, timezone=self.timezone)
        exchanges = await all_exchanges(self.sessions, session.id)
        check = ChainCheck(self.key)
        for each in exchanges:
            check.add(each)
        if check.broken:
            turn = check.broken[0] + 1
            raise StoreDamaged(f"turn {turn} of {session.id} is not what was stored; run `voice maintain verify`")
        leaving = session if include_private else await hide_private_topic(self.sessions, session)
        told = session if include_private else await hide_private_topic(self.sessions, session, said=(name,))
        document = build_document(leaving, exchanges, key=self.key, include_private=include_private)
        return Departure(
            session=told,
            exchanges=tuple(exchanges),
            document=document,
            private_turns=sum(each.is_withheld for each in exchanges),
        )

    async def bring_in(self, path: str, *, dry_run: bool = False) -> Imported:
        """Read a file (`-`: standard input) and store what is not here yet. Raises DataFileError: it cannot be read, is
        no such file, was changed after it was written, speaks of a day that is yet to come, or shows words as proven
        that its source does not say; SessionConflict: somebody else wrote to the session meanwhile; StoreError: the
        message says how much was stored."""
        arrival = await self.files.read(path)
        if not arrival.is_sealed_by(self.key):  # what this store sealed, it has checked
            self._require_past(arrival, path)
            await self._require_true_quotations(arrival, path)
        session_id, stored = await self._target(arrival)
        held = stored[: len(arrival.exchanges)]
        known = len(held)
        ids = {
            each.id: await self._free_turn_id(each.id, arrival)
            for each in arrival.exchanges[known:]
            if await self.sessions.exchanges(exchange_id=each.id)
        }
        ids |= {old.id: new.id for old, new in zip(arrival.exchanges, held, strict=False) if old.id != new.id}
        if not dry_run and (known < len(arrival.exchanges) or not arrival.exchanges):  # an empty one is stored, too
            await self._store(arrival, session_id, known, ids)
        return await self._result(arrival, session_id, stored, ids)

    def _require_past(self, arrival: ImportedConversation, path: str) -> None:
        """Refuse a conversation of the future, but one that this store wrote when its own clock ran ahead."""
        latest = self.clock.now() + _AHEAD
        session = arrival.session
        instants = [("session.last_interaction", session.last_interaction), ("session.created_at", session.created_at)]
        instants += [(f"exchanges[{each.index}].values.timestamp", each.timestamp) for each in arrival.exchanges]
        for place, moment in instants:
            if moment > latest:
                raise DataFileError(f"{path} cannot be imported: {place}: it is in the future; check the clocks")

    async def _require_true_quotations(self, arrival: ImportedConversation, path: str) -> None:
        """Refuse a conversation that shows words as proven which its answer, or a row that is here, does not say."""
        for turn, audit in zip(arrival.exchanges, await self.audited(arrival.exchanges), strict=True):
            is_other = any(each.text and turn.answer[each.start : each.end] != each.text for each in turn.sentences)
            if (turn.answer and is_other) or any(each.status == "no_longer_supported" for each in audit.sentences):
                raise DataFileError(
                    f"{path} cannot be imported: turn {turn.index + 1} shows words as proven that its source does not "
                    "say; export it again where it was written"
                )

    async def _target(self, arrival: ImportedConversation) -> tuple[str, list[DialogueExchange]]:
        """Return the id of the session it belongs to here, and the turns that this has already."""
        own = await self._free_session_id(arrival.session.id, arrival)
        # The id may be taken by another conversation.
        for session_id in (own, await self._free_session_id(replacement_id(own, arrival), arrival)):
            if await self.sessions.load(session_id, window=0) is None:
                return session_id, []
            stored = list(with_links(await all_exchanges(self.sessions, session_id), self.key))
            pairs = list(zip(stored, arrival.exchanges, strict=False))
            # The turns that both have agree; either may go further than the other.
            is_same = bool(pairs) or not (stored or arrival.exchanges)  # two without turns are one
            if is_same and all(is_same_turn(mine, theirs) for mine, theirs in pairs):
                return session_id, stored
        raise DataFileError(f"{own} was imported before and has changed here since; nothing was overwritten")

    async def _free_session_id(self, session_id: str, arrival: ImportedConversation) -> str:
        """Return the id, or the first that stands for it of which no figures of a deleted session are left."""
        while await was_deleted(self.sessions, session_id):
            session_id = replacement_id(session_id, arrival)
        return session_id

    async def _free_turn_id(self, exchange_id: str, arrival: ImportedConversation) -> str:
        """Return the id that stands for a taken one, and is not that of a turn whose session was deleted."""
        other = replacement_id(exchange_id, arrival)
        while any(each.deleted for each in await self.sessions.exchanges(exchange_id=other)):
            other = replacement_id(other, arrival)
        return other

    async def _store(self, arrival: ImportedConversation, session_id: str, known: int, ids: dict[str, str]) -> None:
        is_own = arrival.is_sealed_by(self.key)
        here = await self.sessions.load(session_id, window=0)
        first = arrival.exchanges[0] if arrival.exchanges else None
        session = replace(arrival.session, id=session_id)
        grown = here or (session if first is None else replace(session, provider=first.provider, model=first.model))
        arriving = [
            adopt_exchange(each, session_id=session_id, ids=ids, is_own=is_own) for each in arrival.exchanges[known:]
        ]
        done = 0
        for part in _batches(arriving):
            expected = grown.revision
            batch: list[DialogueExchange] = []
            for each in part:
                batch.append(with_link(each, after=grown.last_link, key=self.key))
                grown = append(grown, batch[-1])
            last = arrival.session.last_interaction if here is None else grown.last_interaction
            grown = replace(grown, context_window=(), revision=expected + 1, last_interaction=last)
            try:
                grown = await self.sessions.save(grown, batch, expected=expected)
            except StoreError as error:
                if done:  # what is stored stays, and the next run goes on from there
                    stored = f"{counted(done, 'turn')} before that {'is' if done == 1 else 'are'} stored"
                    raise type(error)(f"{error.message}; {stored}: run the import again to finish it") from error
                raise
            done += len(batch)

    async def _result(
        self, arrival: ImportedConversation, session_id: str, stored: Sequence[DialogueExchange], ids: dict[str, str]
    ) -> Imported:
        known = min(len(stored), len(arrival.exchanges))
        cited = {row_id for each in arrival.exchanges for row_id in each.memories_referenced}
        found = await self.store.fetch(sorted(cited))
        turns = {each.id for each in arrival.exchanges}
        begins_withheld = any(each.is_withheld for each in arrival.exchanges if each.index == 0)
        shown = {each for turn in arrival.exchanges if turn.prompt for each in turn.prompt.window_exchange_ids}
        return Imported(
            session_id=session_id,
            topic=PRIVATE_TOPIC if begins_withheld else arrival.session.thread_topic,
            added=len(arrival.exchanges) - known,
            known=known,
            fuller=sum(is_fuller(theirs, mine) for theirs, mine in zip(arrival.exchanges, stored, strict=False)),
            further=len(stored) - known,
            new_ids=len(ids) + (session_id != arrival.session.id),
            undisclosed=sum(bool(each.redacted) for each in arrival.exchanges),
            missing_sources=len(cited - found.keys()),
            missing_turns=len(shown - turns),
            is_own=arrival.is_sealed_by(self.key),
        )

    async def faults(self, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Return a sentence for every turn of the store that is not what was kept, or not in its place."""
        found: list[str] = []
        listed = await self.sessions.sessions(limit=EVERY)
        done, total = 0, sum(item.total_exchanges for item in listed)
        for item in listed:
            check = ChainCheck(self.key)
            async for page in exchange_pages(self.sessions, item.id):
                for each in page:
                    check.add(each)
                done += len(page)
                if progress is not None:
                    progress(done, max(total, done))
            found += [
                f"{item.id}: its turn {index + 1} is not what was stored, or not in its place" for index in check.broken
            ]
            session = await self.sessions.load(item.id, window=0)
            if session is not None and session.last_link != check.last:  # a chain cut at its end looks whole
                found.append(f"{item.id}: its newest turn is not the last one that was stored")
        return found


def _batches(turns: Sequence[DialogueExchange]) -> Iterator[Sequence[DialogueExchange]]:
    """Yield the turns in what one transaction takes; a conversation without turns is stored in one, too."""
    first, chars = 0, 0
    for place, turn in enumerate(turns):
        own = len(canonical_json(values_of(turn)))
        if place > first and (place - first == _BATCH or chars + own > _BATCH_CHARS):  # never an empty batch
            yield turns[first:place]
            first, chars = place, 0
        chars += own
    yield turns[first:]  # also where there are no turns
