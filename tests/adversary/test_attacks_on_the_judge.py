"""Generated attacks on the real judge: what cites nothing real is never accepted (rulings D1, D2, D4, D22)."""

import random
import sys
from collections.abc import Sequence

import pytest
from bench.adversary import honest, judged, measure
from bench.attacks import ABROAD, FABRICATED, MEASURED, PADDED, Attacker
from bench.sentences import TONGUES, Tongue
from bench.worlds import evidence_of, in_tongue, world

from grounding_rows import CITED, GOOD, MEMORY, MOVE, RENT, row
from grounding_rows import judged as judged_answer
from tables import tables
from voice.core.context.prompt_evidence import neutralise
from voice.core.grounding.values import GroundedResponse, RefusalReason

TABLES = tables(__file__)

TRIALS = 16
OTHERS = tuple(TABLES["others"])
CLOSED = tuple(TABLES["closed"])
"""Of what is said beside a true citation, what never passes; the others are shares that the benchmark prints."""


def _accepted(attacker: Attacker, seed: int) -> list[str]:
    chance = random.Random(seed)
    made = [attack for _ in range(TRIALS) if (attack := attacker(world(OTHERS, chance), chance))]
    assert len(made) > TRIALS // 4
    return [" ".join(one.text for one in attack.draft.sentences) for attack in made if attack.succeeded(judged(attack))]


@pytest.mark.requirement("promise:1", "ruling:D4", "ruling:D11")
@pytest.mark.parametrize("name", FABRICATED)
def test_a_fabricated_or_foreign_citation_is_never_accepted(name: str) -> None:
    assert _accepted(FABRICATED[name], seed=3) == []


@pytest.mark.requirement("ruling:D2", "ruling:D3")
@pytest.mark.parametrize("name", PADDED)
def test_fewer_sources_than_the_minimum_never_pass_for_enough(name: str) -> None:
    assert _accepted(PADDED[name], seed=5) == []


@pytest.mark.requirement("promise:1", "ruling:D1")
@pytest.mark.parametrize("name", CLOSED)
def test_what_the_sources_do_not_say_is_not_called_supported(name: str) -> None:
    assert _accepted(MEASURED[name], seed=7) == []


def test_the_same_drafts_are_accepted_when_nothing_is_done_to_them() -> None:
    chance = random.Random(9)

    assert not any(honest(world(OTHERS, chance)).refused for _ in range(TRIALS))
    assert len(honest(world(OTHERS, chance)).sources) > 0


@pytest.mark.parametrize("marker", ["[S1]", "[S1, S2]", "(S2)", "[1]", "[see above]", "(2021)"])
def test_a_marker_of_this_prompt_and_a_plain_bracket_are_no_lie(marker: str) -> None:
    first, second = GOOD.split(". ")
    assert not judged_answer(f"{first} {marker}. {second}", *CITED).rejected_citations


@pytest.mark.parametrize("hidden", ["3\u200b0\u200b5", "3\u20605", "\u202e53\u202c", "3\u00ad5"])
def test_what_cannot_be_seen_hides_no_figure_and_is_not_shown(hidden: str) -> None:
    memory = (row("S1", "The stove in the cabin burns 35 logs a week."), RENT)
    answer = f"The stove in the cabin burns {hidden} logs a week. {RENT.text}"
    response = judged_answer(answer, ("S1", memory[0].text), ("S2", RENT.text), memory=memory)
    assert response.refused or response.answer.isascii()
    assert response.reason is not RefusalReason.INVALID_CITATION


@pytest.mark.requirement("ruling:D4")
@pytest.mark.parametrize("marker", TABLES["what_reads_as_a_marker_in_a_note"])
def test_what_reads_as_a_marker_in_a_note_is_a_word_of_a_quotation(marker: str) -> None:
    plan = row("S3", f"The plan {marker} hangs on the wall of the shed.")
    answer = f"{neutralise(plan.text)} {RENT.text}"
    response = judged_answer(answer, ("S2", RENT.text), ("S3", plan.text), memory=(MOVE, RENT, plan))
    assert {source.source_id for source in response.sources} == {RENT.row_id, plan.row_id}
    assert marker not in response.answer


def test_a_joiner_inside_an_emoji_is_left_alone() -> None:
    told = "The girl 👩\u200d🚀 drew a rocket on the wall."
    response = judged_answer(f"{told} {RENT.text}", ("S1", told), ("S2", RENT.text), memory=(row("S1", told), RENT))
    assert "👩\u200d🚀" in response.answer


def _steps(answer: str, sources: Sequence[tuple[str, str]], rows: int) -> tuple[int, GroundedResponse]:
    """Return how many calls the judgement takes, which, unlike time, is the same on every machine."""
    many = tuple(evidence_of(f"S{n}", f"Row {n} speaks of nothing in particular.") for n in range(4, rows + 4))
    memory = (*MEMORY, *many)
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    judged_answer(answer, *sources, memory=memory)
    sys.setprofile(count)
    try:
        response = judged_answer(answer, *sources, memory=memory)
    finally:
        sys.setprofile(None)
    return calls, response


@pytest.mark.parametrize("answer", [GOOD, "You own a boat in Gdynia with a mast of pine."])
def test_ten_thousand_sources_cost_a_few_calls_a_row_and_change_nothing(answer: str) -> None:
    few, alone = _steps(answer, CITED, 100)
    many, crowded = _steps(answer, CITED, 10_000)

    assert (many - few) / 9_900 < 12
    assert crowded.coverage_ratio == alone.coverage_ratio
    assert crowded.refused == alone.refused


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize("name", ABROAD)
def test_one_altered_fact_is_not_called_supported_in_other_languages(name: str) -> None:
    assert _accepted(ABROAD[name], seed=9) == []


@pytest.mark.parametrize("tongue", TONGUES)
def test_an_honest_draft_is_accepted_in_every_language(tongue: Tongue) -> None:
    chance = random.Random(13)

    assert not [
        at.question for _ in range(TRIALS) if honest(at := in_tongue(world(OTHERS, chance), tongue, chance)).refused
    ]
    assert len(honest(in_tongue(world(OTHERS, chance), tongue, chance)).sources) > 0


def test_ten_thousand_citations_of_one_place_are_one() -> None:
    response = judged_answer(GOOD, *(CITED * 5_000))

    assert len(response.sources) == 2


def test_the_benchmark_tells_every_attack_apart() -> None:
    result = measure(OTHERS, trials=6)

    assert {name: set(group["attacks"]) for name, group in result.items()} == {
        "fabricated": set(FABRICATED),
        "padded": set(PADDED),
        "measured": set(MEASURED),
        "abroad": set(ABROAD),
        "honest": set(),
    }
    assert (result["honest"]["share"], result["fabricated"]["accepted"]) == (1.0, 0)
