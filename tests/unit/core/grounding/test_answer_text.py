"""From sentences to a ratio, to sources, and to one text."""

from typing import get_args

import pytest

from grounding_rows import MOVE, RENT, UNDATED, row
from voice.core.grounding.answer_text import join_sentences
from voice.core.grounding.doubts import Doubt, Flag, GivenContext, doubts_of
from voice.core.grounding.judge import WeightedClaim, confidence_of, coverage_of, supporting_rows
from voice.core.grounding.proof import likeness
from voice.core.grounding.quotable_sentences import resolve_markup, with_boxes
from voice.core.grounding.values import conflicts_among, has_ended


@pytest.mark.requirement("ruling:D1")
def test_coverage_weighs_claims_by_their_words_and_counts_each_once() -> None:
    said = [
        WeightedClaim("a", 3.0, is_proven=True),
        WeightedClaim("A", 3.0, is_proven=True),
        WeightedClaim("b", 1.0, is_proven=False),
    ]
    assert coverage_of(said) == 0.75
    assert coverage_of([WeightedClaim("Really?", 0.0, is_proven=True)]) == 0.0


@pytest.mark.requirement("ruling:D2")
def test_a_row_carries_with_a_quarter_of_what_all_hold() -> None:
    claim = "You moved to Stockholm in March 2021 with your sister Anna."
    grounds = ((MOVE, 0, len(MOVE.text)), (RENT, 0, len(RENT.text)))
    assert [one.alias for one in supporting_rows(claim, grounds, 0.25)] == ["S1"]
    assert [one.alias for one in supporting_rows("Ja.", grounds, 0.25)] == ["S1"]
    assert supporting_rows("Ja.", (), 0.25) == ()


@pytest.mark.requirement("s2:grounding:confidence")
def test_confidence_grows_with_what_is_covered() -> None:
    assert confidence_of(1.0, 8) < confidence_of(1.0, 40) < 1.0
    assert confidence_of(1.0, 0) == 0.0
    assert [round(confidence_of(share, weight), 4) for share, weight in ((1.0, 8), (0.5, 10), (0.0, 3))] == [
        0.8297, 0.3122, 0.0,
    ]  # fmt: skip


def test_what_is_hidden_is_blank_place_for_place_and_a_state_in_words_is_its_box() -> None:
    assert resolve_markup("a %%x\ny%% b <!--c--> d %%e") == "a    \n    b          d %%e"
    assert (with_boxes("Done: a: b"), with_boxes("Nope: a")) == ("☑  a: b", "Nope: a")


def test_lines_stay_lines() -> None:
    found = join_sentences([("", one) for one in ("Two things.", "- rake", "- hoe", "That is all.", "| a | b |")])
    assert found.text == "Two things.\n- rake\n- hoe\nThat is all.\n| a | b |"
    assert all(found.text[one.start : one.end] == one.text for one in found.places)
    assert join_sentences([]).text == ""


def test_only_what_the_graph_knows_to_be_replaced_is_a_conflict() -> None:
    old, new = row("S1", "The rent is 640.", replaced_by="o:s2"), row("S2", "The rent is 665.")
    (pair,) = conflicts_among((old, new, MOVE), None)
    assert (pair.earlier, pair.later) == (old, new)
    assert conflicts_among((old, MOVE), None) == ()
    assert has_ended(row("S1", "x", until=UNDATED), None)


def test_the_less_a_sentence_is_alike_the_higher_its_score() -> None:
    sources, said = ["Ana owns a kiln. She is 40.", "Two kilns."], "Ana owns two kilns."
    assert likeness(said, sources).features == (0.0, 1 / 3, 0.25, 0.0, 0.0)
    for flag in get_args(Flag):
        of_value = flag in ("number", "date")
        assert likeness(said, sources, [Doubt(flag, 0, 1, "")]).features[3:] == (of_value, not of_value)
    same = likeness(MOVE.text, [MOVE.text]).score
    near = likeness("I moved to Stockholm in spring.", [MOVE.text]).score
    other = "Clara owns 77 castles in Wales."
    far = likeness(other, [MOVE.text], doubts_of(other, GivenContext((MOVE,)))).score
    assert 0.0 <= same < near < far <= 1.0
    assert likeness("", []).score < 0.5


def test_line_ends_of_a_draft_stay_line_ends() -> None:
    assert join_sentences([("", "A."), (" ", "B."), ("\n", "C."), ("\n \n\n", "D.")]).text == "A. B.\nC.\n\nD."


@pytest.mark.requirement("grounding:marked-everywhere")
def test_what_is_not_proven_stands_in_its_mark_and_its_place_is_that_of_its_bare_words() -> None:
    found = join_sentences([("", "A."), ("", "- b"), ("", "C.")], ("quoted", "unverified", "contradicted"))
    assert found.text == "A.\n[~ not checked: - b]\n[✗ contradicted: C.]"
    assert [found.text[one.start : one.end] for one in found.places] == ["A.", "- b", "C."]
