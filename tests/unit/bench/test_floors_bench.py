"""The floors of an encoder are printed with how they were obtained."""

import json
from pathlib import Path

import pytest
from bench.calibrate import main
from bench.floors import NOISE_ABOVE_FLOOR, Measured

pytestmark = pytest.mark.requirement("ruling:C4")


def memory(name: str, *texts: str) -> dict[str, object]:
    items = [{"id": f"{name}{n}", "text": text, "created_at": "2025-03-05"} for n, text in enumerate(texts)]
    asked = [{"question": f"What about {text}?", "evidence": [f"{name}{n}"]} for n, text in enumerate(texts)]
    return {"id": name, "items": items, "questions": asked}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    corpora = [
        memory("a", "the kiln in the shed", "the blue glaze for bowls", "Marta and the ferry", "a cold studio"),
        memory("b", "a violin lesson on Monday", "strings for the cello", "an orchestra in Porto", "rehearsal notes"),
    ]
    path = tmp_path / "two.json"
    path.write_text(json.dumps({"format": "memory-bench/1", "corpora": corpora}), encoding="utf-8")
    return path


def test_floors_are_printed_with_what_they_let_through(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--floors", "--embed", "hash", "--data", str(data)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("local/hashed-ngrams-v1 (512); 16 cosines with strangers, 4 with evidence")
    assert [line.partition("  ")[0] for line in lines[2:]] == [
        "it has: floor",
        "it has: min_floor",
        "calibrated: floor",
        "calibrated: min_floor",
    ]
    calibrated = float(lines[4].split()[2])
    assert 0.0 <= calibrated < 1.0


def test_noise_needs_a_second_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.json"
    corpora = [memory("a", "the kiln in the shed")]
    path.write_text(json.dumps({"format": "memory-bench/1", "corpora": corpora}), encoding="utf-8")
    assert main(["--floors", "--embed", "hash", "--data", str(path)]) == 2
    assert "at least two" in capsys.readouterr().err


def test_a_floor_is_the_least_cosine_that_lets_no_more_than_its_share_of_noise_through() -> None:
    np = pytest.importorskip("numpy")
    measured = Measured(np.linspace(0.0, 0.999, 1000), np.array([0.5]))
    floor = measured.floor_at(NOISE_ABOVE_FLOOR)
    assert measured.passing(floor)[0] <= NOISE_ABOVE_FLOOR < measured.passing(floor - 0.01)[0]
