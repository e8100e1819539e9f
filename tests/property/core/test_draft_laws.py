"""Whatever a model sends, the parser answers with a draft within bounds or a fault, and never raises."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.grounding.draft import MAX_ANSWER_CHARS, MAX_SOURCES, MAX_SPAN_CHARS, DraftFault, parse_draft
from voice.core.grounding.values import Draft

_ANY_TEXT = st.text(st.characters(), max_size=200)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _ANY_TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["answer", "sources", "refused", "notes", "source_id", "span", "x"]), inner)
    ),
    max_leaves=20,
)
_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=50).filter(str.strip)


def _is_sound(parsed: Draft | DraftFault) -> bool:
    if isinstance(parsed, DraftFault):
        return bool(parsed.message)
    texts = [parsed.answer, *(text for source in parsed.sources for text in (source.source_id, source.span))]
    "".join(texts).encode()
    return (
        len(parsed.answer) <= MAX_ANSWER_CHARS
        and len(parsed.sources) <= MAX_SOURCES
        and all(len(source.span) <= MAX_SPAN_CHARS for source in parsed.sources)
        and (parsed.refused or bool(parsed.answer.strip()))
    )


@pytest.mark.requirement("ruling:D8")
@given(_ANY_TEXT)
def test_any_text_is_parsed_without_raising(text: str) -> None:
    assert _is_sound(parse_draft(text))


@given(_JSON, _ANY_TEXT, _ANY_TEXT)
def test_any_json_with_anything_around_it_is_parsed_without_raising(value: object, before: str, after: str) -> None:
    assert _is_sound(parse_draft(before + json.dumps(value) + after))


@given(_JSON, st.integers(0, 400))
def test_any_cut_reply_is_parsed_without_raising(value: object, keep: int) -> None:
    assert _is_sound(parse_draft(json.dumps({"answer": value, "sources": [value]})[:keep]))


@given(_TEXT, st.lists(st.tuples(st.sampled_from(["S1", "S2"]), _TEXT), max_size=5))
def test_what_is_written_in_the_schema_is_read_back_unchanged(answer: str, quotes: list[tuple[str, str]]) -> None:
    wire = {"sources": [{"source_id": alias, "span": span} for alias, span in quotes], "answer": answer}
    parsed = parse_draft("```json\n" + json.dumps(wire, ensure_ascii=len(answer) % 2 == 0) + "\n```")
    assert isinstance(parsed, Draft)
    assert (parsed.answer, [(source.source_id, source.span) for source in parsed.sources]) == (answer, quotes)
