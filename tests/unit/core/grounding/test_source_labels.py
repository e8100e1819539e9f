"""How an answer says where a sentence stands."""

from datetime import UTC, datetime

import pytest

from grounding_rows import row
from tables import by_law, tables
from voice.core.grounding.quotations import quotations_in
from voice.core.grounding.source_labels import path_labels, short_labels
from voice.core.grounding.values import Evidence
from voice.core.text.instants import UNDATED

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("answers:label")


def at(context: str | None, *, day: datetime = datetime(2026, 5, 6, tzinfo=UTC)) -> Evidence:
    return row("S1", "The lease ends.", row_id="o:1", context=context, at=day)


@pytest.mark.parametrize(("context", "label", "is_dated"), by_law(TABLES["an_answer_says_where_a_sentence_stands"]))
def test_an_answer_says_where_a_sentence_stands(context: str, label: str, *, is_dated: bool) -> None:
    placed = at(context) if is_dated else at(context, day=UNDATED)
    assert short_labels(placed)[0] == label


def test_a_shorter_label_is_the_title_alone_and_without_a_place_there_is_none() -> None:
    assert short_labels(at("Home › planning › Move", day=UNDATED))[1:] == ("Home",)
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
