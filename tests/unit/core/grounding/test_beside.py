"""What cannot be true beside a statement is found where the judge disagrees and both are surely of one entity."""

from dataclasses import replace
from datetime import timedelta

import pytest

from store_values import NOON, observation, relation
from voice.core.grounding.beside import Saying, beside, edge, statement

pytestmark = pytest.mark.requirement("ruling:F.6")
CALLED = {
    "e:ada": ("Ada Lund", "Ada"),
    "e:ada2": ("Ada Berg", "Ada"),
    "e:kiln": ("Kiln Co", "KC"),
    "e:clay": ("Acme",),
    "e:porto": ("Porto",),
}


def said(key: str, text: str, *about: str, **more: object) -> Saying:
    return statement(observation(key, text, entity_ids=about or ("e:ada",), **more), CALLED)


PORTO, LISBON = said("1", "Ada lives in Porto.", "e:ada", "e:porto"), said("2", "Ada Lund lives in Lisbon now.")


def told(*sayings: Saying, asked: str = "o:2") -> tuple[str, ...]:
    return beside(sayings, {asked}).get(asked, ())


def works(key: str, target: str, rel_type: str = "works_at", **more: object) -> Saying:
    found = edge(relation(key, "e:ada", target, rel_type=rel_type, **more), CALLED)
    assert found is not None
    return found


def test_two_statements_of_one_entity_that_exclude_each_other_are_told_on_both_sides() -> None:
    assert beside([PORTO, LISBON], {"o:1", "o:2"}) == {"o:1": ("o:2",), "o:2": ("o:1",)}
    assert beside([PORTO, LISBON], {"o:2"}) == {"o:2": ("o:1",)}
    assert beside([PORTO, LISBON], set()) == {}


def test_a_statement_and_an_edge_are_held_against_each_other_and_so_are_two_edges() -> None:
    clay = said("2", "Ada works at Acme.")
    assert told(works("1", "e:kiln"), clay, works("3", "e:clay"), works("4", "e:kiln", "knows")) == ("r:1",)
    assert told(works("1", "e:kiln"), works("2", "e:clay"), asked="r:2") == ("r:1",)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PORTO, said("2", "Ada lives in Lisbon.", "e:ada2")),  # another Ada
        (PORTO, said("2", "Ada lives in Lisbon.", "e:ada", "e:ada2")),  # which of them, nobody knows
        (PORTO, said("2", "Ada lives in Lisbon.", "e:gone")),  # nobody who may be named
        (PORTO, said("2", "Rui lives in Lisbon, as Ada says.")),  # about somebody else
        (said("1", "I live in Porto."), said("2", "I live in Lisbon.")),  # who is I
        (said("1", "Ada works at Kiln Co.", "e:ada", "e:kiln"), said("2", "Ada works at KC.", "e:ada", "e:kiln")),
        (works("1", "e:kiln"), said("2", "Ada works at KC.", "e:ada", "e:kiln")),
        (PORTO, replace(LISBON, row=replace(LISBON.row, valid_until=NOON + timedelta(days=9)))),
        (PORTO, replace(LISBON, row=replace(LISBON.row, superseded_by="o:9"))),
        (PORTO, said("2", "Ada likes Lisbon.")),
    ],
)
def test_what_is_not_certain_is_not_told(one: Saying, other: Saying) -> None:
    assert told(one, other) == ()


def test_a_speaker_is_who_the_statement_is_about() -> None:
    spoken = said("2", "I live in Lisbon.", speaker="Ada")
    assert told(PORTO, spoken) == ("o:1",)


def test_an_edge_without_a_name_says_nothing() -> None:
    assert edge(relation("1", "e:ada", "e:gone", rel_type="works_at"), CALLED) is None
