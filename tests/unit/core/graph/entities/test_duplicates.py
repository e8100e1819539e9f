"""Which entities are perhaps one, and which are surely two.

What is said of two bears out that they are one, or tells them apart.
"""

import struct
from math import inf, nan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.graph.entities import duplicates
from voice.core.graph.entities.duplicates import (
    NO_VECTOR,
    Bounds,
    Context,
    ContextVerdict,
    Duplicate,
    NameLikeness,
    bound_for,
    compare_contexts,
    context_cosine,
    context_of,
    find_duplicates,
    telling_words,
    with_contexts,
)
from voice.core.records import EntityName, VectorRow


def node(key: str, name: str, kind: str = "person", *aliases: str) -> EntityName:
    return EntityName(id=f"e:{key}", name=name, entity_type=kind, aliases=aliases)


def likeness(one: EntityName, other: EntityName) -> NameLikeness | None:
    found = find_duplicates([one, other])
    return found[0].likeness if found else None


@pytest.mark.parametrize(("one", "other", "expected"), tables(__file__)["names_are_alike_or_not"])
def test_names_are_alike_or_not(one: tuple[str, ...], other: tuple[str, ...], expected: str | None) -> None:
    nodes = node("1", *one), node("2", *other)
    assert likeness(*nodes) is likeness(*reversed(nodes)) is (NameLikeness[expected] if expected else None)


def test_what_is_said_of_them_tells_two_apart_or_bears_out_that_they_are_one() -> None:
    buys, sells, plain = node("1", "Beth"), node("2", "Beth"), node("3", "Beth")
    said = {
        "e:1": Context(words=telling_words(["Beth buys glazes.", "A customer from Porto."], buys)),
        "e:2": Context(words=telling_words(["Beth sells houses for the agency."], sells)),
    }
    assert "beth" not in said["e:1"].words
    pairs = find_duplicates([plain, sells, buys])
    assert [(pair.one, pair.other) for pair in pairs] == [("e:1", "e:2"), ("e:1", "e:3"), ("e:2", "e:3")]
    assert [(pair.one, pair.other) for pair in with_contexts(pairs, said)] == [("e:1", "e:3"), ("e:2", "e:3")]
    agreed = said | {"e:3": Context(words=telling_words(["She sold a house."], plain))}
    assert with_contexts(pairs, agreed) == (Duplicate(one="e:2", other="e:3", likeness=NameLikeness.NAME, score=0.95),)


_names = st.lists(st.sampled_from(["Anna", "Lund", "Ana", "Margarethe", "Margarehte", "Kiln Co", "KilnCo"]), max_size=6)


@given(_names, st.randoms(use_true_random=False))
def test_it_does_not_matter_in_which_order_they_come_and_none_is_its_own_double(
    names: list[str], chance: Random
) -> None:
    nodes = [node(f"{place}", name) for place, name in enumerate(names)]
    shuffled = list(nodes)
    chance.shuffle(shuffled)
    found = find_duplicates(nodes)
    assert find_duplicates(shuffled) == found
    assert all(pair.one < pair.other for pair in found)
    assert len({(pair.one, pair.other) for pair in found}) == len(found)


def test_many_who_begin_alike_are_compared_with_none_but_the_name_they_share() -> None:
    """Two thousand Annas are two million pairs; each is perhaps the one who is only called Anna."""
    many = [node(f"{place:04}", f"Anna {chr(97 + place % 26)}{place}") for place in range(2_000)]
    compared = duplicates._neighbours({each.id: duplicates._names(each) for each in many})
    assert len(compared) < 100_000
    found = find_duplicates([*many[:100], node("whole", "Anna")])
    assert len(found) == 100
    assert {pair.other for pair in found} == {"e:whole"}


BOUNDS = Bounds(tells_apart=0.15, bears_out=0.42)
NAME, GLAZES, HOUSES = (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 0.0, 1.0)
BETWEEN = (1.0, 0.3, 0.95)


def vector(*places: float, model: str = "encoder", row_id: str = "o:1") -> VectorRow:
    return VectorRow(row_id=row_id, model=model, dim=len(places), data=struct.pack(f"<{len(places)}f", *places))


def context(*said: VectorRow, words: str = "", name: VectorRow | None = None, dim: int = 3) -> Context:
    return context_of(frozenset(words.split()), said, name, model="encoder", dim=dim)


def of(*said: tuple[float, ...], words: str = "") -> Context:
    return context(*(vector(*places) for places in said), words=words, name=vector(*NAME))


def test_a_context_is_the_mean_of_its_vectors_each_at_length_one() -> None:
    found = context(vector(0.0, 4.0, 0.0), vector(2.0, 0.0, 0.0), words="glaze")
    assert (found.words, found.mean, found.count, found.name) == ({"glaze"}, (0.5, 0.5, 0.0), 2, NO_VECTOR)


def test_vectors_of_another_encoder_or_length_or_without_one_are_passed_over() -> None:
    strange = (vector(0.0, 1.0, 0.0, model="other"), vector(0.0, 1.0), vector(nan, 0.0, 0.0), vector(inf, 0.0, 0.0))
    assert context(vector(1.0, 0.0, 0.0), *strange, name=strange[0]) == context(vector(1.0, 0.0, 0.0))
    assert context(*strange) == Context()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (of(GLAZES), of(GLAZES), 1.0),
        (of(GLAZES), of(HOUSES), 0.0),  # the name they share is nothing that is said of them
        (of((1.0, 1.0, 0.0)), of((1.0, -1.0, 0.0)), -1.0),
        (of(NAME), of(HOUSES), None),
        (of(), of(HOUSES), None),
        (context(vector(*GLAZES)), context(vector(*GLAZES)), None),
        (context(vector(*GLAZES)), of(GLAZES), 1.0),
        (context(vector(*GLAZES), name=vector(*HOUSES)), of(HOUSES), None),
    ],
)
def test_the_cosine_is_taken_beside_the_name(one: Context, other: Context, expected: float | None) -> None:
    found = context_cosine(one, other)
    assert (None if found is None else round(found, 6)) == expected


def test_a_bound_is_that_of_single_statements_and_rises_with_their_number() -> None:
    assert [round(bound_for(0.3, count, count), 6) for count in (1, 2)] == [0.3, round(0.6 / 1.3, 6)]
    assert bound_for(0.3, 1, 2) == bound_for(0.3, 2, 1)
    assert round(bound_for(0.3, 1, 2), 6) == round(0.3 / 0.65**0.5, 6)
    assert (bound_for(1.0, 3, 7), bound_for(0.0, 3, 7)) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # both point one way
        (of(GLAZES, words="glaze"), of(GLAZES, words="vase"), ContextVerdict.BEARS_OUT),
        # neither far apart nor close: words may tell apart, but one in common bears nothing out
        (of(BETWEEN, words="glaze"), of(GLAZES, words="glaze"), ContextVerdict.NOTHING),
        (of(BETWEEN, words="house"), of(GLAZES, words="glaze"), ContextVerdict.APART),
        # far apart, whatever words they have in common
        (of(HOUSES, words="order"), of(GLAZES, words="order"), ContextVerdict.APART),
        # no vector of one of them: words alone
        (of(words="order"), of(GLAZES, words="order"), ContextVerdict.BEARS_OUT),
        (of(words="house"), of(GLAZES, words="glaze"), ContextVerdict.APART),
        (of(), of(GLAZES, words="glaze"), ContextVerdict.NOTHING),
    ],
)
def test_vectors_decide_first_and_words_where_they_leave_it_open(
    one: Context, other: Context, expected: ContextVerdict
) -> None:
    assert compare_contexts(one, other, BOUNDS) is compare_contexts(other, one, BOUNDS) is expected


def test_an_encoder_that_was_not_measured_leaves_it_to_words() -> None:
    assert compare_contexts(of(HOUSES, words="order"), of(GLAZES, words="order"), None) is ContextVerdict.BEARS_OUT


def test_beth_the_customer_and_beth_the_agent_stay_two_though_both_have_orders() -> None:
    pair = Duplicate(one="e:1", other="e:2", likeness=NameLikeness.NAME, score=0.9)
    said = {"e:1": of(GLAZES, GLAZES, words="order glaze"), "e:2": of(HOUSES, HOUSES, words="order house")}
    assert with_contexts([pair], said, BOUNDS) == ()
    assert [each.score for each in with_contexts([pair], said)] == [0.95]


_places = st.floats(-1.0, 1.0, width=32)
_vectors = st.tuples(_places, _places, _places).filter(any).map(lambda places: vector(*places))
_said = st.lists(_vectors, max_size=5)
_words = st.sets(st.sampled_from(["glaze", "house", "order"])).map(" ".join)


def _context(said: list[VectorRow], words: str, name: VectorRow | None) -> Context:
    return context(*said, words=words, name=name)


_contexts = st.builds(_context, _said, _words, _vectors | st.none())


@given(_contexts, _contexts, st.sampled_from([BOUNDS, None]))
def test_it_does_not_matter_which_of_two_comes_first(one: Context, other: Context, bounds: Bounds | None) -> None:
    assert context_cosine(one, other) == context_cosine(other, one)
    assert compare_contexts(one, other, bounds) is compare_contexts(other, one, bounds)


@given(_said, st.randoms(use_true_random=False))
def test_it_does_not_matter_in_which_order_something_was_said(said: list[VectorRow], chance: Random) -> None:
    shuffled = list(said)
    chance.shuffle(shuffled)
    assert context(*shuffled) == context(*said)


@given(_said, st.lists(_vectors))
def test_rows_without_a_vector_of_ours_change_no_direction(said: list[VectorRow], others: list[VectorRow]) -> None:
    foreign = [vector(*struct.unpack("<3f", each.data), model="other") for each in others]
    assert context(*foreign, *said) == context(*said)


@given(_contexts, _contexts)
def test_a_cosine_is_a_cosine(one: Context, other: Context) -> None:
    found = context_cosine(one, other)
    assert found is None or -1.0 <= found <= 1.0


@given(st.floats(0.01, 1.0), st.integers(1, 50), st.integers(1, 50))
def test_more_is_asked_of_means_of_more(bound: float, one: int, other: int) -> None:
    assert bound_for(bound, one, other) <= bound_for(bound, one + 1, other) + 1e-12
    assert bound - 1e-12 <= bound_for(bound, one, other) <= 1.0 + 1e-12
