"""Of whom a claim speaks, and who says so (DESIGN 6 stage 4)."""

import pytest

from grounding_rows import grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.passages import speaker_of
from voice.core.grounding.who import people_of, proper_names, same_name
from voice.core.text.words import words


@pytest.mark.parametrize(
    ("text", "speaker", "expected"),
    [
        ("Anna: I went home.", None, "Anna"),
        ("Anna Berg: I went home.", None, "Anna Berg"),
        ("Note: I went home.", None, None),
        ("I went home.", None, None),
        ("Anna: I went home.", "Clara", "Clara"),
    ],
)
def test_who_speaks_is_the_rows_speaker_or_its_label(text: str, speaker: str | None, expected: str | None) -> None:
    assert speaker_of(row("S1", text, speaker=speaker)) == expected


def _person(claim: str, *said: tuple[str, str]) -> str | None:
    rows = [row(f"S{n}", text, speaker=speaker) for n, (speaker, text) in enumerate(said, 1)]
    judged = judge_sentence(claim, grounds(*rows), 1.65)
    return next((finding.effect for finding in judged.findings if finding.flag == "person"), None)


OTHER = ("Tim", "How was your day?")


@pytest.mark.parametrize(
    ("claim", "said", "effect"),
    [
        ("Tim adopted a rescue dog.", [("Maria", "I adopted a rescue dog."), OTHER], "contradicted"),
        ("Maria adopted a rescue dog.", [("Maria", "I adopted a rescue dog."), OTHER], None),
        ("Tim adopted a rescue dog.", [("Maria", "Adopted a rescue dog yesterday."), OTHER], "note"),
        ("Tim adopted a rescue dog.", [("Maria", "So you adopted a rescue dog!"), OTHER], None),
        ("Tim adopted a rescue dog.", [("Maria", "I know that Tim adopted a rescue dog."), OTHER], None),
        ("Tim adopted a rescue dog.", [("Maria", "Hey Tim, I adopted a rescue dog!"), OTHER], "contradicted"),
        ("Tim adopted a rescue dog with Maria.", [("Maria", "I adopted a rescue dog."), OTHER], "note"),
        ("In May, Tim adopted a rescue dog.", [("Maria", "I adopted a rescue dog in May."), OTHER], "contradicted"),
        ("A rescue dog was adopted by Tim.", [("Maria", "I adopted a rescue dog."), OTHER], "note"),
        ("Tim plays the old violin.", [("Maria", "I adopted a rescue dog."), OTHER], None),
        ("Tim adopted a rescue dog.", [("Maria", "I adopted a rescue dog."), ("Tim", "I adopted a rescue dog.")], None),
        (
            "Tim hired Maria as a gardener.",
            [("Olga", "Maria hired Tim as a gardener."), OTHER, ("Maria", "Hi!")],
            "contradicted",
        ),
        ("Tim met Maria in Oslo.", [("Olga", "Maria met Tim in Oslo."), OTHER, ("Maria", "Hi!")], None),
        ("Tim was hired by Maria.", [("Olga", "Maria hired Tim."), OTHER, ("Maria", "Hi!")], None),
    ],
)
def test_a_claim_about_one_person_needs_evidence_about_that_person(
    claim: str, said: list[tuple[str, str]], effect: str | None
) -> None:
    assert _person(claim, *said) == effect


def test_names_are_known_in_full_and_in_short() -> None:
    people = people_of([row("S1", "x", speaker="Melanie Berg"), row("S2", "y", speaker="…")])

    assert people.names == frozenset({"melanie"})
    assert people.find("mel") == "melanie"
    assert people.find("jo") is None
    assert not same_name("al", "alan")


def test_weekdays_months_and_first_words_are_no_names() -> None:
    text = "Yesterday, on Monday in May, Running was fun for Clara."

    assert [word.key for word in proper_names(text, words(text))] == ["running", "clara"]
