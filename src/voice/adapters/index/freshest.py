"""Which of the rows that words chose may be the best once their recency counts.

Law: a row is left out only when so many others rank above it by S4's formula, whatever rounding does to either; the
provider ranks the rest exactly (`voice.core.retrieval.rank.rank_by_words`).

Source: spec retrieval-contract, Local FTS Provider; rulings A24, G.
"""

from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.entries import micros
from voice.adapters.index.ragged import Mask
from voice.adapters.index.scoring import Scores
from voice.core.retrieval.recency import FTS_SHARE, RECENCY_SHARE
from voice.ports.search_index import Freshness

_DAY_US: Final = timedelta(days=1) // timedelta(microseconds=1)
_MARGIN: Final = 2e-6
"""Twice what rounding to 6 places may move one score against another."""


def may_be_freshest(lexical: Scores, created_us: NDArray[np.int64], fresh: Freshness) -> Mask:
    """Return which rows share a word and may be among the best `fresh.keep`.

    Args:
        lexical: what the words of each are worth, in [0, 1].
        created_us: when each was made.
        fresh: what recency is measured by.
    """
    age_days = np.maximum(micros(fresh.now) - created_us, 0) / _DAY_US
    score = FTS_SHARE * lexical + RECENCY_SHARE * 0.5 ** (age_days / fresh.half_life_days)
    holds = lexical > 0.0
    if np.count_nonzero(holds) <= fresh.keep:
        return holds
    least = np.partition(score[holds], -fresh.keep)[-fresh.keep]
    return holds & (score >= least - _MARGIN)
