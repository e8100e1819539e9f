"""The answer in the sources' own words, and the thought it is kept as."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import NOON, thought
from voice.core.organise.contract import ANSWER_CHARS, answer_of, saved_answer
from voice.core.records import EmbeddingStatus, Origin, RowStatus, Scope, Thought
from voice.core.text.normalise import norm_v1


@pytest.mark.requirement("s1:flow:3")
def test_the_answer_is_the_first_line_of_the_best_three() -> None:
    texts = ["\n  The kiln moved.\nIt is heavy.", "It stands in the shed.", "Marta fired it.", "A fourth."]
    assert answer_of(texts) == "The kiln moved.\nIt stands in the shed.\nMarta fired it."


@pytest.mark.requirement("s1:flow:3")
def test_a_heading_is_the_answer_only_where_nothing_stands_below_it() -> None:
    assert answer_of(["# Kiln\n\n## Shed\nIt moved.", "# Nothing yet\n", "#7 is the big one.\nYes."]) == (
        "It moved.\n# Nothing yet\n#7 is the big one."
    )


def test_a_line_that_says_the_same_is_left_out_and_nothing_gives_nothing() -> None:
    assert answer_of(["Diary\nOne.", "DIARY\nTwo.", "Rain."]) == "Diary\nRain."
    assert answer_of([]) == answer_of([" \n\u200b"]) == ""


@pytest.mark.requirement("s1:flow:3", "ruling:C12")
def test_a_long_answer_ends_with_a_sentence_and_never_with_the_first_one() -> None:
    told = "Yes. " + " ".join(f"The kiln fired bowl number {number} on Sunday." for number in range(40))
    answer = answer_of([told])
    assert 450 <= len(answer) <= ANSWER_CHARS
    assert answer.endswith("Sunday.")


@pytest.mark.requirement("s1:flow:3")
@given(st.lists(st.text(max_size=900), max_size=5))
def test_every_line_of_an_answer_is_the_beginning_of_a_source_line(texts: list[str]) -> None:
    answer = answer_of(texts)
    assert len(answer) <= ANSWER_CHARS
    lines = [line.strip() for text in texts[:3] for line in text.splitlines() if norm_v1(line)]
    assert all(any(line.startswith(part.rstrip()) for line in lines) for part in answer.split("\n") if part)
    assert answer_of(texts) == answer


@pytest.mark.requirement("s1:flow:4", "s1:storage:fields", "ruling:A13", "ruling:A20")
def test_what_is_kept_is_marked_as_the_inner_voices_own() -> None:
    sources = (thought("a", "One."), thought("b", "Two."))
    kept = saved_answer("One.\nTwo.", sources, row_id="t:new", now=NOON)
    expected = Thought(
        id="t:new",
        content="One.\nTwo.",
        created_at=NOON,
        recorded_at=NOON,
        origin=Origin.MODEL,
        is_summary=True,
        summary_of=("t:a", "t:b"),
        pipeline="inner_voice",
        significance=0.5,
        status=RowStatus.ACTIVE,
        embedding_status=EmbeddingStatus.PENDING,
    )
    assert kept == expected
    assert kept.is_synthesis


@pytest.mark.requirement("ruling:C10")
def test_what_is_kept_is_no_less_private_than_its_sources() -> None:
    mine = Scope(repo_id="r")
    sources = (thought("a", scope=mine, tags=("x",)), thought("b", scope=mine, tags=("y",), is_private=True))
    kept = saved_answer("One.", sources, row_id="t:new", now=NOON)
    assert (kept.is_private, kept.tags, kept.scope) == (True, ("x", "y"), mine)
