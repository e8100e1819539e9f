"""How new a row is, and how much that counts.

Law: recency halves with every half-life and is in [0, 1], measured from a given instant; what is dated in the future is
as new as now (ruling G). `local-fts` ranks by S4's formula, `0.7 * fts + 0.3 * recency`, of absolute parts, so a row's
score does not depend on what else was found or how much was asked for.

Source: spec retrieval-contract, Local FTS Provider; rulings A24, G.
"""

from datetime import datetime

FTS_SHARE = 0.7
RECENCY_SHARE = 0.3
_SECONDS_PER_DAY = 86_400.0


def recency(created_at: datetime, now: datetime, *, half_life_days: float) -> float:
    """Return `0.5 ** (age / half-life)`, 1.0 for anything not yet past."""
    age_days = (now - created_at).total_seconds() / _SECONDS_PER_DAY
    return 1.0 if age_days <= 0.0 else 0.5 ** (age_days / half_life_days)


def fts_score(lexical: float, recency_score: float) -> float:
    """Return S4's score, rounded to 6 places (ruling G)."""
    return round(FTS_SHARE * lexical + RECENCY_SHARE * recency_score, 6)
