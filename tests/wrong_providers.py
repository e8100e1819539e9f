"""Ways to search wrongly: each does one thing that the contract of retrieval providers forbids."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count

from voice.core.errors import EmbedderUnavailable
from voice.core.records import Scope, Table
from voice.core.retrieval.values import Found, Window
from voice.ports.retrieval_provider import Embedding, ProviderAnswer, ProviderQuery

Ask = Callable[[ProviderQuery], Awaitable[ProviderAnswer]]
SearchAs = Callable[[Ask, ProviderQuery], Awaitable[ProviderAnswer]]


def named(search_as: SearchAs, name: str) -> SearchAs:
    search_as.__name__ = name
    return search_as


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
