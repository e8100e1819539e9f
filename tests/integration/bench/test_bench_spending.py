"""The benchmark of spending caps runs, and its sums are those of the turns."""

import json

import pytest
from bench.spending import main


@pytest.mark.requirement("spending:caps")
def test_the_benchmark_of_spending_tells_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--turns", "40", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    figures = {"this month", "this day", "this session", "this month, from the turns"}
    assert set(told["cpu_ms"]) == figures | {"calls of unknown end", "put a call on record"}
    assert main(["--turns", "3"]) == 0
    assert "this month" in capsys.readouterr().out
