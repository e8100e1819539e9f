"""Drafts of strong models are judged one by one, and what a verifier said of them once can be judged again."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from bench.admission.verifiers import honest
from bench.drafts.__main__ import judge_files, main, nobody
from bench.drafts.figures import figures_of
from bench.drafts.judging import judged
from bench.drafts.reading import case_of, read_drafts
from bench.drafts.verdicts import Record, key_of, read_replies

from voice.core.errors import DataFileError

OWN = Path(__file__).parents[3] / "bench" / "data" / "drafts.jsonl"
SOURCE = {"id": "S1", "text": "The kiln fires at 1240 degrees.", "date": "2025-03-01", "speaker": None, "kind": None}
Line = dict[str, object]


def _draft(text: str, *, is_true: bool, draft_id: str = "one", **others: object) -> Line:
    cited = [{"source_id": "S1", "span": SOURCE["text"]}]
    return {
        "id": draft_id,
        "question": "How hot is the kiln?",
        "stance": "synthesize",
        "today": "2025-06-20",
        "sources": [SOURCE],
        "sentences": [{"text": text, "kind": "claim", "citations": cited, "true": is_true, "error_kind": None}],
        "refused": False,
        "label": "right" if is_true else "wrong",
        "style": "natural" if is_true else None,
        "error_kind": None if is_true else "wrong_number",
        **others,
    }


RIGHT = _draft("It reaches 1240 degrees.", is_true=True)
CLOSE = _draft("The kiln fires at 1240 degrees.", is_true=True, draft_id="close", style="close")
WRONG = _draft("It reaches 1420 degrees.", is_true=False, draft_id="wrong")


def _written(path: Path, lines: Sequence[Line]) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def _report(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, dict[str, object]]:
    assert main([*map(str, arguments), "--json"]) == 0
    return cast("dict[str, dict[str, object]]", json.loads(capsys.readouterr().out))


def _clean(report: dict[str, dict[str, object]]) -> list[float | None]:
    right = cast("dict[str, dict[str, float | None]]", report["right"])
    return [right["natural"]["clean"], right["close"]["clean"], cast("float | None", report["wrong"]["clean"])]


def test_without_a_verifier_only_what_is_word_for_word_is_clean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = _report(capsys, "--data", _written(tmp_path / "x.jsonl", (RIGHT, CLOSE, WRONG)))

    assert _clean(report) == [0.0, 1.0, 0.0]
    assert report["verification"] == {"name": "none", "asked": 2, "claims": 2, "unanswered": 2}
    assert report["claims"]["false_doubts"] == 0.5


def test_verdicts_by_draft_lift_what_they_support(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = _written(tmp_path / "x.jsonl", (RIGHT, CLOSE, WRONG))
    said: list[Line] = [
        {"id": "one", "verdicts": ["supported"], "answers_question": True},
        {"id": "wrong", "verdicts": ["contradicted"], "answers_question": True},
    ]

    report = _report(capsys, "--data", data, "--replay", _written(tmp_path / "said.jsonl", said))

    assert _clean(report) == [1.0, 1.0, 0.0]
    assert report["wrong"]["by_reason"] == {"contradiction": 1.0}
    assert report["verification"]["unanswered"] == 0


def test_a_wrong_draft_that_a_verifier_believes_is_counted_by_its_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    false = _draft("It stands in the yard.", is_true=False, draft_id="wrong", error_kind="invented_detail")
    said: list[Line] = [{"id": "wrong", "verdicts": ["supported"], "answers_question": True}]
    data, replies = _written(tmp_path / "x.jsonl", [false]), _written(tmp_path / "said.jsonl", said)

    report = _report(capsys, "--data", data, "--replay", replies)

    assert report["wrong"]["by_kind"] == {"invented_detail": {"n": 1, "clean": 1.0}}
    assert report["claims"]["false_ticks"] == 1.0


def test_requests_that_were_recorded_are_answered_by_their_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, kept = _written(tmp_path / "x.jsonl", (RIGHT, CLOSE, WRONG)), tmp_path / "kept.jsonl"
    _report(capsys, "--data", data, "--record", kept)
    asked = [cast("Line", json.loads(line)) for line in kept.read_text(encoding="utf-8").splitlines()]
    words = [{"source_id": "S1", "words": "fires at 1240 degrees", "doubt": None}]
    for line in asked:
        verdict = "supported" if line["drafts"] == ["one"] else "not_stated"
        line["reply"] = {"claims": [{"number": 1, "words": words, "verdict": verdict}], "answers_question": True}

    report = _report(capsys, "--data", data, "--replay", _written(kept, asked))

    assert _clean(report) == [1.0, 1.0, 0.0]
    assert report["verification"]["unanswered"] == 0


def test_a_reply_of_another_shape_and_one_to_another_draft_are_no_answer(tmp_path: Path) -> None:
    case = case_of(RIGHT)
    record = Record()
    unheard = judged(case, nobody)
    assert unheard.asked is not None
    record.keep(case, unheard.asked, None)
    lines: list[Line] = [
        {"key": key_of(unheard.asked), "reply": {"claims": []}},
        {"id": "wrong", "verdicts": ["supported", "supported"], "answers_question": None},
    ]
    replay = read_replies([_written(tmp_path / "said.jsonl", lines)])

    assert replay(case, unheard.asked) is None
    assert replay.malformed == 1
    assert judged(case_of(WRONG), replay).reply is None


def test_what_a_verifier_said_is_recorded_so_that_it_can_be_replayed(tmp_path: Path) -> None:
    cases = [case_of(line) for line in (RIGHT, WRONG)]
    record = Record()
    for case in cases:
        heard = judged(case, honest)
        assert heard.asked is not None
        record.keep(case, heard.asked, heard.reply)
    record.write(tmp_path / "kept.jsonl")

    replay = read_replies([tmp_path / "kept.jsonl"])

    assert [judged(case, replay).outcome for case in cases] == ["clean", "refused"]


def test_a_whole_reply_is_read_and_judged_as_one(tmp_path: Path) -> None:
    reply = {"answer": SOURCE["text"], "sources": [{"source_id": "S1", "span": SOURCE["text"]}], "refused": False}
    whole = {key: value for key, value in CLOSE.items() if key != "sentences"} | {"reply": reply}
    path = _written(tmp_path / "x.jsonl", (whole, {**whole, "id": "two", "label": "wrong"}))

    figures = figures_of(judge_files([path], nobody)["x.jsonl"])

    assert cast("dict[str, dict[str, object]]", figures["right"])["close"]["clean"] == 1.0
    assert cast("dict[str, object]", figures["wrong"])["clean"] == 1.0


def _right(figures: object) -> dict[str, object]:
    right = cast("dict[str, dict[str, dict[str, object]]]", figures)["right"]
    return {style: own["n"] for style, own in right.items()}


def test_disputed_drafts_and_those_that_refuse_are_told_apart() -> None:
    drafts: tuple[Line, ...] = (
        RIGHT,
        {**CLOSE, "disputed": True},
        {**RIGHT, "id": "no", "sentences": [], "refused": True, "style": None},
    )

    figures = figures_of([judged(case_of(line), nobody) for line in drafts])

    apart = {key: _right(figures[key]) for key in ("disputed", "refusing")}
    assert (apart["disputed"]["close"], apart["refusing"]["other"]) == (1, 1)
    assert _right(figures) == {"natural": 1, "close": 0}


def test_an_answer_to_another_question_counts_as_shown_where_it_is_accepted() -> None:
    true = {**CLOSE, "label": "wrong", "style": None, "error_kind": "off_topic"}

    assert judged(case_of(true), nobody).outcome == "clean"


@pytest.mark.parametrize("line", ["{}", "[]", '{"label": "odd"}'])
def test_a_broken_line_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(line, encoding="utf-8")

    assert main(["--data", str(path)]) == DataFileError.exit_code
    assert "line 1: not a line of drafts-bench/1" in capsys.readouterr().err
    assert main(["--data", str(OWN), "--replay", str(path)]) == DataFileError.exit_code


def test_two_files_of_one_name_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path / "a" / "x"), "--data", str(tmp_path / "b" / "x")]) == 2
    assert "same name" in capsys.readouterr().err


def test_our_own_drafts_are_half_right_and_an_honest_verifier_passes_them() -> None:
    cases = read_drafts(OWN)
    outcomes = [(case.label, judged(case, honest).outcome == "clean") for case in cases]

    assert len(cases) == 66
    assert set(outcomes) == {("right", True), ("wrong", False)}
    assert outcomes.count(("right", True)) == 33


def test_the_table_has_a_line_for_each_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = _written(tmp_path / "x.jsonl", (RIGHT, WRONG)), _written(tmp_path / "y.jsonl", (CLOSE,))

    assert main(["--data", str(one), "--data", str(two)]) == 0

    assert "right, natural" in capsys.readouterr().out
