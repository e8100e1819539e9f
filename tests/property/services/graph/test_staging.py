"""Restaging and approving again, any number of times, in any order, changes nothing; no row is there twice."""

import asyncio
from collections import Counter
from collections.abc import Collection
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staged_memory import EVERYTHING, Found, FoundEdge, World, spot, world
from store_values import thought
from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import Candidate
from voice.core.graph.review.decisions import Alias, Approve, Changes, Decision, Edit, Reject
from voice.core.records import Entity, Origin, Relation, Row, Thought
from voice.core.text.normalise import norm_v1

NAMES = ("Ada", "ADA", "Ada Lund", "Beth", "Kiln")
NOTE = thought("open", "Ada, ADA, Ada Lund, Beth, Kiln.")
SECRET = thought("secret", "Ada, ADA, Ada Lund, Beth, Kiln!", is_private=True)
Batch = tuple[list[Found], list[FoundEdge]]
State = tuple[dict[str, Row], dict[str, Candidate]]

names, notes = st.sampled_from(NAMES), st.sampled_from((NOTE, SECRET))
kinds = st.sampled_from(("person", "Person", "tool"))


def _found(name: str, note: Thought, kind: str, also: list[str]) -> Found:
    return Found(name=name, entity_type=kind, aliases=tuple(also), mentions=spot(note, name))


def _edge(source: str, target: str, note: Thought) -> FoundEdge:
    return FoundEdge(source=source, target=target, mentions=spot(note, target))


found = st.builds(_found, names, notes, kinds, st.lists(names, max_size=2))
edges = st.builds(_edge, names, names, notes)
batches = st.tuples(st.lists(found, max_size=4), st.lists(edges, max_size=3))
deeds = st.lists(st.tuples(st.sampled_from(("approve", "reject", "edit", "alias")), st.integers(0, 9)), max_size=10)


async def state(it: World) -> State:
    rows = {change.row_id: change.row for change in await it.stores.memory.changes(0, 999) if change.row}
    return rows, {each.id: each for each in await it.stores.candidates.candidates(limit=999)}


async def said(it: World, word: str, number: int) -> Decision | None:
    held = await it.stores.candidates.candidates(limit=99)
    if not held:
        return None
    chosen = held[number % len(held)].id
    nodes = await it.stores.graph.names()
    match word:
        case "approve":
            return Approve(candidate_id=chosen)
        case "reject":
            return Reject(candidate_id=chosen)
        case "edit":
            return Edit(candidate_id=chosen, changes=Changes(name=NAMES[number % len(NAMES)]))
        case _:
            return Alias(candidate_id=chosen, entity_id=nodes[number % len(nodes)].id) if nodes else None


async def decided(it: World, verdict: Decision | None) -> bool:
    """Carry out a verdict if it can be; one that cannot must leave everything as it was."""
    if verdict is None:
        return False
    before = await state(it)
    try:
        await it.moderation.decide([verdict], by=Origin.HUMAN, with_ends=True)
    except InvalidParams:
        assert await state(it) == before
        return False
    return True


async def play(first: Batch, words: list[tuple[str, int]], again: int) -> None:
    it = await world(NOTE, SECRET)
    async with it.stores:
        await played(it, first, words, again)


async def played(it: World, first: Batch, words: list[tuple[str, int]], again: int) -> None:
    await it.staging.stage(*first, limits=EVERYTHING)
    carried = [verdict for word, at in words if await decided(it, verdict := await said(it, word, at))]
    before = await state(it)
    check_no_row_is_there_twice(before[0].values())
    approved = [each.id for each in before[1].values() if each.row_id is not None]
    for _ in range(again):
        await it.staging.stage(*first, limits=EVERYTHING)
        await it.moderation.decide([Approve(candidate_id=each) for each in approved], by=Origin.HUMAN)
        await it.moderation.decide(
            [each for each in carried if isinstance(each, Reject) and each.candidate_id not in approved],
            by=Origin.HUMAN,
        )
        assert await state(it) == before


def check_no_row_is_there_twice(rows: Collection[Row]) -> None:
    entities = Counter((norm_v1(row.name), norm_v1(row.entity_type)) for row in rows if isinstance(row, Entity))
    edges_there = Counter((row.source_id, row.rel_type, row.target_id) for row in rows if isinstance(row, Relation))
    assert max((*entities.values(), *edges_there.values()), default=1) == 1


@pytest.mark.slow
@pytest.mark.requirement("ruling:F.3", "ruling:F.4")
@settings(max_examples=15, deadline=None)
@given(batches, deeds, st.integers(1, 3))
def test_restaging_and_approving_again_any_number_of_times_changes_nothing(
    first: Batch, words: list[tuple[str, int]], again: int
) -> None:
    asyncio.run(play(first, words, again))


@pytest.mark.slow
@pytest.mark.requirement("ruling:F.3", "ruling:F.5")
@settings(max_examples=10, deadline=None)
@given(batches, st.randoms(use_true_random=False))
def test_in_whatever_parts_it_is_staged_the_same_waits(first: Batch, chance: Random) -> None:
    """Which spelling and which time comes first may differ; what waits, on which words and how surely does not."""

    async def staged(parts: list[Batch]) -> dict[str, object]:
        it = await world(NOTE)
        async with it.stores:
            for part in parts:
                await it.staging.stage(*part, limits=EVERYTHING)
            return {each.id: (each.provenance, each.confidence) for each in (await state(it))[1].values()}

    entities, relations = first
    one_by_one = [([each], list[FoundEdge]()) for each in entities] + [(list[Found](), [each]) for each in relations]
    shuffled = chance.sample(one_by_one, len(one_by_one))
    assert asyncio.run(staged([first])) == asyncio.run(staged(shuffled))
