"""What the benchmark of `voice eval` makes of what it found."""

from typing import cast

from bench.exam import Found, ranking, report_on

from voice.core.exam.results import Mark, Outcome


def found(outcomes: tuple[Outcome, ...], gold: tuple[tuple[bool, bool], ...]) -> Found:
    marks = [Mark(question_id=f"{at}", kind="straight", outcome=one) for at, one in enumerate(outcomes)]
    return Found(marks=marks, gold=list(gold))


GOOD = found(("found", "found"), ((True, True), (False, True)))
FAIR = found(("found", "wrong"), ((True, True), (False, False)))
POOR = found(("wrong", "needlessly_refused"), ((True, False), (False, False)))


def test_settings_are_ranked_by_what_came_out_right() -> None:
    assert ranking({"a": 0.1, "b": 0.9, "c": 0.5}) == ["b", "c", "a"]
    report = report_on({"poor": POOR, "good": GOOD, "fair": FAIR}, seed=0)
    assert report["ranking_by_exam"] == report["ranking_by_gold"] == ["good", "fair", "poor"]
    assert (report["agrees"], report["pairs"], report["exam_questions"], report["gold_questions"]) == (
        True,
        "3 of 3",
        2,
        2,
    )
    good = cast("dict[str, dict[str, object]]", report["settings"])["good"]
    assert (good["exam"], good["gold"]) == (1.0, 1.0)
    assert good["gold_unanswerable_refused"] == {"share": 1.0, "n": 1}


def test_another_ranking_is_said() -> None:
    turned = Found(marks=POOR.marks, gold=GOOD.gold)
    report = report_on({"turned": turned, "fair": FAIR}, seed=0)
    assert (report["agrees"], report["pairs"]) == (False, "0 of 1")


def test_settings_that_the_exam_cannot_tell_apart_are_not_ranked_alike_where_gold_can() -> None:
    blind = Found(marks=GOOD.marks, gold=FAIR.gold)
    report = report_on({"blind": blind, "good": GOOD}, seed=0)
    assert (report["agrees"], report["pairs"]) == (False, "0 of 1")
    assert report_on({"same": GOOD, "good": GOOD}, seed=0)["agrees"]
