"""Whom a pronoun of the answer means: the one known person named last, or nobody (ruling D1)."""

from dataclasses import replace

import pytest

from grounding_rows import draft, grounds, row
from voice.core.grounding.claims import Grounds
from voice.core.grounding.judge import judge
from voice.core.grounding.neighbours import judge_sentences
from voice.core.grounding.referents import gender_of, named_sentences, pronoun_findings
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


ALBUM = (row("S1", "I sold my sailing boat last week.", speaker="Ben"), row("S2", "Great news!", speaker="Clara"))


def _notes(claim: str, before: str = "", *, said: str = "I sold my sailing boat last week.") -> list[float]:
    evidence = grounds(row("S1", said, speaker="Ben"), row("S2", "Great news!", speaker="Clara"))
    return [one.weight for one in pronoun_findings(claim, before, evidence.passages, evidence.people)]


@pytest.mark.requirement("grounding:pronouns")
@pytest.mark.parametrize(
    "claim",
    ["Clara sold his sailing boat.", "Ben is happy that she sold the boat.", "Last week Clara bought himself a boat."],
)
def test_a_pronoun_that_can_mean_nobody_who_is_named_is_a_doubt(claim: str) -> None:
    assert _notes(claim) == [2.0]


@pytest.mark.parametrize(
    ("claim", "before"),
    [
        ("Clara sold her sailing boat.", ""),
        ("Clara and Ben sold his boat.", ""),
        ("Clara and her husband sold his boat.", ""),
        ("Clara and Toivo sold his boat.", ""),
        ("Clara sold his boat and her flat.", ""),
        ("A friend sold his boat.", ""),
        ("Clara sold the dog because he barked.", ""),
        ("Clara praised his boat.", "Ben has news."),
        ("Clara praised his boat.", "Toivo called."),
        ("Clara praised his boat.", "Her brother called."),
    ],
)
def test_a_pronoun_that_may_mean_somebody_is_none(claim: str, before: str) -> None:
    assert _notes(claim, before) == []


@pytest.mark.parametrize("said", ["My uncle sold a boat.", "He sold the boat."])
def test_a_man_whom_the_evidence_speaks_of_may_be_meant(said: str) -> None:
    assert _notes("Clara sold his boat.", said=said) == []


def test_a_pronoun_that_means_nobody_shows_in_the_answer_and_one_of_the_question_does_not() -> None:
    evidence = grounds(*ALBUM)
    asked = replace(evidence, asked=frozenset({"ben"}))

    def reasons(under: Grounds) -> str:
        return " ".join(one.text for one in judge_sentences(["Clara admired his boat."], under, 9.0)[0].findings)

    assert "pronoun" in reasons(evidence)
    assert "pronoun" not in reasons(asked)


@pytest.mark.requirement("grounding:pronouns")
@pytest.mark.parametrize(
    ("claim", "source", "is_flagged"),
    [
        ("Ada fixed his boat.", "I fixed Rustam's boat.", False),
        ("Ada fixed his boat.", "Rustam's boat was a wreck, so I fixed it.", False),
        ("Ada fixed the boat for him.", "I fixed the boat for Rustam.", False),
        ("Ada fixed the boat for him.", "I saw Walter in Oslo and fixed the boat.", True),
        ("Ada fixed his boat.", "I fixed Rustam's boat and Walter's boat.", True),
        ("Ada fixed the boat for him.", "I fixed the boat for Rustam's aunt.", True),
        ("Ada fixed his boat.", "I fixed Clara's boat.", True),
        ("Ada fixed his boat.", "I fixed the boat in Oslo.", True),
        ("Ada fixed his boat.", "Oslo is where I fixed the boat, Ada.", True),
    ],
)
def test_a_pronoun_may_mean_the_only_person_whom_the_source_names(claim: str, source: str, *, is_flagged: bool) -> None:
    evidence = grounds(row("S1", source, speaker="Ada"))

    assert bool(pronoun_findings(claim, "", evidence.passages, evidence.people)) is is_flagged
