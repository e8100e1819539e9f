"""How an answer says where a sentence stands."""

from datetime import UTC, datetime

import pytest

from grounding_rows import row
from voice.core.grounding.quotations import quotations_in
from voice.core.grounding.source_labels import path_labels, short_labels
from voice.core.grounding.values import Evidence
from voice.core.text.instants import UNDATED

pytestmark = pytest.mark.requirement("answers:label")


def at(context: str | None, *, day: datetime = datetime(2026, 5, 6, tzinfo=UTC)) -> Evidence:
    return row("S1", "The lease ends.", row_id="o:1", context=context, at=day)


@pytest.mark.parametrize("title", ["2026_05_06", "2026-05-06", "6", "06-05-2026"])
def test_a_daily_note_is_called_by_its_day_once(title: str) -> None:
    assert short_labels(at(f"{title} › Move"))[0] in ("2026-05-06 › Move", "06-05-2026 › Move")


def test_a_page_of_logseq_is_called_what_logseq_calls_it() -> None:
    assert short_labels(at("Home___Why%3F › Home/Why? › Move"))[0] == "2026-05-06, Home/Why? › Move"


def test_a_day_that_the_place_says_is_not_said_again() -> None:
    assert short_labels(at("Home › 2026-05-06 Wed"))[0] == "Home › 2026-05-06 Wed"
    assert short_labels(at("Home › Move", day=UNDATED))[0] == "Home › Move"


def test_of_a_deep_place_the_steps_right_above_are_kept_without_their_marks_or_full_stop() -> None:
    deep = "Home › planning › moving away › typical** reasons for moving:"
    assert short_labels(at(deep, day=UNDATED)) == ("Home › moving away › typical reasons for moving", "Home")
    long = " ".join(["word"] * 20)
    assert short_labels(at(f"Home › {long} › Move", day=UNDATED))[0] == "Home › Move"
    assert short_labels(at("Home › Lunch with Joana Prates.", day=UNDATED))[0] == "Home › Lunch with Joana Prates"


def test_a_long_step_is_cut_behind_its_head_or_on_a_whole_word() -> None:
    long = " ".join(["word"] * 20)
    assert short_labels(at(f"Home › hard to learn: {long}", day=UNDATED))[0] == "Home › hard to learn"
    assert short_labels(at(f"Home › {long}", day=UNDATED))[0] == f"Home › {' '.join(['word'] * 12)}…"
    assert short_labels(at(f"Home › {'a' * 55} b c d: {long}", day=UNDATED))[0] == f"Home › {'a' * 55} b c…"
    assert short_labels(at(f"Home › {'a' * 50} b: {long}", day=UNDATED))[0] == f"Home › {'a' * 50} b"
    assert short_labels(at(f"Home › aaa: {long}", day=UNDATED))[0] == f"Home › aaa: {' '.join(['word'] * 11)}…"
    assert short_labels(at(f"Home › {'a' * 80}", day=UNDATED))[0] == f"Home › {'a' * 60}…"
    assert short_labels(at(None)) == ()


def test_the_judge_finds_a_sentence_quoted_under_its_label_and_under_no_other() -> None:
    placed = at("2026_05_06 › planning › Move")
    assert quotations_in("2026-05-06 › planning › Move: The lease ends.", (placed,))
    assert quotations_in("2026-05-06: The lease ends.", (placed,))
    assert not quotations_in("2026-05-06 › Rome: The lease ends.", (placed,))


@pytest.mark.requirement("answers:place-on-one-line")
@pytest.mark.parametrize("name", ["na\nme\nwith", "na\r\nme\u2028with", "na\x1bme\twith"])
def test_a_place_stands_on_one_line_whatever_its_note_is_called(name: str) -> None:
    found = at(f"{name} › Move", day=UNDATED)
    (label, _) = short_labels(found)
    assert label == "na me with › Move"
    assert path_labels(found) == (label,)
    assert quotations_in(f"{label}: The lease ends.", (found,))
