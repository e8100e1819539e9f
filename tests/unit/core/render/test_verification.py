"""How an answer is proven and a verifier tested, in words."""

from dataclasses import replace
from decimal import Decimal

import pytest

from full_verdicts import verdict
from store_values import exchange
from tables import tables
from told_events import require_schema
from voice.core.grounding.values import CutSentence, Rung
from voice.core.grounding.verifier_values import Verification, VerifierInfo
from voice.core.render.check import unheard_note
from voice.core.render.turn_json import event_json, event_line
from voice.core.render.verification import (
    calibration_line,
    checked_line,
    lapse_line,
    lapse_note,
    left_out_line,
    proof_of,
)
from voice.core.session.turn_events import Calibrating

TABLES = tables(__file__)
WHO = VerifierInfo(name="llm", version="gemini/gemini-2.5-pro 7f3c9a10b2de")
SAID = verdict("In Porto.")
CUT = CutSentence(rung="unverified", kind="claim", weight=1.0, digest="d")


@pytest.mark.requirement("grounding:signs")
@pytest.mark.parametrize(("rung", "verifier", "told"), TABLES["a_rung_is_told_with_who_put_the_sentence_there"])
def test_a_rung_is_told_with_who_put_the_sentence_there(rung: Rung, verifier: str | None, told: str) -> None:
    assert proof_of(replace(SAID, rung=rung, verifier=verifier)) == told


def test_how_many_sentences_are_proven_in_which_way_is_one_line() -> None:
    checked = replace(SAID, rung="verified", verifier=WHO.label)
    turn = exchange(sentences=(SAID, checked, checked, replace(SAID, rung="remark")))
    assert checked_line(turn) == "1 quoted, 2 verified by llm gemini/gemini-2.5-pro"
    assert checked_line(replace(turn, sentences=())) is None
    assert checked_line(replace(turn, refused=True)) is None


@pytest.mark.requirement("grounding:cut")
def test_what_was_left_out_is_one_line_and_nothing_is_told_of_a_refusal() -> None:
    assert left_out_line(exchange(cut=(CUT,))) == "1 sentence left out: not checked"
    both = exchange(cut=(CUT, replace(CUT, rung="contradicted")))
    assert left_out_line(both) == "2 sentences left out: 1 not checked, 1 contradicted by the cited sources"
    assert left_out_line(replace(both, refused=True)) is None


@pytest.mark.requirement("answers:current")
def test_what_is_left_out_because_it_has_ended_is_said_to_be_no_longer_true() -> None:
    over = replace(CUT, rung="unsupported", flags=("ended",))
    assert left_out_line(exchange(cut=(over,))) == "1 sentence left out: no longer true"
    doubted = replace(over, flags=("number", "ended"))
    assert left_out_line(exchange(cut=(doubted,))) == "1 sentence left out: not supported by the cited sources"
    assert left_out_line(exchange()) is None


@pytest.mark.requirement("grounding:lapses")
def test_a_verifier_that_gave_no_opinion_is_told_with_what_is_not_checked() -> None:
    late = Verification(verifier=WHO, asked=2, lapse="late", false_support=0.03)
    turn = exchange(sentences=(replace(SAID, rung="unverified"),), cut=(CUT,), verification=late)
    told = lapse_line(turn)
    assert told is not None
    assert told.startswith("The verifier llm (gemini/gemini-2.5-pro) did not answer in time")
    assert told.endswith(": 2 sentences are not checked")
    assert (lapse_line(replace(turn, sentences=())) or "").endswith(": 1 sentence is not checked")
    assert "not checked" not in (lapse_line(replace(turn, sentences=(), cut=())) or "")
    assert lapse_line(replace(turn, verification=replace(late, lapse=None))) is None
    untried = replace(late, lapse="not_believed", false_support=None)
    assert "was never tested here" in (unheard_note(untried) or "")
    assert "stay unverified" in (unheard_note(late) or "")
    assert lapse_line(exchange()) is None


def test_how_a_verifier_did_when_it_was_tried_is_told_where_it_was() -> None:
    tried = Verification(verifier=WHO, asked=1, false_support=0.03)
    assert calibration_line(tried) == (
        "In its test, the verifier llm (gemini/gemini-2.5-pro) let 3% of false claims pass"
    )
    assert calibration_line(replace(tried, false_support=None)) is None


@pytest.mark.requirement("grounding:verifier:calibration")
@pytest.mark.parametrize(
    ("cost", "told"),
    [(None, "at an unknown price"), (Decimal("0.004"), "for less than $0.01"), (Decimal("0.126"), "about $0.13")],
)
def test_before_a_verifier_is_tried_you_are_told_what_it_costs(cost: Decimal | None, told: str) -> None:
    event = Calibrating(verifier="llm", calls=8, expected_cost=cost)
    assert event_line(event) == f"testing llm once, on claims whose truth is known: 8 calls, {told}"
    form = event_json(event)
    require_schema(form)
    assert (form["event"], form["verifier"], form["calls"]) == ("calibrating", "llm", 8)
    assert (form["expected_cost_usd"] is None) is (cost is None)


@pytest.mark.requirement("grounding:verifier:belief")
@pytest.mark.parametrize(
    ("false_support", "why"),
    [(0.88, "it let 88% of false claims pass"), (0.02, "no usable answer to too many"), (None, "no usable answer")],
)
def test_why_a_verifier_is_not_believed_is_told(false_support: float | None, why: str) -> None:
    lapsed = Verification(verifier=WHO, asked=2, lapse="not_believed", false_support=false_support)
    assert why in (lapse_note(lapsed) or "")
    assert lapse_note(Verification(verifier=WHO, asked=2)) is None
