"""What a row says, as one text (ruling C19)."""

from dataclasses import replace
from itertools import permutations

import pytest

from retrieval_rows import entity, observation, relation, thought
from voice.core.graph.row_display import is_evidence, render_row
from voice.core.records import Relation, RowStatus

ADA = entity("ada", "Ada", "my sister")
ACME = entity("acme", "Acme", entity_type="organisation")
BERLIN = entity("berlin", "Berlin", entity_type="place")
ENTITIES = {each.id: each for each in (ADA, ACME, BERLIN)}
WORKS = relation("1", "ada", "works_at", "acme", "since 2024, as an engineer")
LIVES = relation("2", "ada", "lives_in", "berlin")


def test_a_thought_and_an_observation_say_their_own_words() -> None:
    assert render_row(thought("1", "Ran  5 km.\n"), entities={}, relations=()) == "Ran  5 km.\n"
    assert render_row(observation("1", "Ada moved."), entities=ENTITIES, relations=(WORKS,)) == "Ada moved."


@pytest.mark.requirement("ruling:C19", "ruling:C2")
@pytest.mark.parametrize("relations", list(permutations((WORKS, LIVES))))
def test_an_entity_says_its_description_and_where_its_relations_lead(relations: tuple[Relation, ...]) -> None:
    text = render_row(ADA, entities=ENTITIES, relations=relations)
    assert text == "Ada (person): my sister; lives in → Berlin; works at → Acme"


@pytest.mark.requirement("ruling:C19")
def test_a_relation_names_both_ends_and_says_its_description() -> None:
    assert render_row(WORKS, entities=ENTITIES, relations=()) == "Ada —works at→ Acme: since 2024, as an engineer"
    assert render_row(LIVES, entities=ENTITIES, relations=()) == "Ada —lives in→ Berlin"


def test_a_relation_shows_at_its_source_only() -> None:
    assert render_row(ACME, entities=ENTITIES, relations=(WORKS, LIVES)) == "Acme (organisation)"


def test_the_same_relation_stated_twice_shows_once() -> None:
    again = replace(WORKS, id="r:3")
    assert render_row(ADA, entities=ENTITIES, relations=(WORKS, again)) == "Ada (person): my sister; works at → Acme"


@pytest.mark.parametrize("status", [RowStatus.REMOVAL, RowStatus.SUPERSEDED, RowStatus.REDACTED])
def test_a_relation_that_is_no_longer_true_does_not_show(status: RowStatus) -> None:
    assert render_row(ADA, entities=ENTITIES, relations=(replace(WORKS, status=status),)) == "Ada (person): my sister"


@pytest.mark.requirement("promise:6")
def test_an_entity_that_may_not_be_seen_is_not_named_by_what_points_at_it() -> None:
    visible = {ADA.id: ADA}
    assert render_row(ADA, entities=visible, relations=(WORKS,)) == "Ada (person): my sister"
    assert render_row(WORKS, entities=visible, relations=()).startswith("Ada —works at→ (unknown)")
    assert not is_evidence(WORKS, entities=visible, relations=())


@pytest.mark.requirement("ruling:C19")
def test_a_bare_name_is_not_evidence() -> None:
    assert not is_evidence(ACME, entities=ENTITIES, relations=(WORKS,))
    assert is_evidence(ADA, entities=ENTITIES, relations=())
    assert is_evidence(replace(ADA, description=" "), entities=ENTITIES, relations=(LIVES,))
    assert is_evidence(LIVES, entities=ENTITIES, relations=())


def test_blank_words_are_not_evidence() -> None:
    assert is_evidence(thought("1", "x"), entities={}, relations=())
    assert not is_evidence(thought("1", " \n"), entities={}, relations=())
    assert is_evidence(observation("1", "x"), entities={}, relations=())
    assert not is_evidence(observation("1", " "), entities={}, relations=())
