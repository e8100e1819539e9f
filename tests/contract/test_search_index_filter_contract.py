"""What every search index leaves out before it ranks, wherever it keeps its files."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from change_feed import ALL_TABLES, AT, ChangeFeed, Opened, ask, entity, ids, observation, packed, thought, vector_of
from voice.core.records import RowStatus, Scope, Table
from voice.core.retrieval.values import RowFilter, Window
from voice.core.text.instants import UNDATED


@pytest.mark.requirement("promise:6")
async def test_private_rows_stay_out_unless_asked_for(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(replace(thought("a", "a secret"), is_private=True), thought("b", "no secret"))
    index = opened(feed)
    assert ids(await index.search(ask("secret"))) == ["t:b"]
    shown = RowFilter(tables=frozenset(Table), include_private=True)
    assert set(ids(await index.search(ask("secret", row_filter=shown)))) == {"t:a", "t:b"}


@pytest.mark.requirement("ruling:A13")
@pytest.mark.parametrize("changes", [{"is_summary": True}, {"pipeline": "inner_voice"}])
async def test_what_the_inner_voice_wrote_is_never_found(
    opened: Opened, feed: ChangeFeed, changes: dict[str, object]
) -> None:
    written = replace(thought("a", "an answer"), **changes)  # pyright: ignore[reportArgumentType]
    await feed.put(written, vectors=[vector_of("t:a", 1, 0, 0, 0)])
    everything = RowFilter(tables=frozenset(Table), include_private=True, include_superseded=True)
    index = opened(feed)
    answer = await index.search(ask("answer", vector=packed(1, 0, 0, 0), row_filter=everything))
    assert (answer.hits, answer.admitted[Table.THOUGHTS]) == ((), 0)
    assert (await index.status()).rows[Table.THOUGHTS] == 1


@pytest.mark.parametrize("status", [RowStatus.REMOVAL, RowStatus.REDACTED])
async def test_rows_marked_for_removal_and_redacted_rows_are_never_found(
    opened: Opened, feed: ChangeFeed, status: RowStatus
) -> None:
    await feed.put(thought("a", "gone soon"))
    index = opened(feed)
    await index.refresh()
    everything = RowFilter(tables=frozenset(Table), include_private=True, include_superseded=True)
    assert ids(await index.search(ask("gone", row_filter=everything))) == ["t:a"]
    await feed.put(replace(thought("a", "gone soon"), status=status, revision=2))
    await index.refresh()
    assert ids(await index.search(ask("gone", row_filter=everything))) == []


async def test_superseded_rows_are_found_only_when_asked_for(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(replace(observation("a", "lives in Oslo"), status=RowStatus.SUPERSEDED))
    index = opened(feed)
    assert ids(await index.search(ask("Oslo"))) == []
    older = RowFilter(tables=frozenset(Table), include_superseded=True)
    assert ids(await index.search(ask("Oslo", row_filter=older))) == ["o:a"]


@pytest.mark.requirement("ruling:I4:gone")
async def test_rows_that_left_with_their_notes_are_found_only_when_the_past_is_asked_for(
    opened: Opened, feed: ChangeFeed
) -> None:
    await feed.put(replace(observation("a", "lives in Oslo"), status=RowStatus.REMOVAL, superseded_at=AT))
    index = opened(feed)
    assert ids(await index.search(ask("Oslo"))) == []
    older = RowFilter(tables=frozenset(Table), include_superseded=True)
    assert ids(await index.search(ask("Oslo", row_filter=older))) == ["o:a"]


async def test_a_window_is_half_open(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(*(thought(f"{day}", "day", days=day) for day in range(4)))
    window = Window(start=AT + timedelta(days=1), end=AT + timedelta(days=3))
    answer = await opened(feed).search(ask("day", row_filter=replace(ALL_TABLES, window=window)))
    assert sorted(ids(answer)) == ["t:1", "t:2"]


async def test_scope_dimensions_must_all_agree(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(
        replace(thought("a", "scoped"), scope=Scope(repo_id="r1", user_id="u1")),
        replace(thought("b", "scoped"), scope=Scope(repo_id="r1", user_id="u2")),
        thought("c", "scoped"),
    )
    index = opened(feed)

    async def found(scope: Scope) -> list[str]:
        return sorted(ids(await index.search(ask("scoped", row_filter=replace(ALL_TABLES, scope=scope)))))

    assert await found(Scope(repo_id="r1")) == ["t:a", "t:b"]
    assert await found(Scope(repo_id="r1", user_id="u2")) == ["t:b"]
    assert await found(Scope(repo_id="r2")) == []
    assert await found(Scope(repo_id="r1", user_id="u2", or_unscoped=True)) == ["t:b", "t:c"]
    assert await found(Scope(or_unscoped=True)) == ["t:c"]
    assert await found(Scope.ALL) == ["t:a", "t:b", "t:c"]


async def test_tags_include_any_and_exclude_any(opened: Opened, feed: ChangeFeed) -> None:
    await feed.put(
        replace(thought("a", "tagged"), tags=("work", "auth")),
        replace(thought("b", "tagged"), tags=("home",)),
        thought("c", "tagged"),
    )
    index = opened(feed)

    async def found(**tags: tuple[str, ...]) -> list[str]:
        return sorted(ids(await index.search(ask("tagged", row_filter=replace(ALL_TABLES, **tags)))))

    assert await found(include_tags=("auth", "home")) == ["t:a", "t:b"]
    assert await found(exclude_tags=("work", "home")) == ["t:c"]
    assert await found(include_tags=("auth",), exclude_tags=("work",)) == []


async def test_only_the_tables_asked_for_are_searched_and_each_has_its_own_limit(
    opened: Opened, feed: ChangeFeed
) -> None:
    await feed.put(
        *(thought(f"{number}", "apple") for number in range(3)),
        *(observation(f"{number}", "apple") for number in range(3)),
        entity("1", "Apple"),
    )
    index = opened(feed)
    kg = RowFilter(tables=frozenset({Table.ENTITIES, Table.OBSERVATIONS}))
    answer = await index.search(ask("apple", row_filter=kg, limit=2))
    assert ids(answer) == ["e:1", "o:0", "o:1"]
    assert answer.matched == {Table.ENTITIES: 1, Table.OBSERVATIONS: 3}


@pytest.mark.requirement("ruling:I2")
@pytest.mark.parametrize("window", [Window(start=AT), Window(end=AT + timedelta(days=1))])
async def test_what_is_undated_is_found_at_any_time_and_in_no_window(
    opened: Opened, feed: ChangeFeed, window: Window
) -> None:
    await feed.put(thought("a", "the kiln"), replace(thought("b", "the kiln"), created_at=UNDATED))
    index = opened(feed)
    assert set(ids(await index.search(ask("kiln")))) == {"t:a", "t:b"}
    assert ids(await index.search(ask("kiln", row_filter=replace(ALL_TABLES, window=window)))) == ["t:a"]


@pytest.mark.requirement("ruling:I3")
async def test_a_window_holds_what_speaks_of_a_date_in_it_whenever_that_was_told(
    opened: Opened, feed: ChangeFeed
) -> None:
    await feed.put(
        thought("a", "The lease ends on 3 May 2025."),
        thought("b", "The lease is long."),
        replace(thought("c", "The lease began on 2 May 2025; the roof in 2019."), created_at=UNDATED),
    )
    index = opened(feed)
    may = Window(start=datetime(2025, 5, 1, tzinfo=UTC), end=datetime(2025, 6, 1, tzinfo=UTC))
    hours = Window(start=may.start, end=AT.replace(month=5, day=1, hour=15))
    assert set(ids(await index.search(ask("lease", row_filter=replace(ALL_TABLES, window=may))))) == {"t:a", "t:c"}
    assert ids(await index.search(ask("lease", row_filter=replace(ALL_TABLES, window=hours)))) == []
    later = await index.search(ask("lease", row_filter=replace(ALL_TABLES, window=Window(start=may.start))))
    assert set(ids(later)) == {"t:a", "t:c"}
