"""A challenge: what speaks against a claim, cited; or that nothing was found that does, and what was read."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from grounding_rows import judge_composed, row, sources_of
from tables import tables
from voice.core.grounding.extractive.answer_composition import compose_answer, counter_evidence
from voice.core.grounding.refusal_reasons import check_challenge
from voice.core.grounding.values import Draft, Evidence, GroundedResponse, GroundingPolicy, RefusalReason, Stance
from voice.core.records import TrustTier

pytestmark = pytest.mark.requirement("grounding:challenge")
TABLES = tables(__file__)
NOW = datetime(2026, 6, 1, tzinfo=UTC)
SAID = datetime(2026, 4, 20, tzinfo=UTC)
POLICY = GroundingPolicy(single_source="green")
LAUNCH = row("S1", "The Lighthouse launch moved from 1 June to 15 June.", at=SAID)
WRIST = row("S2", "Jonas broke his wrist while climbing in Arco.", at=SAID)
TASTE = row("S3", "Anna prefers tea; Jonas prefers coffee.", at=SAID)
WORK = row("S4", "I work at Nordlys Imaging now.", at=SAID)
BIKE = row("S5", "The bike costs 300 euros.", at=SAID)
DEARER = row("S6", "The bike costs 350 euros.", at=NOW)
LEAD = row("S7", "Marta Silva leads the Lighthouse project; the budget is 42,000 euros.", at=SAID)
MEMORY = (LAUNCH, WRIST, TASTE, WORK, BIKE, DEARER, LEAD)


def _judged(said: Draft, claim: str, rows: tuple[Evidence, ...] = MEMORY) -> GroundedResponse:
    return judge_composed(said, rows, POLICY, question=claim, stance=Stance.CHALLENGE, now=NOW)


@pytest.mark.parametrize(("claim", "cited"), TABLES["the_offline_challenge_cites_what_speaks_against_the_claim"])
def test_the_offline_challenge_cites_what_speaks_against_the_claim_and_passes_the_judge(
    claim: str, cited: tuple[str, ...]
) -> None:
    said = compose_answer(claim, MEMORY, Stance.CHALLENGE, now=NOW)
    assert tuple(source.source_id for source in sources_of(said)) == cited
    assert not _judged(said, claim).refused


@pytest.mark.parametrize(("claim", "notes", "against"), TABLES["another_value_or_the_opposite_speaks_against_a_claim"])
def test_another_value_or_the_opposite_speaks_against_a_claim(
    claim: str, notes: tuple[str, ...], against: tuple[str, ...]
) -> None:
    found = counter_evidence(claim, [row(f"S{place}", note) for place, note in enumerate(notes, 1)], NOW)
    assert tuple(one.text for one in found) == against


def test_where_nothing_speaks_against_a_claim_the_refusal_says_so_and_what_was_read() -> None:
    claim = "Marta leads the Lighthouse project"
    lead = replace(LEAD, relevance=0.9)
    alone, among = (
        _judged(compose_answer(claim, rows, Stance.CHALLENGE, now=NOW), claim, rows)
        for rows in ((lead,), (*MEMORY[:3], lead))
    )
    nothing = "I found nothing in your memory that speaks against this"
    assert [one.reason for one in (alone, among)] == [RefusalReason.NO_SOURCES] * 2
    assert alone.notes == f"{nothing}; I read the one note about it; try other words"
    assert among.notes == f"{nothing}; I read the 4 closest notes; try other words"
    assert lead.text in [source.span for source in among.evidence_found]


@pytest.mark.parametrize(
    ("claim", "rows", "missing"),
    [
        ("Zoltan is tall", MEMORY, "I found nothing in your memory that speaks against this or for it"),
        ("the sky looks green", (BIKE,), "I found nothing in your memory that speaks against this or for it"),
        ("Zoltan is tall", (), "I found nothing in your memory that speaks against this; I found no note about it"),
    ],
)
def test_a_claim_that_no_note_takes_up_is_not_asked_about(claim: str, rows: tuple[Evidence, ...], missing: str) -> None:
    found = check_challenge(claim, rows, POLICY)
    assert (found.ok, found.missing) == (False, missing)


def test_a_claim_may_name_what_no_note_names() -> None:
    assert check_challenge("I work at Siemens", MEMORY, POLICY).ok


def test_a_challenge_needs_as_many_sources_as_the_policy_demands() -> None:
    found = check_challenge("Jonas is healthy", (WRIST,), GroundingPolicy())
    assert (found.ok, found.reason) == (False, RefusalReason.TOO_FEW_SOURCES)
    assert check_challenge("Jonas is healthy", (WRIST, TASTE), GroundingPolicy()).ok
    assert "SINGLE_SOURCE=green accepts one" in (found.missing or "")


def test_who_is_named_in_no_note_is_not_challenged_by_what_qualifies_something_else() -> None:
    rows = (row("S1", "I no longer want the kitchen."), row("S2", "The kitchen is blue.", trust=TrustTier.AMBER))
    assert not compose_answer("I want the kitchen", rows, Stance.CHALLENGE).refused


def test_what_has_ended_and_what_another_says_of_themselves_speak_against_nothing() -> None:
    ended = row("S1", "The bike costs 350 euros.", at=SAID, until=SAID)
    of_clara = row("S2", "I work at Kiln Works now.", at=SAID, speaker="Clara")
    assert sources_of(compose_answer("The bike costs 300 euros", (ended,), Stance.CHALLENGE, now=NOW)) == ()
    assert sources_of(compose_answer("I work at Nordlys Imaging now", (of_clara,), Stance.CHALLENGE, now=NOW)) == ()
    holds = replace(ended, valid_until=datetime(2026, 7, 1, tzinfo=UTC))
    older = row("S3", "The red bike costs 360 euros.", at=datetime(2026, 1, 1, tzinfo=UTC))
    said = compose_answer("The bike costs 300 euros", (holds, older), Stance.CHALLENGE, now=NOW)
    assert [one.text for one in said.sentences] == [
        "\n2026-01-01: The red bike costs 360 euros.", "\n2026-04-20: The bike costs 350 euros.",
    ]  # fmt: skip


@pytest.mark.parametrize(("others", "like", "found"), [(99, 19, 1), (99, 20, 0), (100, 19, 0)])
def test_a_hundred_sentences_are_compared_and_the_twenty_that_are_most_alike_searched(
    others: int, like: int, found: int
) -> None:
    twins = [row(f"S{place}", "The bike costs 300 euros.") for place in range(like)]
    rest = [row(f"R{place}", "It rained.") for place in range(others - like)]
    assert len(counter_evidence("The bike costs 300 euros", (*twins, *rest, DEARER), NOW)) == found


def test_of_what_no_longer_holds_only_what_is_most_like_the_claim_is_set_against_it() -> None:
    old = replace(row("S1", "I never want an upright piano.", at=SAID), superseded_by="o:s3")
    less = replace(row("S2", "I want a van and a ladder and a piano some day.", at=SAID), superseded_by="o:s3")
    new = row("S3", "We bought the upright after all. It is black.", at=NOW)
    said = compose_answer("I never want an upright piano", (old, less, new), Stance.CHALLENGE, now=NOW)
    assert [source.source_id for source in sources_of(said)] == ["S1", "S3"]
