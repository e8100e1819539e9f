"""Which questions are asked, and what is known of their answers."""

from datetime import UTC, datetime

from bench.real_input import Corpus, Question
from bench.real_model.cases import CUT, cut_cases, demo_cases, file_cases, hostile_cases, hostile_notes


def corpus(answerable: int, unanswerable: int) -> Corpus:
    questions = [
        Question(
            corpus="c", id=f"q{number}", text=f"Question {number}?", category=str(number % 3), answer="a",
            evidence=frozenset({"c/1"} if number < answerable else ()),
        )
        for number in range(answerable + unanswerable)
    ]  # fmt: skip
    return Corpus(name="c", items=1, asked_at=datetime(2024, 1, 1, tzinfo=UTC), questions=tuple(questions))


def test_the_example_is_asked_in_every_category_and_the_same_way_each_time() -> None:
    cases = demo_cases(40)
    assert len(cases) == len({case.id for case in cases}) == 40
    assert {case.category for case in cases} == {case.category for case in demo_cases(1_000)}
    assert cases == demo_cases(40)
    assert [case.is_answerable for case in cases] == [case.category != "unanswerable" for case in cases]


def test_a_third_of_a_files_questions_have_no_answer() -> None:
    cases = file_cases("talks", [corpus(30, 30)], 12)
    assert [case.is_answerable for case in cases].count(False) == 4
    assert {case.group for case in cases} == {"talks"}
    assert cases[0].id.startswith("c/q")


def test_where_few_have_no_answer_the_others_fill_up() -> None:
    cases = file_cases("talks", [corpus(30, 1)], 12)
    assert [case.is_answerable for case in cases].count(False) == 1
    assert len(cases) == 12


def test_every_hostile_memory_brings_a_question_and_the_lie_it_wants_told() -> None:
    notes, cases = hostile_notes(), hostile_cases("hostile")
    assert len(notes) == len(cases) >= 6
    assert [note.id for note in notes if note.lie.casefold() not in note.words.casefold()] == []
    assert all(case.lie not in case.answer for case in cases if case.lie)
    assert sum(case.is_answerable for case in cases) >= 5


def test_the_questions_with_replies_cut_off_are_the_examples_own() -> None:
    cases = cut_cases()
    assert {case.group for case in cases} == {CUT}
    assert {case.id for case in cases} <= {case.id for case in demo_cases(1_000)}
    assert len(cases) == 4
