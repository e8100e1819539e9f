"""What every search index keeps to, wherever it keeps its files."""

from dataclasses import replace
from datetime import timedelta

import pytest

from change_feed import AT, DIM, MODEL, ChangeFeed, Opened, ask, entity, ids, observation, packed, thought, vector_of
from voice.adapters.index.index import FoldedIndex
from voice.core.errors import InvalidParams, StoreDamaged
from voice.core.records import Observation, Origin, Provenance, Relation, RowStatus, Scope, Table
from voice.core.retrieval.values import RowFilter
from voice.core.text.instants import UNDATED
from voice.ports.search_index import IndexAnswer, SearchIndex


async def test_is_a_search_index(opened: Opened, feed: ChangeFeed) -> None:
    index: SearchIndex = opened(feed)
    status = await index.status()
    assert (status.store_id, status.folded_seq, status.vectors) == ("store-1", 0, 0)
    assert await index.search(ask("anything", vector=packed(1, 0, 0, 0))) == IndexAnswer(
        hits=(), admitted=dict.fromkeys(Table, 0), matched=dict.fromkeys(Table, 0), excluded_other_model=0, folded_seq=0
    )


async def test_the_first_search_folds_what_the_store_has(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(thought("a", "the cat sleeps"))
    assert ids(await opened(feed).search(ask("cat"))) == ["t:a"]


async def test_a_row_is_found_by_any_form_of_its_words(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(thought("a", "She was running through the café"), thought("b", "A quiet evening"))
    index = opened(feed)
    assert [ids(await index.search(ask(text))) for text in ("runs", "CAFE", "café", "silence")] == [
        ["t:a"], ["t:a"], ["t:a"], [],
    ]  # fmt: skip


async def test_words_of_a_question_are_alternatives_and_stop_words_do_not_count(
    opened: Opened, feed: ChangeFeed
) -> None:
    await feed.put(thought("a", "fixed the auth bug"), thought("b", "what is the plan"), thought("c", "a bug in auth"))
    assert set(ids(await opened(feed).search(ask("What's the auth bug?")))) == {"t:a", "t:c"}


@pytest.mark.requirement("ruling:C1")
async def test_finds_the_relevant_row_inserted_last_among_five_thousand(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(*(thought(f"{number:04}", f"entry {number} about cats") for number in range(5_000)))
    await feed.put(thought("zzz", "cats and zebras"), vectors=[vector_of("t:zzz", 1, 0, 0, 0)])
    index = opened(feed)
    assert ids(await index.search(ask("zebras", limit=1))) == ["t:zzz"]
    assert ids(await index.search(ask(vector=packed(1, 0, 0, 0), limit=1))) == ["t:zzz"]


async def test_the_cosine_is_exact_to_six_places(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(thought("a", "x"), vectors=[vector_of("t:a", 3, 4, 0, 0)])
    (hit,) = (await opened(feed).search(ask(vector=packed(2, 0, 0, 0)))).hits
    assert (hit.cosine, hit.lexical) == (0.6, 0.0)


@pytest.mark.requirement("promise:5")
async def test_vectors_of_another_model_or_dimension_are_left_out_and_counted(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(
        *(thought(key, f"note {key}") for key in "abcd"),
        vectors=[vector_of("t:a", 1, 0, 0, 0), vector_of("t:b", 1, 0, 0, 0, model="other"), vector_of("t:c", 1, 0, 0)],
    )
    answer = await opened(feed).search(ask(vector=packed(1, 0, 0, 0)))
    assert (ids(answer), answer.excluded_other_model) == (["t:a"], 3)
    assert answer.admitted[Table.THOUGHTS] == 4
    assert answer.matched[Table.THOUGHTS] == 1


@pytest.mark.requirement("promise:5")
async def test_refuses_a_query_vector_of_another_dimension(opened: Opened, feed: ChangeFeed) -> None:
    with pytest.raises(InvalidParams, match="dimension 4"):
        await opened(feed).search(ask(vector=packed(1, 0, 0)))


@pytest.mark.parametrize("broken", [packed(0, 0, 0, 0), packed(float("nan"), 0, 0, 0)])
async def test_refuses_a_query_vector_without_direction(opened: Opened, feed: ChangeFeed, broken: bytes) -> None:
    with pytest.raises(InvalidParams, match="zero or not finite"):
        await opened(feed).search(ask(vector=broken))


@pytest.mark.parametrize("size", [3e38, 1e-42, 1.0])
async def test_a_query_vector_of_any_length_has_the_same_cosines(opened: Opened, feed: ChangeFeed, size: float) -> None:
    await feed.put(thought("a", "x"), vectors=[vector_of("t:a", 1, 1, 1, 1)])
    answer = await opened(feed).search(ask(vector=packed(size, size, size, size)))
    assert [hit.cosine for hit in answer.hits] == [1.0]


async def test_a_row_without_a_vector_has_no_cosine_and_is_still_found_by_words(
    opened: Opened, feed: ChangeFeed
) -> None:
    await feed.put(thought("a", "pending row"))
    (hit,) = (await opened(feed).search(ask("pending", vector=packed(1, 0, 0, 0)))).hits
    assert hit.cosine is None
    assert 0.0 < hit.lexical < 1.0


@pytest.mark.requirement("ruling:C9", "ruling:G.2b")
async def test_equal_scores_are_ordered_by_id_and_a_smaller_limit_gives_a_prefix(
    opened: Opened, feed: ChangeFeed
) -> None:
    await feed.put(*(thought(key, "same words") for key in "dbeac"))
    index = opened(feed)
    full = ids(await index.search(ask("words", limit=5)))
    assert full == ["t:a", "t:b", "t:c", "t:d", "t:e"]
    assert [ids(await index.search(ask("words", limit=limit))) for limit in range(5)] == [full[:n] for n in range(5)]


@pytest.mark.requirement("ruling:C9")
async def test_among_many_equal_rows_the_first_ids_are_chosen(opened: Opened, feed: ChangeFeed) -> None:
    keys = [f"{number * 37 % 400:03}" for number in range(400)]
    index = opened(feed)
    for start in range(0, 400, 100):
        await feed.put(*(thought(key, "same words") for key in keys[start : start + 100]))
        await index.refresh()
    assert ids(await index.search(ask("words", limit=3))) == ["t:000", "t:001", "t:002"]


@pytest.mark.requirement("promise:8")
async def test_scores_do_not_depend_on_how_the_index_came_to_be(opened: Opened, feed: ChangeFeed) -> None:
    step_by_step = opened(feed)
    for number in range(300):
        key = f"{number % 170:03}"
        await feed.put(
            thought(key, f"note {number} about topic{number % 7}", days=number / 9),
            vectors=[vector_of(f"t:{key}", 1, number % 5, number % 3, 1)],
        )
        if number % 11 == 0:
            await step_by_step.refresh()
        if number % 40 == 39:
            await feed.drop(f"t:{number % 170 - 5:03}")
    await step_by_step.refresh()
    at_once = FoldedIndex(feed, None, model=MODEL, dim=DIM)
    query = ask("topic3 note 45", vector=packed(1, 2, 1, 1), limit=400, neighbour_weight=0.5)
    assert await step_by_step.search(query) == await at_once.search(query)
    await step_by_step.rebuild()
    assert await step_by_step.search(query) == await at_once.search(query)


async def test_a_replaced_row_is_found_by_its_new_words_only(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(thought("a", "June in Lisbon"), vectors=[vector_of("t:a", 1, 0, 0, 0)])
    index = opened(feed)
    await index.refresh()
    await feed.put(replace(thought("a", "September in Porto"), revision=2), vectors=[vector_of("t:a", 0, 1, 0, 0)])
    await index.refresh()
    assert ids(await index.search(ask("Lisbon"))) == []
    (hit,) = (await index.search(ask("Porto", vector=packed(0, 1, 0, 0)))).hits
    assert (hit.row_id, hit.cosine) == ("t:a", 1.0)


@pytest.mark.requirement("promise:6")
async def test_a_row_that_is_gone_is_not_found(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(thought("a", "forget me"), thought("b", "keep me"))
    index = opened(feed)
    await index.refresh()
    await feed.drop("t:a")
    await feed.drop("t:never-seen")
    await index.refresh()
    assert ids(await index.search(ask("forget me keep"))) == ["t:b"]
    assert (await index.status()).rows[Table.THOUGHTS] == 1


async def test_refreshing_without_news_changes_nothing(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(thought("a", "once"))
    index = opened(feed)
    assert await index.refresh() == await index.refresh() == 1
    assert (await index.status()).rows[Table.THOUGHTS] == 1


async def test_what_is_said_by_the_person_asked_about_comes_first(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(thought("a", "I like tea", speaker="Ann"), thought("b", "I like tea", speaker="Bob"))
    index = opened(feed)
    answer = await index.search(ask("tea", speaker="BOB", speaker_weight=0.1))
    assert [(hit.row_id, hit.is_speaker) for hit in answer.hits] == [("t:b", True), ("t:a", False)]


async def test_a_row_gains_from_the_best_of_its_neighbours_in_time(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(
        thought("a", "Which band did you see at the concert?"),
        thought("b", "The Silver Owls, and the band was great", days=0.01),
        thought("c", "my band practice", days=30),
    )
    index = opened(feed)
    plain = (await index.search(ask("concert band", weights=(0, 1)))).hits
    lifted = (await index.search(ask("concert band", weights=(0, 1), neighbour_weight=0.5))).hits
    assert [hit.row_id for hit in plain] == ["t:a", "t:c", "t:b"]
    assert [hit.row_id for hit in lifted] == ["t:a", "t:b", "t:c"]
    own = {hit.row_id: hit.lexical / (1 - hit.lexical) for hit in lifted}
    assert lifted[0].neighbour == pytest.approx(own["t:b"], abs=1e-5)
    assert (plain[0].neighbour, lifted[2].neighbour) == (0.0, 0.0)


@pytest.mark.requirement("ruling:I2")
async def test_undated_sentences_gain_from_those_of_their_own_note_alone(opened: Opened, feed: ChangeFeed) -> None:
    def said(key: str, text: str, note: str, start: int) -> Observation:
        place = Provenance(thought_id=note, start=start, end=start + len(text))
        return replace(observation(key, text), created_at=UNDATED, provenance=(place,))

    await feed.put(
        said("c", "Which band did you see?", "t:1", 0),
        said("a", "The Silver Owls", "t:1", 30),
        said("b", "The Silver Owls of old", "t:2", 0),
    )
    hits = (await opened(feed).search(ask("band silver", weights=(0, 1), neighbour_weight=0.5))).hits
    found = {hit.row_id: hit.neighbour for hit in hits}
    assert found["o:a"] > 0
    assert found["o:b"] == 0


async def test_a_question_lends_what_follows_it_half_as_much_again(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(
        thought("a", "Which band did you see?"),
        thought("b", "The Silver Owls", days=0.01),
        thought("c", "my band", days=9),
        thought("d", "The Silver Owls", days=9.01),
    )
    hits = (await opened(feed).search(ask("band silver", weights=(0, 1), neighbour_weight=0.5))).hits
    found = {hit.row_id: hit for hit in hits}
    own = {row_id: hit.lexical / (1 - hit.lexical) for row_id, hit in found.items()}
    assert found["t:b"].neighbour == pytest.approx(1.5 * own["t:a"], abs=1e-5)
    assert found["t:d"].neighbour == pytest.approx(own["t:c"], abs=1e-5)


async def test_a_long_row_takes_less_from_its_neighbours(opened: Opened, feed: ChangeFeed) -> None:
    long = "band " + " ".join(f"word{number}" for number in range(237))
    await feed.put(thought("a", "the band"), thought("b", long, days=0.01))
    hits = (await opened(feed).search(ask("band", weights=(0, 1), neighbour_weight=0.5))).hits
    found = {hit.row_id: hit for hit in hits}
    lent = found["t:a"].lexical / (1 - found["t:a"].lexical)
    assert found["t:b"].neighbour == pytest.approx(lent / 2, rel=0.05)


@pytest.mark.requirement("promise:6")
async def test_a_private_neighbour_lends_nothing(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(
        replace(thought("a", "concert concert concert"), is_private=True), thought("b", "the concert", days=0.001)
    )
    (hit,) = (await opened(feed).search(ask("concert", neighbour_weight=0.5))).hits
    assert (hit.row_id, hit.neighbour) == ("t:b", 0.0)


async def test_excluded_rows_are_neither_returned_nor_counted_and_lend_nothing(
    opened: Opened, feed: ChangeFeed
) -> None:
    await feed.put(
        thought("a", "concert concert concert"), thought("b", "the concert", days=0.001), observation("c", "concert"),
        vectors=[vector_of("t:a", 1, 0, 0, 0)],
    )  # fmt: skip
    out = frozenset({"t:a", "o:c", "t:never-seen"})
    answer = await opened(feed).search(ask("concert", neighbour_weight=0.5, exclude_ids=out))
    assert [(hit.row_id, hit.neighbour) for hit in answer.hits] == [("t:b", 0.0)]
    assert (answer.admitted[Table.THOUGHTS], answer.admitted[Table.OBSERVATIONS]) == (1, 0)
    assert (answer.matched[Table.THOUGHTS], answer.matched[Table.OBSERVATIONS]) == (1, 0)
    assert answer.excluded_other_model == 1


async def test_a_hit_tells_when_its_row_was_made(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(thought("a", "note"), thought("b", "note", days=1.5))
    made = [hit.created_us for hit in (await opened(feed).search(ask("note"))).hits]
    assert made == [round((AT + timedelta(days=days)).timestamp() * 1_000_000) for days in (0, 1.5)]


async def test_an_observation_is_found_by_the_names_of_its_entities(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(observation("1", "She moved to Porto.", "e:ada"), entity("ada", "Ada Lovelace"))
    assert "o:1" in ids(await opened(feed).search(ask("Lovelace")))


async def test_a_renamed_entity_is_found_by_its_new_name_where_it_is_mentioned(
    opened: Opened, feed: ChangeFeed
) -> None:
    await feed.put(
        entity("ada", "Ada Byron"), entity("acme", "Acme"), observation("1", "She moved.", "e:ada"),
        Relation(
            id="r:1", created_at=AT, recorded_at=AT, origin=Origin.HUMAN,
            source_id="e:ada", target_id="e:acme", rel_type="works_at",
        ),
        vectors=[vector_of("o:1", 1, 0, 0, 0)],
    )  # fmt: skip
    index = opened(feed)
    await index.refresh()
    await feed.put(entity("ada", "Ada Lovelace", revision=2))
    await index.refresh()
    assert set(ids(await index.search(ask("Byron")))) == set()
    assert set(ids(await index.search(ask("Lovelace")))) == {"e:ada", "o:1", "r:1"}
    (hit,) = (await index.search(ask(vector=packed(1, 0, 0, 0)))).hits
    assert (hit.row_id, hit.cosine) == ("o:1", 1.0)
    await feed.drop("e:ada")
    await index.refresh()
    assert ids(await index.search(ask("Lovelace"))) == []


@pytest.mark.requirement("promise:6")
async def test_the_name_of_a_private_entity_finds_no_open_row(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(
        entity("x", "Xanadu", is_private=True),
        observation("1", "She moved.", "e:x"),
        replace(observation("2", "She stayed.", "e:x"), is_private=True),
    )
    shown = RowFilter(tables=frozenset({Table.OBSERVATIONS}), include_private=True)
    assert ids(await opened(feed).search(ask("Xanadu", row_filter=shown))) == ["o:2"]


@pytest.mark.requirement("ruling:H.2b")
async def test_raises_the_alarm_when_the_store_has_lost_writes(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(*(thought(f"{number:03}", "x") for number in range(200)))
    index = opened(feed)
    await index.refresh()
    behind = ChangeFeed()
    await behind.put(thought("000", "x"))
    feed.rows, feed.seqs, feed.last_seq = behind.rows, behind.seqs, behind.last_seq
    with pytest.raises(StoreDamaged, match="writes were lost"):
        await index.refresh()


async def test_no_faults_are_found_in_an_index_that_agrees_with_its_store(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(*(thought(f"{number:03}", "x") for number in range(200)), entity("a", "A"))
    index = opened(feed)
    await index.refresh()
    assert await index.faults() == []
    feed.rows.pop("t:007")
    gone = "1 of 201 sampled rows differ between the index and the store; run: voice maintain rebuild"
    assert await index.faults() == ["thoughts: the index has 200 rows, but the store has 199", gone]
    feed.last_seq = 5
    assert "the index is at change 201, but the store ends at change 5" in await index.faults()


@pytest.mark.parametrize(
    "changes",
    [
        {"content": "y"}, {"content": "x x"}, {"speaker": "Ann"}, {"tags": ("a",)}, {"is_private": True},
        {"created_at": AT - timedelta(days=9)}, {"scope": Scope(user_id="u")}, {"status": RowStatus.REMOVAL},
    ],
    ids=str,
)  # fmt: skip
async def test_a_row_that_is_not_as_the_store_has_it_is_a_fault(
    opened: Opened, feed: ChangeFeed, changes: dict[str, object]
) -> None:
    await feed.put(*(thought(f"{number:03}", "x") for number in range(200)))
    index = opened(feed)
    await index.refresh()
    feed.rows["t:001"] = replace(feed.rows["t:001"], **changes)  # pyright: ignore[reportArgumentType]
    assert await index.faults() == [
        "1 of 200 sampled rows differ between the index and the store; run: voice maintain rebuild"
    ]


async def test_a_vector_that_is_not_the_stored_one_is_a_fault(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(
        *(thought(f"{number:03}", "x") for number in range(20)),
        vectors=[vector_of(f"t:{number:03}", 3, 4, number, 0) for number in range(20)],
    )
    index = opened(feed)
    await index.refresh()
    assert await index.faults() == []
    feed.vectors["t:019"] = vector_of("t:019", 0, 1, 0, 0)
    (fault,) = await index.faults()
    assert fault.startswith("1 of 20 sampled rows differ")
