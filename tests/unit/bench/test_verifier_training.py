"""What the cross-encoder is trained on, how it is measured, and what its file says of itself."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from subprocess import CompletedProcess
from typing import cast

import pytest
from bench.grounding import THRESHOLD, read_answer, read_items
from bench.verifier import __main__ as command
from bench.verifier.examples import Example, read_examples
from bench.verifier.figures import HeldOut, Lines, best_weight, by_set, lines_of, mean_of, metadata_of, weighed
from bench.verifier.model_file import with_metadata
from bench.verifier.scoring import measure_with

from onnx_file import METADATA, onnx_bytes, write_onnx
from voice.adapters.verifiers.cross_encoder import open_cross_encoder
from voice.core.errors import ConfigurationError, DataFileError

KILN = "The kiln moved to the shed in March."


def line(answer: str, label: str, name: str = "x") -> str:
    sources = [{"id": "s1", "text": f"{KILN} Three people carried it there."}]
    return json.dumps({"set": name, "sources": sources, "answer": answer, "label": label})


def data(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def held_out(score: float, *, bad: bool, answer: int, lexical: float = 1.0, fold: int = 0, name: str = "x") -> HeldOut:
    example = Example(
        fold=fold,
        set_name=name,
        answer=answer,
        is_unsupported=bad,
        is_trained_on=True,
        is_open=True,
        lexical=lexical,
        pieces=[],
        marks=[],
    )
    return HeldOut(example=example, logit=score, slope=0.0)


class TestExamples:
    def test_of_a_bad_answer_only_what_no_good_one_says_is_trained_on(self, tmp_path: Path) -> None:
        path = data(
            tmp_path / "a.jsonl",
            line(f"{KILN} Five horses pulled a red cart.", "unsupported"),
            line(KILN, "supported"),
        )
        made = read_examples([[path]])
        assert [(one.answer, one.is_unsupported, one.is_trained_on) for one in made] == [
            (0, True, False),
            (0, True, True),
            (1, False, True),
        ]

    def test_with_nothing_to_compare_the_worst_sentence_takes_the_label(self, tmp_path: Path) -> None:
        path = data(tmp_path / "a.jsonl", line(f"Horses love marmalade. {KILN}", "unsupported"))
        assert [one.is_trained_on for one in read_examples([[path]])] == [True, False]

    def test_answers_are_numbered_over_all_files_and_folds(self, tmp_path: Path) -> None:
        one = data(tmp_path / "a.jsonl", line(KILN, "supported"))
        two = data(tmp_path / "b.jsonl", line(KILN, "supported", "y"), line("What a day!", "unsupported", "y"))
        made = read_examples([[one], [two]])
        assert [(each.fold, each.answer, each.set_name) for each in made][:2] == [(0, 0, "x"), (1, 1, "y")]

    def test_a_file_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(DataFileError, match=r"gone\.jsonl"):
            read_examples([[tmp_path / "gone.jsonl"]])


class TestFigures:
    def test_an_answer_is_as_bad_as_its_worst_sentence(self) -> None:
        found = [
            held_out(0.1, bad=True, answer=0),
            held_out(0.9, bad=True, answer=0),
            held_out(0.5, bad=False, answer=1),
        ]
        assert by_set(found)["x"] == {"lexical": 0.5, "model alone": 1.0, "stacked": 1.0}

    def test_a_set_of_one_class_is_measured_against_its_fold(self) -> None:
        found = [
            held_out(0.9, bad=True, answer=0, name="swapped"),
            held_out(0.1, bad=False, answer=1, name="true"),
            held_out(2.0, bad=False, answer=2, name="true", fold=1),
        ]
        measured = by_set(found)
        assert list(measured) == ["swapped"]
        assert measured["swapped"]["stacked"] == 1.0
        assert mean_of(measured, "stacked") == 1.0
        assert mean_of({}, "stacked") is None

    def test_lines_lie_where_nine_of_ten_are_right(self) -> None:
        good = [held_out(float(at), bad=False, answer=at, lexical=3.0) for at in range(10)]
        bad = [held_out(10.0 + at, bad=True, answer=10 + at) for at in range(10)]
        lines = lines_of([*good, *bad])
        assert lines == Lines(even=9.0, support=9.0, doubt=10.0)
        said = metadata_of(lines, slope=0.5, weight=0.3)
        assert (said["support"], said["slope"], said["weight"], said["bias"]) == (0.5, 0.5, 0.3, -9.0)
        assert said["doubt"] < said["support"]

    def test_where_no_line_is_sure_the_model_never_votes(self) -> None:
        mixed = [held_out(0.0, bad=at % 2 == 0, answer=at, lexical=3.0) for at in range(10)]
        lines = lines_of(mixed)
        assert (lines.support, lines.doubt) == (None, None)
        said = metadata_of(lines, slope=0.5, weight=1.0)
        assert (said["support"], said["doubt"]) == (1.0, 0.0)

    def test_a_model_that_misleads_weighs_nothing_and_each_fold_is_weighed_by_the_others(self) -> None:
        def fold(number: int, sign: float) -> list[HeldOut]:
            name = f"set {number}"
            bad = held_out(sign, bad=True, answer=2 * number, lexical=2.0, fold=number, name=name)
            good = held_out(-sign, bad=False, answer=2 * number + 1, lexical=1.0, fold=number, name=name)
            return [replace(bad, slope=0.1), replace(good, slope=0.1)]

        wrong, right = fold(0, -1.0), fold(1, 1.0)
        assert best_weight(wrong) == 0.0
        assert best_weight([replace(one, slope=-0.1) for one in right]) == 0.15
        assert {one.example.fold: one.weight for one in weighed([*wrong, *right])} == {0: 0.0, 1: 0.0}


class TestTheFile:
    def test_what_a_file_says_of_itself_is_put_at_its_end(self, tmp_path: Path) -> None:
        path = tmp_path / "m.onnx"
        path.write_bytes(with_metadata(onnx_bytes(None), json.dumps({**METADATA, "support": 0.75})))
        assert open_cross_encoder(path).info.thresholds.support == 0.75

    def test_long_words_keep_their_length(self) -> None:
        assert with_metadata(b"", "x" * 300).endswith(b"x" * 300)

    def test_another_sentence_encoder_is_not_trained_on(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(command, "_WEIGHTS", "model.safetensors")

        def says_where(*_command: object, **_options: object) -> CompletedProcess[str]:
            return CompletedProcess([], 0, stdout=f"{tmp_path}\n")

        monkeypatch.setattr(command.subprocess, "run", says_where)
        with pytest.raises(command.TrainingFailed, match="has no sentence encoder"):
            command.checked_weights(tmp_path)
        (tmp_path / "model.safetensors").write_bytes(b"another")
        with pytest.raises(command.TrainingFailed, match="sha256 differs"):
            command.checked_weights(tmp_path)

    def test_one_fold_is_not_enough_to_know_anything(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            command.main(["--data", "a.jsonl"])
        assert "at least two folds" in capsys.readouterr().err


class TestBothModels:
    """With a worker that knows the labels where it was shown what was made, and nothing where it was not."""

    @pytest.fixture
    def jobs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
        (tmp_path / "model.safetensors").write_bytes(b"weights")
        monkeypatch.setattr(command, "_WEIGHTS", "model.safetensors")
        monkeypatch.setattr(command, "WEIGHTS_SHA256", sha256(b"weights").hexdigest())
        seen: list[dict[str, object]] = []

        def works(arguments: list[str], **options: object) -> CompletedProcess[str]:
            if "-c" in arguments:
                return CompletedProcess([], 0, stdout=f"{tmp_path}\n")
            assert cast("dict[str, str]", options["env"])["ORT_DISABLE_TELEMETRY"] == "1"
            path = Path(arguments[-1])
            job = json.loads(path.read_text("utf-8"))
            seen.append(job)
            held_out = {
                arm: [None if row["made"] else [2.0 * row["label"] * with_made, 0.1] for row in job["examples"]]
                for arm, with_made in job["arms"].items()
            }
            result = {"held_out": held_out, "slope": None, "cpu_s": 1.5}
            path.with_suffix(".result.json").write_text(json.dumps(result), "utf-8")
            return CompletedProcess([], 0)

        monkeypatch.setattr(command.subprocess, "run", works)
        return seen

    def arguments(self, place: Path) -> list[str]:
        talk = "Ada moved the old kiln to Bergen in March with three friends. The glaze dries slowly near the window."
        sources = [{"id": "s1", "text": talk}]
        answers = (
            ("Ada moved the old kiln to Bergen.", "supported"),
            ("Ada sold the old kiln in Oslo.", "unsupported"),
        )
        folds = ["--python", str(place / "python")]
        for name in ("x", "y"):
            lines = [
                json.dumps({"set": name, "sources": sources, "answer": answer, "label": label})
                for answer, label in answers
            ]
            folds += ["--data", str(data(place / f"{name}.jsonl", *lines))]
        return folds

    def test_both_stand_side_by_side_and_the_second_one_counts(
        self, jobs: list[dict[str, object]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command.main([*self.arguments(tmp_path), "--made", "6", "--most", "1", "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert (report["sentences"], report["trained_on"]) == (4, 1)
        assert set(report["made"]) >= {"true"}
        assert report["arms"]["labelled"]["mean"]["model alone"] == 0.5
        assert report["arms"]["labelled and made"]["mean"]["model alone"] == report["mean"]["model alone"] == 1.0
        assert list(report["sets"]) == ["x", "y"], "what is made is never measured"
        assert jobs[0]["arms"] == {"labelled": False, "labelled and made": True}

    def test_without_made_pairs_there_is_one(
        self, jobs: list[dict[str, object]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command.main(self.arguments(tmp_path)) == 0
        printed = capsys.readouterr().out
        assert "labelled: model alone" in printed
        assert "made" not in printed
        assert jobs[0]["arms"] == {"labelled": False}


class TestTheMeasure:
    def test_even_odds_lie_at_the_threshold_and_new_words_count_against_a_claim(self, tmp_path: Path) -> None:
        path = data(tmp_path / "a.jsonl", line("The kiln moved.", "supported"), line("The oven sank.", "unsupported"))
        measure = measure_with(write_onnx(tmp_path / "m.onnx", {**METADATA, "slope": 0.0, "bias": 0.0}), THRESHOLD)
        (held,), (new,) = (read_answer(item, measure).scores for item in read_items(path))
        assert held == pytest.approx(THRESHOLD)
        assert new > THRESHOLD + 1

    def test_a_sentence_that_nobody_is_asked_about_keeps_its_lexical_measure(self, tmp_path: Path) -> None:
        path = data(tmp_path / "a.jsonl", line("No.", "unsupported"))
        measure = measure_with(write_onnx(tmp_path / "m.onnx"), THRESHOLD)
        (item,) = read_items(path)
        assert read_answer(item, measure) == read_answer(item)

    def test_a_file_that_is_no_cross_encoder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="not a cross-encoder"):
            measure_with(write_onnx(tmp_path / "m.onnx", None), 1.65)
