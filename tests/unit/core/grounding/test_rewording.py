"""A copied sentence with a stretch reworded: what an opinion may lift, and what it never may."""

import random
from dataclasses import replace

import pytest
from bench.sentences import KINDS, TONGUES, Kind, Tongue, altered, sentence
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from grounding_rows import draft, row
from voice.core.grounding.judge import claims_to_verify, judge
from voice.core.grounding.opinions import Opinion
from voice.core.grounding.reverify import StoredAnswer, reverify
from voice.core.grounding.values import Evidence, GroundedResponse, GroundingPolicy, RefusalReason, Stance

BANK = "The bank would buy bonds in an emergency, in a move to contain the rising yields."
POLICY = GroundingPolicy(min_sources=1)
FOR = Opinion(effect="supported", by=("one",))
DOUBT = Opinion(effect="unsupported", by=("one",))
VETO = Opinion(effect="contradicted", by=("one",))


def judged(claim: str, source: str, opinion: Opinion | None = None, speaker: str | None = None) -> GroundedResponse:
    memory = (row("S1", source, speaker=speaker),)
    return judge(
        draft(claim, ("S1", source)), memory, POLICY, question="", opinions={claim: opinion or Opinion(effect=None)}
    )


def is_asked_about(claim: str, memory: Evidence) -> bool:
    answer = draft(claim, (memory.alias, memory.text))
    return bool(claims_to_verify(answer, (memory,), POLICY, question="", stance=Stance.SYNTHESIZE))


@pytest.mark.requirement("grounding:rewording")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (BANK.replace("contain", "subdue"), BANK),
        (
            "Every country strives to provide basic schooling to all.",
            "Every country aims to provide basic schooling to all.",
        ),
        (
            "They utilised paramedics in the emergency rooms of Bergen.",
            "They deployed paramedics in the emergency rooms of Bergen.",
        ),
    ],
)
def test_one_word_in_other_words_is_marked_by_the_rules_and_lifted_by_an_opinion(claim: str, source: str) -> None:
    plain, lifted = judged(claim, source), judged(claim, source, FOR)

    assert (plain.sentences[0].verdict, plain.sentences[0].flags) == ("unsupported", ("altered",))
    assert is_asked_about(claim, row("S1", source))
    assert lifted.sentences[0].verdict == "supported"
    assert lifted.sentences[0].flags == ("altered", "paraphrase")
    assert not lifted.refused
    assert lifted.source_count == 1


def test_without_an_opinion_or_against_it_the_mark_stands() -> None:
    claim = BANK.replace("contain", "subdue")
    assert judged(claim, BANK, DOUBT) == judged(claim, BANK)
    assert judged(claim, BANK).reason is RefusalReason.COVERAGE_LOW
    assert judged(claim, BANK, VETO).reason is RefusalReason.CONTRADICTION


@pytest.mark.requirement("grounding:rewording", "grounding:opinions")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("I paid 41 euros for the old lamp in Bergen.", "I paid 14 euros for the old lamp in Bergen."),
        ("I paid fourteen dollars for the old lamp in Bergen.", "I paid fourteen euros for the old lamp in Bergen."),
        ("The path to the hut is 40 paces long and steep.", "The path to the hut is 40 miles long and steep."),
        ("I did not pay for the old lamp in Bergen.", "I did pay for the old lamp in Bergen."),
        ("I gladly ate the fish at the market in Bergen.", "I never ate the fish at the market in Bergen."),
        ("Clara gave the old lamp to the museum in Bergen.", "Martha gave the old lamp to the museum in Bergen."),
        ("My sister gave the old lamp to the museum.", "My brother gave the old lamp to the museum."),
        ("The new lamp is cheaper than the lamp in the hall.", "The new lamp is dearer than the lamp in the hall."),
        ("The new lamp is prettier than the lamp in the hall.", "The new lamp is heavier than the lamp in the hall."),
        ("I sold the lamp before the house burned down.", "I sold the lamp after the house burned down."),
        ("All guests of the hut praised the soup in May.", "Some guests of the hut praised the soup in May."),
        ("The rent of the flat rose again in the spring.", "The rent of the flat fell again in the spring."),
        (
            "I gave the old lamp to the museum because burglars threatened grandfather repeatedly.",
            "I gave the old lamp to the museum.",
        ),
    ],
    ids=[
        "number", "unit", "unit, by no unit", "negation", "negation, by another word", "name", "relation", "comparison",
        "comparison, by no known one", "order", "amount", "opposite", "a statement added",
    ],
)  # fmt: skip
def test_a_changed_fact_is_lifted_by_nobody(claim: str, source: str) -> None:
    assert not is_asked_about(claim, row("S1", source))
    assert judged(claim, source, FOR) == judged(claim, source)
    assert judged(claim, source).sentences[0].verdict != "supported"


@pytest.mark.slow
@pytest.mark.requirement("grounding:rewording", "promise:1")
@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(TONGUES), st.sampled_from(KINDS))
def test_no_opinion_makes_one_altered_fact_supported_that_the_rules_marked(
    seed: int, tongue: Tongue, kind: Kind
) -> None:
    chance = random.Random(seed)
    one = sentence(chance, tongue)
    facts = one.of_kind(kind)
    assume(facts)
    claim = altered(one, chance.choice(facts), chance)
    plain = judged(claim, one.text)
    assume(any(flag != "paraphrase" for verdict in plain.sentences for flag in verdict.flags))

    lifted = judged(claim, one.text, FOR)

    assert [each.verdict for each in lifted.sentences] == [each.verdict for each in plain.sentences]


def test_whom_the_evidence_names_as_speaker_may_stand_for_i() -> None:
    claim = "Joanna swerved to dodge the moose on the road to Bergen."
    source = "I swerved to avoid the moose on the road to Bergen."
    assert judged(claim, source, FOR, speaker="Joanna").sentences[0].verdict == "supported"


@pytest.mark.requirement("promise:9")
def test_an_audit_lets_the_lifted_sentence_stand_over_unchanged_rows_and_not_with_a_changed_fact() -> None:
    claim, memory = BANK.replace("contain", "subdue"), row("S1", BANK)
    lifted = judged(claim, BANK, FOR)

    def audited(text: str) -> str:
        sentences = tuple(replace(each, text=text) for each in lifted.sentences)
        stored = StoredAnswer(question="", sentences=sentences, sources=lifted.sources, policy=POLICY)
        return reverify(stored, {memory.row_id: memory})[0].status

    assert audited(claim) == "still_grounded"
    assert audited(BANK.replace("contain", "exceed the 40")) == "no_longer_supported"
