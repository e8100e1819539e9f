"""What the benchmark of answerability counts, on a memory of three notes."""

import json
from pathlib import Path
from typing import cast

import pytest
from bench.answerability import Options, main, read_corpora

from fakes.fake_provider import FakeProvider
from voice.core.errors import DataFileError

SAID = [
    ("1", "Ada", "I moved the kiln from the garage to the garden shed."),
    ("2", "Ben", "My new telescope arrived, and it is heavy."),
    ("3", "Ada", "The kiln in the garden shed is far from the house."),
]
ASKED: list[tuple[str, list[str], bool]] = [
    ("Where did Ada move the kiln?", ["1", "3"], False),
    ("Where is the kiln of Ada?", ["1"], False),
    ("When did Ada's telescope arrive?", ["2"], True),
    ("Which marathon did Ada run in Porto?", [], True),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    items = [
        {"id": one, "speaker": who, "text": text, "thread": "s", "created_at": f"2026-03-0{one}T10:00:00Z"}
        for one, who, text in SAID
    ]
    questions = [
        {"id": f"q{place}", "question": text, "category": 1, "evidence": evidence, "unanswerable": unanswerable}
        for place, (text, evidence, unanswerable) in enumerate(ASKED)
    ]
    path = tmp_path / "tiny.json"
    corpus = {"id": "tiny", "items": items, "questions": questions}
    path.write_text(json.dumps({"format": "memory-bench/1", "corpora": [corpus]}), encoding="utf-8")
    return path


def _report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, object]]:
    assert main(arguments) == 0
    return cast("dict[str, dict[str, object]]", json.loads(capsys.readouterr().out))


@pytest.mark.requirement("ruling:D5", "promise:2")
def test_both_settings_are_reported_over_all_and_over_what_was_retrieved(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "vectors"

    report = _report(capsys, "--data", str(data), "--cache", str(cache), "--json")

    assert report["questions"] == 4
    assert report["false_answer_rate"] == {policy: {"rate": 0.0, "n": 2} for policy in ("off", "green")}
    refused = cast("dict[str, dict[str, object]]", report["refusal_rate"])
    assert refused["green"]["all"] == {"rate": 0.0, "n": 2}
    assert [refused["green"][count] for count in ("1", "2", "3", "4+")] == [
        {"rate": 0.0, "n": 1},
        {"rate": 0.0, "n": 1},
        {"rate": None, "n": 0},
        {"rate": None, "n": 0},
    ]
    assert report["correct"]["green"] == {"rate": 1.0, "n": 2}
    rates = ("false_answer_rate", "refusal_rate", "correct")
    assert report["by_corpus"] == {"tiny": {key: report["retrieved"][key] for key in rates}}
    assert {path.stat().st_size for path in cache.iterdir()} == {4 * 384}


def test_as_many_questions_as_wanted_are_drawn_and_a_table_is_printed(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (corpus,) = read_corpora(Options(data=data, limit=2, seed=3))
    assert len(corpus.questions) == 2
    assert read_corpora(Options(data=data, limit=2, seed=3)) == [corpus]

    assert main(["--data", str(data), "--limit", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0].strip("| ").split(" |")[0] for line in lines if "one source" in line] == [
        "all, one source off",
        "all, one source green",
        "evidence retrieved, one source off",
        "evidence retrieved, one source green",
    ]


def test_a_model_writes_the_drafts_where_one_is_named(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that quotes the first rows whatever is asked is not refused beforehand: with a model nothing is."""
    with FakeProvider() as fake:
        named = ("--provider", "litellm", "--model", "openai/fake-success", "--api-base", fake.api_base("openai"))
        report = _report(capsys, "--data", str(data), "--limit", "4", "--json", *named)

        assert {request.model for request in fake.received} == {"fake-success"}
    assert report["provider"] == "litellm"
    assert report["false_answer_rate"] == {policy: {"rate": 1.0, "n": 2} for policy in ("off", "green")}


def test_a_file_of_another_format_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.json"
    path.write_text("[]", encoding="utf-8")

    assert main(["--data", str(path)]) == DataFileError("").exit_code
    assert "other.json is not a memory-bench/1 file" in capsys.readouterr().err
