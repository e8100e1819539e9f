"""A provider that breaks its contract fails the suite that third parties run: every promise has one that breaks it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count

import pytest

from voice.adapters.retrieval.installed import installed_providers
from voice.core.errors import EmbedderUnavailable
from voice.core.records import Scope, Table
from voice.core.retrieval.values import Found, Window
from voice.ports.retrieval_provider import (
    Embedding,
    ProviderAnswer,
    ProviderContext,
    ProviderQuery,
    RetrievalProvider,
)
from voice.testing.retrieval_providers import RetrievalProviderContract

Ask = Callable[[ProviderQuery], Awaitable[ProviderAnswer]]
SearchAs = Callable[[Ask, ProviderQuery], Awaitable[ProviderAnswer]]


@dataclass(frozen=True, slots=True)
class Wrong:
    """`local-hybrid` with one thing done wrong."""

    search_as: SearchAs
    ask: Ask
    name: str = "wrong"
    is_deterministic: bool = True

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        return await self.search_as(self.ask, query)


async def right(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(query)


def _with(query: ProviderQuery, **changed: object) -> ProviderQuery:
    return replace(query, filter=replace(query.filter, **changed))


async def leaks_scopes(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, scope=Scope.ALL))


async def leaks_sessions(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, scope=replace(query.filter.scope, session_id=None)))


async def leaks_repositories(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, scope=replace(query.filter.scope, repo_id=None)))


async def leaks_agents(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, scope=replace(query.filter.scope, agent_id=None)))


async def leaks_users(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, scope=replace(query.filter.scope, user_id=None)))


def leaks_what_is_private_of(table: Table) -> SearchAs:
    async def leaks(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
        answer, everything = await ask(query), await ask(_with(query, include_private=True))
        found = {one.hit.row_id: one for one in (*answer.found, *_of(table, everything))}
        ranked = sorted(found.values(), key=lambda one: (-one.rank_score, one.hit.table, one.hit.row_id))
        return replace(answer, found=tuple(ranked))

    return leaks


def _of(table: Table, answer: ProviderAnswer) -> list[Found]:
    return [one for one in answer.found if one.hit.table is table]


async def shuts_the_window_too_late(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    end = query.filter.window.end
    later = None if end is None else end + timedelta(microseconds=1)
    return await ask(_with(query, window=replace(query.filter.window, end=later)))


async def opens_the_window_too_late(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    start = query.filter.window.start
    later = None if start is None else start + timedelta(microseconds=1)
    return await ask(_with(query, window=replace(query.filter.window, start=later)))


async def wants_every_tag(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    each = [await ask(_with(query, include_tags=(tag,))) for tag in query.filter.include_tags]
    if not each:
        return await ask(query)
    shared = {one.hit.row_id for one in each[0].found}
    for answer in each[1:]:
        shared &= {one.hit.row_id for one in answer.found}
    return replace(each[0], found=tuple(one for one in each[0].found if one.hit.row_id in shared))


async def wants_the_first_tag(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, include_tags=query.filter.include_tags[:1]))


async def refuses_the_first_tag_alone(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, exclude_tags=query.filter.exclude_tags[:1]))


async def leaks_private_rows(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, include_private=True))


async def forgets_time(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, window=Window()))


async def forgets_tags(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, include_tags=(), exclude_tags=()))


async def shows_what_was_superseded(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, include_superseded=True))


async def searches_every_table(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(_with(query, tables=frozenset(Table)))


async def shows_what_was_redacted(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer = await ask(query)
    found = [replace(one, hit=replace(one.hit, row_id="o:redacted")) for one in answer.found[-1:]]
    return replace(answer, found=(*answer.found, *found))


async def counts_what_may_not_be_seen(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer, everything = await ask(query), await ask(_with(query, include_private=True))
    return replace(answer, admitted=everything.admitted)


async def counts_what_it_returns(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer = await ask(query)
    return replace(answer, admitted=dict.fromkeys(Table, len(answer.found)))


async def counts_what_was_not_asked_for(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer, everything = await ask(query), await ask(_with(query, tables=frozenset(Table)))
    return replace(answer, admitted=everything.admitted)


async def forgets_most_of_what_is_excluded(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(replace(query, exclude_ids=frozenset(sorted(query.exclude_ids)[:3])))


async def forgets_what_is_excluded(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(replace(query, exclude_ids=frozenset()))


async def counts_what_is_excluded(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer = await ask(replace(query, exclude_ids=frozenset()))
    return replace(answer, found=tuple(one for one in answer.found if one.hit.row_id not in query.exclude_ids))


async def scores_without_an_end(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return _scored(await ask(query), lambda one: replace(one, score=1.0 + one.rank_score))


async def scores_below_nought(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return _scored(await ask(query), lambda one: replace(one, score=one.score - 0.9))


async def does_not_round(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return _scored(await ask(query), lambda one: replace(one, score=one.score / 3))


async def normalises_over_what_it_found(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer = await ask(query)
    best = max((one.score for one in answer.found), default=1.0) or 1.0
    return _scored(answer, lambda one: replace(one, score=round(one.score / best, 6)))


async def scores_by_the_limit(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return _scored(await ask(query), lambda one: replace(one, score=round(one.score * (1 - 0.1 / query.limit), 6)))


async def ranks_what_is_far_first(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    found = (await ask(query)).found
    turned = [replace(one, score=round(1 - one.score, 6), rank_score=-one.rank_score) for one in found]
    ranked = sorted(turned, key=lambda one: (-one.rank_score, one.hit.table, one.hit.row_id))
    return replace(await ask(query), found=tuple(ranked))


async def ignores_a_limit_above_five(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return await ask(query if query.limit <= 5 else replace(query, limit=100))


async def counts_matches_up_to_the_limit(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer = await ask(query)
    return replace(answer, matched={table: min(count, query.limit) for table, count in answer.matched.items()})


async def measures_age_from_its_own_now(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    days = {"t:young": 0.0, "t:aged": 0.1}
    answer = await ask(query)
    return _scored(answer, lambda one: replace(one, rank_score=one.rank_score - days.get(one.hit.row_id, 0.0)))


def says_of_every_hit(**changed: float) -> SearchAs:
    async def says(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
        return _scored(await ask(query), lambda one: replace(one, hit=replace(one.hit, **changed)))  # pyright: ignore[reportArgumentType]

    return says


def says_it_was(**changed: object) -> SearchAs:
    async def says(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
        answer = await ask(query)
        return replace(answer, embedding=replace(answer.embedding, **changed))  # pyright: ignore[reportArgumentType]

    return says


async def ranks_by_no_number(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return _scored(await ask(query), lambda one: replace(one, rank_score=float("inf")))


async def chokes_on_a_speaker(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    if query.speaker is not None:
        raise ValueError("nobody is known")
    return await ask(query)


async def shows_the_speaker_alone(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer = await ask(query)
    return answer if query.speaker is None else replace(answer, found=())


async def chokes_on_conditions_together(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    if query.filter.window != Window() and query.filter.scope != Scope.ALL:
        raise ValueError("one at a time")
    return await ask(query)


async def chokes_on_long_strings(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    if len(query.text) > 65_536:
        raise ValueError("too long")
    return await ask(query)


async def ranks_the_other_way_round(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer = await ask(query)
    return replace(answer, found=tuple(reversed(answer.found)))


_turns = count()


async def answers_by_turns(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    turn = next(_turns)
    return _scored(await ask(query), lambda one: replace(one, score=round(one.score / (1 + turn % 2), 6)))


async def returns_a_row_twice(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    answer = await ask(query)
    return replace(answer, found=(*answer.found[:1], *answer.found))


async def finds_nothing(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    return replace(await ask(query), found=(), matched={})


async def chokes_on_odd_strings(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    query.text.encode("utf-8")
    return await ask(query)


async def knows_a_query_language(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    if query.text.count('"') % 2:
        raise ValueError("unterminated string")
    return await ask(query)


async def hides_that_the_encoder_is_down(ask: Ask, query: ProviderQuery) -> ProviderAnswer:
    try:
        return await ask(query)
    except EmbedderUnavailable:
        return ProviderAnswer(found=(), admitted={}, matched={}, embedding=Embedding(provider="hash", model="hash"))


def _scored(answer: ProviderAnswer, scored: Callable[[Found], Found]) -> ProviderAnswer:
    return replace(answer, found=tuple(scored(one) for one in answer.found))


NEAR = "test_what_is_near_ranks_above_what_is_far"
FOUND = "test_what_passes_the_filter_and_says_it_is_found"
NOW = "test_recency_is_measured_from_the_instant_of_the_query"
ENCODER = "test_it_says_which_encoder_embedded_the_query"
SPEAKER = "test_who_is_named_changes_nothing_but_the_order"
FILTER = "test_nothing_that_fails_the_filter_is_returned"
COUNTS = "test_the_counts_are_true"
EXCLUDED = "test_excluded_rows_are_neither_returned_nor_counted"
SCORES = "test_scores_lie_between_nought_and_one"
LIMIT = "test_a_smaller_limit_gives_the_beginning_of_a_larger_one"
ORDER = "test_results_come_best_first_and_each_once"
STRINGS = "test_any_string_is_a_query"


def named(search_as: SearchAs, name: str) -> SearchAs:
    search_as.__name__ = name
    return search_as


CAUGHT_BY: dict[SearchAs, str] = {
    leaks_scopes: FILTER,
    leaks_private_rows: FILTER,
    leaks_sessions: FILTER,
    leaks_repositories: FILTER,
    leaks_agents: FILTER,
    leaks_users: FILTER,
    **{named(leaks_what_is_private_of(table), f"leaks_private_{table.value}"): FILTER for table in Table},
    shuts_the_window_too_late: FILTER,
    refuses_the_first_tag_alone: FILTER,
    opens_the_window_too_late: FOUND,
    wants_every_tag: FOUND,
    wants_the_first_tag: FOUND,
    chokes_on_conditions_together: FILTER,
    counts_what_was_not_asked_for: COUNTS,
    forgets_most_of_what_is_excluded: EXCLUDED,
    ranks_what_is_far_first: NEAR,
    ranks_by_no_number: SCORES,
    named(says_of_every_hit(cosine=7.5), "cosine_of_seven"): SCORES,
    named(says_of_every_hit(cosine=float("inf")), "cosine_without_an_end"): SCORES,
    named(says_of_every_hit(cosine=float("nan")), "cosine_that_is_none"): SCORES,
    named(says_of_every_hit(lexical=-3.0), "words_below_nought"): SCORES,
    ignores_a_limit_above_five: LIMIT,
    counts_matches_up_to_the_limit: LIMIT,
    measures_age_from_its_own_now: NOW,
    named(says_it_was(dim=-5), "dimension_below_nought"): ENCODER,
    named(says_it_was(model="another"), "model_of_another_name"): ENCODER,
    named(says_it_was(provider="another"), "encoder_of_another_name"): ENCODER,
    named(says_it_was(provider="none"), "no_encoder_but_its_model"): ENCODER,
    named(says_it_was(excluded_other_model=9_999), "more_without_a_vector_than_there_are"): ENCODER,
    chokes_on_a_speaker: SPEAKER,
    shows_the_speaker_alone: SPEAKER,
    chokes_on_long_strings: STRINGS,
    forgets_time: FILTER,
    forgets_tags: FILTER,
    shows_what_was_superseded: FILTER,
    searches_every_table: FILTER,
    shows_what_was_redacted: FILTER,
    counts_what_may_not_be_seen: COUNTS,
    counts_what_it_returns: COUNTS,
    forgets_what_is_excluded: EXCLUDED,
    counts_what_is_excluded: EXCLUDED,
    scores_without_an_end: SCORES,
    scores_below_nought: SCORES,
    does_not_round: SCORES,
    normalises_over_what_it_found: "test_a_score_does_not_depend_on_what_else_is_searched",
    scores_by_the_limit: LIMIT,
    ranks_the_other_way_round: ORDER,
    returns_a_row_twice: ORDER,
    answers_by_turns: "test_the_same_search_gives_the_same_answer",
    finds_nothing: "test_what_says_what_is_asked_is_found",
    chokes_on_odd_strings: STRINGS,
    knows_a_query_language: STRINGS,
    hides_that_the_encoder_is_down: "test_an_encoder_that_is_down_is_said_so",
}


def contract_of(search_as: SearchAs, *, is_deterministic: bool = True) -> RetrievalProviderContract:
    class Contract(RetrievalProviderContract):
        def make_provider(self, context: ProviderContext) -> RetrievalProvider:
            ask = installed_providers(context).named("local-hybrid").search
            return Wrong(search_as, ask, is_deterministic=is_deterministic)

    return Contract()


def promises_of(contract: RetrievalProviderContract) -> dict[str, Callable[[], None]]:
    return {name: getattr(contract, name) for name in dir(contract) if name.startswith("test_")}


@pytest.mark.requirement("s4:provider:custom", "promise:6")
@pytest.mark.parametrize(("search_as", "caught_by"), CAUGHT_BY.items(), ids=[wrong.__name__ for wrong in CAUGHT_BY])
def test_what_is_wrong_fails_the_test_of_its_promise(search_as: SearchAs, caught_by: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        promises_of(contract_of(search_as))[caught_by]()


def test_what_does_as_it_should_passes_every_test() -> None:
    for test in promises_of(contract_of(right)).values():
        test()


def test_answers_may_differ_where_a_provider_says_so() -> None:
    contract_of(answers_by_turns, is_deterministic=False).test_the_same_search_gives_the_same_answer()


def test_every_promise_has_a_provider_that_breaks_it() -> None:
    unbroken = promises_of(contract_of(right)).keys() - set(CAUGHT_BY.values())
    assert unbroken == {
        "test_it_has_a_name_and_says_whether_it_is_deterministic",
        "test_a_row_that_was_just_written_is_found",
    }


def test_a_provider_without_a_name_is_caught() -> None:
    class Nameless(RetrievalProviderContract):
        def make_provider(self, context: ProviderContext) -> RetrievalProvider:
            return Wrong(right, installed_providers(context).named("local-fts").search, name=" ")

    with pytest.raises(AssertionError, match="name"):
        Nameless().test_it_has_a_name_and_says_whether_it_is_deterministic()


def test_a_provider_that_never_looks_again_is_caught() -> None:
    class Stale(RetrievalProviderContract):
        def make_provider(self, context: ProviderContext) -> RetrievalProvider:
            answers: dict[str, ProviderAnswer] = {}
            ask = installed_providers(context).named("local-hybrid").search

            async def once(_: Ask, query: ProviderQuery) -> ProviderAnswer:
                first = answers.setdefault("first", await ask(query))
                return replace(await ask(query), found=first.found)

            return Wrong(once, ask)

    with pytest.raises(AssertionError, match="written after"):
        Stale().test_a_row_that_was_just_written_is_found()


def test_a_suite_that_was_not_told_what_to_test_says_so() -> None:
    with pytest.raises(NotImplementedError, match="how your provider is made"):
        RetrievalProviderContract().test_any_string_is_a_query()
