"""Answers as an agent can live with them: parts of the full forms, by the same names."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import pytest

from recall_doubles import recall_over, recalled
from recall_rows import BUG, KILN, pinned, said
from recall_values import capsule, summary
from store_values import citation, exchange
from voice.core.grounding.values import CutSentence, RefusalReason
from voice.core.records import Origin
from voice.core.render.recall import render_recall
from voice.core.render.turn_json import MOST_CHARS, brief_recall, brief_retrieve, brief_turn
from voice.core.text.instants import UNDATED

pytestmark = pytest.mark.requirement("ruling:J1", "mcp:brief")
Form = Mapping[str, object]


def is_part(brief: object, full: object) -> bool:
    """Return whether a form says nothing that the full one does not, under the same names."""
    if isinstance(brief, Mapping):
        named, whole = cast("Form", brief), cast("Form", full)
        return all(name in whole and is_part(named[name], whole[name]) for name in named)
    if isinstance(brief, list):
        parts, wholes = cast("list[object]", brief), cast("list[object]", full)
        return all(is_part(*both) for both in zip(parts, wholes, strict=True))
    return brief == full or (isinstance(brief, float) and abs(brief - cast("float", full)) < 0.001)


def entities(told: Form) -> Sequence[Form]:
    return [cast("Form", each["entity"]) for each in cast("list[Form]", told["candidates"])]


def test_recall_in_brief_is_a_part_of_the_whole() -> None:
    rows = [BUG, KILN, said("tool", "A bug of the tool.", origin=Origin.TOOL)]
    open_piece = capsule(summary=summary(content="A note of work."))
    result = recalled(recall_over(rows, pins=[pinned("1", "t:kiln")], capsules=[open_piece]), "authentication bug")
    told = brief_recall(result)
    assert is_part(told, render_recall(result))
    assert list(told) == ["pins", "currentSummary", "candidates", "provenance"]
    trusted = {str(each["id"]): "provenance" in each for each in entities(told)}
    assert trusted == {"t:bug": False, "t:tool": True}, "only what is less trusted says so"
    assert len(json.dumps(told)) < len(json.dumps(render_recall(result))) / 2


def test_what_says_nothing_is_left_out_of_recall() -> None:
    result = recalled(recall_over([replace(BUG, created_at=UNDATED)]), "authentication bug")
    told = brief_recall(result)
    assert (told["pins"], told["currentSummary"]) == ([], None)
    (row,) = entities(told)
    assert row.keys() == {"id", "content"}
    assert "overBudgetBy" not in cast("Form", told["provenance"])
    over = replace(result, provenance=replace(result.provenance, over_budget_by=7))
    assert cast("Form", brief_recall(over)["provenance"])["overBudgetBy"] == 7


def test_a_long_text_is_shown_around_its_match() -> None:
    long = said("long", f"{'Nothing of note happened. ' * 60}The zither was mended. {'It rained again. ' * 60}")
    (row,) = entities(brief_recall(recalled(recall_over([long]), "zither")))
    text = str(row["content"])
    assert "The zither was mended." in text
    assert len(text) <= MOST_CHARS + 4
    assert (text[0], text[-1]) == ("…", "…")


def test_an_answer_in_brief_has_its_sources_with_what_each_says() -> None:
    cited = citation()
    turn = exchange(answer="In Porto ![a](u).", sources=(cited, cited, replace(cited, source_id="o:2")))
    assert brief_turn(turn) == {
        "answer": "In Porto !\\[a]\\(u).",
        "refused": False,
        "sources": [{"source_id": "o:1", "span": "Ada moved"}, {"source_id": "o:2", "span": "Ada moved"}],
        "session_id": "s:1",
    }


def test_what_was_left_out_of_an_answer_is_counted() -> None:
    cut = CutSentence(rung="unsupported", kind="claim", digest="h" * 64, weight=1.0, reasons=("why",))
    told = brief_turn(exchange(cut=(cut,)))
    assert cast("Form", told["left_out"])["sentences_cut"] == 1
    assert "1 sentence left out" in str(cast("Form", told["left_out"])["told"])


@pytest.mark.parametrize("reason", [RefusalReason.NO_SOURCES, None])
def test_a_refusal_in_brief_says_why_and_what_there_was(reason: RefusalReason | None) -> None:
    turn = exchange(answer="", refused=True, status="refused", reason=reason, notes="x", evidence_found=(citation(),))
    assert brief_turn(turn) == {
        "answer": "",
        "refused": True,
        "reason": reason and reason.value,
        "notes": "x",
        "evidence_found": [{"source_id": "o:1", "span": "Ada moved"}],
        "session_id": "s:1",
    }


def test_snippets_in_brief_are_the_same_in_the_same_order() -> None:
    snippet = {"id": "o:1", "table": "kg_observations", "origin": "human", "text": "a", "score": 0.5, "hash": "h"}
    form = {
        "snippets": [snippet, {**snippet, "id": "o:2"}],
        "diagnostics": {"model": "m", "k_req": 5, "k_ret": 2, "latency_ms": 3},
    }
    told = brief_retrieve(form)
    short = {"origin": "human", "text": "a", "score": 0.5}
    assert told["snippets"] == [{"id": "o:1", **short}, {"id": "o:2", **short}]
    assert told["diagnostics"] == {"k_req": 5, "k_ret": 2}
