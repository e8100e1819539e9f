"""The spending caps of a turn: on itself, its session, its day and its month.

Law: all caps are held here, whoever's client is asked. What was spent is read once, before the first call of a turn;
from then on the turn's own calls, and those of every turn that runs beside it in this process, count as soon as they
are begun, each try of them at its worst until its usage is known, and each is held against the caps before it is made.
So turns of one process never pass a cap together. What a turn can cost is in the store before each call (but for a
verifier's further tries) and is settled when the turn is kept: a process that is killed has spent what it can have
spent. A turn of another process on the same server's store is seen so, too, unless it begins while one here is asked:
each process can pass a cap by what such turns cost, and by no more.

Source: promise 7; docs/budgets.md.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

from voice.core.errors import BudgetExceeded, StoreError
from voice.core.nlq.calendar import Calendar, Unit, zone
from voice.core.session.budgets import (
    NOTHING,
    AmountSpent,
    CapState,
    OnUnknownPrice,
    OpenCall,
    SpendCap,
    lower_bounds,
    refused_by,
    spent_in,
)
from voice.core.session.values import Attempt
from voice.core.usage import Price
from voice.ports.llm import SpendStore
from voice.services.runtime.isolated_calls import run_to_completion

_UNIT = {"day": Unit.DAY, "month": Unit.MONTH}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendCaps:
    """The caps that are set, in US dollars; None = none."""

    turn: Decimal | None = None
    session: Decimal | None = None
    day: Decimal | None = None
    month: Decimal | None = None
    on_unknown_price: OnUnknownPrice = "refuse"


@dataclass(slots=True, kw_only=True, eq=False)  # by identity: two new purses are equal
class TurnBudget:
    """The budget of one turn; without caps, it has no limit."""

    spending: "Spending | None" = None
    attempts: Sequence[Attempt] = ()
    worst: Sequence[Decimal | None] = ()
    price: Price | None = None
    session_id: str | None = None
    call: OpenCall | None = None
    """As what the turn's calls go on record before they are made; None: they do not."""
    _read: tuple[CapState, ...] = ()  # the caps, and what counted when it was opened
    _ended: AmountSpent = NOTHING  # what turns beside it cost that have ended since it was opened
    _ended_in_session: AmountSpent = NOTHING  # those of its own session

    async def open(self, session_id: str, now: datetime, price: Price | None) -> None:
        """Read what was spent, before the turn's first call; day and month are those of the person's zone."""
        self.session_id, self.price = session_id, price
        if self.spending is not None and self.spending.has_caps:
            self._read = await self.spending.states(session_id, now)

    @property
    def own(self) -> AmountSpent:
        """What the turn itself has cost so far."""
        return spent_in(self.attempts, self.price, worst=self.worst)

    @property
    def states(self) -> tuple[CapState, ...]:
        """Every cap with all that counts against it but the turn's own calls."""
        beside = (replace(state, spent=state.spent + self._beside(state.cap)) for state in self._read)
        return (*(self.spending.of_turn if self.spending else ()), *beside)

    @property
    def left(self) -> Decimal | None:
        """What the tightest cap leaves for the turn's next call; None = no cap is set."""
        return min((state.left for state in self._with_own), default=None)

    async def put_on_record(self) -> None:
        """Have in the store what the turn can have cost once its next call, which is begun, was made; nothing where
        that costs nothing, and all the same where the caller is cancelled. Raises StoreError: the call must not be
        made."""
        if self.spending is None or self.spending.store is None or self.call is None:
            return
        own, stored = self.own, self.call.worst
        more = AmountSpent(  # what is not on record yet
            at_worst=max(own.counted - stored.counted, Decimal(0)), unknown=max(own.unknown - stored.unknown, 0)
        )
        if not more.is_nothing:
            before, self.call = self.call, replace(self.call, worst=stored + more)  # the next call adds its own alone
            try:
                await run_to_completion(self.spending.store.begin(replace(self.call, worst=more)))
            except StoreError:
                self.call = before  # the next call adds this one's, too
                raise

    async def take_off_record(self) -> None:
        """Have nothing in the store of a turn that made no call after all; what cannot be taken away counts on."""
        if self.spending is None or self.spending.store is None or self.call is None:
            return
        with suppress(StoreError):  # it counts too much, never too little
            await self.spending.store.settle(self.call.id)
        self.call = replace(self.call, worst=NOTHING)

    def require(self, worst: Decimal | None) -> None:
        """Let the turn's next call be begun. Raises BudgetExceeded: a cap does not allow it."""
        if self.spending and (why := self.spending.refused(self._with_own, worst)):
            raise BudgetExceeded(why)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know of the caps although nothing was refused."""
        return lower_bounds(self.states)

    @property
    def _with_own(self) -> tuple[CapState, ...]:
        own = self.own
        return tuple(replace(state, spent=state.spent + own) for state in self.states)

    def add_ended(self, other: "TurnBudget") -> None:
        """Keep in mind what a turn cost that ran beside this one and has ended."""
        self._ended += other.own  # it is no longer among those that run
        if other.session_id == self.session_id:
            self._ended_in_session += other.own

    def _beside(self, cap: SpendCap) -> AmountSpent:
        running = self.spending.running if self.spending else ()
        is_session = cap.name == "session"
        spent = self._ended_in_session if is_session else self._ended
        for other in running:
            if other is not self:
                spent += other.own if not is_session or other.session_id == self.session_id else NOTHING
        return spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Holds turns to the caps on what was spent."""

    store: SpendStore | None = None
    caps: SpendCaps = SpendCaps()
    timezone: str = "UTC"
    running: list[TurnBudget] = field(default_factory=list[TurnBudget])
    """The purses of the turns that are being asked now."""

    @property
    def of_turn(self) -> tuple[CapState, ...]:
        """The cap on a turn, where there is one, with nothing that counts against it yet."""
        limit = self.caps.turn
        return () if limit is None else (CapState(cap=SpendCap(name="turn", limit=limit), spent=NOTHING),)

    @property
    def has_caps(self) -> bool:
        """Whether any cap rests on what was spent before."""
        caps = self.caps
        return self.store is not None and (caps.session, caps.day, caps.month) != (None, None, None)

    @contextmanager
    def purse(self) -> Generator[TurnBudget]:
        """Yield the purse of one turn; the turn is kept, or nothing of it ever will be, when the block ends."""
        purse = TurnBudget(spending=self)
        self.running.append(purse)
        try:
            yield purse
        finally:
            self.running.remove(purse)
            for other in self.running:
                if other.session_id is not None:  # one that is not opened yet will read it as kept
                    other.add_ended(purse)

    async def states(self, session_id: str, now: datetime) -> tuple[CapState, ...]:
        """Return every cap on more than one turn with its spending, also of a clock that was set back since."""
        store, caps = self.store, self.caps
        if store is None:
            return ()
        found: list[CapState] = []
        open_calls = await self.left_open() if self.has_caps else ()  # begun by others, or by a process that was killed
        if caps.session is not None:
            cap = SpendCap(name="session", limit=caps.session)
            open_in = _worst_of(call for call in open_calls if call.session_id == session_id)
            found.append(CapState(cap=cap, spent=await store.spent_in(session_id) + open_in))
        for name, limit in (("day", caps.day), ("month", caps.month)):
            if limit is not None:
                period = Calendar(now=now, zone=zone(self.timezone)).unit(_UNIT[name], 0)
                cap = SpendCap(name="day" if name == "day" else "month", limit=limit, frees_at=period.end)
                last = now if period.end is None else period.end - timedelta.resolution
                first = period.start or now
                open_then = _worst_of(call for call in open_calls if first <= call.began_at <= last)
                found.append(CapState(cap=cap, spent=await store.spent_between(first, last) + open_then))
        return tuple(found)

    async def left_open(self) -> tuple[OpenCall, ...]:
        """Return the calls whose end is unknown: begun, not settled, and of no turn that is being asked here."""
        if self.store is None:
            return ()
        found = await self.store.open_calls()
        begun = [purse.call for purse in self.running if purse.call is not None]
        here = {call.id for call in begun if not call.worst.is_nothing}  # these count already, as they are made
        return tuple(call for call in found if call.id not in here)

    def refused(self, states: Sequence[CapState], worst: Decimal | None) -> str | None:
        """Return why a call that can cost `worst` must not be made under these caps, or None."""
        return refused_by(states, worst, on_unknown_price=self.caps.on_unknown_price, timezone=self.timezone)


def _worst_of(calls: Iterable[OpenCall]) -> AmountSpent:
    return sum((call.worst for call in calls), NOTHING)
