"""Whatever a model sends, the parser answers with a draft within bounds or a fault, and never raises."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grounding_rows import MEMORY, QUESTION
from voice.core.grounding.draft import (
    MAX_ANSWER_CHARS,
    MAX_SENTENCES,
    MAX_SOURCES,
    MAX_SPAN_CHARS,
    DraftFault,
    parse_draft,
)
from voice.core.grounding.judge import judge
from voice.core.grounding.proof import ProofContext, prove
from voice.core.grounding.values import Draft, GroundingPolicy

_ANY_TEXT = st.text(st.characters(), max_size=200)
_KEYS = ["sentences", "text", "kind", "answer", "sources", "refused", "notes", "source_id", "span", "x"]
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _ANY_TEXT | st.sampled_from(["claim", "S1", "[S1]"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_KEYS), inner),
    max_leaves=20,
)
_SENTENCES = st.lists(st.dictionaries(st.sampled_from(_KEYS), _JSON, max_size=5) | _JSON, max_size=4)
_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=50).filter(str.strip)
_SOURCES = st.lists(st.tuples(st.sampled_from(["S1", "S2"]), _TEXT), max_size=5)
_KINDS = st.sampled_from(["claim", "remark", "question"])


def _is_sound(parsed: Draft | DraftFault) -> bool:
    if isinstance(parsed, DraftFault):
        return bool(parsed.message)
    sources = [source for sentence in parsed.sentences for source in sentence.sources]
    texts = [sentence.text for sentence in parsed.sentences]
    "".join((*texts, *(text for source in sources for text in (source.source_id, source.span)))).encode()
    return (
        sum(map(len, texts)) <= MAX_ANSWER_CHARS
        and len({id(source) for source in sources}) <= 3 * MAX_SOURCES
        and all(len(source.span) <= MAX_SPAN_CHARS for source in sources)
        and (parsed.refused or any(map(str.strip, texts)))
    )


@pytest.mark.requirement("ruling:D8")
@given(_ANY_TEXT)
def test_any_text_is_parsed_without_raising(text: str) -> None:
    assert _is_sound(parse_draft(text))


@given(_JSON, _ANY_TEXT, _ANY_TEXT)
def test_any_json_with_anything_around_it_is_parsed_without_raising(value: object, before: str, after: str) -> None:
    assert _is_sound(parse_draft(before + json.dumps(value) + after))


@settings(max_examples=50)
@given(_SENTENCES, _JSON, _JSON)
def test_any_list_of_sentences_is_parsed_without_raising(sentences: object, sources: object, refused: object) -> None:
    wire = {"sentences": sentences, "sources": sources, "refused": refused}
    assert _is_sound(parse_draft(json.dumps({key: value for key, value in wire.items() if value is not None})))


@given(_JSON, st.integers(0, 400))
def test_any_cut_reply_is_parsed_without_raising(value: object, keep: int) -> None:
    assert _is_sound(parse_draft(json.dumps({"answer": value, "sources": [value], "sentences": [value]})[:keep]))


@given(said=st.lists(st.tuples(_TEXT, _KINDS, _SOURCES), min_size=1, max_size=4), ascii_only=st.booleans())
def test_what_is_written_in_the_schema_is_read_back_unchanged(
    said: list[tuple[str, str, list[tuple[str, str]]]], *, ascii_only: bool
) -> None:
    wire = [
        {"sources": [{"source_id": alias, "span": span} for alias, span in quotes], "text": text, "kind": kind}
        for text, kind, quotes in said
    ]
    reply = json.dumps({"sentences": wire, "refused": False, "notes": None}, ensure_ascii=ascii_only)
    parsed = parse_draft(f"```json\n{reply}\n```")
    assert isinstance(parsed, Draft)
    assert [
        (one.text, one.kind, [(source.source_id, source.span) for source in one.sources]) for one in parsed.sentences
    ] == said


@given(_TEXT, _SOURCES)
def test_of_one_answer_every_character_and_every_source_is_read_back(
    answer: str, quotes: list[tuple[str, str]]
) -> None:
    wire = {"sources": [{"source_id": alias, "span": span} for alias, span in quotes], "answer": answer}
    parsed = parse_draft(json.dumps(wire))
    assert isinstance(parsed, Draft)
    assert "".join("".join(one.text for one in parsed.sentences).split()) == "".join(answer.split())
    assert all([(one.source_id, one.span) for one in each.sources] == quotes for each in parsed.sentences)


_MARKED = st.lists(
    st.sampled_from(
        ["Anna came", "[S1]", " [S2, S3]", ".", " ", "(S1)", "\n", "- ", "[S9]", "you moved", "“", "[", "S1", "]"]
    ),
    min_size=1,
    max_size=14,
).map("".join)


@pytest.mark.requirement("prompts:markers", "ruling:D4")
@example(answer="Anna came [S1", as_sentences=False, shown="mark")
@example(answer="[[S1]S1", as_sentences=False, shown="mark")
@given(answer=_MARKED, as_sentences=st.booleans(), shown=st.sampled_from(["mark", "cut"]))
def test_no_inline_marker_ever_reaches_a_reader(answer: str, *, as_sentences: bool, shown: str) -> None:
    source = {"source_id": "S1", "span": MEMORY[0].text}
    one = {"sentences": [{"sources": [source], "text": answer, "kind": "claim"}]}
    parsed = parse_draft(json.dumps(one if as_sentences else {"sources": [source], "answer": answer}))
    if isinstance(parsed, DraftFault):
        return
    policy = GroundingPolicy(min_coverage=0.0, min_sources=0, on_unsupported=shown)  # pyright: ignore[reportArgumentType]
    response = judge(prove(parsed, MEMORY, ProofContext(question=QUESTION)), policy)
    assert not any(marker in response.answer for marker in ("[S1]", "[S2", "S3]", "(S1)", "[S9]"))


def test_there_are_bounds() -> None:
    sentence = {"text": "a", "kind": "claim"}
    assert isinstance(parse_draft(json.dumps({"sentences": [sentence] * MAX_SENTENCES})), Draft)
    assert isinstance(parse_draft(json.dumps({"sentences": [sentence] * (MAX_SENTENCES + 1)})), DraftFault)
