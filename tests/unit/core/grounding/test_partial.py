"""The beginning of a reply is read as far as it is closed."""

import json
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.grounding.draft import object_of, source_id_of, sources_of
from voice.core.grounding.partial import Partial
from voice.core.grounding.values import DraftSource

SOURCES = [{"source_id": "S1", "span": 'He said "no" \\ {[ '}, {"source_id": "S2", "span": "naïve 思い"}]
DRAFT = {"sources": SOURCES, "answer": 'It {is} "so" [S1].', "refused": False, "notes": None}


def read(*pieces: str) -> Partial:
    partial = Partial()
    for piece in pieces:
        partial = partial.read(piece)
    return partial


@pytest.mark.requirement("stream:early")
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("before", ["", "\ufeff  ", "Here it is:\n```json\n", '<think>{"sources": [{}]}</think>\n'])
def test_each_source_is_told_when_it_is_there_and_the_list_when_it_is_closed(
    before: str, indent: int | None, *, ascii_only: bool
) -> None:
    text = before + json.dumps(DRAFT, indent=indent, ensure_ascii=ascii_only)
    closed = text.index('"answer"')
    told = [read(*text[:end]) for end in range(len(text) + 1)]
    seen = [len(cast("list[object]", partial.value.get("sources", []))) for partial in told]
    assert seen == sorted(seen)
    assert [partial.has_all_sources for partial in told] == [
        end > text.rindex("]", 0, closed) for end in range(len(text) + 1)
    ]
    assert told[-1].value["sources"] == SOURCES


@given(cuts=st.lists(st.integers(0, 400), max_size=12))
def test_how_a_reply_is_cut_changes_nothing(cuts: list[int]) -> None:
    text = "ok ```" + json.dumps(DRAFT)
    ends = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    assert read(*(text[start:end] for start, end in pairwise(ends))) == read(text)


@given(st.text(alphabet='{}[]":,\\ aS1\n<thinksource_d>', max_size=80))
def test_any_text_is_read_and_nothing_is_told_but_what_is_in_it(text: str) -> None:
    partial = read(*text)
    assert set(partial.value) <= set(text.split('"'))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no object",
        '[{"sources": []}]',
        '<think>{"sources": []} and so on',
        "{x}",
        '{"sources": [{"source_id"',
        '{"sources": [{"source_id": "S',
        '{"answer": "x", "refused"',
        '{"sources": [{"source_id": "S1", "source_id": "S2"',
    ],
)
def test_what_is_not_closed_is_not_told(text: str) -> None:
    partial = read(*text)
    assert (partial.value.get("sources"), partial.has_all_sources) in [(None, False), ([{"source_id": "S1"}], False)]


def test_nothing_is_read_behind_the_sources_or_the_object() -> None:
    partial = read('{"sources": [], "answer": "')
    assert partial.read("more") is partial
    assert read('{"notes": null} ', '{"sources": []}').has_all_sources is False
    assert read('{"other": [1, 2], "refused": true, "sources": []').value["refused"] is True


def test_an_object_is_one_or_none() -> None:
    assert object_of('{"a": 1}') is not None
    assert object_of('{"answer": "a", "answer": "b"}') is None
    assert object_of("[]") is None
    assert object_of('{"a": ') is None


def test_sources_are_read_as_in_a_whole_reply() -> None:
    assert sources_of({"sources": [{"source_id": " [S1] ", "span": "x"}]}) == (DraftSource(source_id="S1", span="x"),)
    assert sources_of({"sources": [{"source_id": "S1"}]}) is None
    assert sources_of({"sources": "S1"}) is None
    assert sources_of({"sources": [{"source_id": "S1", "span": "x"}] * 65}) is None
    assert [source_id_of(item) for item in ({"source_id": "[S1]"}, {"source_id": "S" * 65}, {"span": "x"}, "S1")] == [
        "S1",
        None,
        None,
        None,
    ]
