"""A session grows by appended exchanges, and folds into a true summary."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from full_verdicts import verdict
from prompt_rows import words
from store_values import citation
from voice.core.errors import InvalidParams, NoSession
from voice.core.grounding.values import GroundedResponse, GroundingPolicy, RefusalReason, Stance
from voice.core.session.exchange import TurnFacts, TurnSpent, build_exchange, status_of, total_cost
from voice.core.session.lifecycle import append, clean_topic, is_live, new_session, require_live, shown_status
from voice.core.session.rolling_summary import fold, foldable
from voice.core.session.values import Attempt, DialogueExchange, InnerVoiceSession, RollingSummary
from voice.core.usage import NO_USAGE, Price, Total, Usage

NOW = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
PRICE = Price(
    input_per_million=Decimal("1.25"),
    output_per_million=Decimal(10),
    cached_input_per_million=Decimal("0.125"),
    source="table",
    as_of="2026-01-01",
)


def session() -> InnerVoiceSession:
    return new_session(
        session_id="s:1", topic="  kiln \n work ", provider="p", model="m", max_prompt_tokens=8000, now=NOW
    )


def response(answer: str = "The kiln is in the shed.", reason: RefusalReason | None = None) -> GroundedResponse:
    sources = () if reason else (citation(), replace(citation(), source_id="o:2"))
    return GroundedResponse(
        answer=answer, sources=sources, confidence=0.9, coverage_ratio=1.0, refused=reason is not None, reason=reason,
        sentences=(verdict(answer),),
    )  # fmt: skip


def facts(index: int, *, model: str = "m", price: Price | None = PRICE) -> TurnFacts:
    return TurnFacts(
        exchange_id=f"x:{index}", session_id="s:1", index=index, timestamp=NOW + timedelta(minutes=index), price=price,
        question=f"Where is kiln number {index} now?", stance=Stance.SYNTHESIZE, provider="p", model=model,
        policy=GroundingPolicy(),
    )  # fmt: skip


def attempt(usage: Usage) -> Attempt:
    return Attempt(usage=usage, latency_ms=3, outcome="draft")


def exchange(index: int, **changes: object) -> DialogueExchange:
    made = build_exchange(
        facts(index),
        response(answer=f"Kiln number {index} is in shed {index} since May."),
        TurnSpent(
            attempts=(attempt(Usage(input_tokens=1000, output_tokens=100, cached_input_tokens=400)),), latency_ms=5
        ),
    )
    return replace(made, **changes)


@pytest.mark.requirement("ruling:D8")
def test_every_call_of_a_turn_is_metered() -> None:
    first = Usage(input_tokens=10, output_tokens=2, cached_input_tokens=0)
    second = Usage(input_tokens=20, output_tokens=3)
    made = build_exchange(facts(0), response(), TurnSpent(attempts=(attempt(first), attempt(second)), latency_ms=1))
    assert (made.prompt_tokens, made.completion_tokens, made.cached_tokens) == (30, 5, None)
    assert made.cost_estimate == total_cost(made.attempts, PRICE) == Decimal("0.0000875")


@pytest.mark.requirement("ruling:D18")
def test_one_call_of_unknown_cost_makes_the_turns_cost_unknown() -> None:
    assert total_cost([attempt(NO_USAGE), attempt(Usage())], PRICE) is None
    assert total_cost([], None) == Decimal(0)


@pytest.mark.requirement("ruling:D6")
@pytest.mark.parametrize(
    ("reason", "status"),
    [
        (None, "answered"),
        (RefusalReason.TOO_FEW_SOURCES, "refused"),
        (RefusalReason.PROVIDER_ERROR, "error"),
        (RefusalReason.DEADLINE, "error"),
    ],
)
def test_every_outcome_has_its_status(reason: RefusalReason | None, status: str) -> None:
    assert status_of(response(reason=reason)) == status


@pytest.mark.requirement("ruling:D6")
def test_totals_count_refused_and_failed_turns_too() -> None:
    grown = session()
    for index, status in enumerate(("answered", "refused", "error")):
        grown = append(grown, exchange(index, status=status))
    assert (grown.total_exchanges, grown.answered, grown.refused, grown.errors) == (3, 1, 1, 1)
    assert grown.total_tokens == 3300
    assert grown.total_cost == Total(known=Decimal("0.0054"))
    assert grown.revision == 3
    assert grown.last_interaction == NOW + timedelta(minutes=2)


@pytest.mark.requirement("ruling:D21")
def test_a_session_that_changes_its_model_every_turn_keeps_the_newest_changes_alone() -> None:
    grown = session()
    for index in range(200):
        grown = append(grown, exchange(index, model=f"m{index % 2}"))
    assert [index for index, _ in grown.model_changes] == list(range(150, 200))


@pytest.mark.parametrize("wrong", [exchange(1), exchange(0, session_id="s:2")])
def test_only_the_next_exchange_of_this_session_can_be_appended(wrong: DialogueExchange) -> None:
    with pytest.raises(InvalidParams, match=r"^an exchange can only be appended at the end of its session$"):
        append(session(), wrong)


@pytest.mark.requirement("ruling:A6", "ruling:D21")
def test_an_idle_closed_or_missing_session_is_not_continued() -> None:
    made = session()
    assert require_live(made, now=NOW, timeout_hours=24) is made
    with pytest.raises(NoSession, match=r"^session s:1 has been idle since 2026-03-20 18:00 UTC, more than 24 hours; "):
        require_live(made, now=NOW + timedelta(hours=24), timeout_hours=24)
    with pytest.raises(NoSession, match=r"^session s:1 is closed; "):
        require_live(replace(made, status="closed"), now=NOW, timeout_hours=24)
    with pytest.raises(NoSession, match=r"^there is no session to continue"):
        require_live(None, now=NOW, timeout_hours=24)


@pytest.mark.requirement("ruling:A6")
@pytest.mark.parametrize(
    ("ahead", "status"),
    [(timedelta(hours=23, minutes=59), "open"), (timedelta(hours=24), "expired"), (timedelta(days=3650), "expired")],
)
def test_a_session_of_days_to_come_is_not_gone_on_with_by_itself(ahead: timedelta, status: str) -> None:
    made = replace(session(), last_interaction=NOW + ahead)
    assert shown_status("open", made.last_interaction, now=NOW, timeout_hours=24) == status
    assert is_live(made, now=NOW, timeout_hours=24) == (status == "open")


def test_what_a_wrong_clock_left_is_told_as_such() -> None:
    with pytest.raises(NoSession, match="2036-03-20 18:00 UTC, which is in the future by this machine's clock"):
        require_live(replace(session(), last_interaction=NOW.replace(year=2036)), now=NOW, timeout_hours=24)


def test_a_topic_is_one_line_of_bounded_length() -> None:
    assert session().thread_topic == "kiln work"
    assert clean_topic("x" * 500) == "x" * 199 + "…"
    assert clean_topic("x" * 198 + " yyy") == "x" * 198 + "…"
    assert clean_topic("x" * 200) == "x" * 200
    with pytest.raises(InvalidParams, match=r"^a topic needs a few words$"):
        clean_topic(" \n ")


@pytest.mark.requirement("ruling:D16", "ruling:D17")
def test_folding_keeps_supported_sentences_and_true_numbers() -> None:
    grown = reduce(append, map(exchange, range(11)), session())
    old = foldable(grown, window_limit=10, window_keep=5)
    folded = fold(grown, old, now=NOW, count=words, max_tokens=1000)
    summary = folded.rolling_summary
    assert summary is not None
    assert [item.index for item in folded.context_window] == [6, 7, 8, 9, 10]
    assert summary.exchanges_summarized == 6
    assert summary.through_index == 5
    assert summary.source_ids == ("o:1", "o:2")
    assert "- [2026-03-20] Kiln number 0 is in shed 0 since May." in summary.text
    raw = sum(words(item.my_query) + words(item.answer) for item in old)
    assert summary.token_savings == raw - words(summary.text)


@pytest.mark.requirement("ruling:D17")
def test_nothing_is_folded_while_the_window_is_within_its_limit() -> None:
    grown = append(session(), exchange(0))
    assert foldable(grown, window_limit=10, window_keep=5) == ()
    assert fold(grown, (), now=NOW, count=words, max_tokens=10) is grown


@pytest.mark.requirement("ruling:E.11")
def test_a_line_of_the_summary_has_the_day_of_the_persons_zone() -> None:
    grown = append(session(), exchange(0))
    there = fold(grown, grown.context_window, now=NOW, count=words, max_tokens=100, timezone="Pacific/Auckland")
    assert there.rolling_summary is not None
    assert there.rolling_summary.text.startswith("- [2026-03-21] ")


@pytest.mark.requirement("ruling:D16", "ruling:H.5")
def test_refused_exchanges_leave_no_line_and_private_ones_taint_the_summary_for_good() -> None:
    grown = reduce(append, (exchange(0, status="refused"), exchange(1, is_private=True), exchange(2)), session())
    made: list[RollingSummary] = []
    while grown.context_window:
        grown = fold(grown, grown.context_window[:1], now=NOW, count=words, max_tokens=100)
        made += [grown.rolling_summary] if grown.rolling_summary else []
    assert (made[0].text, [each.is_private for each in made]) == ("", [False, True, True])
    assert [(each.revision, each.exchanges_summarized) for each in made] == [(1, 1), (2, 2), (3, 3)]


def test_however_many_turns_are_folded_they_are_counted_a_few_times() -> None:
    grown, counted = reduce(append, map(exchange, range(300)), session()), list[str]()
    fold(grown, grown.context_window, now=NOW, count=lambda text: counted.append(text) or words(text), max_tokens=60)
    assert sum("\n" in text for text in counted) < 20


@pytest.mark.requirement("ruling:D10", "ruling:D17")
@given(turns=st.integers(1, 40), limit=st.integers(2, 12), budget=st.integers(0, 60))
def test_the_summary_stays_inside_its_budget_and_no_exchange_is_lost(turns: int, limit: int, budget: int) -> None:
    grown = session()
    seen: list[int] = []
    for index in range(turns):
        grown = append(grown, exchange(index))
        old = foldable(grown, window_limit=limit, window_keep=limit // 2)
        seen += [item.index for item in old]
        grown = fold(grown, old, now=NOW, count=words, max_tokens=budget)
    summary = grown.rolling_summary
    assert seen + [item.index for item in grown.context_window] == list(range(turns))
    assert (summary.exchanges_summarized if summary else 0) == len(seen)
    assert summary is None or words(summary.text) <= budget
    assert len(grown.context_window) <= limit
