"""A result of recall, pins and capsules as JSON.

Law: the members are S4's, by its names; what is ours stands in `provenance`, on the entities and in `foundBy`
(`recall.schema.json`). Keys have one order. Pins and capsules: stored facts only, scopes without unnamed dimensions.
Source: spec retrieval-contract, Core Interface, Provenance, Entity-Level Provenance; rulings A17, G; DESIGN 8.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from voice.core.recall.params import scope_json
from voice.core.recall.pins import PinState
from voice.core.recall.values import (
    REDACTED_TEXT,
    CandidateResult,
    Capsule,
    Pin,
    RecalledEntity,
    RecallProvenance,
    RecallResult,
    Summary,
)
from voice.core.records import RowStatus, Scope, Thought
from voice.core.render.retrieval import render_reranked, render_time
from voice.core.text.instants import render_if_dated, render_instant


def render_recall(result: RecallResult) -> dict[str, Any]:
    """Return S4's answer (schema: `recall.schema.json`)."""
    return {
        "pins": [{"pin": _pin(one.pin, one.target), "target": _entity(one.target)} for one in result.pins],
        "currentSummary": None if result.current_summary is None else _entity(result.current_summary),
        "candidates": [_candidate(one) for one in result.candidates],
        "provenance": _provenance(result.provenance),
    }


def render_scope(scope: Scope) -> dict[str, object]:
    """Return the dimensions a scope names; none names everything that may be read."""
    also = {"orUnscoped": True} if scope.or_unscoped else {}
    return {**{f"{name}Id": value for name, value in scope_json(scope).items()}, **also}


def _pin(pin: Pin, target: RecalledEntity) -> dict[str, object]:
    return {
        "id": pin.id,
        "targetType": target.entity_kind,
        "targetId": pin.target_id,
        "reason": pin.reason,
        "createdAt": render_instant(pin.created_at),
        "expiresAt": None if pin.expires_at is None else render_instant(pin.expires_at),
        "scopeIds": render_scope(pin.scope),
    }


def _entity(entity: RecalledEntity) -> dict[str, object]:
    form: dict[str, object] = {
        "id": entity.id,
        "entityKind": entity.entity_kind,
        "kind": entity.kind,
        "content": entity.content,
        "ts": render_if_dated(entity.created_at),
        "scopeIds": render_scope(entity.scope),
        "private": entity.is_private,
    }
    if entity.entity_kind == "observation":
        form["redacted"] = entity.redacted
        form["provenance"] = _source(entity)
    if entity.capsule_id is not None:
        form["capsuleId"] = entity.capsule_id  # a summary's
        form["evidenceRefs"] = list(entity.evidence_refs)
    if entity.confidence is not None:
        form["confidence"] = entity.confidence
    return form


def _source(entity: RecalledEntity) -> dict[str, object]:
    form: dict[str, object] = {
        "origin": None if entity.origin is None else entity.origin.value,
        "trustTier": entity.trust.value,
        "restsOn": [{"thoughtId": one.thought_id, "start": one.start, "end": one.end} for one in entity.provenance],
    }
    if entity.thread is not None:
        form["thread"] = entity.thread
    if entity.source_ref is not None:
        form["sourceRef"] = entity.source_ref
    return form


def _candidate(one: CandidateResult) -> dict[str, object]:
    form: dict[str, object] = {"entity": _entity(one.entity), "score": one.score}
    if one.match_context is not None:
        form["matchContext"] = one.match_context
    if one.found_by is not None:
        form["foundBy"] = one.found_by
    return form


def _provenance(made: RecallProvenance) -> dict[str, object]:
    form: dict[str, object] = {
        "query": made.query,
        "scopeIds": render_scope(made.scope),
        "totalCandidates": made.total_candidates,
        "returnedCandidates": made.returned_candidates,
        "truncatedDueToTokenBudget": made.truncated_due_to_token_budget,
        "providerUsed": made.provider_used,
        "considered": made.considered,
        "droppedByBudget": made.dropped_by_budget,
        "overBudgetBy": made.over_budget_by,  # pins may need more than the budget
        "tokenBudget": made.token_budget,
        "tokensUsed": made.tokens_used,
        "now": render_instant(made.now),
        "time": render_time(made.when, made.window),
        "whenUnparsed": made.when_unparsed,
        "partial": made.is_partial,
        "quarantined": list(made.quarantined),
        "instructionLike": list(made.instruction_like),
        "warnings": list(made.warnings),
    }
    if made.reranked is not None:
        form["reranked"] = render_reranked(made.reranked)
    return form


def pin_json(pin: Pin, state: PinState) -> dict[str, object]:
    """Return a pin as JSON values (schema: schemas/cli/pins-list.schema.json)."""
    return {
        "id": pin.id,
        "target": pin.target_id,
        "reason": pin.reason,
        "created_at": render_instant(pin.created_at),
        "expires_at": None if pin.expires_at is None else render_instant(pin.expires_at),
        "scope": scope_json(pin.scope),
        "state": state,
    }


def capsule_json(capsule: Capsule) -> dict[str, object]:
    """Return a capsule without what is in it (schema: schemas/cli/capsules-list.schema.json)."""
    return {
        "id": capsule.id,
        "intent": capsule.intent,
        "status": capsule.status,
        "opened_at": render_instant(capsule.opened_at),
        "closed_at": None if capsule.closed_at is None else render_instant(capsule.closed_at),
        "scope": scope_json(capsule.scope),
        "has_summary": capsule.summary is not None,
        "revision": capsule.revision,
    }


def capsule_view_json(
    capsule: Capsule, summary: Summary | None, thoughts: Sequence[Thought], *, is_outdated: bool
) -> Mapping[str, object]:
    """Return a capsule with what is in it (schema: schemas/cli/capsules-show.schema.json)."""
    return {
        **capsule_json(capsule),
        "summary": None if summary is None else _summary_json(summary),
        "summary_outdated": is_outdated,
        "thoughts": [_thought_json(thought) for thought in thoughts],
    }


def shown_content(thought: Thought) -> str:
    """Return a thought's content, or what stands in place of a redacted one (spec: Redaction Handling)."""
    return REDACTED_TEXT if thought.status is RowStatus.REDACTED else thought.content  # the row stays, without words


def _summary_json(summary: Summary) -> dict[str, object]:
    return {
        "id": summary.id,
        "content": summary.content,
        "confidence": summary.confidence,
        "evidence_refs": list(summary.evidence_refs),
        "created_at": render_if_dated(summary.created_at),
        "is_private": summary.is_private,
    }


def _thought_json(thought: Thought) -> dict[str, object]:
    return {
        "id": thought.id,
        "kind": thought.kind,
        "created_at": render_if_dated(thought.created_at),
        "status": str(thought.status),
        "is_private": thought.is_private,
        "content": shown_content(thought),
    }
