"""Answers and facts as other systems write them."""

from datetime import date

import pytest

from tables import tables
from voice.core.errors import InvalidParams
from voice.core.grounding.check import Fact, facts_of, parse_answer, parse_facts
from voice.core.grounding.values import Draft

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("grounding:check")


@pytest.mark.parametrize(
    ("text", "texts"), [*TABLES["facts_are_a_json_list_json_lines_or_paragraphs"], ("[" * 9_000, ["[" * 9_000])]
)
def test_facts_are_a_json_list_json_lines_or_paragraphs(text: str, texts: list[str]) -> None:
    assert tuple(fact.text for fact in parse_facts(text)) == tuple(texts)


def test_a_fact_keeps_what_is_known_of_it_and_is_called_by_its_place_where_it_has_no_id() -> None:
    own = Fact(text="own", id="mine")
    said = {"text": "a", "id": 7, "date": "2024-03-05T10:00:00Z", "speaker": "Ida"}
    assert facts_of([said, "b", {"text": "c", "id": " "}, own]) == (
        Fact(text="a", id="7", told_on=date(2024, 3, 5), speaker="Ida"),
        Fact(text="b", id="2"),
        Fact(text="c", id="3"),
        own,
    )


@pytest.mark.parametrize(("text", "told"), TABLES["what_is_no_fact_is_named_by_its_place"])
def test_what_is_no_fact_is_named_by_its_place(text: str, told: str) -> None:
    with pytest.raises(InvalidParams, match=told):
        parse_facts(text)


def test_an_answer_is_a_text_or_the_wire_json_of_a_model() -> None:
    assert parse_answer(" The kiln [1]. \n") == "The kiln [1]."
    assert parse_answer('{"kiln": 1}') == '{"kiln": 1}'
    draft = parse_answer('{"answer": "The kiln.", "sources": [{"source_id": "1", "span": "kiln"}]}')
    assert isinstance(draft, Draft)
    assert draft.sentences[0].sources[0].source_id == "1"


def test_what_cannot_be_printed_is_replaced_one_for_one() -> None:
    assert parse_answer("a\ud800é") == "a\ufffdé"


@pytest.mark.parametrize(("text", "told"), TABLES["wire_json_that_is_broken_or_refuses_is_not_taken_for_a_text"])
def test_wire_json_that_is_broken_or_refuses_is_not_taken_for_a_text(text: str, told: str) -> None:
    with pytest.raises(InvalidParams, match=told):
        parse_answer(text)
