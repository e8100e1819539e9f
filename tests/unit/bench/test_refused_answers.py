"""Who is refused is counted by what an answer truly is, and a file too small is said to be."""

import json
from pathlib import Path
from typing import cast

import pytest
from bench import lexical, refusals
from bench.grounding import read_items

from voice.core.errors import DataFileError

NAMES = ("Ada", "Boris", "Clara", "Dora", "Emil", "Frida", "Gustav", "Hanna", "Ivo", "Jana", "Karl", "Lotte")
THINGS = (
    "kiln",
    "ferry",
    "orchard",
    "violin",
    "tractor",
    "mill",
    "archive",
    "bakery",
    "glacier",
    "loom",
    "kayak",
    "inn",
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "x.jsonl"
    lines = [
        _line(name, thing, is_supported=label)
        for name, thing in zip(NAMES, THINGS, strict=True)
        for label in (True, False)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _line(name: str, thing: str, *, is_supported: bool) -> str:
    season = "spring" if is_supported else "autumn"
    told = f"{name} repaired the old {thing} in {season}." if is_supported else f"{name} sold forty zebras to a sultan."
    source = {"id": "s1", "text": f"{name} repaired the old {thing} in {season}. The neighbours of {name} helped."}
    label = "supported" if is_supported else "unsupported"
    return json.dumps({"id": told, "set": "x", "question": "", "sources": [source], "answer": told, "label": label})


def test_an_answer_is_what_its_sentences_make_it(data: Path) -> None:
    told = refusals.answers_of(read_items(data), 12, 5)

    assert {one.kind for one in told} == set(refusals.KINDS)
    assert told == refusals.answers_of(read_items(data), 12, 5)
    for one in told:
        zebras = one.whole.answer.count("zebras")
        assert (one.kind == "good") is (zebras == 0)
        assert (one.kind == "under the minimum") is (bool(zebras) and refusals.true_coverage(one.parts) < 0.6)
        assert len(one.whole.evidence) == len(one.parts)


def test_the_true_pass_and_the_invented_are_refused_or_marked(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusals.main(["--data", str(data), "--answers", "10", "--json"]) == 0

    found = cast("dict[str, dict[str, dict[str, object]]]", json.loads(capsys.readouterr().out))["x"]
    assert found["good"]["refused"] == 0.0
    assert found["good"]["marked"] is None
    assert found["under the minimum"]["refused"] == 1.0
    assert found["between"]["marked"] == 1.0
    assert refusals.main(["--data", str(data), "--answers", "2"]) == 0
    assert "under the minimum" in capsys.readouterr().out


def test_plain_likenesses_are_measured_on_the_same_answers(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lexical.main(["--data", str(data), "--json"]) == 0

    found = cast("dict[str, dict[str, float]]", json.loads(capsys.readouterr().out))["x"]
    assert list(found) == [*lexical.MEASURES, "sentences alone", "judge"]
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


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small, missing = tmp_path / "small.jsonl", tmp_path / "missing.jsonl"
    small.write_text(_line("Ada", "kiln", is_supported=True), encoding="utf-8")

    assert refusals.main(["--data", str(small)]) == DataFileError.exit_code
    assert "too few answers of one sentence" in capsys.readouterr().err
    assert lexical.main(["--data", str(missing)]) == DataFileError.exit_code
    assert "missing.jsonl" in capsys.readouterr().err
