"""Values of a report: cost, tokens and grounding of past turns.

Law: a report rests on the stored exchanges alone (ruling D19). Money is a known subtotal plus the number of turns whose
cost is unknown, never a guess (ruling D18); a share of nothing is None. What was reckoned anew with other prices says
with which; what is stored stays as it is.

Source: spec stateful-design-v2, 7; rulings D6, D18, D19; DESIGN 8 `report`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal

from voice.core.usage import Price, PriceTable, Total

Dimension = Literal["session", "model", "day", "month", "prompt", "stance"]
DELETED: Final = "deleted"
"""The key of turns whose session was deleted: their figures count, nothing else of them is left."""
NO_PROMPT: Final = "(no prompt)"
"""The key of turns that ended before a prompt was made."""
REMOVED: Final = "(removed)"
"""The key of turns whose prompt was asked for and is not on record any more."""
NO_TURN: Final = "(no turn)"
"""The key of calls that belong to no turn, where turns are grouped by what only a turn has."""
COVERAGE_BINS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """From when to when turns are counted, half-open; an open end is None."""

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
    """Calls whose usage was not reported, or not in full; what is unknown of them is not in the sums."""
    cost: Total = Total()
    """Its `unknown_count` counts calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One group of turns."""

    key: str
    topic: str | None = None
    """Of a session, what it is about; None where it is not one that is there."""
    turns: int
    answered: int
    refused: int
    errors: int
    asked: int
    """Turns in which a provider was called at all."""
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    unknown_token_turns: int
    """Turns whose provider did not report its usage in full; what is unknown of them is not in the sums."""
    cacheable_tokens: int
    """Prompt tokens of the turns whose provider says how many of them it had cached."""
    estimated_prompt_tokens: int
    """What our own counter said of the prompts that were sent."""
    compared_estimated: int
    """The part of it that belongs to calls whose usage was reported."""
    compared_reported: int
    """What was reported of these calls."""
    cost: Total
    """Of the turns, and of the calls that belong to none."""
    drafts: Calls
    """First replies, asked for again as they were where a call failed."""
    repairs_made: Calls
    """Calls after a reply of the wrong shape."""
    verifiers: Calls
    summaries: Calls
    reach: Calls
    """Whether the model is there; each belongs to no turn."""
    reading: Calls
    """Notes that it read for names and relations; each belongs to no turn."""
    mean_coverage: float | None
    """Over answered turns; None when there are none."""
    coverage: tuple[int, ...]
    """Answered turns by coverage, in tenths: [0, 0.1), [0.1, 0.2), … [0.9, 1]."""
    coverage_refused: tuple[int, ...]
    """Refused turns whose draft was judged, the same way."""
    median_latency_ms: int | None
    p95_latency_ms: int | None
    """The latency that 95 of 100 turns do not exceed."""
    reasons: tuple[tuple[str, int], ...]
    """Why turns were refused or failed, most frequent first."""
    repairs: int
    """Turns that needed a second call for a usable reply."""

    @property
    def calls(self) -> Mapping[str, Calls]:
        """All provider calls, each under what it was for."""
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
        """Refused turns of all turns."""
        return share(self.refused, self.turns)

    @property
    def repair_rate(self) -> float | None:
        """Repaired turns of those in which a provider was called."""
        return share(self.repairs, self.asked)

    @property
    def cached_share(self) -> float | None:
        """How much of what was sent the provider had cached, where it says so."""
        return share(self.cached_tokens, self.cacheable_tokens)

    @property
    def estimate_ratio(self) -> float | None:
        """Our estimate of a prompt's tokens, as a multiple of what was reported; under 1 it was too low."""
        return share(self.compared_estimated, self.compared_reported)

    @property
    def mean_cost(self) -> Decimal | None:
        """What a turn cost, over the turns whose cost is known."""
        alone = self.reach.cost, self.reading.cost
        known = self.turns - (self.cost.unknown_count - sum(each.unknown_count for each in alone))
        return (self.cost.known - sum(each.known for each in alone)) / known if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceUsed:
    """A price that turns were reckoned with; one that only differs in its day is the same one."""

    model: str
    """provider/model."""
    price: Price | None
    """The newest of them; None = unknown, or not kept beside its source."""
    source: str | None
    """None: the price of these turns is unknown."""
    first_as_of: str
    last_as_of: str
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Groups in order of their key, their sum, and what they were reckoned with."""

    by: Dimension
    period: Period
    repriced_with: PriceTable | None
    """None: the cost is what was stored with each turn."""
    rows: tuple[ReportRow, ...]
    total: ReportRow
    prices: tuple[PriceUsed, ...]
    imported: int = 0
    """Turns of the period that were asked elsewhere and imported; nothing else here counts them."""
    unended: int = 0
    """Turns of the period whose end is unknown: a provider was being asked, and nothing came on record since."""
    unended_cost: Total = Total()
    """The most that they can have cost, and how many of their calls nobody knows that of; counted nowhere else here."""


def share(part: int, whole: int) -> float | None:
    """Return a part of a whole; None when there is no whole."""
    return part / whole if whole else None


def money(amount: Decimal) -> str:
    """Return dollars with as many digits as a small sum needs: 4, or 6 below a cent."""
    return f"${amount:.4f}" if amount >= Decimal("0.01") or amount == 0 else f"${amount:.6f}"
