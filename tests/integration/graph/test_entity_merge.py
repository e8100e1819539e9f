"""Two entities are made one by a person alone, and can be made two again."""

from pathlib import Path

import pytest

from played_turns import MoodyEmbedder, grounded, memory, tell
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.review.decisions import Approve
from voice.core.recall.pins import PinRequest
from voice.core.records import Entity, Origin, Row, RowStatus
from voice.ports.review_stores import CandidateFilter
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.editor import Backing
from voice.services.graph.entity_merge import Merged

pytestmark = pytest.mark.requirement("ruling:F.6")
MINE = Backing(origin=Origin.HUMAN)


async def node(services: Services, name: str, description: str = "", kind: str = "person", **more: object) -> str:
    backing = Backing(origin=Origin.HUMAN, **more)  # pyright: ignore[reportArgumentType]
    added = await services.graph_editor.add_entity(
        name, entity_type=kind, description=description, aliases=(), backing=backing
    )
    return added.row.id


async def edge(services: Services, source: str, kind: str, target: str) -> str:
    return (await services.graph_editor.add_relation(source, kind, target, description="", backing=MINE)).row.id


async def said_of(services: Services, name: str, text: str) -> str:
    return (await services.graph_editor.add_observation(text, about=(name,), backing=MINE)).row.id


async def row(services: Services, row_id: str) -> Row:
    return (await services.store.fetch([row_id]))[row_id]


async def live(services: Services) -> set[str]:
    return {entity.name for entity in await services.browse.entities(include_private=True)}


async def known(services: Services) -> tuple[str, str, Merged]:
    """Return the ids of Anna Lund and Anna, who were made one, and what came of it."""
    anna = await node(services, "Anna Lund", "Runs the pottery.")
    other = await node(services, "Anna", "Lives in Porto.")
    await node(services, "Kiln Co", kind="organisation")
    await edge(services, anna, "works_at", "Kiln Co")
    await edge(services, other, "works_at", "Kiln Co")
    await edge(services, other, "knows", anna)
    await said_of(services, other, "She fires at cone 6.")
    return anna, other, await services.merging.merge("Anna Lund", "Anna", reason="the same person")


async def test_a_merge_is_one_entity_under_every_name_with_all_that_was_said_of_both(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        anna, other, done = await known(services)
        assert await live(services) == {"Anna Lund", "Kiln Co"}
        seen = await services.browse.around("Anna")
        assert seen.entity.id == anna
        assert (seen.entity.aliases, seen.entity.description) == (("Anna",), "Runs the pottery.; Lives in Porto.")
        assert [edge.rel_type for edge in seen.relations] == ["works_at"]
        assert [said.text for said in seen.observations] == ["She fires at cone 6."]
        gone = await row(services, other)
        assert (gone.status, gone.superseded_by, gone.superseded_reason) == (
            RowStatus.SUPERSEDED,
            anna,
            "the same person",
        )
        assert (len(done.moved), len(done.ended), done.fault) == (1, 2, None)
        # what is said of her from now on is said of the one
        await tell(services, "Anna likes celadon.")
        assert len((await services.browse.around("Anna Lund")).observations) == 2
        assert await services.maintenance.verify() == []


async def test_taking_it_back_gives_both_again_but_for_what_was_said_since(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        anna, other, done = await known(services)
        since = await said_of(services, anna, "She moved to Faro.")
        foreseen = await services.merging.unmerge(done.merge.id, dry_run=True)
        assert await live(services) == {"Anna Lund", "Kiln Co"}
        undone = await services.merging.unmerge(done.merge.id, reason="they are two")
        assert (foreseen.moved, foreseen.ended) == (undone.moved, undone.ended)
        assert await live(services) == {"Anna", "Anna Lund", "Kiln Co"}
        first, second = await services.browse.around(anna), await services.browse.around(other)
        assert (first.entity.aliases, first.entity.description) == ((), "Runs the pottery.")
        assert (second.entity.description, [said.text for said in second.observations]) == (
            "Lives in Porto.",
            ["She fires at cone 6."],
        )
        assert sorted(edge.rel_type for edge in second.relations) == ["knows", "works_at"]
        assert ([said.id for said in first.observations], undone.stayed) == ([since], (since,))
        with pytest.raises(InvalidParams, match="already undone"):
            await services.merging.unmerge(done.merge.id)
        assert await services.maintenance.verify() == []
        ((merge, kept, absorbed),) = await services.merging.merges()
        assert merge.undone_at is not None
        assert kept is not None
        assert absorbed is not None
        assert (kept.id, absorbed.id) == (anna, other)


async def test_what_was_known_before_a_merge_can_still_be_asked(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        anna, _, _ = await known(services)
        past = await services.stores.history.replaced_by([anna])
        assert {each.description for each in past if isinstance(each, Entity)} == {
            "Runs the pottery.",
            "Lives in Porto.",
        }


async def test_two_of_one_name_stay_two_until_somebody_says_their_ids(tmp_path: Path) -> None:
    """Beth, who buys, and Beth, who sells."""
    async with memory(tmp_path, grounded()) as services:
        customer = await node(services, "Beth", "Orders vases every spring.")
        agent = await node(services, "Beth", "Rents houses in Lisbon.", kind="agent")
        assert await services.duplicates() == []
        with pytest.raises(InvalidParams, match="Beth"):
            await services.merging.merge("Beth", "Beth")
        assert len(await services.browse.entities()) == 2
        done = await services.merging.merge(customer, agent)
        assert (done.kept.id, len(await services.browse.entities())) == (customer, 1)


async def test_a_private_entity_does_not_show_through_a_merge(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        shown, private = await node(services, "Anna Lund"), await node(services, "Annie", is_private=True)
        with pytest.raises(InvalidParams, match="with --private they become one private entity"):
            await services.merging.merge(shown, private)
        done = await services.merging.merge(shown, private, allow_private=True)
        assert await services.browse.entities() == []
        await services.merging.unmerge(done.merge.id)
        assert [each.name for each in await services.browse.entities()] == ["Anna Lund"]


async def test_a_merge_inside_a_merge_is_taken_back_from_the_outside(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
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
        entity = await row(services, one)
        assert isinstance(entity, Entity)
        assert entity.aliases == ("Anna",)


async def test_pins_follow_and_a_broken_encoder_is_told(tmp_path: Path) -> None:
    embedder = MoodyEmbedder()
    async with memory(tmp_path, grounded(), embedder=embedder) as services:
        one, two = await node(services, "Anna Lund"), await node(services, "Anna")
        await services.pins.pin(PinRequest(target_id=two, reason="ask her"))
        embedder.down = True
        done = await services.merging.merge(one, two)
        assert (done.pins, done.fault is not None) == (1, True)
        (pin,) = await services.pins.held.pins()
        assert (pin.target_id, pin.reason) == (one, "ask her")


async def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
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


async def test_approving_again_around_a_merge_changes_neither_of_the_two(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, "Ada Lund works at Kiln Co. Anna Berg works at Clay Co.")
        await services.extracting.stage_all()
        waiting = (await services.review.moderation.page(CandidateFilter())).views
        verdicts = [Approve(candidate_id=view.candidate.id) for view in waiting]
        await services.review.moderation.decide(verdicts, by=Origin.HUMAN)
        ids = [entity.id for entity in await services.browse.entities()]
        done = await services.merging.merge("Ada Lund", "Anna Berg")
        await services.review.moderation.decide(verdicts, by=Origin.HUMAN)
        await services.merging.unmerge(done.merge.id)
        before = await services.store.fetch(ids)
        for _ in range(2):
            await services.extracting.stage_all()
            await services.review.moderation.decide(verdicts, by=Origin.HUMAN)
        assert len(ids) == 4
        assert await services.store.fetch(ids) == before
