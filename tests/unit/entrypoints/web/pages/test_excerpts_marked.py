"""A stored text in pieces: nothing is lost, what is marked is what was meant, and nothing steers the reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.entrypoints.web.pages.excerpts import MarkedText, marked_text


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
    assert marked_text(text, [(500, 600)], most=100).left_out == 9_400
    assert marked_text(text, most=None).left_out == 0
