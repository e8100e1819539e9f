"""What was distilled before an entity was approved comes to speak of it, once."""

import pytest

from store_values import entity, observation
from voice.core.graph.entity_names import NameIndex, with_new_entities
from voice.core.records import EntityName, RowStatus

pytestmark = pytest.mark.requirement("ruling:A21", "ruling:C10")
ADA, KILN = entity("ada", "Ada Lund", aliases=("Ada",)), entity("kiln", "Kiln Co")
INDEX = NameIndex.of(map(EntityName.of, (ADA, KILN)))


def test_an_observation_that_names_an_entity_gains_it_behind_what_it_had() -> None:
    before = observation("1", "Ada moved to Kiln Co.", entity_ids=("e:kiln",), revision=3)
    (row,) = with_new_entities([before], INDEX, {"e:ada"})
    assert (row.entity_ids, row.revision, row.text) == (("e:kiln", "e:ada"), 4, before.text)
    assert with_new_entities([row], INDEX, {"e:ada", "e:kiln"}) == ()


def test_what_names_none_of_them_or_holds_no_more_stays_as_it_is() -> None:
    other, gone = observation("1", "Kiln Co moved."), observation("2", "Ada moved.", status=RowStatus.SUPERSEDED)
    assert with_new_entities([other, gone], INDEX, {"e:ada"}) == ()
    assert len(with_new_entities([other, observation("2", "Ada moved.")], INDEX, {"e:ada"})) == 1
