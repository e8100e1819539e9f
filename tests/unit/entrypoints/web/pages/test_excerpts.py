"""Cited words in the text they were cut from.

A stored text in pieces: nothing is lost, what is marked is what was meant, and nothing steers the reader.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.entrypoints.web.pages.excerpts import MarkedText, Piece, excerpt, lines_above, marked_text

_TEXT = "A long day. The kiln moved to the shed. It rained."
_CITED = (12, 39)


def _told(pieces: tuple[Piece, ...]) -> list[str]:
    return ["…" if piece.is_gap else f"[{piece.text}]" if piece.is_cited else piece.text for piece in pieces]


@pytest.mark.requirement("web:evidence")
def test_what_was_cited_stands_in_a_short_text_as_it_is() -> None:
    assert _told(excerpt(_TEXT, [_CITED])) == ["A long day. ", "[The kiln moved to the shed.]", " It rained."]


@pytest.mark.requirement("web:evidence")
def test_of_a_long_text_whole_words_near_the_citation_are_shown() -> None:
    text = f"{'before ' * 100}{_TEXT[slice(*_CITED)]}{' after' * 100}"
    told = _told(excerpt(text, [(700, 727)], around=20))
    assert told == ["…", "before before ", "[The kiln moved to the shed.]", " after after after", "…"]


@pytest.mark.requirement("web:evidence")
def test_between_two_citations_far_apart_text_is_left_out() -> None:
    text = f"one {'x ' * 100}two"
    told = _told(excerpt(text, [(0, 3), (204, 207)], around=6))
    assert told == ["[one]", " x x", "…", "x x ", "[two]"]


@pytest.mark.requirement("web:evidence")
def test_a_text_without_a_space_is_cut_where_the_limit_lies() -> None:
    assert _told(excerpt("y" * 100, [(50, 60)], around=5)) == ["…", "yyyyy", f"[{'y' * 10}]", "yyyyy", "…"]


@pytest.mark.requirement("web:evidence")
def test_citations_that_touch_are_one_and_those_outside_of_the_text_count_as_far_as_they_lie_in_it() -> None:
    assert _told(excerpt("abcdef", [(3, 99), (1, 3), (2, 2), (50, 60)])) == ["a", "[bcdef]"]


@pytest.mark.requirement("web:evidence")
def test_nothing_cited_shows_the_beginning() -> None:
    assert _told(excerpt("abc", [])) == ["abc"]


_NOTE = f"# Kiln\n\n## Where it is\n\n{'It rained. ' * 60}\n\n- The shed\n  - It moved there in March.\n"


@pytest.mark.requirement("web:evidence")
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


@pytest.mark.requirement("web:evidence")
@pytest.mark.requirement("web:evidence:passage")
def test_where_nothing_stands_above_nothing_is_added() -> None:
    assert lines_above(_TEXT, *_CITED) == ()
    assert lines_above("", 0, 4) == ()
    assert lines_above("# Kiln\nIt moved.", 7, 9) == ((0, 7),)


def together(shown: MarkedText) -> str:
    return "".join(piece.text for piece in shown.pieces)


@pytest.mark.requirement("web:sources:span")
@given(st.text(), st.lists(st.tuples(st.integers(-3, 30), st.integers(-3, 30)), max_size=4))
def test_the_pieces_put_together_are_the_text(text: str, spans: list[tuple[int, int]]) -> None:
    shown = marked_text(text, spans, most=None)
    assert together(shown) == text
    assert shown.left_out == 0


@given(st.text(min_size=1), st.data())
def test_what_is_marked_is_exactly_the_span(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    shown = marked_text(text, [(start, end)])
    assert "".join(piece.text for piece in shown.pieces if piece.marked == 1) == text[start:end]
    assert [piece.is_first for piece in shown.pieces if piece.marked == 1].count(True) == 1


def test_spans_that_overlap_are_shown_once_and_those_outside_not_at_all() -> None:
    shown = marked_text("abcdef", [(1, 4), (2, 5), (9, 12), (3, 3)])
    assert [(piece.text, piece.marked) for piece in shown.pieces] == [("a", None), ("bcd", 1), ("e", 2), ("f", None)]


@pytest.mark.requirement("web:hostile")
def test_a_character_that_steers_stands_alone_under_its_number() -> None:
    shown = marked_text("a\u202eb\x07\n\tc\u200d\u3000")
    assert [(piece.text, piece.steers) for piece in shown.pieces] == [
        ("a", ""),
        ("\u202e", "U+202E"),
        ("b", ""),
        ("\x07", "U+0007"),
        ("\n\tc\u200d\u3000", ""),
    ]


@pytest.mark.requirement("web:hostile")
def test_a_huge_text_is_cut_but_never_before_what_is_marked() -> None:
    text = "x" * 10_000
    assert marked_text(text, most=100).left_out == 9_900
    assert marked_text(text, [(500, 600)], most=100).shown == 600
    assert marked_text(text, most=None).left_out == 0
