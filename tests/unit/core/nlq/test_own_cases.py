"""Every case of `bench/data` keeps its exact window, and every trap stays without one."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from voice.core.nlq.parse import parse_query
from voice.core.retrieval.values import Window

DATA = Path(__file__).parents[4] / "bench" / "data"


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


@pytest.mark.requirement("ruling:E.1", "ruling:E.3")
@pytest.mark.parametrize("name", ["nlq-own.jsonl", "nlq-held-out.jsonl"])
def test_every_case_is_understood_exactly(name: str) -> None:
    misses: list[str] = []
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    for line in lines:
        case = json.loads(line)
        wanted = None if case["trap"] else Window(start=_instant(case["from"]), end=_instant(case["to"]))
        parsed = parse_query(case["question"], now=datetime.fromisoformat(case["now"]), timezone=case["timezone"])
        if parsed.window != wanted:
            misses.append(case["question"])
    assert len(lines) > 100
    assert misses == []
