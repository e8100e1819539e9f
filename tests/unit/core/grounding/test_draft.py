"""A model's reply becomes a draft or a fault that may be shown to anybody."""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

from tables import tables
from voice.core.grounding.draft import DRAFT_SCHEMA, MAX_NOTES_CHARS, DraftFault, FaultCode, parse_draft
from voice.core.grounding.values import Draft, DraftSentence, DraftSource
from voice.core.messages import asking as messages

TABLES = tables(__file__)

_GOOD: dict[str, Any] = {
    "sources": [{"source_id": "S1", "span": "I like tea."}],
    "answer": "I like tea.",
    "refused": False,
    "notes": None,
}
_CITED = DraftSource(source_id="S1", span="I like tea.")
_DRAFT = Draft(sentences=(DraftSentence(text="I like tea.", sources=(_CITED,)),))
_SAID: dict[str, Any] = {"sources": _GOOD["sources"], "text": "I like tea.", "kind": "claim"}
_SENTENCES: dict[str, Any] = {"sentences": [_SAID], "refused": False, "notes": None}


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


def _sentence(**changes: object) -> str:
    return json.dumps({**_SENTENCES, "sentences": [{**_SAID, **changes}]})


def _of(alias: str, span: str) -> str:
    return _with(sources=[{"source_id": alias, "span": span}])


def _answer_of(draft: Draft) -> str:
    return " ".join(sentence.text for sentence in draft.sentences)


@pytest.mark.requirement("ruling:A3", "s2:provider:strict-json")
@pytest.mark.parametrize("wire", [_SENTENCES, _GOOD], ids=["sentences", "one answer"])
def test_a_reply_in_either_form_is_a_draft(wire: dict[str, Any]) -> None:
    assert parse_draft(json.dumps(wire)) == _DRAFT


@pytest.mark.requirement("ruling:A3")
def test_refused_and_notes_may_be_missing() -> None:
    assert parse_draft(json.dumps({"answer": "I like tea.", "sources": _GOOD["sources"]})) == _DRAFT
    assert parse_draft(json.dumps({"sentences": [_SAID]})) == _DRAFT


@pytest.mark.requirement("ruling:A3")
def test_every_sentence_keeps_its_kind_and_its_own_citations() -> None:
    asks = {"sources": [{"source_id": " [S2] ", "span": "black"}], "text": "Black or green?", "kind": "question"}
    lead: dict[str, Any] = {"sources": [], "text": "Two things.", "kind": "remark"}
    parsed = _draft(json.dumps({"sentences": [lead, _SAID, asks]}))
    assert [(one.kind, [source.source_id for source in one.sources]) for one in parsed.sentences] == [
        ("remark", []),
        ("claim", ["S1"]),
        ("question", ["S2"]),
    ]


def test_a_sentence_without_a_kind_is_a_claim_and_one_without_sources_cites_none() -> None:
    parsed = _draft(json.dumps({"sentences": [{"text": "I like tea."}, {**_SAID, "kind": None, "sources": None}]}))
    assert [(one.kind, one.sources) for one in parsed.sentences] == [("claim", ()), ("claim", ())]


@pytest.mark.requirement("ruling:D4")
def test_no_citation_is_lost_that_stands_in_an_empty_sentence_or_beside_the_sentences() -> None:
    beside = [{"source_id": "S9", "span": "beside"}]
    empty = {"sources": [{"source_id": "S8", "span": "empty"}], "text": " ", "kind": "claim"}
    parsed = _draft(json.dumps({"sources": beside, "sentences": [empty, _SAID], "answer": "not read"}))
    assert [source.source_id for one in parsed.sentences for source in one.sources] == ["S8", "S1", "S9"]
    assert _answer_of(parsed).split() == ["I", "like", "tea."]


@pytest.mark.requirement("ruling:D8")
@pytest.mark.parametrize("wrapped", TABLES["fences_prose_and_thinking_around_the_object_are_stripped"])
def test_fences_prose_and_thinking_around_the_object_are_stripped(wrapped: str) -> None:
    assert parse_draft(wrapped.replace("JSON", json.dumps(_GOOD))) == _DRAFT


@pytest.mark.requirement("ruling:A3")
def test_numbers_that_the_model_claims_are_kept_as_text_and_change_nothing() -> None:
    source = {"source_id": "S1", "span": "I like tea.", "relevance": 0.9}
    parsed = _draft(_with(coverage_ratio=1.0, confidence=0.99, sources=[source], source_count=3))
    assert (parsed.sentences, parsed.refused) == (_DRAFT.sentences, False)
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


def test_what_is_claimed_of_a_sentence_is_kept_with_its_place() -> None:
    assert _draft(_sentence(confidence=0.7)).self_reported == (("sentences[0].confidence", "0.7"),)


def test_claimed_numbers_are_few() -> None:
    sources = [{"source_id": "S1", "span": "I like tea.", "relevance": i} for i in range(20)]
    assert len(_draft(_with(sources=sources)).self_reported) == 16


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1" * 100_000, "1e999999", "-0"], ids=str.__len__)
def test_no_number_is_too_odd(number: str) -> None:
    assert _draft(json.dumps(_GOOD)[:-1] + f', "score": {number}}}').sentences == _DRAFT.sentences


@pytest.mark.parametrize("alias", ["S1", " S1 ", "[S1]", "[ S1 ]"])
def test_brackets_around_a_source_id_are_stripped(alias: str) -> None:
    source = {"source_id": alias, "span": "x"}
    for reply in (_with(sources=[source]), _sentence(sources=[source])):
        assert _draft(reply).sentences[0].sources[0].source_id == "S1"


@pytest.mark.parametrize("wire", [{"refused": True}, {"refused": True, "answer": None, "sources": None, "notes": "no"}])
def test_a_refusal_needs_nothing_else(wire: dict[str, Any]) -> None:
    forms: tuple[dict[str, Any], ...] = ({"answer": ""}, {"sentences": []}, {"sentences": None}, _SENTENCES)
    for said in forms:
        parsed = _draft(json.dumps({**said, **wire}))
        assert (parsed.refused, parsed.sentences, parsed.notes) == (True, (), wire.get("notes"))


_FAULTS = [
    *TABLES["what_is_wrong_is_said_in_words_for_the_one_repair"],
    (json.dumps({"sentences": [_SAID] * 101}), "too_large", "`sentences` has 101 entries; give at most 100"),
    (_sentence(sources=_GOOD["sources"] * 129), "too_large", "the sentences have more than 128 citations; give fewer"),
    (
        json.dumps({"sentences": [{**_SAID, "text": "a" * 10_001}] * 2}),
        "too_large",
        messages.sentences_too_long(20_000),
    ),
    ("x" * 400_001, "too_large", messages.reply_too_long(400_000)),
    (_with(answer="a" * 20_001), "too_large", "`answer` has 20001 characters; give at most 20000"),
    (_with(sources=_GOOD["sources"] * 65), "too_large", "`sources` has 65 entries; give at most 64"),
    (_of("S1", "x" * 4_001), "too_large", "`sources[0].span` has 4001 characters; give at most 4000"),
    (_of("S" * 65, "x"), "too_large", "`sources[0].source_id` has 65 characters; give at most 64"),
    *((deep, "too_deep", messages.REPLY_TOO_DEEP) for deep in ("[" * 100_000, '{"a":' * 50_000)),
]


@pytest.mark.requirement("ruling:D8")
@pytest.mark.parametrize("number", range(len(_FAULTS)), ids=[f"{code}: {told}" for _, code, told in _FAULTS])
def test_what_is_wrong_is_said_in_words_for_the_one_repair(number: int) -> None:
    text, code, told = _FAULTS[number]
    assert _fault(text) == DraftFault(code=cast("FaultCode", code), message=told)


def test_as_much_as_is_allowed_is_read() -> None:
    said = json.dumps({"sentences": [{**_SAID, "text": "a" * 200, "sources": _GOOD["sources"]}] * 100})
    cited = _sentence(sources=_GOOD["sources"] * 128)
    for text in (
        said,
        cited,
        _with(answer="a" * 20_000),
        _with(sources=_GOOD["sources"] * 64),
        _of("S" * 64, "x" * 4_000),
    ):
        assert _draft(text.ljust(400_000)).sentences


@pytest.mark.requirement("promise:6", "ruling:D9")
@pytest.mark.parametrize(
    "text",
    [*TABLES["a_fault_repeats_no_word_of_the_reply"], '{"answer": "' + "canary" * 10_000 + '", "sources": []}'],
    ids=str.__len__,
)
def test_a_fault_repeats_no_word_of_the_reply(text: str) -> None:
    assert "canary" not in repr(_fault(text))


def test_the_same_answer_written_twice_is_one_answer() -> None:
    assert _draft('{"answer": "a", "sources": [], "answer": "a"}').sentences[0].text == "a"


@pytest.mark.parametrize(("answer", "kept"), TABLES["what_cannot_be_stored_or_shown_is_replaced_and_the_rest_stays"])
def test_what_cannot_be_stored_or_shown_is_replaced_and_the_rest_stays(answer: str, kept: str) -> None:
    parsed = _draft(_with(answer=answer, sources=[{"source_id": "S1", "span": answer}], notes=answer))
    (one,) = parsed.sentences
    assert (one.text, one.sources[0].span, parsed.notes) == (kept, kept, kept)
    kept.encode()


def test_a_line_break_that_is_not_escaped_is_understood() -> None:
    assert _draft('{"answer": "one\ntwo", "sources": []}').sentences[0].text == "one\ntwo"


def test_long_notes_are_cut() -> None:
    assert len(_draft(_with(notes="n" * 10_000)).notes or "") == MAX_NOTES_CHARS


def test_a_thousand_braces_are_read_in_no_time() -> None:
    assert _fault("{ " * 50_000).code == "not_json"


@pytest.mark.requirement("ruling:A3")
def test_the_schema_sent_to_providers_demands_every_key_and_asks_for_the_quotes_first() -> None:
    assert _obeys(_SENTENCES, DRAFT_SCHEMA)
    objects = [one for one in _objects_in(DRAFT_SCHEMA) if "properties" in one]
    assert [list(one["properties"]) for one in objects] == [one["required"] for one in objects]
    assert [one["required"] for one in objects] == [
        ["sentences", "refused", "notes"],
        ["sources", "text", "kind"],
        ["source_id", "span"],
    ]
    assert all(one["additionalProperties"] is False for one in objects)


def _obeys(wire: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema).is_valid(wire)  # pyright: ignore[reportUnknownMemberType] - stubs leave it open


def _objects_in(schema: object) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        own = cast("dict[str, Any]", schema)
        yield own
        for value in own.values():
            yield from _objects_in(value)


_WIRES: list[dict[str, Any]] = [
    _GOOD,
    *TABLES["the_published_schemas_and_the_parser_agree"],
    _SENTENCES,
    {"sentences": [{"text": "a"}] * 101},
]


@pytest.mark.requirement("ruling:A3")
@pytest.mark.parametrize("number", range(len(_WIRES)))
def test_the_published_schemas_and_the_parser_agree(number: int) -> None:
    wire = _WIRES[number]
    form = "draft" if "sentences" in wire else "draft-answer"
    published = json.loads(files("voice").joinpath(f"schemas/{form}.schema.json").read_text())
    assert isinstance(parse_draft(json.dumps(wire)), Draft) is _obeys(wire, published)


def test_a_refusal_says_nothing_of_itself_by_sources_of_another_form() -> None:
    said = _draft('{"sentences": null, "refused": true, "notes": null, "sources": ["S1", {"confidence": 0.9}]}')
    assert (said.refused, said.self_reported) == (True, (("sources[1].confidence", "0.9"),))
