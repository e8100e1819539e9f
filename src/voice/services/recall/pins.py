"""Pin and unpin rows, and list the pins.

Law: a pin is checked against its target as the target stands, and a summary stands as recall would show it (ruling G).
Unpinning is idempotent, and a pin whose target was forgotten is not shown by recall, is listed as what it is but not
with the reason, which may say what was forgotten, and can be removed like any other. A pin that was private stays so,
and one made by who may see private rows is judged by what they see, also where others are shown something public.

Source: spec retrieval-contract, Tier 1; rulings A18, G, H.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from voice.core.errors import UnknownId
from voice.core.messages import memory as messages
from voice.core.recall.capsules import owner_of_summary
from voice.core.recall.pins import PinRequest, PinState, Target, as_listed, make_pin, state_of, target_of
from voice.core.recall.values import Pin, RecallParams
from voice.core.records import Scope
from voice.ports.recall_stores import PinStore
from voice.ports.stores import MemoryStore
from voice.ports.system import Clock, IdSource
from voice.services.recall.capsules import CurrentSummary
from voice.services.retrieval.row_lookups import NO_SCOPE, Scoping, fetch_with_source_thoughts

PIN_PREFIX = "p:"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinView:
    """A pin and whether it counts."""

    pin: Pin
    state: PinState
    says: str = field(default="", repr=False)
    """The words of what is pinned; empty where they may not be shown any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinList:
    """Pins, newest first, and how many private ones were left out."""

    pins: tuple[PinView, ...]
    hidden: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """Pins, unpins and lists."""

    store: MemoryStore
    held: PinStore
    scoping: Scoping
    current: CurrentSummary
    clock: Clock
    ids: IdSource

    async def pin(self, request: PinRequest) -> Pin:
        """Pin a row or summary, or renew its pin. Raises UnknownId: not there, or hidden; InvalidParams: `make_pin`."""
        targets = await self._targets([request.target_id], include_private=request.allow_private)
        target = targets[request.target_id]
        is_away = request.scope is not None and not request.scope.admits(target.scope)
        is_hidden = request.hides_private and (is_away or (target.is_private and not request.allow_private))
        if target.state == "gone" or is_hidden:  # one answer for both, so that it betrays nothing
            raise UnknownId(messages.no_pin_target(request.target_id))
        pin = make_pin(request, target, pin_id=self.ids.new_id("p"), now=self.clock.now())  # an older pin keeps its id
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
        include_expired: bool = False,
        include_private: bool = False,
    ) -> PinList:
        """Return a scope's pins, newest first, targetless ones too. Raises ScopeRequired: none named (ruling A18)."""
        now = self.clock.now()
        found = await self.held.pins(active_at=None if include_expired else now)
        scope = await self.scoping(scope, surroundings)
        pins = [pin for pin in found if scope.admits(pin.scope)]
        targets = await self._targets([pin.target_id for pin in pins])
        views: list[PinView] = []
        for pin in pins:
            target = targets[pin.target_id]
            if include_private or not (pin.is_private or target.is_private):
                views.append(PinView(pin=as_listed(pin, target), state=state_of(pin, target, now), says=target.says))
        return PinList(pins=tuple(views), hidden=len(pins) - len(views))

    async def astray(self) -> tuple[int, int]:
        """Return how many pins there are, and how many of them point at nothing."""
        found = await self.held.pins()
        targets = await self._targets([pin.target_id for pin in found])
        return len(found), sum(targets[pin.target_id].state == "gone" for pin in found)

    async def _targets(self, ids: Iterable[str], *, include_private: bool = False) -> dict[str, Target]:
        once = list(dict.fromkeys(ids))
        rows = await fetch_with_source_thoughts(self.store, [each for each in once if owner_of_summary(each) is None])
        return {
            target_id: await self._summary(target_id, include_private=include_private) or target_of(target_id, rows)
            for target_id in once
        }

    async def _summary(self, target_id: str, *, include_private: bool) -> Target | None:
        """Return a capsule's or session's summary as a target, or None; its public part for who may not see private."""
        owner = owner_of_summary(target_id)
        if owner is None:
            return None
        everything = RecallParams(query="", scope=Scope.ALL, now=self.clock.now(), include_private=include_private)
        found = await self.current.of(owner, everything)
        if found.exists and found.shown is None:  # all of it is private: told as such
            found = await self.current.of(owner, replace(everything, include_private=True))
        if not found.exists:
            return None
        if found.shown is None:
            return Target(id=target_id, state="not live", scope=found.scope)
        shown = found.shown
        return Target(id=target_id, state="live", is_private=shown.is_private, scope=found.scope, says=shown.content)
