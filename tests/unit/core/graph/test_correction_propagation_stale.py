"""Whoever corrected a statement is told what still says the old thing."""

import pytest

from store_values import entity, observation, relation, thought
from voice.core.graph.correction_propagation import spoken, still_saying, stretches_saying
from voice.core.records import EntityName, GraphRow, Provenance, RowStatus

pytestmark = pytest.mark.requirement("ruling:F.6")
PEOPLE = (entity("anna", "Anna Lund", aliases=("Anna",)), entity("bergen", "Bergen"), entity("lisbon", "Lisbon"))
NODES = tuple(map(EntityName.of, PEOPLE))
CALLED = {node.id: node.name for node in NODES}
HERE = Provenance(thought_id="t:1", start=10, end=32)
ELSEWHERE = Provenance(thought_id="t:1", start=40, end=60)
BEFORE, AFTER = "Anna lives in Bergen.", "Anna lives in Lisbon."
LIVES = relation("1", "e:anna", "e:bergen", rel_type="lives_in", provenance=(ELSEWHERE,))


def told(*rows: GraphRow, before: str = BEFORE, after: str = AFTER) -> list[str]:
    return [row.id for row in still_saying(rows, before, after, nodes=NODES, places=(HERE,))]


def test_an_edge_of_the_kind_that_the_old_words_spell_out_or_that_rests_on_them_still_says_so() -> None:
    within = Provenance(thought_id="t:1", start=10, end=20)
    based = relation("2", "e:anna", "e:bergen", rel_type="based_in", provenance=(within,))
    assert told(based, LIVES) == ["r:1", "r:2"]
    assert spoken(LIVES, CALLED) == "Anna Lund --lives_in--> Bergen"


@pytest.mark.parametrize(
    "row",
    [
        relation("1", "e:anna", "e:bergen", rel_type="likes", provenance=(ELSEWHERE,)),
        relation("1", "e:anna", "e:bergen", rel_type="likes", provenance=(HERE, ELSEWHERE)),
        relation("1", "e:anna", "e:bergen", rel_type="likes"),
        relation("1", "e:anna", "e:lisbon", rel_type="lives_in"),
        relation("1", "e:anna", "e:gone", rel_type="lives_in"),
        relation("1", "e:anna", "e:bergen", rel_type="lives_in", status=RowStatus.SUPERSEDED),
        entity("anna", "Anna Lund", description="A potter."),
        entity("anna", "Anna Lund"),
        observation("1", BEFORE),
    ],
)
def test_what_says_something_else_is_not_told(row: GraphRow) -> None:
    assert told(row) == []
    assert told(row, LIVES) == ["r:1"]


def test_what_the_new_words_say_too_is_not_told() -> None:
    assert told(LIVES, after="Anna lives in Bergen since May.") == []
    assert told(LIVES, after=AFTER) == ["r:1"]
    assert told(entity("anna", "Anna", description="Lives in Bergen."), after="Anna lived in Bergen till May.") == []


def test_a_description_with_a_word_that_was_taken_back_still_says_so() -> None:
    potter = entity("anna", "Anna Lund", description="A potter from Bergen.")
    assert told(potter, LIVES) == ["e:anna", "r:1"]
    assert spoken(potter, CALLED) == "A potter from Bergen."


def test_a_live_note_whose_stretch_says_something_else_still_says_it() -> None:
    note = thought("1", f"Heard it: {BEFORE} She likes it.")
    here = Provenance(thought_id="t:1", start=10, end=10 + len(BEFORE))
    unknown = Provenance(thought_id="t:9", start=0, end=4)
    assert stretches_saying({"t:1": note}, AFTER, (here, here, unknown)) == {"t:1": BEFORE}
    assert stretches_saying({"t:1": note}, BEFORE.upper(), (here,)) == {}
    gone = thought("1", note.content, status=RowStatus.SUPERSEDED)
    assert stretches_saying({"t:1": gone}, AFTER, (here,)) == {}
