"""What a prompt says of rows that disagree: which they are and their days, and no word of theirs."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from grounding_rows import UNDATED, row
from voice.adapters.files.prompts import load_prompts
from voice.core.context.build import ContextInputs, ContextPlan, build_context
from voice.core.context.prompt_templates import find_template
from voice.core.grounding.values import Evidence
from voice.core.session.lifecycle import new_session

ACME = row("S1", "I work at Acme.", at=datetime(2024, 3, 3, tzinfo=UTC), replaced_by="o:s2")
GLOBEX = row("S2", "I now work at Globex.", at=datetime(2024, 5, 9, tzinfo=UTC))
TEA = row("S3", "I drink green tea.")
NOW = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
SESSION = new_session(
    session_id="s:1", topic="work", provider="scripted", model="scripted", max_prompt_tokens=10_000, now=NOW
)


def _plan(label: str, *rows: Evidence, budget: int = 10_000) -> ContextPlan:
    template = find_template(load_prompts(), label)
    inputs = ContextInputs(question="Where do I work?", evidence=rows, now=NOW)
    return build_context(SESSION, inputs, template=template, budget=budget, count=lambda text: len(text.split()))


def _notes(plan: ContextPlan) -> list[str]:
    return [line for line in plan.prompt.splitlines() if line.startswith("<note>")]


@pytest.mark.requirement("promise:8")
@pytest.mark.parametrize("label", ["answer.v2", "answer.v4", "challenge.v4", "question.v4"])
def test_rows_that_disagree_are_named_with_their_days_and_nothing_of_their_text(label: str) -> None:
    (note,) = _notes(_plan(label, TEA, GLOBEX, ACME))

    assert "S3 (2024-03-03) and S2 (2024-05-09) disagree" in note
    assert "Acme" not in note


def test_nothing_is_said_where_nothing_took_the_place_of_what_is_shown() -> None:
    assert _notes(_plan("answer.v4", TEA, GLOBEX)) == []
    assert _notes(_plan("answer.v4", TEA, ACME)) == []
    assert _notes(_plan("answer.v4", GLOBEX, replace(ACME, superseded_by=None))) == []
    assert _notes(_plan("answer.v4", GLOBEX, ACME)) != []


def test_a_row_whose_day_is_not_known_has_none_in_the_note() -> None:
    (note,) = _notes(_plan("answer.v4", GLOBEX, replace(ACME, created_at=UNDATED)))
    assert "S2 (undated) and S1 (2024-05-09)" in note


def test_a_prompt_released_before_says_what_it_said() -> None:
    assert _notes(_plan("answer.v1", GLOBEX, ACME)) == []
    assert _notes(_plan("answer.v4", GLOBEX, ACME)) != []


@pytest.mark.requirement("promise:7")
def test_the_note_is_within_the_budget() -> None:
    whole = _plan("answer.v4", GLOBEX, ACME).prompt_tokens
    squeezed = _plan("answer.v4", GLOBEX, ACME, budget=whole - 1)

    assert squeezed.prompt_tokens <= whole - 1
    assert _notes(squeezed) == []
