"""The rules that say what answers are fitted on figures of questions, and no memory is judged by a rule that saw it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from bench import conversation_rule, note_rule
from bench.answer_layers import area
from bench.answerability import Options
from bench.rule_fit import FittedRule, Outcome, by_line, held_out, logistic
from bench.vault import read_questions

from tables import tables
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts
from voice.core.errors import RerankerUnavailable
from words_reranker import WordsReranker

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:D5")

SAID = [
    ("Ada", "I moved the kiln from the garage to the garden shed."),
    ("Ben", "My new telescope arrived, and it is heavy."),
    ("Ada", "The kiln in the garden shed is far from the house."),
]
ASKED = TABLES["asked"]
NOTES = {
    "Kiln": "The kiln of the studio stands in the garden shed.\n",
    "Boats": "Boat number 3 is red.\n\nBoat number 12 is blue.\n",
}
QUESTIONS = TABLES["questions"]


@dataclass(frozen=True)
class Case:
    memory: str
    figures: tuple[float, ...]
    holds: bool


def fitted(cases: Sequence[Case]) -> FittedRule:
    return logistic(cases, [case.holds for case in cases], [1.0] * len(cases), l2=0.01)


CASES = [
    Case(memory, (figure, 1.0), figure > 2)
    for memory, figures in (("one", (0.0, 1.0, 4.0)), ("other", (0.0, 3.0, 5.0)))
    for figure in figures
]


def test_what_holds_is_over_what_does_not_by_the_weights_that_are_found() -> None:
    rule = fitted(CASES)
    assert all((rule.score(case) > 0) == case.holds for case in CASES)
    assert rule.by_name(["figure", "same"], line=1.0, digits=6) == {
        "bias": pytest.approx(rule.bias - 1.0),
        "figure": pytest.approx(rule.weights[0]),
        "same": pytest.approx(rule.weights[1]),
    }


def test_each_memory_is_scored_by_the_rule_of_all_others_and_one_alone_by_none() -> None:
    seen: list[set[str]] = []

    def watched(cases: Sequence[Case]) -> FittedRule:
        seen.append({case.memory for case in cases})
        return fitted(cases)

    told = held_out(CASES, watched)

    assert seen == [{"other"}, {"one"}]
    assert {memory: [case for case, _ in scored] for memory, scored in told.items()} == {
        "one": CASES[:3],
        "other": CASES[3:],
    }
    assert told["one"][0][1] == fitted(CASES[3:]).score(CASES[0])
    assert held_out(CASES[:3], fitted) == {}


def test_questions_are_right_wrong_or_refused_by_the_line_that_their_sums_are_over() -> None:
    outcomes = [
        Outcome(score=2.0, is_answerable=True, holds=True),
        Outcome(score=2.0, is_answerable=True, holds=False),
        Outcome(score=0.0, is_answerable=True, holds=True),
        Outcome(score=0.0, is_answerable=True, holds=True),
        Outcome(score=2.0, is_answerable=False, holds=False),
    ]
    assert by_line(outcomes, (1.0, 3.0)) == {
        "1.0": {"right": 0.25, "wrong": 0.25, "refused": 0.5, "answered though unanswerable": 1.0},
        "3.0": {"right": 0.0, "wrong": 0.0, "refused": 1.0, "answered though unanswerable": 0.0},
    }
    assert by_line((), (1.0,))["1.0"]["right"] == 0.0


async def test_a_conversation_gives_a_case_for_each_question_about_somebody_who_speaks(tmp_path: Path) -> None:
    path = tmp_path / "talks.json"
    items = [
        {"id": str(at), "speaker": who, "text": text, "thread": "s", "created_at": f"2026-03-0{at + 1}T10:00:00Z"}
        for at, (who, text) in enumerate(SAID)
    ]
    asked = [
        {"id": f"q{at}", "question": text, "category": 1, "evidence": ["0"] if given else [], "unanswerable": not given}
        for at, (text, given) in enumerate(ASKED)
    ]
    talks = [{"id": name, "items": items, "questions": asked} for name in ("first", "second")]
    path.write_text(json.dumps({"format": "memory-bench/1", "corpora": talks}), encoding="utf-8")

    cases = await conversation_rule.cases_of(Options(data=path), HashedEmbedder(64))

    assert [(case.memory, case.is_answerable) for case in cases] == [
        (talk, given) for talk in ("first", "second") for text, given in ASKED if "Ada" in text or "Ben" in text
    ]
    report = conversation_rule.report_on(cases)
    assert report["questions"] == len(cases)
    for rule, weights in (
        ("with cosines", conversation_rule.CONVERSATION_WEIGHTS),
        ("by words", conversation_rule.CONVERSATION_WEIGHTS_WITHOUT_COSINES),
    ):
        told = cast("dict[str, dict[str, object]]", report[rule])
        assert told["weights"].keys() == weights.keys()
        assert told["held out"]["0.0"] == {
            "right": 1.0,
            "wrong": 0.0,
            "refused": 0.0,
            "answered though unanswerable": 0.0,
        }


async def test_a_vault_gives_a_case_for_each_passage_that_may_be_about_what_is_asked(tmp_path: Path) -> None:
    vault, path = tmp_path / "vault", tmp_path / "questions.json"
    vault.mkdir()
    for name, text in NOTES.items():
        (vault / f"{name}.md").write_text(text, encoding="utf-8")
    questions = [{"kind": "fact", **question} for question in QUESTIONS]
    path.write_text(json.dumps({"format": "vault-bench/1", "questions": questions}), encoding="utf-8")
    parts = Parts(embedder=HashedEmbedder(64), reranker=WordsReranker())

    cases = await note_rule.cases_of(vault, read_questions(path), parts)

    assert {case.rule for case in cases} == {"read", "ranked", "unread", "by_words"}
    assert {case.question for case in cases if case.holds} == {"1", "2"}
    assert not any(case.question == "3" for case in cases), "no passage tells of boat number 7"
    report = note_rule.report_on(cases)
    assert all(cast("dict[str, object]", told)["held out"] == {} for told in report.values())


async def test_without_a_re_ranker_the_rule_of_notes_is_not_fitted(tmp_path: Path) -> None:
    with pytest.raises(RerankerUnavailable):
        await note_rule.cases_of(tmp_path, (), Parts(embedder=HashedEmbedder(64)))


def test_the_area_is_how_often_a_pair_that_answers_scores_above_one_that_does_not() -> None:
    answers = [True, False, True, False]
    assert area([4.0, 1.0, 3.0, 2.0], answers) == 1.0
    assert area([1.0, 4.0, 2.0, 3.0], answers) == 0.0
    assert area([4.0, 3.0, 1.0, 2.0], answers) == 0.5
