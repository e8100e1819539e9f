"""Whose the evidence's words are: the speaker's, the listener's, or somebody else's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding_rows import grounds, row
from voice.core.grounding.attribution import leaning, leaning_findings
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.support import weights_of
from voice.core.text.words import words

TALK = (("Ann", "I moved to Lisbon and rent a tiny flat."), ("Ben", "You always loved the sea! I repair old clocks."))


def _lean(claim: str, *said: tuple[str, str]) -> float:
    evidence = grounds(*(row(f"S{n}", text, speaker=speaker) for n, (speaker, text) in enumerate(said, 1)))
    found = words(claim)
    weights = weights_of([word for word in found if not word.is_stop], evidence.passages)
    return leaning(found, weights, evidence.passages, evidence.people)


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("true", "swapped"),
    [
        ("Ann moved to Lisbon.", "Ben moved to Lisbon."),
        ("Ann rents a tiny flat.", "Ben rents a tiny flat."),
        ("Ben repairs old clocks.", "Ann repairs old clocks."),
        ("Ann loved the sea.", "Ben loved the sea."),
    ],
)
def test_the_evidence_leans_to_whom_it_speaks_of(true: str, swapped: str) -> None:
    assert _lean(true, *TALK) < 0 < _lean(swapped, *TALK)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Ann moved to Lisbon.", (("Ann", "I moved to Lisbon."),)),
        ("The flat is tiny.", TALK),
        ("Zoe moved to Lisbon.", TALK),
        ("Ann and Ben.", TALK),
        ("Ann moved.", ()),
    ],
)
def test_nothing_leans_to_another_where_nobody_else_is_known_or_meant(
    claim: str, said: tuple[tuple[str, str], ...]
) -> None:
    assert _lean(claim, *said) <= 0


def test_one_who_is_named_in_a_sentence_owns_its_words_whoever_says_it() -> None:
    said = (("Ben", "I heard that Ann adopted a greyhound."), ("Ann", "Hello!"))

    assert _lean("Ann adopted a greyhound.", *said) < 0 < _lean("Ben adopted a greyhound.", *said)


def test_one_who_is_only_greeted_owns_nothing() -> None:
    said = (("Ben", "Hey Ann, I adopted a greyhound!"), ("Ann", "Hello!"))

    assert _lean("Ann adopted a greyhound.", *said) > 0


def test_two_names_in_one_clause_leave_it_to_the_order_of_words() -> None:
    said = (("Cleo", "Ann hired Ben in Oslo."), ("Ann", "Hello!"), ("Ben", "Hello!"))

    assert _lean("Ben hired Ann in Oslo.", *said) == 0


def test_what_one_does_for_another_is_looked_for_in_the_words_of_the_one() -> None:
    said = (("Ann", "Your violin sounds gorgeous, keep practising!"), ("Ben", "My violin is a loan."))

    assert _lean("Ann encourages Ben to keep practising.", *said) < _lean(
        "Ben encourages Ann to keep practising.", *said
    )


@pytest.mark.parametrize(
    "frame", ["{0} is praised by {1} for keeping a steady bow.", "{0} keeps a steady bow, as per {1}."]
)
def test_who_is_named_behind_by_is_the_doer(frame: str) -> None:
    said = (("Ann", "You keep such a steady bow!"), ("Ben", "The violin is a loan."))

    assert _lean(frame.format("Ben", "Ann"), *said) < _lean(frame.format("Ann", "Ben"), *said)


def test_the_weight_grows_with_the_leaning_and_ends() -> None:
    evidence = grounds(row("S1", "I moved to Lisbon.", speaker="Ann"), row("S2", "Nice for you.", speaker="Ben"))
    whole = leaning_findings(words("Ben moved to Lisbon."), evidence.passages, evidence.people)
    half = leaning_findings(words("Ben moved to Lisbon for a cheaper greenhouse."), evidence.passages, evidence.people)

    assert 0 < half[0].weight < whole[0].weight < 3
    assert {finding.effect for finding in (*whole, *half)} == {"note"}


@given(st.sampled_from(["Ann", "Ben"]), st.sampled_from(["bought a red canoe", "lost two keys", "met a famous cook"]))
def test_what_one_says_of_oneself_never_supports_it_of_the_other(speaker: str, deed: str) -> None:
    other = "Ben" if speaker == "Ann" else "Ann"
    evidence = grounds(row("S1", f"I {deed}.", speaker=speaker), row("S2", "How lovely.", speaker=other))

    assert judge_sentence(f"{speaker} {deed}.", evidence, 1.65).verdict == "supported"
    assert judge_sentence(f"{other} {deed}.", evidence, 1.65).verdict != "supported"
