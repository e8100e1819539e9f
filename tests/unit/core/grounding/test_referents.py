"""Whom a pronoun of the answer means: the one known person named last, or nobody (ruling D1)."""

import pytest

from grounding_rows import draft, row
from voice.core.grounding.judge import judge
from voice.core.grounding.referents import gender_of, named_sentences
from voice.core.grounding.values import GroundingPolicy, SentenceVerdict
from voice.core.grounding.who import People
from voice.core.text.first_names import MEN, WOMEN

KNOWN = People(frozenset({"ada", "ben", "clara", "sam"}))


@pytest.mark.requirement("grounding:pronouns")
@pytest.mark.parametrize(
    ("sentences", "named"),
    [
        (["Ada called.", "She bought a boat."], "Ada bought a boat."),
        (["Ada called.", "She's tired."], "Ada's tired."),
        (["Ada called.", "Her boat sank."], "Ada's boat sank."),
        (["Ada’s phone rang.", "Then she left."], "Then Ada left."),
        (["Ada met Ben.", "He bought a boat."], "Ben bought a boat."),
        (["Ada met Ben in Oslo.", "She bought a boat."], "Ada bought a boat."),
        (["Sam called.", "She bought a boat."], "Sam bought a boat."),
        (["Ada called.", "She left.", "She bought a boat."], "Ada bought a boat."),
        (["Ada's boats:", "- bought one in May"], "Ada bought one in May"),
        (["Ben called.", "For Ada she bought a boat."], "For Ada Ada bought a boat."),
    ],
)
def test_a_pronoun_means_the_one_person_who_fits(sentences: list[str], named: str) -> None:
    assert named_sentences(sentences, KNOWN)[-1] == named


@pytest.mark.requirement("grounding:pronouns")
@pytest.mark.parametrize(
    "sentences",
    [
        ["She bought a boat."],
        ["Ben called.", "She bought a boat."],
        ["Ada met Clara.", "She bought a boat."],
        ["Ada met Sam.", "She bought a boat."],
        ["Ada met Zora.", "She bought a boat."],
        ["Ada met her sister.", "She bought a boat."],
        ["Ada met a friend.", "She bought a boat."],
        ["Ada called.", "They bought a boat."],
        ["Ada called.", "In the long cold winter she left."],
        ["Ada called.", "It rained.", "She left."],
        ["Ada and Ben:", "- bought a boat"],
        ["Ada's boats:", "- Ben bought one"],
        ["Ada called.", "- bought a boat"],
        ["- bought a boat"],
    ],
)
def test_where_another_may_be_meant_the_sentence_stands_by_itself(sentences: list[str]) -> None:
    assert named_sentences(sentences, KNOWN)[-1] == sentences[-1]


def test_a_name_tells_a_gender_only_where_it_is_a_common_one() -> None:
    assert [gender_of(name) for name in ("Ada", "Ben", "Sam")] == ["she", "he", None]


def test_a_name_that_is_a_mans_in_one_language_and_a_womans_in_another_tells_nothing() -> None:
    assert [gender_of(name) for name in ("Andrea", "Jan", "Joan")] == [None, None, None]
    assert not WOMEN & MEN


ADA = row("S1", "I called my mother on Sunday and we talked for hours.", speaker="Ada")
BEN = row("S2", "I bought an old wooden boat in Bergen.", speaker="Ben")


def _second(answer: str) -> SentenceVerdict:
    cited = (("S1", ADA.text), ("S2", BEN.text))
    response = judge(draft(answer, *cited), [ADA, BEN], GroundingPolicy(), question="What did Ada and Ben do?")
    return response.sentences[-1]


@pytest.mark.requirement("grounding:pronouns")
@pytest.mark.parametrize(
    "swapped",
    [
        "Ada talked for hours on Sunday. She bought an old wooden boat in Bergen.",
        "Ada:\n- called her mother on Sunday\n- bought an old wooden boat in Bergen",
    ],
)
def test_a_person_swapped_behind_a_pronoun_or_a_heading_is_caught(swapped: str) -> None:
    verdict = _second(swapped)

    assert verdict.verdict == "contradicted"
    assert "person" in verdict.flags


def test_the_right_person_behind_a_pronoun_is_supported() -> None:
    assert _second("Ben has news. He bought an old wooden boat in Bergen.").verdict == "supported"


def test_an_uncertain_pronoun_accuses_nobody() -> None:
    assert "person" not in _second("Ada met her friend. She bought an old wooden boat in Bergen.").flags
