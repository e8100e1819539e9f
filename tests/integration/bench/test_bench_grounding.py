"""The grounding benchmark prints what others read: its format and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

ROOT = Path(__file__).resolve().parents[3]


def _line(name: str, answer: str, label: str) -> str:
    sources = [{"id": "s1", "text": "The team has 14 players."}, {"id": "s2", "text": "It plays in Oslo."}]
    item = {"id": answer, "set": name, "question": "", "sources": sources, "answer": answer, "label": label}
    return json.dumps({**item, "granularity": "sent"})


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.grounding", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_each_set_has_its_figures_and_one_class_alone_is_measured_against_its_file(tmp_path: Path) -> None:
    data = tmp_path / "x.jsonl"
    lines = [
        _line("x/supported", "The team has 14 players.", "supported"),
        _line("x/supported", "It plays in Oslo.", "supported"),
        _line("x/number", "The team has 41 players.", "unsupported"),
        _line("x/invented", "Zoologists adore marmalade.", "unsupported"),
    ]
    data.write_text("\n".join(lines), encoding="utf-8")

    done = _run("--data", str(data), "--json")

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    sets = cast("dict[str, dict[str, float | None]]", report["sets"])
    assert list(sets) == ["x/supported", "x/number", "x/invented"]
    figures = dict(sets["x/number"])
    assert (figures.pop("cpu_ms") or 0) > 0
    assert figures == {
        "n": 1, "auroc": 1.0, "balanced_accuracy": 1.0, "precision": 1.0, "recall": 1.0, "f1": 1.0,
        "flagged_at_10": 1.0,
    }  # fmt: skip
    assert sets["x/supported"]["auroc"] is None
    assert report["flagged_supported"] == {"x/supported": 0.0}
