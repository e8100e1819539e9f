"""`python -m bench.reports`: what a report over many turns costs, in its short version."""

from pathlib import Path

import pytest
from bench.reports import measure


@pytest.mark.requirement("report:streams")
async def test_the_benchmark_counts_every_turn_and_takes_a_store_that_is_there_as_it_is(tmp_path: Path) -> None:
    first = await measure(250, tmp_path)
    again = await measure(250, tmp_path)
    assert (first.turns, again.turns) == (250, 250)
    assert first.texts_mb == again.texts_mb
    assert first.as_json().keys() == {"turns", "cpu_s", "cpu_ms_per_turn", "peak_python_mb", "texts_mb", "machine"}
