"""Plain likenesses of words are taken of the same answers as the score, and a file that is not there is named.

What the benchmarks print.
`bench.scale` says which number it cannot measure with, before it builds anything.
`python -m bench.turn` watches the functions that a turn calls.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import cast

import pytest
from bench import lexical
from bench.report import share
from bench.scale import main
from bench.stages import Watch, pure_parts_watched

from voice.core.errors import DataFileError
from voice.services.turn import answer_search
from voice.services.turn.ask import Ask


def _line(told: str, *, is_supported: bool) -> str:
    source = {"id": "s1", "text": "Ada repaired the old kiln in spring. The neighbours of Ada helped."}
    label = "supported" if is_supported else "unsupported"
    return json.dumps({"id": told, "set": "x", "question": "", "sources": [source], "answer": told, "label": label})


def test_plain_likenesses_are_measured_on_the_same_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "x.jsonl"
    lines = (
        _line("Ada repaired the old kiln in spring.", is_supported=True),
        _line("Ada sold forty zebras to a sultan.", is_supported=False),
    )
    data.write_text("\n".join(lines), encoding="utf-8")

    assert lexical.main(["--data", str(data), "--json"]) == 0
    found = cast("dict[str, dict[str, float]]", json.loads(capsys.readouterr().out))["x"]

    assert list(found) == [*lexical.MEASURES, "the score"]
    assert set(found.values()) == {1.0}
    assert lexical.main(["--data", str(data)]) == 0
    assert "by hand" in capsys.readouterr().out


@pytest.mark.parametrize("name", lexical.MEASURES)
def test_a_plain_measure_is_low_for_a_copy_and_defined_for_nothing(name: str) -> None:
    measure = lexical.MEASURES[name]
    source = ("Ada repaired the old kiln in 1994.", "Boris helped.")

    assert measure(lexical.Compared(source[0], source)) == 0.0
    assert measure(lexical.Compared("Zoe bought 12 yaks.", source)) > 0.5
    assert measure(lexical.Compared("", ())) <= 2.0
    assert measure(lexical.Compared("Ada wept.", ())) >= 1.0


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lexical.main(["--data", str(tmp_path / "missing.jsonl")]) == DataFileError.exit_code
    assert "missing.jsonl" in capsys.readouterr().err


ROOT = Path(__file__).resolve().parents[3]


def test_a_share_of_no_trials_is_a_dash_and_not_a_zero() -> None:
    assert share(0.0, of=0) == "–"
    assert share(0.0, of=3) == "0.000"
    assert share(0.98765, of=40, digits=4) == "0.9877"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("target", ["grounding", "e2e-llm"])
def test_make_says_that_there_is_no_data_where_it_was_told_to_look(target: str, tmp_path: Path) -> None:
    command = ["make", "-n", target, f"DATA={tmp_path}"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == 2
    assert f"no data in {tmp_path}" in ran.stderr


@pytest.mark.parametrize(
    ("option", "value", "least"),
    [
        ("--rows", "0", 200),
        ("--rows", "-5", 200),
        ("--rows", "1", 200),
        ("--rows", "many", 200),
        ("--rows", "--5", 200),
        ("--dim", "1", 8),
        ("--dim", "1e3", 8),
        ("--adds", "0", 1),
    ],
)
def test_a_number_that_cannot_be_measured_with_is_an_error_of_its_argument(
    capsys: pytest.CaptureFixture[str], option: str, value: str, least: int
) -> None:
    with pytest.raises(SystemExit) as left:
        main([f"{option}={value}"])
    assert left.value.code == 2
    assert f"argument {option}: must be a whole number, {least} or more" in capsys.readouterr().err


def test_every_watched_function_is_called_by_a_service_and_put_back() -> None:
    judging = vars(answer_search)["judge_passages"]
    assert Ask
    with pure_parts_watched(Watch()):
        assert vars(answer_search)["judge_passages"] is not judging
    assert vars(answer_search)["judge_passages"] is judging
