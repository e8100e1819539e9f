"""Values of a report: cost, tokens and grounding of past turns.

Law: only stored exchanges count (ruling D19). Costs are a known subtotal and the number of unknown ones, never a guess
(ruling D18); a share of nothing is None. Repricing names its prices and changes nothing stored.
Source: spec stateful-design-v2, 7; rulings D6, D18, D19; DESIGN 8 `report`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal

from voice.core.messages.showing import COST_UNKNOWN
from voice.core.usage import Price, PriceTable, Total

Dimension = Literal["session", "model", "day", "month", "prompt", "stance"]
DELETED: Final = "deleted"
"""Key of turns whose session was deleted; only their figures remain."""
NO_PROMPT: Final = "(no prompt)"
"""Key of turns that ended before a prompt was made."""
REMOVED: Final = "(removed)"
"""Key of turns whose prompt is no longer on record."""
NO_TURN: Final = "(no turn)"
"""Key of calls outside turns, when grouped by something that only turns have."""
COVERAGE_BINS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The half-open period that is counted; None is open."""

    start: datetime | None = None
    end: datetime | None = None
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The provider calls of one purpose."""

    count: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unknown_tokens: int = 0
    """Calls with usage missing in whole or part, which the sums lack."""
    cost: Total = Total()
    """Its `unknown_count` counts calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One group of turns."""

    key: str
    topic: str | None = None
    """A session's topic; None if it does not exist."""
    turns: int
    answered: int
    refused: int
    errors: int
    asked: int
    """Turns with a provider call."""
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    unknown_token_turns: int
    """Turns with usage missing in whole or part, which the sums lack."""
    cacheable_tokens: int
    """Prompt tokens of turns whose provider reports cached ones."""
    estimated_prompt_tokens: int
    """Our estimate for all prompts sent."""
    compared_estimated: int
    """Our estimate for calls with reported usage."""
    compared_reported: int
    """The usage reported for these."""
    cost: Total
    """Including calls outside turns."""
    drafts: Calls
    """First replies, including retries."""
    repairs_made: Calls
    """Calls after a malformed reply."""
    verifiers: Calls
    summaries: Calls
    reach: Calls
    """Checks whether the model can be reached, outside turns."""
    reading: Calls
    """Extraction from notes, outside turns."""
    mean_coverage: float | None
    """Over answered turns; None without any."""
    coverage: tuple[int, ...]
    """Answered turns by coverage, in tenths: [0, 0.1), [0.1, 0.2), … [0.9, 1]."""
    coverage_refused: tuple[int, ...]
    """The same for refused turns with a judged draft."""
    median_latency_ms: int | None
    p95_latency_ms: int | None
    """Not exceeded by 95 of 100 turns."""
    reasons: tuple[tuple[str, int], ...]
    """Reasons of refusals and errors, most frequent first."""
    repairs: int
    """Turns that needed a second call for a usable reply."""

    @property
    def calls(self) -> Mapping[str, Calls]:
        """All provider calls by purpose."""
        return {
            "drafts": self.drafts,
            "repairs": self.repairs_made,
            "verifiers": self.verifiers,
            "summaries": self.summaries,
            "reach": self.reach,
            "reading": self.reading,
        }

    @property
    def refusal_rate(self) -> float | None:
        """Refused turns of all."""
        return share(self.refused, self.turns)

    @property
    def repair_rate(self) -> float | None:
        """Repaired turns of those with a provider call."""
        return share(self.repairs, self.asked)

    @property
    def cached_share(self) -> float | None:
        """Cached tokens of the prompt tokens, where reported."""
        return share(self.cached_tokens, self.cacheable_tokens)

    @property
    def estimate_ratio(self) -> float | None:
        """Our estimate of prompt tokens by the reported ones; below 1 it was too low."""
        return share(self.compared_estimated, self.compared_reported)

    @property
    def mean_cost(self) -> Decimal | None:
        """Mean cost of turns whose cost is known."""
        outside = self.reach.cost, self.reading.cost  # they cost, but are no turns
        known = self.turns - (self.cost.unknown_count - sum(each.unknown_count for each in outside))
        return (self.cost.known - sum(each.known for each in outside)) / known if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceUsed:
    """A price applied to turns; those that differ only by date are one."""

    model: str
    """provider/model."""
    price: Price | None
    """The newest; None if unknown, or not stored beside its source."""
    source: str | None
    """None if unknown."""
    first_as_of: str
    last_as_of: str
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Groups by key, their total, and the prices applied."""

    by: Dimension
    period: Period
    repriced_with: PriceTable | None
    """None: costs as stored."""
    rows: tuple[ReportRow, ...]
    total: ReportRow
    prices: tuple[PriceUsed, ...]
    imported: int = 0
    """Imported turns of the period, not counted elsewhere."""
    unended: int = 0
    """Turns of the period that were interrupted during a provider call."""
    unended_cost: Total = Total()
    """Their maximum cost, and the number of calls without one; not counted elsewhere."""

    @property
    def is_empty(self) -> bool:
        """Whether it holds neither a turn nor a call outside of turns."""
        return not (self.total.turns or self.total.reach.count or self.total.reading.count)


def share(part: int, whole: int) -> float | None:
    """Return a share; None of nothing."""
    return part / whole if whole else None


def money(amount: Decimal) -> str:
    """Render US dollars with 4 decimals, or 6 below a cent."""
    return f"${amount:.4f}" if amount >= Decimal("0.01") or amount == 0 else f"${amount:.6f}"


def dollars(amount: Decimal | None) -> str:
    """Return a cost with 4 decimals, or that it is unknown."""
    return COST_UNKNOWN if amount is None else f"${amount:.4f}"
