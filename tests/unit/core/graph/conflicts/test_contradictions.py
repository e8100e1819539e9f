"""Edges that cannot both be true are told, and nothing else is."""

from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import relation
from voice.core.graph.conflicts.contradictions import Claim, contradictions

pytestmark = pytest.mark.requirement("ruling:F.6")
MARCH, MAY, JUNE = (datetime(2025, month, 1, tzinfo=UTC) for month in (3, 5, 6))


def claim(key: str, target: str, *, since: datetime | None = None, until: datetime | None = None) -> Claim:
    return Claim(id=key, source="e:anna", rel_type="lives_in", target=target, valid_from=since, valid_until=until)


PORTO, LISBON = claim("r:1", "e:porto"), claim("r:2", "e:lisbon")


def test_two_homes_at_once_contradict_each_other_and_the_same_one_twice_does_not() -> None:
    assert contradictions([LISBON, PORTO, PORTO]) == (("r:1", "r:2"),)
    assert contradictions([PORTO, claim("r:3", "E:PORTO")]) == ()


def test_one_home_after_another_is_a_move() -> None:
    until, since = claim("r:1", "e:porto", until=MAY), claim("r:2", "e:lisbon", since=MAY)
    assert contradictions([until, since]) == contradictions([since, until]) == ()
    assert contradictions([until, claim("r:3", "e:faro", since=MARCH, until=JUNE)]) == (("r:1", "r:3"),)


def test_what_one_may_have_many_of_and_what_leaves_another_node_is_no_contradiction() -> None:
    knows = [Claim(id=f"r:{n}", source="e:anna", rel_type="knows", target=f"e:{n}") for n in range(3)]
    other = Claim(id="r:9", source="e:rui", rel_type="lives in", target="e:porto")
    assert contradictions([*knows, LISBON, other]) == ()
    assert contradictions([*knows, LISBON, other, PORTO]) == (("r:1", "r:2"),)


def test_a_stored_relation_claims_what_it_says() -> None:
    row = relation("1", "e:anna", "e:porto", rel_type="lives_in", valid_until=MAY)
    assert Claim.of(row) == claim("r:1", "e:porto", until=MAY)


Told = list[tuple[str, datetime | None, datetime | None]]
_times = st.none() | st.sampled_from([MARCH, MAY, JUNE])


@given(st.lists(st.tuples(st.sampled_from("abc"), _times, _times), max_size=5), st.randoms(use_true_random=False))
def test_it_does_not_matter_in_which_order_they_are_told(told: Told, chance: Random) -> None:
    claims = [claim(f"r:{n}", target, since=since, until=until) for n, (target, since, until) in enumerate(told)]
    shuffled = list(claims)
    chance.shuffle(shuffled)
    assert contradictions(shuffled) == contradictions(claims)
