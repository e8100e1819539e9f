"""Doubts of several kinds as one number, and what each of them weighs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding_rows import grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.doubts import doubt_of, together
from voice.core.grounding.findings import Finding, Flag
from voice.core.grounding.support import Features, support_of
from voice.core.text.words import words

DOUBTS = st.lists(st.floats(0, 10), min_size=1, max_size=4)


def _note(flag: Flag, weight: float) -> Finding:
    return Finding(flag=flag, text="a reason", effect="note", weight=weight)


def _features(claim: str, *said: str) -> Features:
    return support_of(words(claim), grounds(*(row(f"S{n}", text) for n, text in enumerate(said, 1))).passages).features


@given(DOUBTS)
def test_doubts_together_are_no_less_than_the_greatest_and_no_more_than_their_sum(doubts: list[float]) -> None:
    assert max(doubts) - 1e-9 <= together(*doubts) <= sum(doubts) + 1e-9


@given(DOUBTS, st.floats(0.01, 5))
def test_no_doubt_ever_lowers_the_others(doubts: list[float], more: float) -> None:
    assert together(*doubts, more) >= together(*doubts) - 1e-9
    assert together(doubts[0] + more, *doubts[1:]) >= together(*doubts) - 1e-9


def test_two_slight_doubts_of_different_kinds_weigh_less_than_one_grave_one() -> None:
    assert together(1.0, 1.0) < together(2.0, 0.0)


@pytest.mark.requirement("ruling:D1")
def test_notes_of_one_kind_add_up_and_notes_of_no_kind_are_added_as_they_are() -> None:
    turned = [_note("polarity", 0.5), _note("antonym", 0.5)]

    assert doubt_of(0.0, 0.0, turned) == pytest.approx(1.0)
    assert doubt_of(0.0, 0.0, [*turned, _note("person", 1.0)]) == pytest.approx(together(1.0, 1.0))
    assert doubt_of(0.7, 0.2, [_note("part", 0.3)]) == pytest.approx(together(0.7, 0.2) + 0.3)
    assert doubt_of(0.7, 0.2, []) == together(0.7, 0.2)


def test_a_finding_that_is_no_note_brings_no_weight() -> None:
    hard = Finding(flag="polarity", text="a reason", effect="contradicted", weight=1.8)

    assert doubt_of(0.4, 0.0, [hard]) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("claim", "share"),
    [
        ("Nora repaired the kayak on Monday.", 0.0),
        ("Nora repaired the harp on Monday.", 0.5),
        ("Nora painted the harp on Monday.", 1.0),
    ],
)
def test_what_a_claim_says_of_its_subject_is_its_first_two_telling_words(claim: str, share: float) -> None:
    evidence = grounds(row("S1", "I repaired the kayak on Monday.", speaker="Nora"))

    assert support_of(words(claim), evidence.passages).features.lacking_said == share


def test_a_word_that_only_reports_says_nothing_of_the_subject() -> None:
    assert _features("She mentioned the kayak.", "The kayak leaks.").lacking_said == 0.0
    assert _features("She mentioned.", "They mentioned a kayak.").lacking_said == 0.0


def test_the_names_of_those_who_speak_support_next_to_nothing() -> None:
    evidence = grounds(
        row("S1", "Ilse, the bakery opens at nine.", speaker="Omar"), row("S2", "Thanks, Omar!", speaker="Ilse")
    )

    found = support_of(words("Ilse and Omar sail to Malta."), evidence.passages)

    assert found.features.lacking > 0.9


def test_that_a_picture_was_shared_does_not_support_what_is_said_to_be_in_it() -> None:
    said = "Here is a photo of my lemon tree."
    about_photos = support_of(
        words("She shared a photo of a wrecked trawler."), grounds(row("S1", said)).passages
    ).features
    about_trees = support_of(
        words("She planted a lemon of a wrecked trawler."), grounds(row("S1", said)).passages
    ).features

    assert about_photos.lacking > 0.8 > about_trees.lacking


def test_a_claim_that_is_slightly_off_in_three_ways_is_still_supported() -> None:
    evidence = grounds(
        row("S1", "I took the night train to Vienna with my cello.", speaker="Edda"),
        row("S2", "How was the concert?", speaker="Jonas"),
    )

    judged = judge_sentence("Edda rode the night train to Vienna, carrying her cello.", evidence, 1.65)

    assert judged.verdict == "supported"


@pytest.mark.parametrize("attitude", ["is passionate about opening", "is determined to open", "strives to open"])
def test_an_attitude_to_what_is_hoped_for_does_not_state_it_as_a_fact(attitude: str) -> None:
    evidence = grounds(row("S1", "I hope to open a tiny bookbindery near the harbour.", speaker="Edda"))

    judged = judge_sentence(f"Edda {attitude} a tiny bookbindery near the harbour.", evidence, 1.65)
    stated = judge_sentence("Edda opened a tiny bookbindery near the harbour.", evidence, 1.65)

    assert "modality" not in {one.flag for one in judged.findings}
    assert "modality" in {one.flag for one in stated.findings}


def _long(beginning: int, sentences: int) -> str:
    return " ".join(f"crate{one} of pears{one}" for one in range(beginning, beginning + sentences))


def test_a_page_long_sentence_is_alike_to_itself_and_to_the_page_that_holds_it() -> None:
    claim = _long(0, 200)

    assert _features(claim, claim).distance == 0.0
    assert _features(claim, f"{_long(1000, 300)} {claim} {_long(2000, 300)}").distance == 0.0
    assert _features(claim, _long(0, 100) + " " + _long(5000, 100)).distance > 0.3


def test_a_short_claim_is_likened_to_the_place_of_a_long_page_that_is_most_like_it() -> None:
    page = f"{_long(0, 900)} the heron nests beside the old mill {_long(3000, 900)}"

    assert _features("The heron nests beside the old mill", page).distance < 0.2
    assert _features("The otter sleeps below a new bridge crate7", page).distance > 0.3
