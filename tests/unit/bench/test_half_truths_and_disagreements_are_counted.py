"""The benchmarks of half-true sentences and of disagreements say what they measure."""

import json
from pathlib import Path

import pytest
from bench import disagreement, half_true

ITEMS = [
    ("Ada", "I bought an old wooden boat in the harbour of Bergen. I sold the red car to my cousin in Oslo."),
    ("Ada", "I live in Oslo."),
    ("Ada", "I live in Bergen."),
]


def _file(folder: Path) -> Path:
    items = [
        {"id": f"i{number}", "text": text, "speaker": speaker, "created_at": "2024-03-03T10:00:00Z"}
        for number, (speaker, text) in enumerate(ITEMS)
    ]
    corpora = [{"id": name, "items": items, "questions": []} for name in ("one", "two")]
    path = folder / "memory.json"
    path.write_text(json.dumps({"format": "memory-bench/1", "corpora": corpora}), encoding="utf-8")
    return path


def test_half_true_sentences_are_flagged_and_true_ones_are_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert half_true.main(["--data", str(_file(tmp_path)), "--json"]) == 0

    figures = json.loads(capsys.readouterr().out)
    assert figures["true: the sentence"]["flagged"] == 0.0
    assert figures["semicolon"] == {"n": 1, "whole": 0.0, "flagged": 1.0, "named": 1.0}


def test_disagreements_are_counted_for_each_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert disagreement.main(["--data", str(_file(tmp_path)), "--json", "--list"]) == 0

    printed = capsys.readouterr()
    assert json.loads(printed.out)["one"] == {"rows": 3, "statements": 2, "disagreements": 1}
    assert "I live in Oslo. | I live in Bergen." in printed.err


@pytest.mark.parametrize("bench", [half_true, disagreement])
def test_a_file_that_is_not_there_is_named(bench: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main = half_true.main if bench is half_true else disagreement.main

    assert main(["--data", str(tmp_path / "none.json")]) != 0
    assert "none.json" in capsys.readouterr().err
