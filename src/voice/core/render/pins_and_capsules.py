"""Pins and capsules as programs read them.

Law: stored facts only; a dimension that a scope does not name is absent, what is unknown is null.

Source: spec retrieval-contract, Entity-Level Provenance; DESIGN 8.
"""

from collections.abc import Mapping, Sequence

from voice.core.recall.pinning import PinState
from voice.core.recall.scoping import scope_json
from voice.core.recall.values import REDACTED_TEXT, Capsule, Pin, Summary
from voice.core.records import RowStatus, Thought
from voice.core.text.instants import render_if_dated, render_instant


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
    return REDACTED_TEXT if thought.status is RowStatus.REDACTED else thought.content


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
