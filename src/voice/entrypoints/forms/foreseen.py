"""What a question would send and cost.

Law: figures and ids; nothing of the prompt's words. Money is a decimal string, what is unknown is null.

Source: DESIGN 8; rulings D18, D20.
"""

from decimal import Decimal
from typing import TYPE_CHECKING

from voice.core.render.dry_run import (
    CheckForm,
    CostForm,
    ForeseenForm,
    plain_money,
    render_cap,
    render_context,
    render_tokens,
    source_of,
)

if TYPE_CHECKING:
    from voice.services.turn.preview import ForeseenCheck, ForeseenTurn


def foreseen_json(foreseen: "ForeseenTurn") -> ForeseenForm:
    """Return a dry run as JSON values (schema: schemas/cli/ask-dry-run.schema.json)."""
    refused = foreseen.refused
    most, limit = foreseen.most_prompt_tokens, foreseen.max_output_tokens
    plan = None if foreseen.ready else foreseen.plan
    return {
        "session_id": foreseen.session_id,
        "provider": foreseen.provider,
        "model": foreseen.model,
        "would_ask": foreseen.ready is None and foreseen.capped is None and foreseen.earlier is None,
        "answered_before": foreseen.earlier,
        "reason": refused.reason.value if refused and refused.reason else "budget" if foreseen.capped else None,
        "notes": refused.notes if refused else foreseen.capped,
        "template": foreseen.template,
        "prompt_hash": foreseen.prompt_hash,
        "tokens": render_tokens(plan, foreseen.trueing, counted_by=foreseen.counted_by, most=most, max_output=limit),
        "context": render_context(foreseen.plan),
        "cost": _cost(foreseen),
        "check": None if foreseen.check is None else _check(foreseen.check),
    }


def _check(check: "ForeseenCheck") -> CheckForm:
    return {
        "verifier": check.verifier,
        "would_be_asked": check.is_asked,
        "prompt_tokens": check.call.prompt_tokens,
        "max_output_tokens": check.call.max_output_tokens,
        "expected_usd": _money(check.call.expected),
        "worst_usd": _money(check.call.worst),
        "false_support": None if check.record is None else check.record.false_support,
        "calibration_calls": check.calibration_calls,
        "calibration_expected_usd": _money(check.calibration.expected),
        "calibration_worst_usd": _money(check.calibration.worst),
        "refused": check.capped,
    }


def _cost(foreseen: "ForeseenTurn") -> CostForm:
    return {
        "expected_usd": _money(foreseen.expected_cost),
        "worst_usd": _money(foreseen.worst_cost),
        "price_source": source_of(foreseen.price),
        "turn_cap_usd": _money(foreseen.turn_cap),
        "caps": [render_cap(state) for state in foreseen.caps],
        "refused": foreseen.capped,
        "warnings": list(foreseen.warnings),
    }


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else plain_money(amount)
