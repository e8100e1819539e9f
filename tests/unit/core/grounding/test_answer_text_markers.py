"""Inline markers of a draft, from the reply to what a reader sees."""

import json
from typing import Any

import pytest

from grounding_rows import MEMORY, MOVE, QUESTION, RENT
from voice.core.grounding.draft import parse_draft
from voice.core.grounding.judge import judge
from voice.core.grounding.proof import ProofContext, prove
from voice.core.grounding.values import Draft, GroundedResponse, GroundingPolicy, RefusalReason

BOTH = [{"source_id": row.alias, "span": row.text} for row in (MOVE, RENT)]
pytestmark = pytest.mark.requirement("prompts:markers", "ruling:D1", "s2:test:grounding-validation")


def _read(wire: dict[str, object]) -> GroundedResponse:
    draft = parse_draft(json.dumps(wire))
    assert isinstance(draft, Draft)
    return judge(prove(draft, MEMORY, ProofContext(question=QUESTION)), GroundingPolicy())


def _cited(response: GroundedResponse) -> list[list[str]]:
    return [[receipt.row_id for receipt in one.receipts] for one in response.sentences]


@pytest.mark.parametrize("answer", [
    "{0} [S1]. {1} [S2].", "{0}. [S1] {1}. [S2]", "{0} (S1). {1} [S2, S1].", "[S1] {0}. [S2] {1}.",
    "{0}.[S1]\n{1}.[S2]", "- {0}. [S1]\n- {1}. [S2]",
])  # fmt: skip
@pytest.mark.parametrize("listed", [True, False])
def test_each_marker_is_the_citation_of_its_own_sentence_and_is_not_shown(answer: str, *, listed: bool) -> None:
    answer = answer.format(MOVE.text[:-1], RENT.text[:-1])
    response = _read({"sources": BOTH if listed else [], "answer": answer})
    assert response.reason is None, response.notes
    assert _cited(response) == [["o:s1"], ["o:s2"]]
    assert not any(sign in response.answer for sign in ("S1", "S2", "[", "(", ")"))


def test_markers_that_are_swapped_prove_nothing() -> None:
    response = _read({"sources": BOTH, "answer": f"{MOVE.text[:-1]} [S2]. {RENT.text[:-1]} [S1]."})
    assert response.reason is RefusalReason.COVERAGE_LOW


def test_a_marker_in_a_sentence_of_the_schema_is_read_as_its_citation_too() -> None:
    said: list[dict[str, object]] = [
        {"sources": [], "text": f"{MOVE.text} [S1]", "kind": "claim"},
        {"sources": BOTH[1:], "text": RENT.text, "kind": "claim"},
    ]
    assert _cited(_read({"sentences": said})) == [["o:s1"], ["o:s2"]]


@pytest.mark.requirement("ruling:D4", "ruling:D22")
@pytest.mark.parametrize("marker", ["[S9]", "(S9)", "[S1, S9]", "[ S9 , S1 ]", "【S1】", "[ｓ1]", "[Ѕ1]"])
@pytest.mark.parametrize("form", ["sentences", "answer"])
def test_a_marker_that_names_no_row_of_the_prompt_is_an_invented_citation(marker: str, form: str) -> None:
    text = f"{MOVE.text} {marker}"
    one: dict[str, object] = {"sentences": [{"sources": BOTH, "text": text, "kind": "claim"}]}
    response = _read(one if form == "sentences" else {"sources": BOTH, "answer": text})
    assert response.reason is RefusalReason.INVALID_CITATION


_KEPT_BY_NO_SENTENCE: list[dict[str, Any]] = [
    {"sources": [*BOTH, {"source_id": "S9", "span": "x"}], "answer": f"{MOVE.text} [S1] {RENT.text} [S2]"},
    {"sources": [{"source_id": "S9", "span": "x"}], "sentences": [{"text": MOVE.text, "sources": BOTH}]},
    {"sentences": [{"text": MOVE.text, "sources": BOTH}, {"text": " ", "sources": [{"source_id": "S9", "span": "x"}]}]},
    {"sentences": [{"text": MOVE.text, "sources": BOTH}, {"text": "[S9]", "sources": []}]},
]


@pytest.mark.parametrize("wire", _KEPT_BY_NO_SENTENCE)
def test_an_invented_citation_counts_also_where_no_sentence_keeps_it(wire: dict[str, object]) -> None:
    assert _read(wire).reason is RefusalReason.INVALID_CITATION
