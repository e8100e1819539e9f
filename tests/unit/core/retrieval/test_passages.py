"""Passages: sentences of one thought joined around what was found."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_rows import AT, candidate, entity, observation, thought
from voice.core.records import Observation, Provenance
from voice.core.retrieval.passages import (
    PASSAGE_CHARS,
    Passage,
    Sentence,
    has_ended,
    join_passages,
    nearby,
    tells_no_end,
    thought_of,
    without_ended_neighbours,
)
from voice.core.retrieval.values import Candidate
from voice.core.text.instants import UNDATED

pytestmark = pytest.mark.requirement("ruling:I1")
Places = Mapping[str, Sequence[Sentence]]


def sentence(key: str, start: int, text: str, *, path: tuple[str, ...] = ("Gate",), of: str = "t:1") -> Candidate:
    place = Provenance(thought_id=of, start=start, end=start + len(text))
    return candidate(replace(observation(key, text), provenance=(place,), context_path=path))


def place_of(row: Candidate) -> Provenance:
    assert isinstance(row.row, Observation)
    return row.row.provenance[0]


def note(*texts: str, path: tuple[str, ...] = ("Gate",)) -> list[Candidate]:
    rows: list[Candidate] = []
    for number, text in enumerate(texts):
        start = place_of(rows[-1]).end + 1 if rows else 0
        rows.append(sentence(str(number), start, text, path=path))
    return rows


def places_of(rows: Sequence[Candidate]) -> Places:
    found: dict[str, list[Sentence]] = {}
    for row in rows:
        place = place_of(row)
        found.setdefault(place.thought_id, []).append(Sentence(place.start, place.end, row.row.id))
    return found


def texts(hits: Sequence[Candidate], rows: Sequence[Candidate], limit: int = 9) -> list[str]:
    visible = {row.row.id: row for row in rows}
    return [passage.text for passage in join_passages(hits, places_of(rows), visible, limit=limit)]


def test_a_found_sentence_stands_among_its_neighbours_in_the_order_of_the_text() -> None:
    rows = note("The gate broke.", "Rust.", "So I bought oil.")
    (passage,) = join_passages([rows[1]], places_of(rows), {row.row.id: row for row in rows}, limit=9)
    assert passage.text == "The gate broke.\nRust.\nSo I bought oil."
    assert passage.hit is rows[1]
    assert passage.placed_text == "Gate\nThe gate broke.\nRust.\nSo I bought oil."


def test_a_passage_does_not_cross_a_heading() -> None:
    one, other = note("In the yard.", path=("Home", "Yard")), note("In the hall.", path=("Home", "Hall"))
    moved = sentence("9", 20, "In the hall.", path=("Home", "Hall"))
    assert other
    assert texts([one[0]], [*one, moved]) == ["In the yard."]


def outline(*lines: tuple[str, tuple[str, ...]]) -> list[Candidate]:
    rows: list[Candidate] = []
    for number, (text, over) in enumerate(lines):
        start = place_of(rows[-1]).end + 1 if rows else 0
        rows.append(sentence(str(number), start, text, path=("Gate", *over)))
    return rows


@pytest.mark.parametrize(
    ("found", "joined"),
    [
        pytest.param(1, "- Paint\n  - Red\n    - two coats", id="a bullet takes what hangs under it"),
        pytest.param(2, "- Paint\n  - Red\n    - two coats", id="a bullet stands under what it hangs from"),
        pytest.param(3, "- Paint\n  - Red\n    - two coats", id="over two steps"),
        pytest.param(0, "- Hinge", id="a bullet does not take what hangs under the next heading"),
    ],
)
def test_bullets_stand_with_what_hangs_under_them(found: int, joined: str) -> None:
    rows = outline(
        ("- Hinge", ("Iron",)),
        ("- Paint", ()),
        ("  - Red", ("Paint",)),
        ("    - two coats", ("Paint", "Red")),
        ("- Lock", ("Iron", "Old")),
    )
    assert texts([rows[found]], rows) == [joined]


def test_a_sentence_without_letters_hangs_under_nothing() -> None:
    rows = outline(("—", ()), ("In the yard.", ("Yard",)))
    assert texts([rows[1]], rows) == ["In the yard."]


def test_a_sentence_that_may_not_be_seen_ends_a_passage() -> None:
    rows = note("One.", "Two.", "Three.")
    visible = {row.row.id: row for row in (rows[0], rows[2])}
    (passage,) = join_passages([rows[0]], places_of(rows), visible, limit=9)
    assert passage.text == "One."


@pytest.mark.requirement("grounding:ended")
def test_a_neighbour_that_has_ended_is_left_out() -> None:
    rent, stands = candidate(observation("1", "The rent.")), candidate(observation("2", "It costs 665 euros."))
    ended, undated = (
        candidate(replace(observation("0", "It costs 640 euros.", at=at), valid_until=AT)) for at in (AT, UNDATED)
    )
    passage = Passage(rows=(ended, rent, stands), found=1)
    assert without_ended_neighbours(passage, AT) == Passage(rows=(rent, stands), found=0)
    assert without_ended_neighbours(passage, AT - timedelta(seconds=1)) == passage
    assert without_ended_neighbours(replace(passage, found=0), AT) == replace(passage, found=0)
    assert [has_ended(each, AT) for each in (ended, rent, candidate(thought("1")))] == [True, False, False]
    assert [tells_no_end(undated, AT), tells_no_end(ended, AT), tells_no_end(undated, None)] == [True, False, False]


def test_a_sentence_stands_in_one_passage_only() -> None:
    rows = note("One.", "Two.", "Three.")
    assert texts([rows[2], rows[0]], rows) == ["One.\nTwo.\nThree."]


def test_no_more_passages_are_joined_than_wanted() -> None:
    rows = [sentence(str(number), 0, "Rust.", of=f"t:{number}") for number in range(4)]
    assert texts(rows, rows, limit=2) == ["Rust.", "Rust."]


def test_a_passage_grows_onwards_first_and_keeps_to_its_budget() -> None:
    long = "x" * (PASSAGE_CHARS // 3)
    rows = note(*(f"{number}{long}" for number in range(5)))
    assert [text[0] for text in texts([rows[2]], rows)[0].split("\n")] == ["2", "3"]


def test_a_row_that_is_no_sentence_is_a_passage_of_its_own() -> None:
    tom = candidate(entity("tom", "Tom", "A friend."))
    (passage,) = join_passages([tom], {}, {}, limit=9)
    assert (passage.rows, passage.context_path, passage.placed_text) == ((tom,), (), tom.text)
    assert thought_of(tom) is None
    assert nearby([tom], {}) == ()


@given(lengths=st.lists(st.integers(1, 400), min_size=1, max_size=12), data=st.data())
def test_what_is_near_holds_every_passage(lengths: list[int], data: st.DataObject) -> None:
    rows = note(*("x" * length for length in lengths))
    hit = data.draw(st.sampled_from(rows))
    near = nearby([hit], places_of(rows))
    visible = {row.row.id: row for row in rows if row.row.id in near}
    every = {row.row.id: row for row in rows}
    (some,) = join_passages([hit], places_of(rows), visible, limit=1)
    (whole,) = join_passages([hit], places_of(rows), every, limit=1)
    assert some == whole
    assert hit in some.rows
    assert len(some.rows) == 1 or sum(len(row.text) for row in some.rows) <= PASSAGE_CHARS


def test_a_row_that_is_no_sentence_joins_no_passage() -> None:
    rows = note("The gate sticks.", "Oil it in May.")
    visible = {rows[0].row.id: rows[0], rows[1].row.id: candidate(entity("tom", "Tom", "A friend."))}
    (passage,) = join_passages(rows[:1], places_of(rows), visible, limit=1)
    assert passage.text == "The gate sticks."
