"""A question that offers its answers, a deed told from its other side, and what is asked in another word (D5)."""

import pytest

from grounding_rows import judged, row
from voice.core.grounding.choices import names_the_chosen
from voice.core.grounding.passages import all_passages
from voice.core.grounding.values import GroundedResponse, GroundingPolicy, RefusalReason

pytestmark = pytest.mark.requirement("ruling:D5")

ONE = GroundingPolicy(min_sources=1)
DROVE = "Lara drove and Piet slept."
THREE = "Otto cooked, Piet slept badly and Lara drove to the lake."


def _answered(question: str, source: str, answer: str) -> GroundedResponse:
    return judged(answer, ("S1", source), memory=(row("S1", source),), question=question, policy=ONE)


@pytest.mark.parametrize(
    ("question", "source", "answer"),
    [
        ("Who drove, Lara or Piet?", DROVE, "Lara."),
        ("Who drove, Lara or Piet?", DROVE, DROVE),
        ("Who slept, Lara or Piet?", DROVE, "Piet slept."),
        ("Who drove to the lake, Lara, Otto or Piet?", THREE, "Lara drove."),
        ("Who is older, Anna or Ben?", "Anna is older than Ben.", "Anna is older than Ben."),
        ("Who called, Anna or Ben?", "Ben was called by Anna.", "Anna."),
        ("Who called the plumber, my sister or my brother?", "My sister called the plumber.", "Your sister did."),
        ("Who paid, Mona or Ole?", "Mona did not pay, Ole did.", "Ole."),
        ("Wer hat gekocht, Kathrin oder Uli?", "Kathrin hat gekocht.", "Kathrin hat gekocht."),
        ("Where are the keys, kitchen or hall?", "The keys are in the kitchen.", "In the kitchen."),
        ("Where did we fly from, Oslo or Bergen?", "We parked in Bergen and flew from Oslo.", "Oslo."),
    ],
)
def test_one_of_those_a_question_offers_is_an_answer(question: str, source: str, answer: str) -> None:
    assert not _answered(question, source, answer).refused


@pytest.mark.parametrize(
    ("question", "source", "answer"),
    [
        ("Who drove, Lara or Piet?", DROVE, "Piet."),
        ("Who drove, Lara or Piet?", DROVE, "Piet drove."),
        ("Who slept, Lara or Piet?", DROVE, "Lara."),
        ("Who drove to the lake, Lara, Otto or Piet?", THREE, "Otto."),
        ("Who is older, Anna or Ben?", "Anna is older than Ben.", "Ben."),
        ("Who called, Anna or Ben?", "Ben was called by Anna.", "Ben."),
        ("Where did we fly from, Oslo or Bergen?", "We parked in Bergen and flew from Oslo.", "Bergen."),
    ],
)
def test_the_other_one_is_none(question: str, source: str, answer: str) -> None:
    assert _answered(question, source, answer).refused


@pytest.mark.parametrize("question", ["Who drove?", "Or who drove?", "Who drove, or?", "Who drove, Mona or Ole?"])
def test_where_nothing_is_offered_or_named_nothing_is_decided(question: str) -> None:
    assert names_the_chosen(question, {"lara"}, all_passages(row("S1", DROVE))) is None


@pytest.mark.parametrize(("question", "said"), [("Lara or Piet?", "lara"), ("Who sang, Lara or Piet?", "piet")])
def test_who_is_named_first_is_right_and_where_nothing_tells_anybody_may_be(question: str, said: str) -> None:
    assert names_the_chosen(question, {said}, all_passages(row("S1", DROVE))) is True


@pytest.mark.parametrize(
    ("question", "source", "answer"),
    [
        ("What did Karl inherit?", "Grandpa left the piano to Karl.", "The piano."),
        ("What did Karl inherit?", "Grandpa left the piano to Karl.", "Karl inherited the piano from Grandpa."),
        ("What does Elena dislike?", "Elena hates olives.", "Elena dislikes olives."),
        ("What does Elena dislike?", "Elena hates olives.", "Olives."),
        ("What does Ole hate?", "Ole dislikes beetroot.", "Beetroot."),
    ],
)
def test_what_is_told_in_another_word_is_an_answer(question: str, source: str, answer: str) -> None:
    assert not _answered(question, source, answer).refused


@pytest.mark.parametrize(
    ("question", "source", "answer"),
    [
        ("Who sold me the camera?", "I bought the camera from Yusuf.", "Yusuf sold you the camera."),
        ("Who sold us the car?", "We bought our car from Otto.", "Otto sold you the car."),
        ("Who sold the boat?", "Ole bought the boat from Mats in May.", "Mats sold Ole the boat in May."),
        ("Who bought the boat?", "Mats sold the boat to Ole in May.", "Ole bought the boat in May."),
        ("Whom did I buy the camera from?", "Yusuf sold me the camera.", "You bought the camera from Yusuf."),
        ("How old is Esi?", "Kofi is two years older than Esi.", "Esi is two years younger than Kofi."),
        ("How tall is it?", "The oak is five metres taller than the birch.", "The birch is shorter than the oak."),
    ],
)
def test_the_same_told_from_the_other_side_is_the_same(question: str, source: str, answer: str) -> None:
    response = _answered(question, source, answer)

    assert [one.verdict for one in response.sentences] == ["supported"]
    assert not response.refused or question.startswith("How")


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("I bought the camera from Yusuf.", "You sold the camera to Yusuf."),
        ("Mats sold the boat to Ole in May.", "Mats bought the boat in May."),
        ("I sold my bike to Greta for 90 euros.", "You bought a bike for 90 euros."),
        ("The camera was bought in Linz.", "The camera was sold in Linz."),
        ("Kofi is two years older than Esi.", "Kofi is two years younger than Esi."),
        ("Kofi is two years older than Esi.", "Esi is three years younger than Kofi."),
        ("Kofi is two years older than Esi.", "Esi is two years older than Kofi."),
    ],
)
def test_the_opposite_of_the_same_one_stays_a_contradiction(source: str, answer: str) -> None:
    assert _answered("What of it?", source, answer).reason is RefusalReason.CONTRADICTION


def test_a_sale_by_somebody_the_source_does_not_buy_from_is_not_supported() -> None:
    response = _answered("Who sold it?", "I bought the camera and Yusuf paid for it.", "Yusuf sold you the camera.")

    assert [one.verdict for one in response.sentences] == ["unsupported"]
    assert "the source does not tell this of whom the answer names" in response.sentences[0].reasons
