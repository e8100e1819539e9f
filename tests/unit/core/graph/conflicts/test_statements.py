"""What speaks against what, by the words of both."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statement_rows import stated
from tables import tables
from voice.core.graph.conflicts.contradictions import OpposedStatements, near, neighbours, opposed
from voice.core.graph.conflicts.statements import statements_of
from voice.core.records import Observation

TABLES = tables(__file__)

HOT = "The kiln fires at 1200 degrees."
HOTTER = "The kiln fires at 1250 degrees."
KILNS = (stated("8", "The oven holds 12 trays.", "Oven"), stated("9", "The oven holds 14 trays.", "Oven"))


def of(*rows: Observation) -> tuple[OpposedStatements, ...]:
    return opposed(statements_of(rows))


def differences(*rows: Observation) -> list[str]:
    return [pair.difference for pair in of(*rows)]


def between(one: str, other: str) -> list[str]:
    return differences(stated("1", one, "Note"), stated("2", other, "Note"))


@pytest.mark.requirement("conflicts:found")
@pytest.mark.parametrize(
    ("one", "other", "difference"), TABLES["the_same_said_with_one_number_day_name_or_denial_apart_is_opposed"]
)
def test_the_same_said_with_one_number_day_name_or_denial_apart_is_opposed(
    one: str, other: str, difference: str
) -> None:
    assert between(one, other) == [difference]


@pytest.mark.requirement("conflicts:found")
@pytest.mark.parametrize(("one", "other"), TABLES["what_may_both_be_so_is_not"])
def test_what_may_both_be_so_is_not(one: str, other: str) -> None:
    assert between(one, other) == []
    assert differences(stated("1", one, "Note"), stated("2", other, "Note"), *KILNS) == ["number"]


@pytest.mark.requirement("conflicts:supposed")
@pytest.mark.parametrize("other", TABLES["what_is_not_told_as_so_opposes_nothing"])
def test_what_is_not_told_as_so_opposes_nothing(other: str) -> None:
    assert between(HOT, other) == []
    assert between(HOT, HOTTER) == ["number"]


@pytest.mark.requirement("conflicts:supposed")
@pytest.mark.parametrize(("one", "other"), TABLES["a_number_that_tells_which_one_opposes_no_other"])
def test_a_number_that_tells_which_one_opposes_no_other(one: str, other: str) -> None:
    assert between(one, other) == []
    assert differences(stated("1", one, "Note"), stated("2", other, "Note"), *KILNS) == ["number"]


@pytest.mark.requirement("conflicts:supposed")
def test_words_that_are_filled_in_in_many_ways_are_a_list() -> None:
    rows = [stated(str(n), f"The kiln fires at {n} degrees.", "Note") for n in (900, 1000, 1100, 1200)]
    assert differences(*rows[:3]) == ["number"] * 3
    assert differences(*rows) == []
    labels = [stated(str(n), f"Price: {n} euros", "Kiln", f"Fair {n}", "Shop") for n in (1, 2, 3, 4)]
    assert differences(*labels) == []


@pytest.mark.requirement("conflicts:time")
def test_what_is_of_one_day_opposes_no_other_day() -> None:
    assert differences(stated("1", HOT, "2026-03-01"), stated("2", HOTTER, "2026-03-02")) == []
    assert differences(stated("1", HOT, "2026-03-01"), stated("2", HOTTER, "2026-03-01")) == ["number"]
    monthly = [stated("1", HOT, "2020 August", "2"), stated("2", HOTTER, "2020 August", "3")]
    assert differences(*monthly) == []
    told = [stated(str(n), f"I have seen {n} herons at the weir.", day=f"2026-03-0{n}", speaker="Ann") for n in (1, 2)]
    assert differences(*told) == []


@pytest.mark.requirement("conflicts:time")
def test_of_a_state_that_changes_the_later_one_is_a_change_and_of_one_that_lasts_it_is_not() -> None:
    (move,) = of(
        stated("1", "Anna lives in Porto.", "2026-06-02", day="2026-06-02"),
        stated("2", "Anna lives in Lisbon.", "2024-05-01", day="2024-05-01"),
    )
    assert (move.one.row_id, move.other.row_id, move.is_change) == ("o:2", "o:1", True)
    (birth,) = of(
        stated("1", "Anna was born in Porto.", "2026-06-02", day="2026-06-02"),
        stated("2", "Anna was born in Lisbon.", "2024-05-01", day="2024-05-01"),
    )
    assert not birth.is_change
    (rent,) = of(
        stated("1", "Our rent is 900 euros a month.", "Flat", day="2024-05-01"),
        stated("2", "Our rent is 950 euros a month.", "Flat", day="2026-05-01"),
    )
    assert rent.is_change
    (undated,) = of(stated("1", HOT, "Kiln"), stated("2", HOTTER, "Kiln", day="2026-05-01"))
    assert (undated.one.row_id, undated.is_change) == ("o:2", False), "what was told first stands first, undated last"


@pytest.mark.requirement("conflicts:time")
@pytest.mark.parametrize(("one", "other", "found"), TABLES["in_a_log_the_same_is_told_of_what_happens_again"])
def test_in_a_log_the_same_is_told_of_what_happens_again(one: str, other: str, found: tuple[str, ...]) -> None:
    log = [stated(said, said, day="2026-03-01", thread="port") for said in (one, other)]
    assert tuple(differences(*log)) == found


@pytest.mark.requirement("conflicts:found")
def test_what_people_say_of_themselves_is_of_each() -> None:
    ann = stated("1", "I have known the herons for 4 years.", day="2026-03-01", speaker="Ann")
    bob = stated("2", "I have known the herons for 5 years.", day="2026-03-01", speaker="Bob")
    again = stated("3", "I have known the herons for 6 years.", day="2026-03-01", speaker="Ann")
    assert differences(ann, bob) == []
    assert differences(ann, again) == ["number"]
    homes = [
        stated(key, f"I live in {town}.", speaker=who, day="2026-03-01")
        for key, town, who in (("1", "Porto", "Ann"), ("2", "Faro", "Bob"), ("3", "Braga", "Ann"))
    ]
    (own,) = of(*homes)
    assert (own.one.row_id, own.other.row_id) == ("o:1", "o:3")
    assert between("She lives in Porto.", "She lives in Faro.") == [], "nobody says who she is"


PLACED = TABLES["what_stands_in_fields_cells_and_notes_is_compared_where_it_is_of_one_thing"]


@pytest.mark.requirement("conflicts:found")
@pytest.mark.parametrize("case", PLACED)
def test_what_stands_in_fields_cells_and_notes_is_compared_where_it_is_of_one_thing(case: str) -> None:
    """Each is a text with the headings above it."""
    one, other, *found = PLACED[case]
    assert differences(stated("1", *one), stated("2", *other)) == found


@pytest.mark.requirement("conflicts:cost")
def test_the_pairs_that_are_compared_grow_with_the_rows() -> None:
    def pairs(count: int) -> int:
        rows = [stated(str(n), f"The kiln of house{n % (count // 4)} fires at {n} degrees.") for n in range(count)]
        return len(list(near(list(statements_of(rows)), 0.0)))

    assert 0 < pairs(800) <= 2.1 * pairs(400)
    alike = [stated(str(n), f"The kiln fires at {n} degrees.", f"Note {n}") for n in range(1, 60)]
    assert list(near(list(statements_of(alike)), 0.0)) == [], "a word that is everywhere looks up nothing"


def test_a_statement_is_read_without_marks_and_keeps_what_only_looks_like_one() -> None:
    assert next(statements_of([stated("1", "The **[kiln](a)** fires `__x__`", "K")])).said == "The kiln fires `__x__`"


@pytest.mark.requirement("conflicts:verifier")
def test_near_statements_of_one_thing_at_one_time_are_those_to_be_asked_about() -> None:
    rows = [
        stated("1", "The kiln in the shed is used every day.", "Kiln"),
        stated("2", "The kiln in the shed is broken.", "Kiln"),
        stated("3", "The kiln in the shed is broken today.", "2026-03-01"),
        stated("4", HOT, "Kiln"),
        stated("5", HOTTER, "Kiln"),
    ]
    found = neighbours(list(statements_of(rows)), most=5)
    assert [(one.row_id, other.row_id) for one, other in found] == [("o:1", "o:2")]
    assert neighbours(list(statements_of(rows)), most=0) == ()


_HOMES, _PRICES = ("Anna lives in Lisbon.", "Anna lives in Porto."), ("Price: 900 euros", "Price: 950 euros")
_SENTENCES = [HOT, HOTTER, *_HOMES, *_PRICES, "Hm."]


@given(st.lists(st.tuples(st.sampled_from(_SENTENCES), st.sampled_from(["Kiln", "Shed"])), max_size=6), st.randoms())
def test_no_order_of_the_rows_makes_a_difference(said: list[tuple[str, str]], chance: object) -> None:
    rows = [stated(str(n), text, title) for n, (text, title) in enumerate(said)]
    mixed = list(rows)
    getattr(chance, "shuffle")(mixed)  # noqa: B009 - hypothesis' own type of chance has no name

    def pairs(some: Sequence[Observation]) -> list[tuple[str, str, str]]:
        return [(pair.one.row_id, pair.other.row_id, pair.difference) for pair in of(*some)]

    assert pairs(mixed) == pairs(rows)
    assert all(one != other for one, other, _ in pairs(rows))
