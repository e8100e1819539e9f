"""What is left out before it is ranked by words and recency would not have been returned."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.adapters.index.columns import to_micros
from voice.adapters.index.top_k import may_be_freshest
from voice.core.records import Table
from voice.core.retrieval.ranking import rank_by_words
from voice.core.retrieval.values import Hit
from voice.ports.search_index import Freshness

_NOW = datetime(2026, 3, 1, tzinfo=UTC)
_ROWS = st.lists(
    st.tuples(
        st.one_of(st.sampled_from([0.0, 0.3, 0.300001]), st.floats(0.0, 0.99).map(lambda each: round(each, 6))),
        st.one_of(st.sampled_from([0, 30 * 86_400]), st.integers(-(10**6), 10**9)),
    ),
    max_size=40,
)


@pytest.mark.requirement("s4:provider:local-fts", "promise:8")
@given(_ROWS, st.integers(1, 12))
def test_the_rows_that_rank_best_with_their_recency_are_kept(rows: list[tuple[float, int]], keep: int) -> None:
    made = [_NOW - timedelta(seconds=age) for _, age in rows]
    kept = may_be_freshest(
        np.array([lexical for lexical, _ in rows]),
        np.array([to_micros(moment) for moment in made], dtype=np.int64),
        Freshness(now=_NOW, half_life_days=30.0, keep=keep),
    )
    rank = rank_by_words(_NOW, half_life_days=30.0)
    hits = [
        Hit(row_id=f"t:{n:03}", table=Table.THOUGHTS, cosine=None, lexical=lexical, created_us=to_micros(moment))
        for n, ((lexical, _), moment) in enumerate(zip(rows, made, strict=True))
    ]
    found = sorted((-one.rank_score, one.hit.row_id) for hit in hits if (one := rank(hit)) is not None)
    best = {row_id for _, row_id in found[:keep]}
    assert best <= {hit.row_id for hit, is_kept in zip(hits, kept.tolist(), strict=True) if is_kept}
    assert len(best) == min(keep, np.count_nonzero([lexical > 0.0 for lexical, _ in rows]))
