"""A check-up asks the index for rows of the store; an index of other rows, words or vectors does not pass."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from change_feed import AT, DIM, MODEL, ChangeFeed, thought, vector_of
from retrieval_doubles import OneVector
from voice.adapters.index.index import FoldedIndex
from voice.core.records import Row, RowStatus, Tombstone
from voice.ports.stores import WriteBatch
from voice.services.maintenance.doctor import AT_ONE_INSTANT, Proof, prove_index

ENCODER = OneVector(model=MODEL, dim=DIM)
NUMBERS = (1.0, 2.0, 3.0, 4.0)


async def filled(keys: Sequence[str], *, words: str = "a note of the harbour", turned: float = 1.0) -> ChangeFeed:
    feed = ChangeFeed()
    for day, key in enumerate(keys):
        await feed.put(thought(key, words, days=day), vectors=[vector_of(f"t:{key}", turned, *NUMBERS[1:])])
    return feed


async def proof_of(store: ChangeFeed, folded: ChangeFeed) -> Proof:
    """Ask an index of `folded` for the rows of `store`."""
    index = FoldedIndex(folded, None, model=MODEL, dim=DIM)
    await index.refresh()
    return await prove_index(store, index, ENCODER)


KEYS = tuple("abcdef")


async def test_a_row_that_is_missing_is_told() -> None:
    proof = await proof_of(await filled(KEYS), await filled(KEYS[:-1]))
    assert proof.faults == ("t:f is stored, and the index does not find it",)


async def test_other_vectors_are_told() -> None:
    proof = await proof_of(await filled(["a"]), await filled(["a"], turned=-5.0))
    assert proof.faults == ("t:a has another vector in the index than in the store",)


async def test_other_words_are_told() -> None:
    store, other = await filled([]), await filled([])
    row = thought("a", "harbour")
    await store.put(row)
    await other.put(replace(row, content="lantern"))
    assert (await proof_of(store, other)).faults == ("t:a is stored, and the index does not find it",)
    for feed in (store, other):
        await feed.put(vectors=[vector_of("t:a", *NUMBERS)])
    assert (await proof_of(store, other)).faults == ("t:a has other words in the index than in the store",)


async def test_a_row_without_words_is_asked_for_by_its_vector_or_not_at_all() -> None:
    feed = ChangeFeed()
    await feed.put(thought("a", "… — !"), thought("b", "…"), vectors=[vector_of("t:a", *NUMBERS)])
    assert await proof_of(feed, feed) == Proof(asked=1, asked_by_vector=1, faults=())


async def test_rows_that_nothing_may_find_are_not_asked_for() -> None:
    feed = await filled(["a"])
    await feed.put(replace(thought("b", "gone"), status=RowStatus.REMOVAL))
    await feed.put(thought("c", "forgotten"))
    await feed.write(WriteBatch(tombstones=(Tombstone(row_id="t:c", keyed_hash="k", reason="forgotten", at=AT),)))
    assert (await proof_of(feed, feed)).asked == 1


def equals(count: int, *, last: str = "ok") -> list[Row]:
    return [*(thought(f"{number:05}", "ok") for number in range(count - 1)), thought("last", last)]


@pytest.mark.requirement("observe:doctor")
async def test_rows_of_equal_text_stand_for_one_another_and_another_text_among_them_does_not() -> None:
    store, other = ChangeFeed(), ChangeFeed()
    await store.put(*equals(AT_ONE_INSTANT + 1))
    await other.put(*equals(AT_ONE_INSTANT + 1, last="lantern"))
    assert (await proof_of(store, store)).faults == ()
    assert (await proof_of(other, store)).faults == ("t:last is stored, and the index does not find it",)
