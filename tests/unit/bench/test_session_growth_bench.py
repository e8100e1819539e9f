"""Growth is measured alike for everybody: the first and last turns, the bytes beyond the answers, what was loaded."""

import json
from pathlib import Path

from bench.sessions.beside import REQUIREMENTS, ROSTER, growth_of
from bench.sessions.figures import Growth, as_table, first_and_last
from bench.sessions.growth import record_bytes
from bench.sessions.worker import measure

TEXTS = [(f"question {number}", "answer" * 3) for number in range(40)]


class Kept:
    """A conversation in one file, a line a turn."""

    def __init__(self, place: Path) -> None:
        self._file = place / "turns"
        self._file.touch()

    def load(self) -> int:
        return 2 * len(self._file.read_text().splitlines())

    def turn(self, question: str, answer: str) -> None:
        with self._file.open("a") as file:
            file.write(f"{question}\t{answer}\n")

    def close(self) -> None:
        (self._file.parent / "closed").touch()


def grown(cpu_ms: list[float], *, records: int | None = 1000) -> Growth:
    return Growth(
        subject="it",
        cpu_ms=cpu_ms,
        answer_bytes=400,
        disk_bytes=2400,
        load_ms=[9.0, 1.0, 2.0],
        loaded_texts=10,
        peak_rss_mb=64.04,
        record_bytes=records,
    )


def test_the_first_and_the_last_twentieth_are_compared() -> None:
    assert first_and_last([1.0, 2.0, 3.0] + [50.0] * 54 + [4.0, 5.0, 6.0]) == (2.0, 5.0)
    assert first_and_last([7.0]) == (7.0, 7.0)


def test_bytes_are_counted_beyond_the_answers_own_text() -> None:
    said = grown([1.0] * 10 + [3.0] * 10).as_json()
    assert (said["cpu_ratio_end_to_start"], said["turns"]) == (3.0, 20)
    assert (said["bytes_per_turn_beyond_answer"], said["disk_bytes_per_turn_beyond_answer"]) == (30, 100)
    assert (said["load_ms"], said["first_load_ms"]) == (2.0, 9.0)


def test_what_was_not_measured_is_absent_and_not_zero() -> None:
    said = grown([1.0], records=None).as_json()
    assert "bytes_per_turn_beyond_answer" not in said
    assert "–" in as_table([said])


def test_a_record_counts_as_the_bytes_of_its_columns() -> None:
    assert record_bytes({"body": b"1234", "topic": "é", "index": 7}) == 4 + 2 + 8


def test_a_worker_makes_every_turn_and_loads_after_opening_again(tmp_path: Path) -> None:
    said = measure(Kept, tmp_path, {"texts": TEXTS, "seconds": 60, "megabytes": 1})
    assert len(said["cpu_ms"]) == 40  # pyright: ignore[reportArgumentType]
    assert (said["loaded_texts"], said["answer_bytes"]) == (80, 40 * 18)
    assert (tmp_path / "closed").exists()


def test_a_peers_growth_is_what_its_worker_told(tmp_path: Path) -> None:
    told = {**measure(Kept, tmp_path, {"texts": TEXTS, "seconds": 60, "megabytes": 1}), "versions": {"it": "1"}}
    said = growth_of(ROSTER[0], json.loads(json.dumps(told))).as_json()
    assert (said["subject"], said["turns"], said["versions"]) == ("langgraph", 40, {"it": "1"})


def test_every_package_of_a_peer_is_pinned() -> None:
    for name in {entry.environment for entry in ROSTER}:
        lines = (REQUIREMENTS / f"{name}.txt").read_text("utf-8").splitlines()
        assert lines
        assert all("==" in line for line in lines)
