"""What a model's reply says that notes name and relate; whatever it is, nothing raises."""

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import there
from voice.core.extraction.model_reply import (
    EXTRACT_SCHEMA,
    MAX_ENTRIES,
    MAX_NAME_CHARS,
    MAX_REPLY_CHARS,
    ModelReply,
    ReplyEntity,
    ReplyRelation,
    parse_reply,
)

pytestmark = pytest.mark.requirement("ruling:A3")
ADA: dict[str, Any] = {"note": "S1", "name": "Ada Lund", "type": "person", "aliases": ["Ada"]}
WORKS: dict[str, Any] = {
    "note": "S1",
    "source": "Ada Lund",
    "type": "works_at",
    "target": "Kiln Co",
    "span": "Ada Lund works at Kiln Co",
}


def reply(*entities: object, relations: tuple[object, ...] = ()) -> str:
    return json.dumps({"entities": list(entities), "relations": list(relations)})


@pytest.mark.parametrize(
    "form", ["{}", "```json\n{}\n```", "<think>a {{b}}</think>\nHere: {} That is all.", "{{1}} {}"]
)
def test_a_reply_is_read_in_whatever_it_is_wrapped(form: str) -> None:
    said = parse_reply(form.replace("{}", reply(ADA, relations=(WORKS,))))
    assert said == ModelReply(
        entities=(ReplyEntity(note="S1", name="Ada Lund", entity_type="person", aliases=("Ada",)),),
        relations=(
            ReplyRelation(
                note="S1", source="Ada Lund", rel_type="works_at", target="Kiln Co", span="Ada Lund works at Kiln Co"
            ),
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot do that.",
        "[]",
        "{" * 100,
        '{"entities": []}',
        '{"entities": {}, "relations": []}',
        reply(ADA)[:-3],
        '{"entities":' + "[" * 100_000,
        reply(ADA) + " " * MAX_REPLY_CHARS,
        '{"answer": "I like tea.", "sources": []}',
    ],
)
def test_what_is_not_the_object_that_was_asked_for_is_no_reply(text: str) -> None:
    assert parse_reply(text) is None
    assert parse_reply(reply(ADA)) is not None


MISSHAPEN = (
    {"type": "wizard"},
    {"name": ""},
    {"name": 5},
    {"name": "A" * (MAX_NAME_CHARS + 1)},
    {"aliases": "Ada"},
    {"note": " "},
)


@pytest.mark.parametrize("entry", [None, 7, [], {}, *({**ADA, **each} for each in MISSHAPEN)])
def test_an_entry_of_another_shape_is_counted_and_costs_the_others_nothing(entry: object) -> None:
    said = there(parse_reply(reply(entry, ADA, relations=(entry, {**WORKS, "type": "knows"}, WORKS))))
    assert (len(said.entities), len(said.relations), said.misshapen) == (1, 1, 3)


def test_of_too_many_the_rest_is_counted() -> None:
    said = there(parse_reply(reply(*[ADA] * (MAX_ENTRIES + 5))))
    assert (len(said.entities), said.misshapen) == (MAX_ENTRIES, 5)
    assert parse_reply('{"entities": [' + "9" * 50_000 + '], "relations": []}') == ModelReply(misshapen=1)


def test_other_names_that_are_none_are_left_off() -> None:
    said = there(parse_reply(reply({**ADA, "aliases": ["Ada", 5, "A" * 500]})))
    assert said.entities[0].aliases == ("Ada",)


@given(
    st.text(max_size=200)
    | st.recursive(st.none() | st.text(), lambda it: st.lists(it) | st.dictionaries(st.text(), it)).map(json.dumps)
)
def test_no_reply_makes_it_raise(text: str) -> None:
    assert parse_reply(text) is None or isinstance(parse_reply(text), ModelReply)


def test_the_published_schema_is_what_providers_are_asked_to_enforce() -> None:
    published = json.loads(files("voice").joinpath("schemas/extract.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(published)
    own = {key: value for key, value in published.items() if key not in ("$schema", "$id", "title", "description")}
    assert own == json.loads(json.dumps(EXTRACT_SCHEMA))
    jsonschema.validate(json.loads(reply(ADA, relations=(WORKS,))), published)
