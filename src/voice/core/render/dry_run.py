"""What a question would send and cost, as JSON.

Law: ids, counts, hashes and money, no word of a memory; money is a decimal string, and what is unknown is null.

Source: docs/budgets.md.
"""

from decimal import Decimal
from typing import TypedDict

from voice.core.context.build import ContextPlan
from voice.core.render.understanding import SkippedForm, render_skipped
from voice.core.session.spending_caps import CapState
from voice.core.session.token_calibration import TokenCalibration
from voice.core.text.instants import render_instant
from voice.core.token_estimates import ESTIMATES
from voice.core.usage import Price


class CapForm(TypedDict):
    """A spending cap and what counts against it."""

    name: str
    limit_usd: str
    spent_usd: str
    """Known, and the most that calls can have cost whose usage nobody reported."""
    at_worst_usd: str
    """That part of it."""
    turns_of_unknown_cost: int
    left_usd: str
    frees_at: str | None


class CostForm(TypedDict):
    """What one call would cost."""

    expected_usd: str | None
    worst_usd: str | None
    price_source: str | None
    turn_cap_usd: str | None
    caps: list[CapForm]
    refused: str | None
    """Why a spending cap would not let the call be made."""
    warnings: list[str]


class CheckForm(TypedDict):
    """What the verifier would take: at most, were every sentence in words of the model's own."""

    verifier: str
    would_be_asked: bool
    """False: it was tried and is not believed."""
    prompt_tokens: int
    max_output_tokens: int
    expected_usd: str | None
    worst_usd: str | None
    false_support: float | None
    """Share of false claims that it let pass when it was tried; null: it would be tried first."""
    calibration_calls: int
    calibration_expected_usd: str | None
    calibration_worst_usd: str | None
    refused: str | None
    """Why a spending cap would not let it be asked."""


class TokensForm(TypedDict):
    """The tokens of the prompt and of the reply."""

    prompt: int
    budget: int
    most_reported: int
    """What the model would report at most, by its recent turns."""
    max_output: int
    counted_by: str
    """The model's own vocabulary, or `estimate`."""
    trued_by_turns: int
    mean_ratio: float
    largest_ratio: float


class ContextForm(TypedDict):
    """The context plan."""

    sections: dict[str, int]
    """Tokens of each section of the prompt."""
    evidence_ids: list[str]
    exchange_ids: list[str]
    summary_revision: int | None
    skipped: list[SkippedForm]
    skipped_for_budget: list[str]
    quarantined: list[str]
    pins_truncated: int
    is_private: bool


class ForeseenForm(TypedDict):
    """A dry run."""

    session_id: str | None
    provider: str
    model: str
    would_ask: bool
    answered_before: str | None
    """The turn whose answer would be given again under the same idempotency key."""
    reason: str | None
    notes: str | None
    template: str | None
    prompt_hash: str | None
    tokens: TokensForm | None
    context: ContextForm | None
    cost: CostForm
    check: CheckForm | None
    """The verifier's part; null: there is none, or nobody would be asked."""


def counter_in_words(name: str) -> str:
    """Return what counted tokens: a vocabulary, or `estimate` whatever its version."""
    return "estimate" if name in ESTIMATES else name


def render_tokens(
    plan: ContextPlan | None, trueing: TokenCalibration, *, counted_by: str, most: int, max_output: int
) -> TokensForm | None:
    """Return the tokens of a prompt that would be sent; None where there is none."""
    if plan is None:
        return None
    return {
        "prompt": plan.prompt_tokens,
        "budget": plan.budget,
        "most_reported": most,
        "max_output": max_output,
        "counted_by": counter_in_words(counted_by),
        "trued_by_turns": trueing.turns,
        "mean_ratio": round(trueing.mean, 4),
        "largest_ratio": round(trueing.largest, 4),
    }


def render_context(plan: ContextPlan | None) -> ContextForm | None:
    """Return what a prompt is made of, and what was left out of it; None where none was made."""
    if plan is None:
        return None
    return {
        "sections": dict(plan.sections),
        "evidence_ids": [row.row_id for row in plan.evidence],
        "exchange_ids": list(plan.exchange_ids),
        "summary_revision": plan.summary_revision,
        "skipped": render_skipped(plan),
        "skipped_for_budget": list(plan.skipped_for_budget),
        "quarantined": list(plan.quarantined),
        "pins_truncated": plan.pins_truncated,
        "is_private": plan.is_private,
    }


def render_cap(state: CapState) -> CapForm:
    """Return a cap with what counts against it."""
    return {
        "name": state.cap.name,
        "limit_usd": plain_money(state.cap.limit),
        "spent_usd": plain_money(state.spent.counted),
        "at_worst_usd": plain_money(state.spent.at_worst),
        "turns_of_unknown_cost": state.spent.unknown,
        "left_usd": plain_money(state.left),
        "frees_at": render_instant(state.cap.frees_at) if state.cap.frees_at else None,
    }


def plain_money(amount: Decimal) -> str:
    """Return an amount without an exponent."""
    return f"{amount:f}"


def source_of(price: Price | None) -> str | None:
    """Return where a price is from, and of when."""
    return None if price is None else f"{price.source} {price.as_of}"
