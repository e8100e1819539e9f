"""Forget and redact rows, in every derived copy.

Law: what is reached is decided by values (`voice.core.graph.removal.forget_cascade`, `voice.core.session.forgetting`,
`voice.core.recall.forgetting`) and can be looked at before anything is written. What quotes a row loses its words
before the row goes, a thought and what rests on it go in one transaction (ruling I8), and archives, which are searched
like the store, lose it last: whoever is interrupted anywhere asks for the same again, finds the rows that are left, and
goes on. What is there no more is no error, so that doing it twice is doing it once.

Source: rulings F, G ("forgetting is idempotent and reaches text, vector, index, derived rows and exports"), H;
docs/forgetting.md.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal

from voice.core.errors import InvalidParams, SessionConflict, UnknownId
from voice.core.graph.entity_names import fixed_vector
from voice.core.graph.removal.forget_cascade import Act, ForgetPlan, ForgetRequest, plan_forget, redacted, says
from voice.core.graph.thoughts.distillation import by_thought, packed
from voice.core.recall.disclosure import tells_private
from voice.core.recall.forgetting import capsule_without, pin_without
from voice.core.recall.values import Capsule, Pin
from voice.core.records import Observation, Row, RowStatus, Thought, Tombstone, table_of
from voice.core.session.forgetting import ForgottenContent, exchange_without, session_without
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.normalise import keyed_hash
from voice.ports.recall_stores import CapsuleStore, PinStore
from voice.ports.removal import ArchivedRowStore, DerivedStore, ExchangeRedaction, TraceFiles
from voice.ports.search_index import SearchIndex
from voice.ports.stores import MAX_BATCH, Encoding, MemoryStore, SessionStore, TombstoneStore, WriteBatch
from voice.ports.system import Clock
from voice.services.memory.forgotten_rows import guard_id, left_hash, sealed_hash, sentence_hash, tombstone_hash
from voice.services.memory.ingest import at_once
from voice.services.retrieval.row_lookups import change_pages
from voice.services.sessions.lookup import EVERY, exchange_pages, topics_to_hide

_PAGE: Final = 1000  # rows read or written at once
_MOST_TRIES: Final = 5  # each looks again at what was changed meanwhile
_REASONS: Final[Mapping[Act, Literal["forgotten", "redacted"]]] = {"forget": "forgotten", "redact": "redacted"}
Progress = Callable[[str, int, int], None]
"""Is told what is being looked at, how much of it has been, and of how much."""


def _no_progress(what: str, done: int, total: int) -> None:
    del what, done, total


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReach:
    """Everything that forgetting changes or deletes."""

    act: Act
    rows: ForgetPlan
    gone: ForgottenContent = field(repr=False)
    exchanges: tuple[DialogueExchange, ...] = field(default=(), repr=False)
    """Turns that lose words, bare of them."""
    sessions: tuple[InnerVoiceSession, ...] = field(default=(), repr=False)
    """Sessions whose topic or summary loses words, ready to be saved."""
    topics: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """What those are about from then on, by id, as it may be told: withheld topics are veiled (promise 6)."""
    pins_removed: tuple[str, ...] = ()
    pins_changed: tuple[Pin, ...] = field(default=(), repr=False)
    capsules: tuple[Capsule, ...] = field(default=(), repr=False)
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Ids by what they are of: see `DerivedStore`."""
    files: tuple[str, ...] = ()
    before: frozenset[str] = frozenset()
    """Of the ids that were named, those that went before."""
    private: frozenset[str] = frozenset()
    """Of the rows that go or say it still, those that are private or say again what a private thought says."""
    away: frozenset[str] = frozenset()
    """Of the rows that go, those that only an archive holds."""
    bare: frozenset[str] = frozenset()
    """Of the rows that go, those that lost their words before, but for an archive."""
    taken: tuple[Tombstone, ...] = ()
    """Of what went before, what was archived and could come back from an archive that is elsewhere."""
    unread: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to delete, files apart."""
        stored = (*self.rows.going, *self.rows.changed, *self.exchanges, *self.sessions, *self.capsules)
        beside = (*self.pins_removed, *self.pins_changed, *self.taken)
        return not (stored or beside or any(self.elsewhere.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Forgets and redacts in one memory."""

    store: MemoryStore
    tombstones: TombstoneStore
    sessions: SessionStore
    words: ExchangeRedaction
    pins: PinStore
    capsules: CapsuleStore
    index: SearchIndex
    files: TraceFiles
    clock: Clock
    encoding: Encoding
    key: bytes = field(repr=False)
    shelved: ArchivedRowStore
    elsewhere: tuple[DerivedStore, ...] = ()
    """Every other store of what was derived from rows, staged candidates among them (`voice.wiring.changing`)."""

    async def preview(self, wanted: ForgetRequest, act: Act, *, tell: Progress = _no_progress) -> ForgetReach:
        """Return what would be deleted, and write nothing. Raises UnknownId: an id is not there, and never was."""
        stored, shelved = await self._rows(tell), await self.shelved.shelved()
        # What has lost its words is known by those that an archive still has.
        bare = {row.id for row in shelved.rows if row.id in stored and stored[row.id].status is RowStatus.REDACTED}
        rows = stored | {row.id: row for row in shelved.rows if row.id in bare or row.id not in stored}
        before = await self._gone_before(wanted, act, rows)
        found = plan_forget(rows, wanted, act, before=before)
        found = replace(found, changed=tuple(row for row in found.changed if row.id in stored.keys() - bare))
        gone = ForgottenContent(
            ids=before.union(row.id for row in found.going if row.id not in found.said_on),
            giveaway=found.giveaway,
            keeps_hashes=act == "redact",
        )
        within = {row.thread for row in found.going if isinstance(row, Thought) and row.thread}
        exchanges, sessions = await self._conversations(gone, tell)
        pins = [(pin, pin_without(pin, gone)) for pin in await self.pins.pins()]
        told = (*found.going, *(each.row for each in found.still_said))
        capsules = [
            (each, capsule_without(each, gone, within=within)) for each in await self.capsules.capsules(limit=EVERY)
        ]
        stones = await self.tombstones.tombstones() if before else []  # else not needed
        return ForgetReach(
            act=act,
            rows=found,
            gone=gone,
            exchanges=exchanges,
            sessions=sessions,
            topics=await topics_to_hide(self.sessions, {each.id: each.thread_topic for each in sessions}),
            pins_removed=tuple(pin.id for pin, left in pins if left is None),
            pins_changed=tuple(left for pin, left in pins if left is not None and left != pin),
            capsules=tuple(left for capsule, left in capsules if left is not capsule),
            elsewhere={each.kind: tuple(await each.reached(gone)) for each in (*self.elsewhere, self.shelved)},
            files=tuple(each for each in await self.files.naming(gone.ids) if each not in shelved.paths),
            before=before,
            private=frozenset(row.id for row in told if tells_private(row, rows)),
            away=frozenset(row.id for row in found.going if row.id not in stored),
            bare=frozenset(bare),
            taken=tuple(stone for stone in stones if stone.row_id in before and stone.reason == "finalised"),
            unread=shelved.faults,
        )

    async def __call__(
        self,
        wanted: ForgetRequest,
        act: Act,
        *,
        shown: Collection[str] | None = None,
        with_files: bool = False,
        tell: Progress = _no_progress,
    ) -> ForgetReach:
        """Forget what is wanted, and return what was reached; a second time it is nothing. `shown`: the rows of which
        it was said that they go, None: nobody was asked. `with_files`: the files that name them go, too. Raises
        UnknownId: an id is not there, and never was; InvalidParams: other rows would go than were shown; nothing was
        done; SessionConflict, StoreError: not all of it is gone; ask for the same again."""
        for _ in range(_MOST_TRIES):
            found = await self.preview(wanted, act, tell=tell)
            if shown is not None and not {row.id for row in found.rows.going} <= set(shown):  # fewer: some went since
                raise InvalidParams("the memory has changed since you looked, so nothing was deleted; look again")
            try:
                await self._clear_copies(found)
            except SessionConflict:
                continue  # somebody wrote meanwhile: look again
            if with_files:
                await self.files.remove(found.files)  # while the rows still tell what to remove
            await self._delete_rows(found)
            await self.shelved.take_away(found.elsewhere[self.shelved.kind], found.gone)  # they tell what is left to do
            await self.index.refresh()  # no search finds it after this call
            return found
        raise SessionConflict("sessions kept changing in the meantime; run the command again")

    async def seal(self, row_id: str, words: str) -> None:
        """Keep a sentence from being stored again in these words (ruling H). Raises StoreError: not written."""
        held = sentence_hash(self.key, words)
        stone = Tombstone(row_id=guard_id(row_id), keyed_hash=held, reason="forgotten", at=self.clock.now())
        await self.store.write(WriteBatch(tombstones=(stone,)))

    async def _rows(self, tell: Progress) -> dict[str, Row]:
        rows: dict[str, Row] = {}
        last = (await self.store.head()).last_seq
        async for changes in change_pages(self.store, size=_PAGE):
            rows |= {change.row_id: change.row for change in changes if change.row is not None}
            tell("Reading rows", changes[-1].seq, last)
        return rows

    async def _gone_before(self, wanted: ForgetRequest, act: Act, rows: Mapping[str, Row]) -> frozenset[str]:
        """Return those of the named ids that went before."""
        if not wanted.ids:
            return frozenset()
        missing = sorted(wanted.ids - rows.keys())
        for row_id in missing:
            if row_id.startswith("c:"):
                raise InvalidParams(
                    f"{row_id} is a candidate; reject it with `voice kg reject {row_id}`. Its words go when you forget"
                    " the notes it was found in, which `voice kg candidates` shows"
                )
            table_of(row_id)  # raises for what is no id
        buried = await self.tombstones.buried(missing)
        if unknown := [row_id for row_id in missing if row_id not in buried]:
            raise UnknownId(f"this memory has no {unknown[0]}; `voice kg list` and `voice retrieve` show ids")
        bare = {each for each in wanted.ids & rows.keys() if rows[each].status is RowStatus.REDACTED}
        return frozenset(buried | (bare if act == "redact" else set()))  # forgetting takes a bare row, too

    async def _conversations(
        self, gone: ForgottenContent, tell: Progress
    ) -> tuple[tuple[DialogueExchange, ...], tuple[InnerVoiceSession, ...]]:
        exchanges: list[DialogueExchange] = []
        sessions: list[InnerVoiceSession] = []
        listed = await self.sessions.sessions(limit=EVERY)
        for place, item in enumerate(listed, start=1):
            lost: list[str] = []
            async for page in exchange_pages(self.sessions, item.id):
                for before in page:
                    after = exchange_without(before, gone, key=self.key)
                    if after != before and before.session_id == item.id:  # a fork holds its parent's turns
                        exchanges.append(after)
                    lost += [before.my_query] if before.my_query and not after.my_query else []
            session = await self.sessions.load(item.id, window=0)
            if session is not None:
                left = session_without(session, gone, unasked=lost, now=self.clock.now())
                sessions += [left] if left is not session else []
            tell("Checking sessions", place, len(listed))
        return tuple(exchanges), tuple(sessions)

    async def _clear_copies(self, found: ForgetReach) -> None:
        """Take the words away but from the rows; sessions first, as topics go by their turns' questions."""
        for session in found.sessions:
            await self.sessions.save(session, (), expected=session.revision - 1)
        await self.words.take_away(found.exchanges)  # questions are gone only now
        for pin_id in found.pins_removed:
            await self.pins.remove_pin(pin_id)
        for pin in found.pins_changed:
            await self.pins.save_pin(pin)
        for capsule in found.capsules:
            await self.capsules.save_capsule(capsule, expected=capsule.revision - 1)
        for each in self.elsewhere:
            await each.take_away(found.elsewhere.get(each.kind, ()), found.gone)

    async def _delete_rows(self, found: ForgetReach) -> None:
        """Take the rows last, and those that were meant last of all: what is left tells what is still to do."""
        now, rows = self.clock.now(), found.rows
        changed = [WriteBatch(rows=tuple(page)) for page in packed(zip(rows.changed), size=_PAGE)]
        sealed = [WriteBatch(tombstones=self._seals(stone, found.act, now)) for stone in found.taken]
        going = [batch for page in packed(_groups(rows), size=_PAGE) for batch in self._batches(page, found, now)]
        steps = [*changed, *sealed, *going]
        is_small = len(rows.changed) + 2 * len(rows.going) <= MAX_BATCH  # a row takes two entries at most
        if steps and is_small:  # all at once where it fits
            joined = WriteBatch(
                rows=tuple(row for step in steps for row in step.rows),
                vectors=tuple(vector for step in steps for vector in step.vectors),
                tombstones=tuple(stone for step in steps for stone in step.tombstones),
            )
            steps = [joined]
        for step in steps:
            await self.store.write(step)

    def _batches(self, page: Sequence[Row], found: ForgetReach, now: datetime) -> Iterable[WriteBatch]:
        """Yield what takes rows away in one transaction; vectors that say nothing follow where they are too many."""
        if found.act == "forget":
            said = [(row, row.id) for row in page]
            said += [(row, guard_id(row.id)) for row in page if _stays_out(row, found.rows)]
            yield WriteBatch(
                tombstones=tuple(self._stone(row, row_id, "forgotten", now, found) for row, row_id in said)
            )
            return
        bare = [row for row in page if row.id not in found.away | found.bare]
        ids = {row.id: row.id if row.id in found.away else guard_id(row.id) for row in page}
        stones = tuple(self._stone(row, ids[row.id], "redacted", now, found) for row in page)
        vectors = tuple(fixed_vector(row.id, *self.encoding) for row in bare)
        fitting = at_once(vectors)  # how many one transaction takes
        yield WriteBatch(rows=tuple(map(redacted, bare)), vectors=vectors[:fitting], tombstones=stones)
        for start in range(fitting, len(vectors), fitting):
            yield WriteBatch(vectors=vectors[start : start + fitting])

    def _seals(self, taken: Tombstone, act: Act, now: datetime) -> tuple[Tombstone, Tombstone]:
        """Return what stops a row that was archived from coming back, and what it said from being imported again."""
        stone = replace(taken, reason=_REASONS[act], at=now, keyed_hash=keyed_hash(self.key, taken.row_id))
        guard = replace(stone, row_id=guard_id(taken.row_id), keyed_hash=sealed_hash(self.key, taken.keyed_hash))
        return stone, guard

    def _stone(
        self, row: Row, row_id: str, reason: Literal["forgotten", "redacted"], now: datetime, found: ForgetReach
    ) -> Tombstone:
        """Return the tombstone of a row; it holds no hash of words that another row says or may say again."""
        if found.rows.others_stay:
            held = left_hash(self.key, row.id)
        else:
            is_free = row.id in found.rows.said_on or not says(row, found.rows.sentence)
            said = None if is_free else tombstone_hash(self.key, row)
            held = said or keyed_hash(self.key, row.id)  # an id's hash: nothing to compare words with
        return Tombstone(row_id=row_id, keyed_hash=held, reason=reason, at=now)


def _stays_out(row: Row, rows: ForgetPlan) -> bool:
    """Return whether a sentence stays out of its note, should that come in again with other words."""
    is_meant = rows.sentence is None and not (rows.others_stay or row.id in rows.said_on)
    return is_meant and isinstance(row, Observation) and row.superseded_by is None


def _groups(rows: ForgetPlan) -> list[tuple[Row, ...]]:
    """Return what goes in groups of which none may go in part (ruling I8); those that hold what was meant come last."""
    thoughts = [row for row in rows.going if isinstance(row, Thought)]
    beside = [row for row in rows.going if not isinstance(row, Thought)]
    resting = by_thought(thoughts, beside)
    placed = {row.id for group in resting.values() for row in group}
    groups: list[tuple[Row, ...]] = [(row,) for row in beside if row.id not in placed]
    groups += [(thought, *resting.get(thought.id, ())) for thought in thoughts]
    meant = {row.id for row in rows.meant}
    return sorted(groups, key=lambda group: any(row.id in meant for row in group))  # False sorts first
