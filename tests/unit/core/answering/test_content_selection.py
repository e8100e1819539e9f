"""Which sentences of many rows are given."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from grounding_rows import row
from voice.core.answering.content_selection import (
    MOST_MENTIONS,
    MOST_OF_A_TIME,
    SelectedSentences,
    digest_of,
    mentions_of,
    names_topic,
    sentences_about,
    sentences_naming,
)
from voice.core.answering.sentence_rendering import parent_stems
from voice.core.grounding.extractive.evidence_sentences import sentences_of
from voice.core.grounding.values import Evidence
from voice.core.text.instants import UNDATED

pytestmark = [pytest.mark.requirement("answers:digest"), pytest.mark.requirement("answers:about")]


def noted(number: int, text: str, *, day: int | None = 1, context: str | None = None, note: str = "t:1") -> Evidence:
    told = UNDATED if day is None else datetime(2025, 5, day, tzinfo=UTC)
    return row(f"S{number}", text, row_id=f"o:{number}", at=told, context=context, thoughts=(note,))


def told(points: SelectedSentences, rows: list[Evidence]) -> list[str]:
    texts = {each.row_id: each.text for each in rows}
    return [texts[each.row_id][each.start : each.end] for each in points.part.stretches]


def test_the_most_telling_sentence_of_each_day_comes_before_the_second_of_any() -> None:
    rows = [noted(day, "Bought some bread. Repaired the greenhouse hinge with Marta.", day=day) for day in range(1, 20)]
    rows = [replace(each, text=each.text.replace("hinge", f"hinge number{at}")) for at, each in enumerate(rows)]
    points = digest_of(rows)
    assert len(points.part.stretches) == MOST_OF_A_TIME
    assert all("greenhouse" in line for line in told(points, rows))


def test_a_single_day_takes_all_the_room_of_a_digest() -> None:
    rows = [noted(1, f"Repaired greenhouse number{at}.") for at in range(MOST_OF_A_TIME + 3)]
    points = digest_of(rows)
    assert (len(points.part.stretches), points.left) == (MOST_OF_A_TIME, 3)


def test_what_is_said_twice_and_what_says_next_to_nothing_is_told_once_or_not() -> None:
    rows = [noted(1, "Fired the bowls. Ok."), noted(2, "Fired the bowls.", day=2)]
    assert told(digest_of(rows), rows) == ["Fired the bowls."]
    assert digest_of(rows).left == 0
    assert digest_of([]).part.stretches == ()


def test_a_sentence_of_a_digest_stands_behind_the_bullets_it_hangs_under() -> None:
    rows = [noted(1, "- [[Kiln]]\n    - fired the blue bowls\n- rain")]
    assert told(digest_of(rows), rows) == ["- [[Kiln]]", "- fired the blue bowls"]


def test_about_something_few_sentences_of_each_note_are_given_those_first_that_name_it() -> None:
    on_it = replace(noted(1, "It is old. It is grey. It is big. It is hot. It is mine.", context="Kiln"), relevance=0.9)
    naming = replace(noted(2, "The kiln is cold.", note="t:2"), relevance=0.1)
    points = sentences_about([on_it, naming], frozenset({"kiln"}))
    assert told(points, [on_it, naming]) == [
        "It is old.",
        "It is grey.",
        "It is big.",
        "It is hot.",
        "The kiln is cold.",
    ]
    assert points.left == 1
    few = sentences_about([on_it, naming], frozenset({"kiln"}), most=1)
    assert told(few, [on_it, naming]) == ["The kiln is cold."]


def test_what_hangs_under_a_bullet_that_names_it_is_given_with_it() -> None:
    lines, is_named = sentences_naming(noted(1, "- [[Kiln]]\n    - fired the bowls\n- rain"), frozenset({"kiln"}))
    assert ([line.text for line in lines], is_named) == (["- [[Kiln]]", "- fired the bowls"], True)
    assert not sentences_naming(noted(1, "Rain."), frozenset({"kiln"}))[1]


def test_a_row_names_what_its_words_its_place_or_its_speaker_hold() -> None:
    assert names_topic(noted(1, "The kiln is cold."), frozenset({"kiln"}))
    assert names_topic(noted(1, "It is cold.", context="Kiln"), frozenset({"kiln"}))
    assert not names_topic(noted(1, "It is cold."), frozenset({"kiln"}))
    assert not names_topic(noted(1, "It is cold."), frozenset())


def counted(rows: list[Evidence], *words: str) -> tuple[str, int] | None:
    part = mentions_of(rows, words)
    return None if part is None or part.counted is None else (part.counted.unit, len(part.stretches))


@pytest.mark.requirement("answers:count")
def test_sentences_that_mention_it_are_counted_by_days_or_by_notes_where_one_is_undated() -> None:
    dated = [noted(day, "Rain. Went climbing with Jonas.", day=day) for day in (1, 4)]
    assert counted(dated, "climbing") == ("day", 2)
    assert counted([*dated, noted(3, "Climbing again.", day=None)], "climbing") == ("note", 3)


@pytest.mark.requirement("answers:count")
def test_what_no_sentence_mentions_and_what_too_many_do_is_not_counted() -> None:
    rows = [noted(1, "Went climbing.")]
    assert mentions_of(rows, ["swimming"]) is None
    assert mentions_of(rows, []) is None
    assert mentions_of([noted(1, "I read a book.")], ["read"]) is None
    assert mentions_of([noted(at, "Went climbing.") for at in range(MOST_MENTIONS + 1)], ["climbing"]) is None
    assert mentions_of(rows, ["climbing"]) is not None


@pytest.mark.parametrize(
    "text", ["```\nmake kiln\n```", "- The kiln:\n\n  ```\n  make kiln\n  ```", "The kiln is hot.\n```\nkiln"]
)
def test_code_about_something_is_a_sentence_about_it(text: str) -> None:
    found = sentences_about([row("S1", text)], frozenset({"kiln"})).part.stretches
    assert "kiln" in "".join(text[each.start : each.end] for each in found)
    assert parent_stems(row("S1", text), sentences_of(row("S1", text)))
