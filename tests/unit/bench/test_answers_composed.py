"""Answers of several sentences are ranked by all of them, and put together without a slip."""

import json
from pathlib import Path
from typing import cast

import pytest
from bench import composed
from bench.grounding import Read, answer_score, read_items
from hypothesis import given
from hypothesis import strategies as st

from voice.core.errors import DataFileError
from voice.core.text.sentences import sentences

GRADES = st.integers(min_value=0, max_value=9_000).map(lambda grade: grade / 1000)
SCORES = st.lists(GRADES, max_size=8)
LETTERS = "abcdefghijklm"


def _score(*scores: float) -> float:
    return answer_score(Read(scores=scores, strangeness=0.25))


def _line(number: int, label: str) -> str:
    letter = LETTERS[number]
    told = f"Kiln {letter}{letter} burned {letter}{letter}ware" if label == "supported" else f"Zebra {letter} sings"
    source = {"id": "s1", "text": f"Kiln {letter}{letter} burned {letter}{letter}ware. ({label})"}
    item = {"id": told, "set": "x", "question": "", "sources": [source], "answer": told, "label": label}
    return json.dumps({**item, "granularity": "sent"})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "x.jsonl"
    lines = [_line(number, label) for number in range(len(LETTERS)) for label in ("supported", "unsupported")]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@given(SCORES, GRADES)
def test_a_worse_sentence_makes_a_worse_answer(scores: list[float], more: float) -> None:
    assert _score(*scores, 9.0 + more) > _score(*scores)


@given(GRADES, GRADES)
def test_answers_of_one_sentence_and_like_wording_rank_as_their_sentences_do(one: float, other: float) -> None:
    assert (_score(one) <= _score(other)) is (one <= other)


def test_nothing_said_is_nothing_unsupported() -> None:
    assert _score() == 0.0


def test_an_answer_is_unsupported_exactly_when_a_sentence_of_it_is(data: Path) -> None:
    items = composed.compose(read_items(data), 40, 7)

    assert {item.is_unsupported for item in items} == {True, False}
    assert {len(sentences(item.answer)) for item in items} >= {2, 8}
    for item in items:
        assert item.is_unsupported is ("Zebra" in item.answer)
        aliases = [row.alias for row in item.evidence]
        assert len(set(aliases)) == len(aliases) == len(sentences(item.answer)) + 2
    assert composed.compose(read_items(data), 40, 7) == items


def test_every_way_of_adding_up_is_compared(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert composed.main(["--data", str(data), "--answers", "20", "--json"]) == 0

    found = cast("dict[str, dict[str, float]]", json.loads(capsys.readouterr().out))
    assert list(found["x"]) == [*composed.WAYS, "answer_score"]
    assert found["x"]["worst"] == 1.0
    assert composed.main(["--data", str(data), "--answers", "20"]) == 0
    assert "answer_score" in capsys.readouterr().out


def test_answers_of_one_label_have_no_rank() -> None:
    assert set(
        composed.figures_of([composed.Outcome(found=Read(scores=(), strangeness=0.0), is_unsupported=False)]).values()
    ) == {None}


def test_a_file_too_small_to_compose_of_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(_line(0, "supported"), encoding="utf-8")

    with pytest.raises(DataFileError, match="10 of either label"):
        composed.compose(read_items(path), 1, 7)
    assert composed.main(["--data", str(path)]) == DataFileError.exit_code
    assert "too few answers of one sentence" in capsys.readouterr().err
