"""What holds for the exam of any memory."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_rows import AT, PEOPLE, maker_of, memory_of, of_note, row
from voice.core.exam.results import ANSWERABLE
from voice.core.records import Observation
from voice.core.text.words import stems_in

pytestmark = pytest.mark.requirement("cli:eval:questions")
_WORDS = st.sampled_from(["violin", "luthier", "Noor", "Ida Berg", "greenhouse", "Porzellan", "the", "und", "7"])
_TEXTS = st.lists(_WORDS | st.text(max_size=6), min_size=1, max_size=8).map(" ".join)


def _row(key: int, text: str, speaker: str | None, day: int) -> Observation:
    return row(
        str(key),
        text,
        speaker=speaker,
        thread="chat" if speaker else None,
        created_at=AT + timedelta(days=day),
        entity_ids=tuple(name.id for name in PEOPLE),
        provenance=of_note(str(day)),
    )


_ROWS = st.lists(st.tuples(_TEXTS, st.sampled_from([None, "Ana", "Bruno", "Öz"]), st.integers(0, 3)), max_size=12).map(
    lambda told: [_row(key, *each) for key, each in enumerate(told)]
)


@given(_ROWS, st.integers(0, 9), st.integers(5, 40))
def test_the_same_memory_and_seed_give_the_same_exam_in_whatever_order_the_rows_come(
    rows: Sequence[Observation], seed: int, n: int
) -> None:
    questions = maker_of(*rows, seed=seed).make(n)
    assert maker_of(*reversed(rows), seed=seed).make(n) == questions
    assert len(questions) <= n
    assert len({question.id for question in questions}) == len(questions)


@given(_ROWS, st.integers(0, 9))
def test_what_has_an_answer_is_answered_by_its_row_and_what_has_none_by_no_row(
    rows: Sequence[Observation], seed: int
) -> None:
    for question in maker_of(*rows, seed=seed).make(60):
        assert (question.row_id in question.accepted) == (question.kind in ANSWERABLE)
        assert bool(question.accepted) == (question.kind in ANSWERABLE)


@given(_ROWS)
def test_rows_hold_a_term_where_they_hold_all_its_words(rows: Sequence[Observation]) -> None:
    memory = memory_of(*rows)
    for one in memory.rows:
        for term in memory.rarest_terms(one):
            holding = [each.row_id for each in memory.holding(term)]
            assert one.row_id in holding
            assert holding == [each.row_id for each in memory.rows if stems_in(term.text) <= each.stems]
