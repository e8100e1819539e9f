"""Reports add up what stored exchanges say."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from voice.core.grounding.values import RefusalReason, Stance
from voice.core.render.report import report_json, report_rows
from voice.core.report import build_report, money
from voice.core.session.values import Attempt, DialogueExchange, PromptRecord
from voice.core.usage import Usage


def exchange(number: int, **changes: object) -> DialogueExchange:
    values: dict[str, object] = {
        "id": f"x:{number}",
        "session_id": "s:1",
        "index": number,
        "timestamp": datetime(2026, 3, 20, 23, 30, tzinfo=UTC),
        "my_query": "q",
        "answer": "a",
        "sources": (),
        "confidence": 1.0,
        "coverage_ratio": 0.8,
        "refused": False,
        "memories_referenced": (),
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "latency_ms": number * 10,
        "cost_estimate": Decimal("0.01"),
        "prompt_hash": "h",
        "status": "answered",
        "stance": Stance.SYNTHESIZE,
        "provider": "gemini",
        "model": "pro",
        "prompt": PromptRecord(prompt_hash="h", template="answer.v1", template_hash="t", prompt_tokens_estimated=120),
        "attempts": (Attempt(usage=Usage(), latency_ms=1, outcome="draft"),),
    }
    return DialogueExchange(**{**values, **changes})  # pyright: ignore[reportArgumentType]


REFUSED = {
    "status": "refused",
    "refused": True,
    "reason": RefusalReason.COVERAGE_LOW,
    "coverage_ratio": 0.1,
    "prompt_tokens": None,
    "completion_tokens": None,
    "cost_estimate": None,
    "prompt": None,
    "attempts": (),
}


@pytest.mark.requirement("ruling:D18", "ruling:D6")
def test_refused_turns_count_and_unknown_costs_are_counted_not_added() -> None:
    made = build_report([exchange(1), exchange(2, **REFUSED), exchange(3)], by="session", timezone="UTC")
    total = made.total
    assert (total.turns, total.answered, total.refused, total.errors) == (3, 2, 1, 0)
    assert total.cost.known == Decimal("0.02")
    assert total.cost.unknown_count == total.unknown_token_turns == 1
    assert (total.prompt_tokens, total.completion_tokens, total.estimated_prompt_tokens) == (200, 20, 240)
    assert total.mean_coverage == pytest.approx(0.8)
    assert total.median_latency_ms == 20
    assert total.reasons == (("coverage_low", 1),)


def test_groups_by_model_and_by_local_day() -> None:
    turns = [exchange(1), exchange(2, model="flash"), exchange(3, timestamp=datetime(2026, 3, 22, 1, tzinfo=UTC))]
    assert [row.key for row in build_report(turns, by="model", timezone="UTC").rows] == ["gemini/flash", "gemini/pro"]
    days = build_report(turns, by="day", timezone="Europe/Berlin").rows
    assert [(row.key, row.turns) for row in days] == [("2026-03-21", 2), ("2026-03-22", 1)]


def test_a_report_of_nothing_has_no_rates() -> None:
    made = build_report([], by="day", timezone="UTC")
    assert made.total.mean_coverage is None
    assert made.total.median_latency_ms == 0
    total = report_json(made)["total"]
    assert isinstance(total, dict)
    assert total["refusal_rate"] is None


def test_rows_hold_what_was_asked_for() -> None:
    made = build_report([exchange(1), exchange(2, **REFUSED)], by="session", timezone="UTC")
    assert report_rows(made, "cost") == [
        ["session", "turns", "cost_usd", "turns_of_unknown_cost"],
        ["s:1", "2", "0.01", "1"],
        ["total", "2", "0.01", "1"],
    ]
    assert report_rows(made, "grounding")[1][-2:] == ["0.8", "0"]
    assert len(report_rows(made, "all")[0]) == 13
    assert report_rows(build_report([], by="day", timezone="UTC"), "grounding")[1][5] == ""


def test_small_sums_keep_their_digits() -> None:
    assert money(Decimal("1.5")) == "$1.5000"
    assert money(Decimal("0.00018")) == "$0.000180"
    assert money(Decimal(0)) == "$0.0000"
