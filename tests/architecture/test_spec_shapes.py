"""The stored values have the members that the specs list, whatever else they have."""

from dataclasses import fields

import pytest

from voice.core.grounding.values import GroundedResponse, SourceCitation
from voice.core.records import RowStatus, Thought
from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary


def members(value: type) -> set[str]:
    return {field.name for field in fields(value)}


@pytest.mark.requirement(
    "s2:grounding:answer",
    "s2:grounding:sources",
    "s2:grounding:confidence",
    "s2:grounding:coverage_ratio",
    "s2:grounding:refused",
    "s2:grounding:notes",
)
def test_a_grounded_response_has_its_members() -> None:
    listed = {"answer", "sources", "confidence", "coverage_ratio", "refused", "notes"}
    assert members(GroundedResponse) >= listed


@pytest.mark.requirement(
    "s2:citation:source_id", "s2:citation:source_type", "s2:citation:span", "s2:citation:relevance"
)
def test_a_citation_has_its_members() -> None:
    assert members(SourceCitation) >= {"source_id", "source_type", "span", "relevance"}


@pytest.mark.requirement(
    "s2:session:id", "s2:session:version", "s2:session:provider", "s2:session:model", "s2:session:max_prompt_tokens",
    "s2:session:rolling_summary", "s2:session:context_window", "s2:session:thread_topic", "s2:session:created_at",
    "s2:session:last_interaction", "s2:session:total_exchanges", "s2:session:total_tokens", "s2:session:total_cost",
)  # fmt: skip
def test_a_session_has_its_members() -> None:
    listed = {"id", "version", "provider", "model", "max_prompt_tokens", "rolling_summary", "context_window"}
    listed |= {"thread_topic", "created_at", "last_interaction", "total_exchanges", "total_tokens", "total_cost"}
    assert members(InnerVoiceSession) >= listed


@pytest.mark.requirement(
    "s2:exchange:timestamp", "s2:exchange:my_query", "s2:exchange:answer", "s2:exchange:sources",
    "s2:exchange:confidence", "s2:exchange:coverage_ratio", "s2:exchange:refused", "s2:exchange:memories_referenced",
    "s2:exchange:prompt_tokens", "s2:exchange:completion_tokens", "s2:exchange:latency_ms",
    "s2:exchange:cost_estimate", "s2:exchange:prompt_hash",
)  # fmt: skip
def test_an_exchange_has_its_members_and_no_prompt() -> None:
    listed = {"timestamp", "my_query", "answer", "sources", "confidence", "coverage_ratio", "refused"}
    listed |= {"memories_referenced", "prompt_tokens", "completion_tokens", "latency_ms", "cost_estimate"}
    assert members(DialogueExchange) >= listed | {"prompt_hash"}
    assert members(DialogueExchange) & {"prompt_text", "context", "draft", "rendered"} == set()


@pytest.mark.requirement(
    "s2:summary:text", "s2:summary:last_updated", "s2:summary:exchanges_summarized", "s2:summary:token_savings"
)
def test_a_rolling_summary_has_its_members() -> None:
    assert members(RollingSummary) >= {"text", "last_updated", "exchanges_summarized", "token_savings"}


@pytest.mark.requirement(
    "s1:field:is_summary", "s1:field:summary_of", "s1:field:pipeline", "s1:field:status", "ruling:A20"
)
def test_a_thought_has_the_members_that_survive_and_none_of_the_legacy() -> None:
    assert members(Thought) >= {"is_summary", "summary_of", "pipeline", "status"}
    assert members(Thought) & {"is_inner_voice", "inner_visibility"} == set()
    assert {RowStatus.ACTIVE, RowStatus.REMOVAL} <= set(RowStatus)
