"""Pinning, and working in capsules, over a whole memory."""

from datetime import timedelta

import pytest

from changed_rows import change
from pinned_memory import pin, put
from played_turns import FERRY, KILN, MOVED, NOW, tell
from present import present
from store_values import tombstone
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Services
from voice.core.errors import CapsuleClosed, InvalidParams, UnknownId
from voice.core.recall.capsules import NewSummary
from voice.core.recall.pins import PinState
from voice.core.records import RowStatus, Scope
from voice.ports.stores import WriteBatch

REPO = Scope(repo_id="/home/ann/kiln")


async def states(services: Services, **wanted: object) -> list[tuple[str, PinState]]:
    listed = await services.pins.listed(scope=Scope.ALL, **wanted)  # pyright: ignore[reportArgumentType]
    return [(view.pin.target_id, view.state) for view in listed.pins]


@pytest.mark.requirement("ruling:G.2d")
async def test_pinning_again_renews_the_pin_and_brings_it_to_the_front(services: Services, clock: FixedClock) -> None:
    first, second = await tell(services, *KILN[:2])
    once = await pin(services, first)
    clock.advance(timedelta(hours=1))
    await pin(services, second)
    clock.advance(timedelta(hours=1))
    assert (await pin(services, first, reason="more than ever")).id == once.id
    listed = (await services.pins.listed(scope=Scope.ALL)).pins
    assert [view.pin.target_id for view in listed] == [first, second]
    assert (listed[0].pin.reason, listed[0].pin.created_at) == ("more than ever", NOW + timedelta(hours=2))


@pytest.mark.requirement("ruling:G.2d")
@pytest.mark.parametrize("target", ["t:missing", "", "nonsense", "p:1", "m:c:missing", "m:", "t:\udc80"])
async def test_what_is_not_there_is_not_pinned(services: Services, target: str) -> None:
    with pytest.raises(UnknownId):
        await pin(services, target)
    assert await services.pins.astray() == (0, 0)


@pytest.mark.requirement("ruling:G.2d")
async def test_forgetting_a_row_twice_leaves_a_pin_that_points_at_nothing_and_can_be_removed(
    services: Services,
) -> None:
    (row,) = await tell(services, MOVED)
    made = await pin(services, row)
    for _ in range(2):
        await services.store.write(WriteBatch(tombstones=(tombstone(row),)))
        assert await states(services) == [(row, "target gone")]
        assert await services.pins.astray() == (1, 1)
    (found,) = [each for each in await services.checkup() if each.name == "pins"]
    assert (found.state, "1 of 1" in found.detail) == ("remark", True)
    assert await services.maintenance.verify() == []
    assert [await services.pins.unpin(made.id) for _ in range(2)] == [[made.id], []]


@pytest.mark.requirement("s4:provenance:summary", "ruling:H.5")
async def test_a_summary_rests_on_what_is_in_its_capsule(services: Services) -> None:
    capsule = await services.capsules.open("mend the kiln", REPO)
    first, second = await put(services, capsule.id, *KILN[:2], kind="tool_call")
    (private,) = await put(services, capsule.id, FERRY, is_private=True)
    await change(services, second, status=RowStatus.SUPERSEDED)
    summed = present((await services.capsules.summarise(capsule.id, NewSummary(content="Mended."))).summary)
    assert (set(summed.evidence_refs), summed.is_private, summed.scope) == ({first, private}, True, REPO)
    named = NewSummary(content="Mended.", evidence_refs=(first,))
    again = present((await services.capsules.summarise(capsule.id, named)).summary)
    assert (again.evidence_refs, again.is_private) == ((first,), False)
    with pytest.raises(UnknownId, match="t:none"):
        await services.capsules.summarise(capsule.id, NewSummary(content="x", evidence_refs=("t:none",)))


async def test_a_capsule_is_shown_with_its_thoughts_and_without_private_ones(
    services: Services, clock: FixedClock
) -> None:
    capsule = await services.capsules.open("mend the kiln", REPO)
    (first,) = await put(services, capsule.id, MOVED, kind="file_diff")
    clock.advance(timedelta(minutes=1))
    (private,) = await put(services, capsule.id, FERRY, is_private=True)
    await services.capsules.summarise(capsule.id, NewSummary(content="Mended."))
    view = await services.capsules.show(capsule.id)
    assert ([each.id for each in view.thoughts], view.hidden, view.summary) == ([first], 1, None)
    assert (view.thoughts[0].kind, view.thoughts[0].scope, view.is_outdated) == ("file_diff", REPO, False)
    whole = await services.capsules.show(capsule.id[:12], include_private=True)
    assert ([each.id for each in whole.thoughts], whole.hidden) == ([first, private], 0)
    assert whole.summary is not None
    await services.store.write(WriteBatch(tombstones=(tombstone(first),)))
    outdated = await services.capsules.show(capsule.id, include_private=True)
    assert (outdated.summary, outdated.is_outdated) == (None, True)


async def test_closing_is_idempotent_and_a_closed_capsule_takes_nothing_more(services: Services) -> None:
    capsule = await services.capsules.open("mend the kiln")
    closed = await services.capsules.close(capsule.id, NewSummary(content="Mended."))
    assert (closed.status, closed.revision, closed.summary is not None) == ("closed", 2, True)
    assert await services.capsules.close(capsule.id) == closed
    for attempt in (
        services.capsules.close(capsule.id, NewSummary(content="Again.")),
        services.capsules.summarise(capsule.id, NewSummary(content="Again.")),
        put(services, capsule.id, MOVED),
    ):
        with pytest.raises(CapsuleClosed):
            await attempt
    assert await services.capsules.capsules.capsule(capsule.id) == closed


@pytest.mark.parametrize(
    ("name", "fault"), [("c:none", UnknownId), ("", UnknownId), ("c:0000", InvalidParams), ("nonsense", UnknownId)]
)
async def test_a_capsule_that_is_not_or_not_clearly_named_is_said_so(
    services: Services, name: str, fault: type[InvalidParams]
) -> None:
    await services.capsules.open("one")
    await services.capsules.open("two")
    with pytest.raises(fault, match=r"no capsule|several capsules") as told:
        await services.capsules.show(name)
    assert type(told.value) is fault
