"""Links between notes, as the graph holds them."""

import pytest

from store_values import entity, observation, relation
from voice.core.graph.entity_names import NOTE_TYPE, NameIndex, fixed_vector, is_bare_note
from voice.core.records import LINKS_TO

pytestmark = pytest.mark.requirement("ruling:I5:links")


def test_a_link_and_a_bare_title_say_nothing_and_a_word_about_them_does() -> None:
    link, title = (
        relation("1", "e:1", "e:2", rel_type=LINKS_TO, description=""),
        entity("1", "Go", entity_type=NOTE_TYPE),
    )
    assert (is_bare_note(link), is_bare_note(title), is_bare_note(observation("1", "x"))) == (True, True, False)
    assert not is_bare_note(relation("1", "e:1", "e:2", rel_type=LINKS_TO, description="As told."))
    assert not is_bare_note(entity("1", "Go", entity_type=NOTE_TYPE, description="A game."))


def test_a_title_is_no_name_that_is_looked_for_in_texts() -> None:
    rows = (entity("1", "go", entity_type=NOTE_TYPE), entity("2", "Ada"))
    (only,) = NameIndex.of(rows).mentions("Ada said: go.")
    assert only.ids == ("e:2",)


def test_a_vector_that_says_nothing_is_of_the_encoders_dimension() -> None:
    vector = fixed_vector("e:1", "model", 3)
    assert (vector.row_id, vector.model, vector.dim, len(vector.data)) == ("e:1", "model", 3, 12)
