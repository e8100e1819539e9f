"""The benchmark of telling measures something and prints it."""

import json

import pytest
from bench.telemetry import main


@pytest.mark.requirement("observe:free")
def test_what_telling_costs_is_printed_for_each_listener(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--turns", "5", "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert figures["turns"] == 5
    assert figures["sdk_ms_per_turn"] > 0
    main(["--turns", "2"])
    assert "api_ms_per_turn" in capsys.readouterr().out
