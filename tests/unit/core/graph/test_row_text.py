"""What a row says, as one text (ruling C19)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from voice.core.graph.row_display import is_evidence, render_row
from voice.core.records import Entity, Observation, Origin, Relation, RowStatus, Thought

_AT = datetime(2026, 3, 5, 14, tzinfo=UTC)


def _entity(key: str, name: str, description: str = "", entity_type: str = "person") -> Entity:
    return Entity(
        id=f"e:{key}",
        created_at=_AT,
        recorded_at=_AT,
        origin=Origin.HUMAN,
        name=name,
        entity_type=entity_type,
        description=description,
    )


def _relation(key: str, source: str, rel_type: str, target: str, description: str = "") -> Relation:
    return Relation(
        id=f"r:{key}",
        created_at=_AT,
        recorded_at=_AT,
        origin=Origin.HUMAN,
        source_id=f"e:{source}",
        target_id=f"e:{target}",
        rel_type=rel_type,
        description=description,
    )


ADA = _entity("ada", "Ada", "my sister")
ACME = _entity("acme", "Acme", entity_type="organisation")
BERLIN = _entity("berlin", "Berlin", entity_type="place")
ENTITIES = {entity.id: entity for entity in (ADA, ACME, BERLIN)}
WORKS = _relation("1", "ada", "works_at", "acme", "since 2024, as an engineer")
LIVES = _relation("2", "ada", "lives_in", "berlin")


def _thought(content: str) -> Thought:
    return Thought(id="t:1", created_at=_AT, recorded_at=_AT, origin=Origin.HUMAN, content=content)


def _observation(text: str) -> Observation:
    return Observation(id="o:1", created_at=_AT, recorded_at=_AT, origin=Origin.HUMAN, text=text)


def test_a_thought_and_an_observation_say_their_own_words() -> None:
    assert render_row(_thought("Ran  5 km.\n"), entities={}, relations=()) == "Ran  5 km.\n"
    assert render_row(_observation("Ada moved."), entities=ENTITIES, relations=(WORKS,)) == "Ada moved."


@pytest.mark.requirement("ruling:C19", "ruling:C2")
def test_an_entity_says_its_description_and_where_its_relations_lead() -> None:
    text = render_row(ADA, entities=ENTITIES, relations=(WORKS, LIVES))
    assert text == "Ada (person): my sister; lives in → Berlin; works at → Acme"


@pytest.mark.requirement("ruling:C19")
def test_a_relation_names_both_ends_and_says_its_description() -> None:
    assert render_row(WORKS, entities=ENTITIES, relations=()) == "Ada —works at→ Acme: since 2024, as an engineer"
    assert render_row(LIVES, entities=ENTITIES, relations=()) == "Ada —lives in→ Berlin"


@pytest.mark.requirement("ruling:C19")
def test_the_text_of_an_entity_does_not_depend_on_the_order_of_its_relations() -> None:
    forwards = render_row(ADA, entities=ENTITIES, relations=(WORKS, LIVES))
    assert render_row(ADA, entities=ENTITIES, relations=(LIVES, WORKS)) == forwards


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
    assert is_evidence(_thought("x"), entities={}, relations=())
    assert not is_evidence(_thought(" \n"), entities={}, relations=())
    assert is_evidence(_observation("x"), entities={}, relations=())
    assert not is_evidence(_observation(" "), entities={}, relations=())
