"""`voice ask --dry-run`: what would be sent, in words and as JSON."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from cli_runner import Documented, Voice, on_paper
from played_turns import PRICE
from voice.core.session.budgets import AmountSpent, CapState, SpendCap
from voice.entrypoints.cli.show.turn import show_foreseen
from voice.entrypoints.shared.sessions import dry_run_json
from voice.services.turn.preview import ForeseenTurn

QUESTION = "Where is the kiln?"


def printed(foreseen: ForeseenTurn) -> str:
    return on_paper(lambda paper: show_foreseen(foreseen, paper), width=200)


def priced(**members: object) -> ForeseenTurn:
    made = ForeseenTurn(
        session_id="s:1",
        parsed=None,
        plan=None,
        ready=None,
        provider="vendor",
        model="paid-1",
        template="answer.v4",
        prompt_hash="ab" * 32,
        price=PRICE,
        expected_cost=Decimal("0.0012"),
        worst_cost=Decimal("0.0212"),
    )
    return replace(made, **members)  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("tokens:dry-run")
def test_a_dry_run_shows_the_plan_and_keeps_nothing(told: Voice, is_as_documented: Documented) -> None:
    ran = told.ok("ask", QUESTION, "--dry-run", "--json")
    is_as_documented("cli/ask-dry-run", ran)
    shown = ran.json
    assert shown["would_ask"] is True
    assert shown["context"]["evidence_ids"]
    assert set(shown["context"]["sections"]) == {"fixed", "summary", "recent", "pins", "knowledge"}
    assert shown["cost"]["worst_usd"] == "0"
    assert told.ok("sessions", "list", "--json").json == []
    assert told.ok("ask", QUESTION, "--json").json["prompt_hash"] == shown["prompt_hash"]


@pytest.mark.requirement("tokens:dry-run", "ruling:A23")
def test_a_dry_run_needs_no_key_and_says_that_one_is_missing(told: Voice, is_as_documented: Documented) -> None:
    question = ("ask", QUESTION, "--dry-run", "-m", "gemini/gemini-2.5-pro")
    ran = told.ok(*question, "--json")
    is_as_documented("cli/ask-dry-run", ran)
    shown = ran.json
    assert (shown["provider"], shown["model"]) == ("gemini", "gemini-2.5-pro")
    assert float(shown["cost"]["worst_usd"]) > float(shown["cost"]["expected_usd"]) > 0
    (warning,) = shown["cost"]["warnings"]
    assert warning.startswith("the question would fail: the provider gemini needs a key: set ")
    assert warning in " ".join(told.ok(*question).out.split())
    assert told("ask", QUESTION, "-m", "gemini/gemini-2.5-pro").code == 4


@pytest.mark.requirement("tokens:dry-run", "sessions:idempotency")
def test_a_dry_run_under_a_key_says_whether_it_was_used(told: Voice, is_as_documented: Documented) -> None:
    question = ("ask", QUESTION, "--idempotency-key", "monday")
    assert "key         not used yet\n" in told.ok(*question, "--dry-run").out
    assert told.ok(*question, "--dry-run", "--json").json["answered_before"] is None
    asked = told.ok(*question, "--json").json
    again = told.ok(*question, "--dry-run", "--json")
    is_as_documented("cli/ask-dry-run", again)
    shown = again.json
    assert (shown["answered_before"], shown["would_ask"], shown["context"]) == (asked["id"], False, None)
    assert f"already used: voice would return the stored answer {asked['id']}" in told.ok(*question, "--dry-run").out
    other = told.refused("ask", "Who fired it?", "--idempotency-key", "monday", "--dry-run")
    assert "used for another question" in other
    assert "key  " not in told.ok("ask", QUESTION, "--dry-run").out


@pytest.mark.requirement("tokens:dry-run", "ruling:D5")
def test_a_question_that_nobody_would_be_asked_is_foreseen(told: Voice, is_as_documented: Documented) -> None:
    ran = told("ask", "Who won the marathon in Oslo?", "--dry-run", "--json")
    assert ran.code == 3
    is_as_documented("cli/ask-dry-run", ran)
    assert ran.json["would_ask"] is False
    assert "no model call" in told("ask", "Who won the marathon in Oslo?", "--dry-run").out


@pytest.mark.requirement("tokens:dry-run", "spending:told", "spending:unknown")
def test_caps_are_told_with_what_was_spent() -> None:
    april = datetime(2026, 4, 1, tzinfo=UTC)
    cap = SpendCap(name="month", limit=Decimal(5), frees_at=april)
    states = (CapState(cap=cap, spent=AmountSpent(known=Decimal("1E-7"), at_worst=Decimal(1), unknown=1)),)
    full = priced(caps=states, capped="this call could cost too much", warnings=("a lower bound",), turn_cap=Decimal(1))
    said = printed(full)
    for part in ("$0.001200 expected, $0.021200 at worst (table 2026-01-01)", "this turn: $1", "a lower bound"):
        assert part in said
    assert "this month: $1.000000 of $5 spent, $4.000000 left" in said
    form = json.loads(json.dumps(dry_run_json(full)))
    assert (form["would_ask"], form["reason"]) == (False, "budget")
    assert form["cost"]["caps"] == [
        {
            "name": "month",
            "limit_usd": "5",
            "spent_usd": "1.0000001",
            "at_worst_usd": "1",
            "turns_of_unknown_cost": 1,
            "left_usd": "3.9999999",
            "frees_at": "2026-04-01T00:00:00Z",
        }
    ]
    assert "unknown expected, unknown at worst (price unknown)" in printed(
        priced(price=None, expected_cost=None, worst_cost=None)
    )
