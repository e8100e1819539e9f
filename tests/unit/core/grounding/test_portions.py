"""What is one of several is not the one, and a number is the same in words and in figures (ruling D1)."""

import pytest

from grounding_rows import row
from voice.core.grounding.claims import Grounds, Judged, judge_sentence
from voice.core.grounding.passages import all_passages
from voice.core.grounding.support import credit_of
from voice.core.grounding.who import people_of
from voice.core.text.stems import stem_of

LINE = 1.65
KILN = "The kiln weighs 84 kg and needs 14 amps."


def _judged(source: str, claim: str) -> Judged:
    evidence = (row("S1", source),)
    passages = tuple(passage for one in evidence for passage in all_passages(one))
    return judge_sentence(claim, Grounds(rows=evidence, passages=passages, people=people_of(evidence)), LINE)


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The lake is one of the deepest in Europe.", "The lake is the deepest in Europe."),
        ("Anna is one of my oldest friends.", "Anna is your oldest friend."),
        ("It was among the best concerts I have heard.", "It was the best concert you have heard."),
        ("I was one of the first to arrive.", "You were the first to arrive."),
        ("It was one of the most important days of my life.", "It was the most important day of your life."),
        ("Der See ist einer der tiefsten in Europa.", "Der See ist der tiefste in Europa."),
    ],
)
def test_one_of_the_most_is_not_the_most(source: str, claim: str) -> None:
    judged = _judged(source, claim)

    assert judged.verdict == "unsupported"
    assert [finding.flag for finding in judged.findings] == ["quantifier"]
    assert "one of several" in judged.findings[0].text


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The lake is the deepest in Europe.", "The lake is the deepest in Europe."),
        ("The lake is one of the deepest in Europe.", "The lake is one of the deepest in Europe."),
        ("Der See ist einer der tiefsten in Europa.", "Der See ist einer der tiefsten in Europa."),
        ("It was one of the most important days of my life.", "It was one of your most important days."),
        ("I was one of the first to arrive. Tom was the first.", "Tom was the first."),
        ("One of the guest rooms has mould.", "The guest room has mould."),
        ("Of the last three flats this was the best.", "This was the best of the last three flats."),
    ],
)
def test_the_most_may_be_said_where_the_source_says_it(source: str, claim: str) -> None:
    assert _judged(source, claim).verdict == "supported"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (KILN, "All of the kilns weigh 84 kg."),
        (KILN, "Every kiln weighs 84 kg."),
        (KILN, "Both kilns weigh 84 kg."),
        (KILN, "Most kilns weigh 84 kg."),
        (KILN, "The kiln weighs more than 84 kg."),
        (KILN, "The kiln weighs less than 84 kg."),
        ("He is 15 years old.", "He is over 15 years old."),
        ("Das kostet 300 Euro.", "Das kostet mehr als 300 Euro."),
    ],
)
def test_one_is_not_all_and_a_number_is_no_bound(source: str, claim: str) -> None:
    judged = _judged(source, claim)

    assert judged.verdict == "unsupported"
    assert [finding.flag for finding in judged.findings] == ["quantifier"]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (KILN, "The kiln weighs at least 84 kg."),
        (KILN, "The kiln weighs exactly 84 kg."),
        ("I paid 40 euros.", "You paid no more than 40 euros."),
        ("The first test and the second test passed.", "Both tests passed."),
        ("Every kiln weighs 84 kg.", "Every kiln weighs 84 kg."),
        ("My books got wet.", "All of the books got wet."),
        ("The kitchen was painted.", "All of the kitchen was painted."),
        ("40+ letters arrived.", "Over 40 letters arrived."),
        ("It costs between 300 and 400 euros.", "It costs more than 300 euros."),
        ("I walked almost 10 km.", "You walked nearly 10 km."),
    ],
)
def test_all_and_a_bound_may_be_said_where_the_source_bears_them_out(source: str, claim: str) -> None:
    assert _judged(source, claim).verdict == "supported"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The duo has earned two platinum and five gold albums.", "They have earned 2 platinum and 5 gold albums."),
        ("Ich kaufte fünf Bretter.", "Du kauftest 5 Bretter."),
        ("I bought 20 planks.", "You bought twenty planks."),
    ],
)
def test_a_number_in_words_is_held_by_its_figure(source: str, claim: str) -> None:
    judged = _judged(source, claim)

    assert judged.verdict == "supported"
    assert judged.support is not None
    assert not any(word.is_number for word in judged.support.missing)


def test_another_number_in_words_is_not() -> None:
    assert credit_of("5", frozenset({stem_of("five")})) == 1.0
    assert credit_of(stem_of("twelve"), frozenset({"12"})) == 1.0
    assert credit_of("5", frozenset({stem_of("six"), "15"})) == 0.0
    assert _judged("I bought 20 planks.", "You bought twelve planks.").verdict == "contradicted"
