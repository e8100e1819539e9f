"""A judged turn as people and programs read it.

A sentence's verdict as programs read it.
"""

from dataclasses import replace
from decimal import Decimal

import pytest

from full_verdicts import verdict
from store_values import citation, exchange, full_exchange, full_session, session
from tables import tables
from voice.core.grounding.values import CutSentence, RefusalReason, Rung, SentenceVerdict
from voice.core.render.answer import marked_sentences, render_markdown, source_numbers
from voice.core.render.conversation import session_json
from voice.core.render.reports import report_json
from voice.core.render.turn_json import exchange_json, nlq_json, sentence_json
from voice.core.report.totals import ReportTally
from voice.core.report.values import Period
from voice.core.session.values import DialogueExchange
from voice.core.usage import Total

TABLES = tables(__file__)

CITED = citation()
OTHER = replace(citation(), source_id="o:2", span="She lives\n in Porto.", relevance=0.75)


def sentence(text: str = "In Porto.", *rows: str, rung: Rung = "quoted") -> SentenceVerdict:
    return verdict(text, *rows, rung=rung, reasons=("why",))


def refused(
    reason: RefusalReason | None = RefusalReason.COVERAGE_LOW, notes: str | None = "Too little."
) -> DialogueExchange:
    return exchange(
        answer="", refused=True, status="refused", reason=reason, notes=notes, evidence_found=(CITED, OTHER)
    )


@pytest.mark.parametrize(("rung", "sign", "mark"), TABLES["every_rung_has_its_sign_and_what_is_not_proven_a_mark"])
def test_every_rung_has_its_sign_and_what_is_not_proven_a_mark(rung: Rung, sign: str, mark: str | None) -> None:
    (shown,) = marked_sentences(exchange(sentences=(sentence(rung=rung),)))
    assert (shown.sign, shown.mark, shown.is_doubtful) == (sign, mark, mark is not None)


def test_a_sentence_is_shown_with_the_numbers_of_what_it_rests_on() -> None:
    turn = exchange(sources=(OTHER, CITED, OTHER), sentences=(sentence("In Porto.", "o:1", "o:2", "o:9"),))
    assert source_numbers(turn.sources) == {"o:2": 1, "o:1": 2}
    marked = marked_sentences(turn)[0]
    assert (marked.footnotes, marked.text, marked.reasons) == ((1, 2), "In Porto.", ("why",))


@pytest.mark.requirement("ruling:D9")
def test_nothing_of_a_rejected_draft_is_shown() -> None:
    turn = replace(refused(), answer="", sentences=(sentence("A rejected claim."),))
    assert marked_sentences(turn) == ()
    assert exchange_json(turn)["sentences"] == []
    assert "rejected claim" not in render_markdown(turn)
    assert "rejected claim" in render_markdown(
        replace(turn, refused=False, status="answered", answer="A rejected claim.")
    )


def test_a_refusal_reads_with_its_reason_and_what_there_was() -> None:
    assert render_markdown(refused()) == (
        "I cannot provide a well-grounded answer to that question based on available sources. Too little.\n\n"
        "*Reason: coverage_low*\n\n"
        "**Closest in your notes:**\n1. [o:1] Ada moved\n2. [o:2] She lives in Porto."
    )
    bare = replace(refused(reason=None, notes=None), evidence_found=())
    assert render_markdown(bare) == (
        "I cannot provide a well-grounded answer to that question based on available sources."
    )


def test_what_is_closest_is_shown_as_three_passages_of_their_notes() -> None:
    found = tuple(replace(CITED, source_id=f"o:{at}", span=f"Line {at}") for at in range(6))
    lines = ("Gate.md:4", "Gate.md:6", "Gate.md:12", "Kiln.md:12", "Kiln.md:11", "Boat.md")
    places = {f"o:{at}": place for at, place in enumerate(lines)}
    assert render_markdown(replace(refused(), evidence_found=found), places).partition("notes:**\n")[
        2
    ].splitlines() == [
        "1. [o:0] Line 0 … Line 1 (Gate.md:4)",
        "2. [o:2] Line 2 (Gate.md:12)",
        "3. [o:3] Line 3 (Kiln.md:12)",
    ]


def test_a_link_in_a_source_is_told_by_its_words() -> None:
    linked = replace(CITED, span="[Files](https://example.org/a_(b)) moved ![a photo](c.png)")
    told = render_markdown(exchange(sources=(linked, OTHER)))
    assert told.endswith("1. [o:1] Files moved a photo\n2. [o:2] She lives in Porto.")


@pytest.mark.requirement("ruling:D18")
def test_unknown_numbers_are_null_and_money_keeps_its_digits() -> None:
    unknown = exchange_json(full_exchange())
    assert (unknown["cost_estimate"], unknown["prompt_tokens"], unknown["private"]) == (None, None, True)
    assert exchange_json(exchange(cost_estimate=Decimal("1E-7")))["cost_estimate"] == "0.0000001"


@pytest.mark.requirement("ruling:A7")
def test_neither_prompt_nor_draft_is_part_of_what_programs_read() -> None:
    assert (
        not {"prompt", "policy", "attempts", "rejected_citations", "self_reported"}
        & exchange_json(full_exchange()).keys()
    )
    assert {"answer", "sentences"} <= exchange_json(full_exchange()).keys()


@pytest.mark.requirement("ruling:A22")
def test_the_short_shape_names_each_source_once() -> None:
    turn = nlq_json(exchange(sources=(CITED, OTHER, CITED)))
    assert turn == {
        "answer": "In Porto.",
        "sources": [{"id": "o:1", "created_at": None, "score": 0.25}, {"id": "o:2", "created_at": None, "score": 0.75}],
    }
    assert str(nlq_json(refused())["answer"]).startswith("I cannot provide")


def test_a_session_reads_with_its_summary_and_totals() -> None:
    fresh = session_json(session(total_cost=Total(known=Decimal("0.1000"), unknown_count=2)))
    assert (fresh["rolling_summary"], fresh["total_cost"], fresh["turns_of_unknown_cost"]) == (None, "0.1000", 2)
    summary = session_json(full_session())["rolling_summary"]
    assert isinstance(summary, dict)
    assert summary["token_savings"] == 40


def test_a_report_reads_with_its_rates() -> None:
    tally = ReportTally("model", Period())
    for turn in (exchange(cost_estimate=Decimal("1E-7")), refused()):
        tally.add(turn)
    document = report_json(tally.report())
    total = document["total"]
    assert isinstance(total, dict)
    assert (total["refusal_rate"], total["reasons"]) == (0.5, {"coverage_low": 1})
    assert total["cost_usd"] == "0.0001231"


PROVEN = verdict("In Porto.", "o:1", rung="verified", score=0.3, verifier="llm gemini-2.5-pro")
CUT = CutSentence(
    rung="contradicted", kind="claim", weight=2.0, digest="d" * 64, reasons=("the note says 14",), flags=("number",)
)


def test_a_verdict_is_read_with_its_place_rung_verifier_and_receipts() -> None:
    form = sentence_json(PROVEN)
    assert (form["start"], form["end"], form["text"], form["shown"]) == (0, 9, "In Porto.", "In Porto.")
    assert (form["kind"], form["rung"], form["score"]) == ("claim", "verified", 0.3)
    assert (form["verifier"], form["judge"], form["sources"]) == ("llm gemini-2.5-pro", "ladder-1", ["o:1"])
    assert exchange_json(exchange(sentences=(PROVEN,)))["sentences"] == [form]


@pytest.mark.requirement("grounding:marked-everywhere")
def test_a_sentence_that_is_not_proven_is_read_with_its_mark_and_with_what_nothing_gives() -> None:
    doubtful = replace(PROVEN, rung="unsupported", reasons=("the cited sources do not give Porto",), missing=((3, 8),))
    form = sentence_json(doubtful)
    assert form["shown"] == "[✗ not supported: In Porto.]"
    assert form["reasons"] == ["the cited sources do not give Porto"]
    assert form["missing"] == [{"start": 3, "end": 8}]


@pytest.mark.requirement("grounding:cut")
def test_what_was_left_out_is_told_by_number_rung_and_reason_in_both_shapes() -> None:
    turn = exchange(sentences=(PROVEN,), cut=(CUT, replace(CUT, rung="unverified", reasons=(), flags=())))
    told: dict[str, object] = {
        "sentences_cut": 2,
        "told": "2 sentences left out: 1 contradicted by the cited sources, 1 not checked",
        "cut": [
            {"rung": "contradicted", "kind": "claim", "reasons": ["the note says 14"], "flags": ["number"]},
            {"rung": "unverified", "kind": "claim", "reasons": [], "flags": []},
        ],
    }
    assert exchange_json(turn)["left_out"] == nlq_json(turn)["left_out"] == told
    whole = replace(turn, cut=())
    assert exchange_json(whole)["left_out"] is None
    assert nlq_json(whole).keys() == {"answer", "sources"}
