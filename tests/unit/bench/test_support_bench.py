"""The weights of the score are fitted reproducibly, without negative ones, and a set is never its own judge."""

import json
from pathlib import Path
from typing import cast

import pytest
from bench.support import FEATURES, main


def _lines(animal: str) -> str:
    source = {"id": "s1", "text": f"The {animal} sleeps in the barn beside the mill. It eats hay at noon."}
    told = (
        (f"The {animal} sleeps in the barn.", "supported"),
        (f"At noon the {animal} eats hay.", "supported"),
        (f"The {animal} flew to Madrid with 12 bankers.", "unsupported"),
        ("Nobody trusts Wilhelmina any more.", "unsupported"),
    )
    item = {"set": "x", "question": "", "sources": [source]}
    return "\n".join(json.dumps({**item, "answer": answer, "label": label}) for answer, label in told)


def test_a_fit_is_the_same_twice_and_is_held_out_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, animal in zip(paths, ("goat", "mule"), strict=True):
        path.write_text(_lines(animal), encoding="utf-8")
    given = [argument for path in paths for argument in ("--data", str(path))]

    assert main([*given, "--json"]) == 0
    first = capsys.readouterr().out
    assert main([*given, "--json"]) == 0

    assert capsys.readouterr().out == first
    report = cast("dict[str, dict[str, float]]", json.loads(first))
    assert list(report["weights"]) == list(FEATURES)
    assert min(report["weights"].values()) >= 0.0
    by_set = cast("dict[str, dict[str, float]]", report["auroc"])
    assert by_set["a"]["held out"] == by_set["b"]["held out"] == 1.0
