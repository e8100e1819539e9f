"""Which entities are perhaps one, and which are surely two."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.graph.entities import duplicates
from voice.core.graph.entities.duplicates import (
    Context,
    Duplicate,
    NameLikeness,
    find_duplicates,
    telling_words,
    with_contexts,
)
from voice.core.records import EntityName


def node(key: str, name: str, kind: str = "person", *aliases: str) -> EntityName:
    return EntityName(id=f"e:{key}", name=name, entity_type=kind, aliases=aliases)


def likeness(one: EntityName, other: EntityName) -> NameLikeness | None:
    found = find_duplicates([one, other])
    return found[0].likeness if found else None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (node("1", "Anna Lund"), node("2", "ANNA  LUND"), NameLikeness.NAME),
        (node("1", "Anna Lund", "person", "Annie"), node("2", "Annie"), NameLikeness.NAME),
        (node("1", "Surreal DB", "tool"), node("2", "SurrealDB", "tool"), NameLikeness.SPELLING),
        (node("1", "Margarethe Lund"), node("2", "Margarehte Lund"), NameLikeness.SLIP),
        (node("1", "Anna Lund"), node("2", "Anna Lundt"), NameLikeness.SLIP),
        (node("1", "Jon Smith"), node("2", "John Smith"), NameLikeness.SLIP),
        (node("1", "Mark II"), node("2", "Mark III"), None),
        (node("1", "Plan ten", "event"), node("2", "Plan teen", "event"), None),
        (node("1", "Jon"), node("2", "John"), None),
        (node("1", "Anna"), node("2", "Anna Lund"), NameLikeness.PART),
        (node("1", "Anna Lund"), node("2", "Lund"), NameLikeness.PART),
        (node("1", "Porto", "place"), node("2", "Porto Alegre", "place"), None),
        (node("1", "Anna Lund"), node("2", "Anna Roth"), None),
        (node("1", "Beth the customer"), node("2", "Beth the agent"), None),
        (node("1", "Release 2025", "event"), node("2", "Release 2026", "event"), None),
        (node("1", "Mercury", "place"), node("2", "Mercury", "tool"), None),
        (node("1", "Mercury", "place"), node("2", "Mercury", "concept"), NameLikeness.NAME),
        (node("1", "!?"), node("2", "!?"), None),
    ],
)
def test_names_are_alike_or_not(one: EntityName, other: EntityName, expected: NameLikeness | None) -> None:
    assert likeness(one, other) is expected
    assert likeness(other, one) is expected


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
