"""Every refusal says in plain words what was missing and what the person could do."""

from dataclasses import replace

import pytest

from full_verdicts import verdict
from grounding_rows import MOVE, judged, row
from store_values import exchange
from tables import tables
from voice.core.grounding.answer_text import (
    advice_of,
    cite,
    draft_refusal,
    evidence_shown,
    missing_in_time,
    opening_of,
    refusal,
    remark_response,
    with_advice,
)
from voice.core.grounding.values import GroundedResponse, GroundingPolicy, RefusalReason, Stance
from voice.core.messages.files import HOW_TO_DATE
from voice.core.render.answer import render_markdown, render_plain
from voice.core.render.turn_json import exchange_json
from voice.core.text.instants import UNDATED

pytestmark = pytest.mark.requirement("grounding:refusal-wording")
TABLES = tables(__file__)


@pytest.mark.parametrize(
    ("answer", "cited", "strict", "reason", "notes"), TABLES["a_refused_draft_says_what_was_missing_and_what_to_do"]
)
def test_a_refused_draft_says_what_was_missing_and_what_to_do(
    answer: str, cited: tuple[tuple[str, str], ...], *, strict: bool, reason: str, notes: str
) -> None:
    response = judged(
        answer, *cited, policy=GroundingPolicy(min_coverage=0.1, on_unsupported="refuse") if strict else None
    )
    assert (response.reason, response.notes) == (reason, notes)


@pytest.mark.parametrize("reason", RefusalReason)
def test_what_to_do_is_told_alone_where_the_refusals_own_notes_do_not_name_it(reason: RefusalReason) -> None:
    told = advice_of(reason)
    assert told is None or told in with_advice("2 of 5 sentences stand", reason)
    assert (told is None) == (with_advice("2 of 5 sentences stand", reason) == "2 of 5 sentences stand")
    assert advice_of(None) is None


LIGHTHOUSE = "no note I found mentions Lighthouse"


def test_what_is_missing_in_a_time_is_missing_in_that_time() -> None:
    here = missing_in_time(LIGHTHOUSE, RefusalReason.NO_SOURCES, time="in\nMay 2026", is_elsewhere=True)
    nowhere = missing_in_time(LIGHTHOUSE, RefusalReason.NO_SOURCES, time="on 1 June", is_elsewhere=False)
    assert here == (
        "in the time you asked about (in May 2026), no note I found mentions Lighthouse; notes from other "
        "times may answer it; ask again without the time"
    )
    assert nowhere == (
        "in the time you asked about (on 1 June), no note I found mentions Lighthouse; try other words; "
        "if your notes do not say it yet, add a note that does"
    )
    undated = (replace(MOVE, created_at=UNDATED),)
    told = missing_in_time("nothing", RefusalReason.NO_SOURCES, time="in May", is_elsewhere=False, anytime=undated)
    assert told.endswith(f"nothing; the closest notes have no date; {HOW_TO_DATE}")


def test_what_names_its_setting_is_given_no_other_advice_in_a_time_either() -> None:
    told = missing_in_time("a setting asks for 2", RefusalReason.TOO_FEW_SOURCES, time="in May", is_elsewhere=False)
    assert told == "in the time you asked about (in May), a setting asks for 2"


@pytest.mark.parametrize(("read", "told"), [(1, "I read the one note about it"), (7, "I read the 7 closest notes")])
def test_what_found_no_answer_says_how_much_was_read(read: int, told: str) -> None:
    assert f"; {told}; " in draft_refusal(Stance.SYNTHESIZE, read, by_model=False)[1]


@pytest.mark.requirement("ruling:J3")
@pytest.mark.parametrize("stance", Stance)
@pytest.mark.parametrize(
    ("read", "shown"), [(1, "the one note that it was shown"), (7, "the 7 notes that it was shown")]
)
def test_what_a_model_refuses_is_its_own_word_about_what_it_was_shown(stance: Stance, read: int, shown: str) -> None:
    reason, notes = draft_refusal(stance, read, by_model=True)
    assert (reason, draft_refusal(stance, read, by_model=False)[0]) == (
        RefusalReason.MODEL_REFUSED,
        RefusalReason.NO_SOURCES,
    )
    assert notes.startswith("it says that ")
    assert shown in notes
    assert "your memory" not in notes


def test_what_names_its_way_out_itself_is_given_no_other_advice() -> None:
    told = "the spending cap of today leaves too little; raise it"
    assert {with_advice(told, reason) for reason in (RefusalReason.BUDGET, RefusalReason.PROVIDER_ERROR)} == {told}


@pytest.mark.parametrize("reason", RefusalReason)
def test_only_a_refusal_for_lack_of_ground_speaks_of_grounds_and_sources(reason: RefusalReason) -> None:
    asked_the_memory = reason.name not in (
        "BUDGET", "DEADLINE", "PROVIDER_ERROR", "MALFORMED", "CUT", "DECLINED", "MODEL_REFUSED", "CANCELLED",
    )  # fmt: skip
    response = refusal(reason, notes="so", evidence=(MOVE,))
    assert response == GroundedResponse(
        answer=opening_of(reason), sources=(), confidence=0.0, coverage_ratio=0.0, refused=True, notes="so",
        reason=reason, evidence_found=(cite(MOVE, 0, len(MOVE.text)),),
    )  # fmt: skip
    assert (response.answer == opening_of(None)) is asked_the_memory
    assert ("sources" in response.answer) is asked_the_memory
    turn = exchange(status="refused", refused=True, answer=response.answer, reason=reason, notes="so it is")
    told = (render_markdown(turn), render_plain(turn, str), str(exchange_json(turn)["answer"]))
    assert all(opening_of(reason) in form for form in told)


@pytest.mark.parametrize("reason", [RefusalReason.MALFORMED, RefusalReason.DEADLINE], ids=str)
def test_where_nothing_came_back_it_is_said_what_to_do_next(reason: RefusalReason) -> None:
    assert with_advice("it did not come", reason).startswith("it did not come; ask again")


@pytest.mark.parametrize(("missing", "told"), TABLES["what_is_missing_is_named_as_one_says_it_to_who_asked"])
def test_what_is_missing_is_named_as_one_says_it_to_who_asked(missing: str, told: str) -> None:
    assert with_advice(missing, RefusalReason.NO_SOURCES).startswith(f"{told}; try other words")
    assert f", {told}; notes" in missing_in_time(missing, RefusalReason.NO_SOURCES, time="in May", is_elsewhere=True)


def test_a_refusal_shows_the_openings_of_the_best_rows_or_every_passage_whole() -> None:
    said = (("a" * 401, 0.1), (f"{'b' * 399}. c.", 0.9), (" ", 0.9), ("d.", 0.5), ("e.", 0.5))
    rows = [row(f"S{at}", text, relevance=share) for at, (text, share) in enumerate(said, 1)]
    assert evidence_shown(rows) == (cite(rows[1], 0, 400), cite(rows[3], 0, 2))
    assert evidence_shown(rows[:1]) == (cite(rows[0], 0, 400),)
    rows[4] = replace(rows[4], passage=0)
    assert evidence_shown(rows) == tuple(cite(each, 0, len(each.text)) for each in rows if each.text != " ")


def test_a_remark_is_an_answer_that_states_nothing() -> None:
    first = verdict("Hm.", kind="remark", rung="remark")
    second = verdict("Really?", kind="remark", rung="remark", start=4, end=11)
    assert remark_response("Hm. Really?") == GroundedResponse(
        answer="Hm. Really?", sources=(), confidence=0.0, coverage_ratio=0.0, refused=False, sentences=(first, second)
    )
