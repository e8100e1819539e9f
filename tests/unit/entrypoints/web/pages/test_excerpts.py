"""Cited words in the text they were cut from."""

import pytest

from voice.entrypoints.web.pages.excerpts import Piece, excerpt, lines_above

pytestmark = pytest.mark.requirement("web:evidence")
_TEXT = "A long day. The kiln moved to the shed. It rained."
_CITED = (12, 39)


def _told(pieces: tuple[Piece, ...]) -> list[str]:
    return ["…" if piece.is_gap else f"[{piece.text}]" if piece.is_cited else piece.text for piece in pieces]


def test_what_was_cited_stands_in_a_short_text_as_it_is() -> None:
    assert _told(excerpt(_TEXT, [_CITED])) == ["A long day. ", "[The kiln moved to the shed.]", " It rained."]


def test_of_a_long_text_whole_words_near_the_citation_are_shown() -> None:
    text = f"{'before ' * 100}{_TEXT[slice(*_CITED)]}{' after' * 100}"
    told = _told(excerpt(text, [(700, 727)], around=20))
    assert told == ["…", "before before ", "[The kiln moved to the shed.]", " after after after", "…"]


def test_between_two_citations_far_apart_text_is_left_out() -> None:
    text = f"one {'x ' * 100}two"
    told = _told(excerpt(text, [(0, 3), (204, 207)], around=6))
    assert told == ["[one]", " x x", "…", "x x ", "[two]"]


def test_a_text_without_a_space_is_cut_where_the_limit_lies() -> None:
    assert _told(excerpt("y" * 100, [(50, 60)], around=5)) == ["…", "yyyyy", f"[{'y' * 10}]", "yyyyy", "…"]


def test_citations_that_touch_are_one_and_those_outside_of_the_text_count_as_far_as_they_lie_in_it() -> None:
    assert _told(excerpt("abcdef", [(3, 99), (1, 3), (2, 2), (50, 60)])) == ["a", "[bcdef]"]


def test_nothing_cited_shows_the_beginning() -> None:
    assert _told(excerpt("abc", [])) == ["abc"]


_NOTE = f"# Kiln\n\n## Where it is\n\n{'It rained. ' * 60}\n\n- The shed\n  - It moved there in March.\n"


@pytest.mark.requirement("web:evidence:passage")
def test_above_what_was_cited_stand_its_headings_and_bullets_however_far_up_they_are() -> None:
    start = _NOTE.index("It moved")
    told = _told(excerpt(_NOTE, [(start, start + 9)], around=20, above=lines_above(_NOTE, start, start + 9)))
    assert told == [
        "# Kiln\n",
        "…",
        "## Where it is\n",
        "…",
        "\n\n- The shed\n  - ",
        "[It moved ]",
        "there in March.\n",
    ]


@pytest.mark.requirement("web:evidence:passage")
def test_where_nothing_stands_above_nothing_is_added() -> None:
    assert lines_above(_TEXT, *_CITED) == ()
    assert lines_above("", 0, 4) == ()
    assert lines_above("# Kiln\nIt moved.", 7, 9) == ((0, 7),)
