"""A provider that breaks its contract fails the suite that third parties run: every promise has one that breaks it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from voice.adapters.retrieval import installed_providers
from voice.core.records import Table
from voice.ports.retrieval_provider import ProviderAnswer, ProviderContext, ProviderQuery, RetrievalProvider
from voice.testing.retrieval_providers import RetrievalProviderContract
from wrong_providers import (
    Ask,
    SearchAs,
    answers_by_turns,
    chokes_on_a_speaker,
    chokes_on_conditions_together,
    chokes_on_long_strings,
    chokes_on_odd_strings,
    counts_matches_up_to_the_limit,
    counts_what_is_excluded,
    counts_what_it_returns,
    counts_what_may_not_be_seen,
    counts_what_was_not_asked_for,
    does_not_round,
    finds_nothing,
    forgets_most_of_what_is_excluded,
    forgets_tags,
    forgets_time,
    forgets_what_is_excluded,
    hides_that_the_encoder_is_down,
    ignores_a_limit_above_five,
    knows_a_query_language,
    leaks_agents,
    leaks_private_rows,
    leaks_repositories,
    leaks_scopes,
    leaks_sessions,
    leaks_users,
    leaks_what_is_private_of,
    measures_age_from_its_own_now,
    named,
    normalises_over_what_it_found,
    opens_the_window_too_late,
    ranks_by_no_number,
    ranks_the_other_way_round,
    ranks_what_is_far_first,
    refuses_the_first_tag_alone,
    returns_a_row_twice,
    says_it_was,
    says_of_every_hit,
    scores_below_nought,
    scores_by_the_limit,
    scores_without_an_end,
    searches_every_table,
    shows_the_speaker_alone,
    shows_what_was_redacted,
    shows_what_was_superseded,
    shuts_the_window_too_late,
    wants_every_tag,
    wants_the_first_tag,
)


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
