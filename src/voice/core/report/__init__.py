"""Reports over past turns: what they cost, what they used, how well they were grounded."""

from voice.core.report.tally import ReportTally
from voice.core.report.values import (
    COVERAGE_BINS,
    DELETED,
    NO_PROMPT,
    NO_TURN,
    REMOVED,
    Calls,
    Dimension,
    Period,
    PriceUsed,
    Report,
    ReportRow,
    money,
    share,
)

__all__ = [
    "COVERAGE_BINS",
    "DELETED",
    "NO_PROMPT",
    "NO_TURN",
    "REMOVED",
    "Calls",
    "Dimension",
    "Period",
    "PriceUsed",
    "Report",
    "ReportRow",
    "ReportTally",
    "money",
    "share",
]
