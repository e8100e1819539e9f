"""A model's reply becomes a draft or a fault that may be shown to anybody."""

import json
from importlib.resources import files
from typing import Any, cast

import jsonschema
import pytest

from voice.core.grounding.draft import (
    DRAFT_SCHEMA,
    MAX_ANSWER_CHARS,
    MAX_NOTES_CHARS,
    MAX_REPLY_CHARS,
    MAX_SOURCES,
    MAX_SPAN_CHARS,
    DraftFault,
    parse_draft,
)
from voice.core.grounding.values import Draft, DraftSource

_GOOD: dict[str, Any] = {
    "sources": [{"source_id": "S1", "span": "I like tea."}],
    "answer": "I like tea.",
    "refused": False,
    "notes": None,
}
_DRAFT = Draft(answer="I like tea.", sources=(DraftSource(source_id="S1", span="I like tea."),))


def _fault(text: str) -> DraftFault:
    parsed = parse_draft(text)
    assert isinstance(parsed, DraftFault)
    return parsed


def _draft(text: str) -> Draft:
    parsed = parse_draft(text)
    assert isinstance(parsed, Draft)
    return parsed


def _with(**changes: object) -> str:
    return json.dumps({**_GOOD, **changes})


@pytest.mark.requirement("ruling:A3", "s2:provider:strict-json")
def test_a_reply_in_the_wire_schema_is_a_draft() -> None:
    assert parse_draft(json.dumps(_GOOD)) == _DRAFT


@pytest.mark.requirement("ruling:A3")
def test_refused_and_notes_may_be_missing() -> None:
    assert parse_draft(json.dumps({"answer": "I like tea.", "sources": _GOOD["sources"]})) == _DRAFT


@pytest.mark.requirement("ruling:D8")
@pytest.mark.parametrize(
    "wrapped",
    [
        "```json\nJSON\n```",
        "```\nJSON\n```",
        "```json5\r\nJSON\r\n```\r\n",
        "Here is my answer:\n\n```json\nJSON\n```\nI hope this helps {really}.",
        "Sure! JSON",
        "JSON\n\nAnything else?",
        "\ufeffJSON",
        "  \nJSON  ",
        "<think>Let me see {} … S1 says so.</think>\nJSON",
        'Note {not this} nor {"this": 1} but JSON',
        '{"reply": JSON}',
    ],
)
def test_fences_prose_and_thinking_around_the_object_are_stripped(wrapped: str) -> None:
    assert parse_draft(wrapped.replace("JSON", json.dumps(_GOOD))) == _DRAFT


@pytest.mark.requirement("ruling:A3")
def test_numbers_that_the_model_claims_are_kept_as_text_and_change_nothing() -> None:
    source = {"source_id": "S1", "span": "I like tea.", "relevance": 0.9}
    parsed = _draft(_with(coverage_ratio=1.0, confidence=0.99, sources=[source], source_count=3))
    assert (parsed.answer, parsed.sources, parsed.refused) == (_DRAFT.answer, _DRAFT.sources, False)
    assert dict(parsed.self_reported) == {
        "coverage_ratio": "1.0",
        "confidence": "0.99",
        "source_count": "3",
        "sources[0].relevance": "0.9",
    }


@pytest.mark.requirement("ruling:A3", "ruling:D9")
def test_no_words_of_a_draft_hide_among_the_claimed_numbers() -> None:
    claimed = {"the secret is blue": 1, "Ida_owes_Ben": 9000, "coverage": 10**50, "confidence": "0.9", "score": 2}
    source = {"source_id": "S1", "span": "I like tea.", "Ben_has_a_debt": 1, "support": True}
    assert _draft(_with(**claimed, sources=[source])).self_reported == (("score", "2"),)


def test_claimed_numbers_are_few() -> None:
    sources = [{"source_id": "S1", "span": "I like tea.", "relevance": i} for i in range(20)]
    assert len(_draft(_with(sources=sources)).self_reported) == 16


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1" * 100_000, "1e999999", "-0"], ids=str.__len__)
def test_no_number_is_too_odd(number: str) -> None:
    assert _draft(json.dumps(_GOOD)[:-1] + f', "score": {number}}}').answer == "I like tea."


@pytest.mark.parametrize("alias", ["S1", " S1 ", "[S1]", "[ S1 ]"])
def test_brackets_around_a_source_id_are_stripped(alias: str) -> None:
    assert _draft(_with(sources=[{"source_id": alias, "span": "x"}])).sources[0].source_id == "S1"


@pytest.mark.parametrize("wire", [{"refused": True}, {"refused": True, "answer": None, "sources": None, "notes": "no"}])
def test_a_refusal_needs_nothing_else(wire: dict[str, Any]) -> None:
    parsed = parse_draft(json.dumps({"answer": "", **wire}))
    assert isinstance(parsed, Draft)
    assert (parsed.refused, parsed.answer, parsed.sources, parsed.notes) == (True, "", (), wire.get("notes"))


_FAULTS = [
    ("", "empty", "empty"),
    ("  \n ", "empty", "empty"),
    ("I cannot say.", "not_json", "no JSON object"),
    ("null", "not_json", "no JSON object"),
    ('{"answer": "a" "sources": []}', "not_json", "comma"),
    ('{"answer": "a', "cut_off", "ends at character 13"),
    ('{"answer": }', "not_json", "value is missing"),
    ('{"answer" "a"}', "not_json", "colon"),
    ("{answer: 1}", "not_json", "double quotes"),
    ('{"answer": "\\x"}', "not_json", "escape"),
    ('{"answer": "a", "sources": [1, 2', "cut_off", "be brief"),
    ('{"answer": "a", "sources": [', "cut_off", "be brief"),
    ('{"answer": "a",', "cut_off", "be brief"),
    ('{"answer": "a", "sources": [1, 2}', "not_json", "bracket"),
    ("[1, 2]", "not_an_object", "a list"),
    ('{"sources": []}', "missing_key", "`answer`"),
    ('{"answer": "a"}', "missing_key", "`sources`"),
    (_with(sources=[{"span": "x"}]), "missing_key", "`sources[0].source_id`"),
    (_with(sources=[{"source_id": "S1"}]), "missing_key", "`sources[0].span`"),
    (_with(answer=None), "wrong_type", "`answer` is null"),
    (_with(answer=5), "wrong_type", "`answer` is a number"),
    (_with(answer=["a"]), "wrong_type", "`answer` is a list"),
    (_with(sources="S1"), "wrong_type", "`sources` is a string"),
    (_with(sources=[{"source_id": "S1", "span": "x"}, "S2"]), "wrong_type", "`sources[1]` is a string"),
    (_with(sources=[{"source_id": 1, "span": "x"}]), "wrong_type", "`sources[0].source_id` is a number"),
    (_with(sources=[{"source_id": "S1", "span": {"x": 1}}]), "wrong_type", "`sources[0].span` is an object"),
    (_with(refused="no"), "wrong_type", "`refused` is a string"),
    (_with(notes=True), "wrong_type", "`notes` is a boolean"),
    (_with(answer=" \n"), "empty", "`answer` is empty"),
    ('{"answer": "a", "sources": [], "answer": "b"}', "duplicate_key", "`answer` stands twice"),
    ("x" * (MAX_REPLY_CHARS + 1), "too_large", "reply"),
    (_with(answer="a" * (MAX_ANSWER_CHARS + 1)), "too_large", "`answer`"),
    (_with(sources=_GOOD["sources"] * (MAX_SOURCES + 1)), "too_large", "`sources`"),
    (_with(sources=[{"source_id": "S1", "span": "x" * (MAX_SPAN_CHARS + 1)}]), "too_large", "span"),
    (_with(sources=[{"source_id": "S" * 65, "span": "x"}]), "too_large", "source_id"),
    ("[" * 100_000, "too_deep", "nests"),
    ('{"a":' * 50_000, "too_deep", "nests"),
]


@pytest.mark.requirement("ruling:D8")
@pytest.mark.parametrize("number", range(len(_FAULTS)), ids=[f"{code}: {part}" for _, code, part in _FAULTS])
def test_what_is_wrong_is_said_in_words_for_the_one_repair(number: int) -> None:
    text, code, part = _FAULTS[number]
    fault = _fault(text)
    assert (fault.code, part in fault.message) == (code, True), fault


@pytest.mark.requirement("promise:6", "ruling:D9")
@pytest.mark.parametrize(
    "text",
    [
        "canary",
        '{"answer": "canary',
        '{"canary": "canary"}',
        '{"answer": "canary", "sources": ["canary"]}',
        '{"answer": "canary", "sources": [], "answer": "canary!"}',
        '{"answer": "canary", "sources": "canary"}',
        '{"answer": "canary", "sources": [{"canary": 1}]}',
        '{"answer": "' + "canary" * 10_000 + '", "sources": []}',
    ],
    ids=str.__len__,
)
def test_a_fault_repeats_no_word_of_the_reply(text: str) -> None:
    assert "canary" not in repr(_fault(text))


def test_the_same_answer_written_twice_is_one_answer() -> None:
    assert _draft('{"answer": "a", "sources": [], "answer": "a"}').answer == "a"


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("a\x00b\x1b[31m", "a\ufffdb\ufffd[31m"),
        ("line\nline\ttab", "line\nline\ttab"),
        ("👩‍👩‍👧 שלום e\u0301 学", "👩‍👩‍👧 שלום e\u0301 学"),
    ],
)
def test_what_cannot_be_stored_or_shown_is_replaced_and_the_rest_stays(answer: str, kept: str) -> None:
    parsed = _draft(_with(answer=answer, sources=[{"source_id": "S1", "span": answer}], notes=answer))
    assert (parsed.answer, parsed.sources[0].span, parsed.notes) == (kept, kept, kept)
    kept.encode()


def test_a_line_break_that_is_not_escaped_is_understood() -> None:
    assert _draft('{"answer": "one\ntwo", "sources": []}').answer == "one\ntwo"


def test_long_notes_are_cut() -> None:
    assert len(_draft(_with(notes="n" * 10_000)).notes or "") == MAX_NOTES_CHARS


def test_a_thousand_braces_are_read_in_no_time() -> None:
    assert _fault("{ " * 50_000).code == "not_json"


@pytest.mark.requirement("ruling:A3")
def test_the_schema_sent_to_providers_demands_every_key_and_asks_for_the_quotes_first() -> None:
    jsonschema.Draft202012Validator.check_schema(DRAFT_SCHEMA)
    properties = cast("dict[str, object]", DRAFT_SCHEMA["properties"])
    assert list(properties) == DRAFT_SCHEMA["required"] == ["sources", "answer", "refused", "notes"]
    assert DRAFT_SCHEMA["additionalProperties"] is False


@pytest.mark.requirement("ruling:A3")
@pytest.mark.parametrize(
    "wire",
    [
        _GOOD,
        {"answer": "a", "sources": []},
        {"answer": "a", "sources": [{"source_id": "S1"}]},
        {"answer": 1, "sources": []},
        {"sources": []},
        {"answer": "a", "sources": [], "refused": "yes"},
        {"answer": "a", "sources": [], "notes": 3},
        {"answer": "a", "sources": [], "coverage_ratio": 1.0},
    ],
)
def test_the_published_schema_and_the_parser_agree(wire: dict[str, Any]) -> None:
    published = json.loads(files("voice").joinpath("schemas/draft.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(published)
    assert isinstance(parse_draft(json.dumps(wire)), Draft) is _is_valid(wire, published)


def _is_valid(wire: dict[str, Any], schema: dict[str, Any]) -> bool:
    try:
        jsonschema.validate(wire, schema)
    except jsonschema.ValidationError:
        return False
    return True
