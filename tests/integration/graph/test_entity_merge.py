"""Two entities are made one by a person alone, and can be made two again."""

import pytest

from graph_by_hand import entity, observation, relation
from played_turns import MoodyEmbedder, row_of, tell
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, UnknownId
from voice.core.recall.pins import PinRequest
from voice.core.records import Entity, RowStatus
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.entity_merge import Merged

pytestmark = pytest.mark.requirement("ruling:F.6")


async def node(
    services: Services, name: str, description: str = "", kind: str = "person", *, is_private: bool = False
) -> str:
    return (await entity(services, name, kind, description, is_private=is_private)).id


async def live(services: Services) -> set[str]:
    return {entity.name for entity in await services.browse.entities(include_private=True)}


async def known(services: Services) -> tuple[str, str, Merged]:
    """Return the ids of Anna Lund and Anna, who were made one, and what came of it."""
    anna = await node(services, "Anna Lund", "Runs the pottery.")
    other = await node(services, "Anna", "Lives in Porto.")
    await node(services, "Kiln Co", kind="organisation")
    for source, kind, target in ((anna, "works_at", "Kiln Co"), (other, "works_at", "Kiln Co"), (other, "knows", anna)):
        await relation(services, source, kind, target)
    await observation(services, "She fires at cone 6.", other)
    return anna, other, await services.merging.merge("Anna Lund", "Anna", reason="the same person")


async def test_a_merge_is_one_entity_under_every_name_with_all_that_was_said_of_both(services: Services) -> None:
    anna, other, done = await known(services)
    assert await live(services) == {"Anna Lund", "Kiln Co"}
    seen = await services.browse.around("Anna")
    assert seen.entity.id == anna
    assert (seen.entity.aliases, seen.entity.description) == (("Anna",), "Runs the pottery.; Lives in Porto.")
    assert [edge.rel_type for edge in seen.relations] == ["works_at"]
    assert [said.text for said in seen.observations] == ["She fires at cone 6."]
    gone = await row_of(services, other, Entity)
    assert (gone.status, gone.superseded_by, gone.superseded_reason) == (RowStatus.SUPERSEDED, anna, "the same person")
    assert (len(done.moved), len(done.ended), done.fault) == (1, 2, None)
    past = await services.stores.history.replaced_by([anna])
    assert {each.description for each in past if isinstance(each, Entity)} == {"Runs the pottery.", "Lives in Porto."}
    # what is said of her from now on is said of the one
    await tell(services, "Anna likes celadon.")
    assert len((await services.browse.around("Anna Lund")).observations) == 2
    assert await services.maintenance.verify() == []


async def test_taking_it_back_gives_both_again_but_for_what_was_said_since(services: Services) -> None:
    anna, other, done = await known(services)
    since = (await observation(services, "She moved to Faro.", anna)).id
    foreseen = await services.merging.unmerge(done.merge.id, dry_run=True)
    assert await live(services) == {"Anna Lund", "Kiln Co"}
    undone = await services.merging.unmerge(done.merge.id, reason="they are two")
    assert (foreseen.moved, foreseen.ended) == (undone.moved, undone.ended)
    assert await live(services) == {"Anna", "Anna Lund", "Kiln Co"}
    first, second = await services.browse.around(anna), await services.browse.around(other)
    assert (first.entity.aliases, first.entity.description) == ((), "Runs the pottery.")
    assert second.entity.description == "Lives in Porto."
    assert [said.text for said in second.observations] == ["She fires at cone 6."]
    assert sorted(edge.rel_type for edge in second.relations) == ["knows", "works_at"]
    assert ([said.id for said in first.observations], undone.stayed) == ([since], (since,))
    with pytest.raises(InvalidParams, match="already undone"):
        await services.merging.unmerge(done.merge.id)
    assert await services.maintenance.verify() == []
    ((merge, kept, absorbed),) = await services.merging.merges()
    assert merge.undone_at is not None
    assert [each and each.id for each in (kept, absorbed)] == [anna, other]


async def test_a_private_entity_does_not_show_through_a_merge(services: Services) -> None:
    shown, private = await node(services, "Anna Lund"), await node(services, "Annie", is_private=True)
    with pytest.raises(InvalidParams, match="with --private they become one private entity"):
        await services.merging.merge(shown, private)
    done = await services.merging.merge(shown, private, allow_private=True)
    assert await services.browse.entities() == []
    await services.merging.unmerge(done.merge.id)
    assert [each.name for each in await services.browse.entities()] == ["Anna Lund"]


async def test_a_merge_inside_a_merge_is_taken_back_from_the_outside(services: Services) -> None:
    one, two, three = [await node(services, name) for name in ("Anna Lund", "Anna", "A. Lund")]
    inner, also = await services.merging.merge(two, three), await services.merging.merge(one, two)
    with pytest.raises(InvalidParams, match="undo that merge first"):
        await services.merging.unmerge(inner.merge.id)
    await services.merging.unmerge(also.merge.id)
    await services.merging.unmerge(inner.merge.id)
    assert await live(services) == {"Anna Lund", "Anna", "A. Lund"}
    # of two that became part of one, taking one back leaves the other
    await services.merging.merge(one, two)
    last = await services.merging.merge(one, three)
    await services.merging.unmerge(last.merge.id)
    assert (await row_of(services, one, Entity)).aliases == ("Anna",)


async def test_pins_follow_and_a_broken_encoder_is_told(services: Services, moody: MoodyEmbedder) -> None:
    one, two = await node(services, "Anna Lund"), await node(services, "Anna")
    await services.pins.pin(PinRequest(target_id=two, reason="ask her"))
    moody.down = True
    done = await services.merging.merge(one, two)
    assert (done.pins, done.fault is not None) == (1, True)
    (pin,) = await services.pins.held.pins()
    assert (pin.target_id, pin.reason) == (one, "ask her")


async def test_what_is_not_there_is_named(services: Services) -> None:
    one, two = await node(services, "Anna Lund"), await node(services, "Anna")
    with pytest.raises(UnknownId, match="no merge 'm:9'"):
        await services.merging.unmerge("m:9")
    with pytest.raises(UnknownId):
        await services.merging.merge("Anna Lund", "Nobody")
    with pytest.raises(InvalidParams, match="nothing to merge"):
        await services.merging.merge("Anna", two)
    dry = await services.merging.merge(one, two, dry_run=True)
    assert dry.absorbed.status is RowStatus.SUPERSEDED
    assert (await live(services), await services.merging.merges()) == ({"Anna", "Anna Lund"}, [])
    await services.correcting(CorrectRequest(row_id=one, text="A potter."))
    await services.merging.merge(one, two)
