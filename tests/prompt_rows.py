"""A small template, a counter and rows for it: what tests of prompts share."""

from collections.abc import Callable
from datetime import UTC, datetime

from voice.core.context.build import ContextInputs, ContextPlan, build_context
from voice.core.context.prompt_templates import PromptTemplate, parse_template
from voice.core.grounding.values import Evidence
from voice.core.records import TrustTier
from voice.core.session.lifecycle import new_session
from voice.core.session.values import InnerVoiceSession

NOW = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
TEMPLATE_TEXT = """---
name: answer
version: 1
purpose: test
owner: tests
---
%% system
Rules.
%% summary
## Summary
$summary
%% recent
## Recent
$exchanges
%% exchange
Asked: $question
Answered: $answer
%% knowledge
## Knowledge
$sources
%% source
<source id="$alias" date="$date" kind="$kind"$speaker$standing>$text</source>
%% user
$summary_section$recent_section$knowledge_section## Question
$question
Today is $today.
"""
TEMPLATE: PromptTemplate = parse_template(TEMPLATE_TEXT, file_name="answer.v1.md")


def words(text: str) -> int:
    """Count white-space separated words: an exact counter of its own, to show that any counter is obeyed."""
    return len(text.split())


def evidence(number: int, text: str = "Anna moved to Porto.", *, private: bool = False) -> Evidence:
    return Evidence(
        alias="",
        row_id=f"o:{number}",
        source_type="kg_observation",
        text=text,
        shown=text,
        content_hash=str(number),
        trust=TrustTier.GREEN,
        created_at=NOW,
        is_private=private,
    )


EMPTY = new_session(session_id="s:1", topic="t", provider="p", model="m", max_prompt_tokens=100, now=NOW)


def plan_of(
    inputs: ContextInputs,
    *,
    asked: InnerVoiceSession = EMPTY,
    template: PromptTemplate = TEMPLATE,
    budget: int = 200,
    count: Callable[[str], int] = words,
) -> ContextPlan:
    """Return what a prompt shows, by default of a conversation that has just begun."""
    return build_context(asked, inputs, template=template, budget=budget, count=count)
