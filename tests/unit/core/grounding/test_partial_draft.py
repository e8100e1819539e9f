"""The beginning of a reply is read as far as it is closed."""

import json
import sys
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.grounding.draft import object_of, source_of
from voice.core.grounding.partial_draft import PartialDraft
from voice.core.grounding.values import DraftSource

TABLES = tables(__file__)

QUOTED = {"source_id": "S1", "span": 'He said "no" \\ {[ '}
FOREIGN = {"source_id": " [S2] ", "span": "naïve 思い"}
CITED = (DraftSource(source_id="S1", span=QUOTED["span"]), DraftSource(source_id="S2", span=FOREIGN["span"]))
SENTENCES: dict[str, object] = {
    "sentences": [
        {"sources": [QUOTED], "text": 'It {is} "so" [S1].', "kind": "claim"},
        {"sources": [], "text": "Two things.", "kind": "remark"},
        {"sources": [FOREIGN], "text": '"sources": [{', "kind": "claim"},
    ],
    "refused": False,
    "notes": None,
}
ONE_ANSWER: dict[str, object] = {"sources": [QUOTED, FOREIGN], "answer": 'It {is} "so" [S1].', "refused": False}
FORMS = {"sentences": SENTENCES, "one answer": ONE_ANSWER}


def read(*pieces: str) -> tuple[DraftSource, ...]:
    partial = PartialDraft()
    return tuple(source for text in accumulate(pieces) for source in partial.read(text))


@pytest.mark.requirement("stream:early")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "before",
    ["", "\ufeff  ", "Here it is:\n```json\n", '<think>{"sources": [{}]}</think>\n', "<think>a</think>  <think>"],
)
def test_each_citation_is_told_when_it_is_closed(
    form: str, before: str, indent: int | None, *, ascii_only: bool
) -> None:
    text = before + json.dumps(FORMS[form], indent=indent, ensure_ascii=ascii_only)
    partial = PartialDraft()
    told = [(place, source) for place in range(len(text)) for source in partial.read(text[: place + 1])]
    assert [source for _, source in told] == list(CITED)
    first = text.index("}", text.index("[ ", len(before)))
    assert told[0][0] == first


@given(form=st.sampled_from(list(FORMS)), cuts=st.lists(st.integers(0, 400), max_size=12))
def test_how_a_reply_is_cut_changes_nothing(form: str, cuts: list[int]) -> None:
    text = "ok ```" + json.dumps(FORMS[form])
    ends = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    assert read(*(text[start:end] for start, end in pairwise(ends))) == read(text) == CITED


@given(st.text(alphabet='{}[]":,\\ aS1\n<thinksourcepan_dtx>', max_size=80))
def test_any_text_is_read_and_nothing_is_told_but_what_is_in_it(text: str) -> None:
    assert all(source.source_id in text for source in read(*text))


@pytest.mark.parametrize("text", TABLES["what_is_not_closed_or_is_no_citation_is_not_told"])
def test_what_is_not_closed_or_is_no_citation_is_not_told(text: str) -> None:
    assert read(*text) == ()
    assert read('{"sources": [{"source_id": "S1", "span": "x"}') != ()


def test_a_key_may_be_written_with_escapes() -> None:
    assert read('{"s\\u006furces": [{"source_id": "S1", "span": "x"}]}') == (DraftSource(source_id="S1", span="x"),)


@pytest.mark.parametrize(("text", "is_refusal"), TABLES["a_draft_that_calls_itself_a_refusal_says_so"])
def test_a_draft_that_calls_itself_a_refusal_says_so(text: str, *, is_refusal: bool) -> None:
    partial = PartialDraft()
    for so_far in accumulate(text):
        partial.read(so_far)
    assert partial.is_refusal is is_refusal


def _calls(text: str) -> int:
    """Read a reply character by character; return how often anything was called."""
    partial, calls = PartialDraft(), 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    for so_far in accumulate(text):
        sys.setprofile(count)
        partial.read(so_far)
        sys.setprofile(None)
    return calls


@pytest.mark.requirement("stream:linear")
@pytest.mark.parametrize("piece", TABLES["a_reply_four_times_as_long_is_four_times_the_work_however_small_the_pieces"])
@pytest.mark.parametrize("before", ["", "<think>", '{"sentences": [', '{"sentences": [{"sources": [{"source_id": "'])
def test_a_reply_four_times_as_long_is_four_times_the_work_however_small_the_pieces(before: str, piece: str) -> None:
    short, long = (before + piece * (size // len(piece)) for size in (1_000, 4_000))
    assert 0 < _calls(long) <= 4.5 * _calls(short)


def test_an_object_is_one_or_none() -> None:
    assert object_of('{"a": 1}') is not None
    assert object_of('{"answer": "a", "answer": "b"}') is None
    assert object_of("[]") is None
    assert object_of('{"a": ') is None


def test_a_citation_is_read_as_in_a_whole_reply() -> None:
    assert source_of('{"source_id": " [S1] ", "span": "x", "more": 1}') == DraftSource(source_id="S1", span="x")
    none = ('{"source_id": "S1"}', '{"span": "x"}', '"S1"', f'{{"source_id": "{"S" * 65}", "span": "x"}}', "{")
    assert [source_of(text) for text in none] == [None] * len(none)
