"""Half a truth is not one: a compound sentence is judged part by part (ruling D1)."""

from dataclasses import replace

import pytest

from grounding_rows import CITED, MEMORY, draft, judged, row
from voice.adapters.disk.values_json import from_json, to_json
from voice.core.grounding.judge import judge
from voice.core.grounding.values import GroundingPolicy, SentenceVerdict

BOAT = row("S1", "Ada bought an old wooden boat in Bergen. She sold the red car to her cousin.", speaker="Ada")
OTHER = row("S2", "The boat has two sails.", speaker="Ada")
SPAN = ("S1", BOAT.text)


def _verdict(answer: str) -> SentenceVerdict:
    response = judge(draft(answer, SPAN), [BOAT, OTHER], GroundingPolicy(min_sources=1), question="What did Ada buy?")
    return response.sentences[0]


@pytest.mark.requirement("grounding:parts")
@pytest.mark.parametrize(
    "tail",
    [
        " and forgot the anchor",
        " but the landlord refused",
        ", which annoyed the whole office",
        ", leaving the garage empty",
        ", a gift from the mayor",
        "; the police were called",
    ],
)
def test_a_sentence_whose_second_half_is_invented_is_unsupported_and_its_half_is_named(tail: str) -> None:
    verdict = _verdict(f"Ada bought an old wooden boat in Bergen{tail}.")

    assert verdict.verdict == "unsupported"
    assert "part" in verdict.flags
    assert [part.verdict for part in verdict.parts] == ["supported", "unsupported"]
    assert any("the second part" in reason for reason in verdict.reasons)


@pytest.mark.requirement("grounding:parts")
def test_half_a_truth_passes_the_threshold_and_goes_no_further() -> None:
    verdict = _verdict("Ada bought an old wooden boat in Bergen but the landlord refused.")

    assert verdict.score == pytest.approx(GroundingPolicy().support_threshold + 0.01)


def test_a_sentence_whose_halves_are_both_held_is_supported_in_all_its_parts() -> None:
    verdict = _verdict("Ada bought an old wooden boat in Bergen and sold the red car to her cousin.")

    assert verdict.verdict == "supported"
    assert [part.verdict for part in verdict.parts] == ["supported", "supported"]


def test_a_loose_paraphrase_without_a_part_that_is_held_is_left_to_its_score() -> None:
    verdict = _verdict("Ada acquired some vintage vessel, hoping for pleasant summers.")

    assert "part" not in verdict.flags


@pytest.mark.parametrize("tail", ["and found it rewarding", "and felt proud", "and considers it special"])
def test_how_somebody_took_a_thing_is_no_half_of_its_own(tail: str) -> None:
    verdict = _verdict(f"Ada bought an old wooden boat in Bergen {tail}.")

    assert verdict.verdict == "supported"
    assert not verdict.parts


def test_a_find_is_a_half_of_its_own() -> None:
    verdict = _verdict("Ada bought an old wooden boat in Bergen and found a golden ring.")

    assert verdict.verdict == "unsupported"
    assert [part.verdict for part in verdict.parts] == ["supported", "unsupported"]


def test_a_name_that_no_source_holds_is_named_in_its_part_alone() -> None:
    verdict = _verdict("Ada bought an old wooden boat in Bergen and sold the red car to Gundula Quast.")

    assert [bool(part.reasons) for part in verdict.parts] == [False, True]


def test_a_wrong_number_is_found_in_the_part_it_stands_in() -> None:
    judgement = judged("You moved to Stockholm in March 2021, and the flat costs 1,900 euros a month.", *CITED)

    parts = judgement.sentences[0].parts
    assert [part.verdict for part in parts] == ["supported", "contradicted"]
    assert parts[1].reasons == ("the source says 1,400 euros, the answer says 1,900 euros",)


def test_the_reason_names_a_part_by_its_place_and_its_small_word_alone() -> None:
    verdict = _verdict("Ada bought an old wooden boat in Bergen because the doctor insisted heavily.")

    reasons = " ".join(verdict.reasons)
    assert "from “because” on" in reasons
    assert "doctor" not in reasons


def test_the_sixth_part_is_named_by_its_number() -> None:
    six = "; ".join(["Ada bought an old wooden boat in Bergen"] * 5 + ["the police were called"]) + "."

    assert any("part 6" in reason for reason in _verdict(six).reasons)


def test_parts_move_with_their_sentence_when_another_one_is_cut() -> None:
    policy = GroundingPolicy(on_unsupported="cut", min_coverage=0.3, min_sources=1)
    answer = "The mayor wept bitterly. You moved to Stockholm in March 2021, and the flat costs 1,400 euros a month."
    response = judge(draft(answer, *CITED), MEMORY, policy, question="Where do I live and what does it cost?")

    sentence = response.sentences[0]
    assert response.answer == answer.removeprefix("The mayor wept bitterly. ")
    assert [response.answer[part.start : part.end] for part in sentence.parts] == [
        "You moved to Stockholm in March 2021",
        "and the flat costs 1,400 euros a month.",
    ]


def test_a_verdict_stored_before_parts_were_known_is_read_without_any() -> None:
    verdict = _verdict("Ada bought an old wooden boat in Bergen and sold the red car to her cousin.")
    stored = to_json(SentenceVerdict, verdict)
    assert from_json(SentenceVerdict, stored) == verdict

    del stored["parts"]
    assert from_json(SentenceVerdict, stored) == replace(verdict, parts=())
