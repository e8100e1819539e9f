"""Pins: what somebody marked as important.

Law: a pin is checked against its target as the target stands (ruling G). Unpinning is idempotent, and a pin whose
target was forgotten is not shown by recall, is listed as what it is, and can be removed like any other.

Source: spec retrieval-contract, Tier 1; rulings A18, G, H.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from voice.core.errors import UnknownId
from voice.core.recall.capsules import owner_of_summary, summary_of_session
from voice.core.recall.pinning import PinRequest, PinState, Target, make_pin, state_of, target_of
from voice.core.recall.scoping import scope_of_list
from voice.core.recall.values import Pin, Summary
from voice.core.records import Scope
from voice.ports.recall_stores import PinStore
from voice.ports.stores import MemoryStore
from voice.ports.system import Clock, IdSource
from voice.services.capsules import NO_SCOPE, Capsules

PIN_PREFIX = "p:"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinView:
    """A pin and whether it counts."""

    pin: Pin
    state: PinState


@dataclass(frozen=True, slots=True, kw_only=True)
class PinList:
    """Pins, newest first, and how many of private targets were left out."""

    pins: tuple[PinView, ...]
    hidden: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """Pins, unpins and lists."""

    store: MemoryStore
    held: PinStore
    capsules: Capsules
    clock: Clock
    ids: IdSource

    async def pin(self, request: PinRequest) -> Pin:
        """Pin a row or a summary; pinning it again in the same scope renews the pin under its id.

        Raises:
            UnknownId: the target is not in the memory.
            InvalidParams: it cannot be pinned like that (`voice.core.recall.pinning.make_pin`).
        """
        target = (await self._targets([request.target_id]))[request.target_id]
        if target.state == "gone":
            raise UnknownId(f"there is no {request.target_id!r} to pin; `voice retrieve` and `voice kg list` show ids")
        pin = make_pin(request, target, pin_id=self.ids.new_id("p"), now=self.clock.now())
        return await self.held.save_pin(pin)

    async def unpin(self, named: str) -> list[str]:
        """Remove a pin by its id, or every pin of a target; return the ids of what was there."""
        if named.startswith(PIN_PREFIX):
            return [named] if await self.held.remove_pin(named) else []
        return [pin.id for pin in await self.held.pins([named]) if await self.held.remove_pin(pin.id)]

    async def listed(
        self,
        *,
        scope: Scope,
        surroundings: Scope = NO_SCOPE,
        now: datetime | None = None,
        include_expired: bool = False,
        include_private: bool = False,
    ) -> PinList:
        """Return the pins of a scope, newest first, with those whose target is gone.

        Args:
            scope: whose pins; an empty one names none.
            surroundings: where the entrance stands: the scope where one is needed and none was named.
            now: when they are to count; None is the clock's.
            include_expired: list those that no longer count by then, too.
            include_private: list those of private targets, too.

        Raises:
            ScopeRequired: no scope was named and some are scoped (ruling A18).
        """
        at = now or self.clock.now()
        found = await self.held.pins(active_at=None if include_expired else at)
        wanted = scope_of_list(scope, surroundings, (pin.scope for pin in found))
        pins = [pin for pin in found if wanted.admits(pin.scope)]
        targets = await self._targets([pin.target_id for pin in pins])
        shown = [pin for pin in pins if include_private or not targets[pin.target_id].is_private]
        views = tuple(PinView(pin=pin, state=state_of(pin, targets[pin.target_id], at)) for pin in shown)
        return PinList(pins=views, hidden=len(pins) - len(shown))

    async def astray(self) -> tuple[int, int]:
        """Return how many pins there are, and how many of them point at nothing."""
        found = await self.held.pins()
        targets = await self._targets([pin.target_id for pin in found])
        return len(found), sum(targets[pin.target_id].state == "gone" for pin in found)

    async def _targets(self, ids: Iterable[str]) -> dict[str, Target]:
        once = list(dict.fromkeys(ids))
        rows = await self.store.fetch([target_id for target_id in once if owner_of_summary(target_id) is None])
        return {
            target_id: await self._summary(target_id) or target_of(target_id, rows.get(target_id)) for target_id in once
        }

    async def _summary(self, target_id: str) -> Target | None:
        """Return a summary as a target; None if the id is not that of the summary of a stored capsule or session."""
        owner = owner_of_summary(target_id)
        if owner is None:
            return None
        capsule = await self.capsules.capsules.capsule(owner)
        if capsule is not None:
            return await self._standing(target_id, capsule.summary, capsule.scope)
        session = await self.capsules.sessions.load(owner, window=0)
        if session is None:
            return None
        return await self._standing(target_id, summary_of_session(session), Scope(session_id=session.id))

    async def _standing(self, target_id: str, written: Summary | None, scope: Scope) -> Target:
        if written is None:
            return Target(id=target_id, state="live", scope=scope)
        stands = await self.capsules.standing([written])
        if not stands:
            return Target(id=target_id, state="not live", is_private=written.is_private, scope=scope)
        return Target(id=target_id, state="live", is_private=stands[0].is_private, scope=scope)
