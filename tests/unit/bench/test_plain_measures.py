"""Plain likenesses of words are taken of the same answers as the score, and a file that is not there is named."""

import json
from pathlib import Path
from typing import cast

import pytest
from bench import lexical

from voice.core.errors import DataFileError


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
