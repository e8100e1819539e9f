"""From a line to a row: what is believed, what is inherited, what is refused."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tables import tables
from voice.core.errors import InvalidParams
from voice.core.interchange.build import (
    EntityNames,
    SourceThoughts,
    build_entity,
    build_observation,
    build_relation,
    build_row,
    build_thought,
    line_id,
)
from voice.core.interchange.memory_lines import EntityLine, ObservationLine, RelationLine, ThoughtLine
from voice.core.interchange.origin import Arrival, Entrance
from voice.core.records import Entity, Observation, Origin, Provenance, Relation, RowStatus, Scope, Thought, TrustTier
from voice.core.text.instants import UNDATED
from voice.core.vouch import Vouch

TABLES = tables(__file__)

_NOW = datetime(2026, 3, 20, tzinfo=UTC)
_OWNER = Arrival(entrance=Entrance.CLI, now=_NOW)
_STRANGER = Arrival(entrance=Entrance.HTTP, now=_NOW)
_SPAN = Provenance(thought_id="t:1", start=0, end=4)


def _thought(content: str = "Rain all day.", **changes: object) -> Thought:
    line = ThoughtLine(content=content, id="t:1", created_at=datetime(2025, 5, 1, tzinfo=UTC))
    return replace(build_thought(line, _OWNER), **changes)  # type: ignore[arg-type]


def _nobody(_name: str) -> str | None:
    return None


@pytest.mark.requirement("ruling:I2")
def test_a_thought_without_a_date_stays_undated_and_is_known_by_when_it_came_in() -> None:
    thought = build_thought(ThoughtLine(content="x"), _OWNER)
    assert (thought.created_at, thought.recorded_at) == (UNDATED, _NOW)
    assert thought.origin is Origin.HUMAN


@pytest.mark.requirement("ruling:A13")
@pytest.mark.parametrize(
    "line", [ThoughtLine(content="x", is_summary=True), ThoughtLine(content="x", pipeline="inner_voice")]
)
def test_what_the_inner_voice_wrote_stays_a_models_whatever_the_file_claims(line: ThoughtLine) -> None:
    thought = build_thought(replace(line, claimed_origin="human"), _OWNER)
    assert thought.origin is Origin.MODEL
    assert thought.is_synthesis


def test_a_line_without_an_id_always_gets_the_same_one() -> None:
    line = ThoughtLine(content="x", created_at=_NOW, speaker="Mel")
    assert line_id(line) == line_id(replace(line, tags=("later",)))
    assert line_id(line).startswith("t:")
    assert len(line_id(line)) == 28
    assert line_id(replace(line, id="t:own")) == "t:own"


@pytest.mark.parametrize(
    "other",
    [
        ThoughtLine(content="y", created_at=_NOW),
        ThoughtLine(content="x"),
        ThoughtLine(content="x", created_at=_NOW, speaker="Mel"),
        ThoughtLine(content="x", created_at=_NOW, thread="Mel"),
        ThoughtLine(content="x", created_at=_NOW, source_ref="a.md"),
    ],
)
def test_thoughts_that_say_something_else_get_another_id(other: ThoughtLine) -> None:
    assert line_id(other) != line_id(ThoughtLine(content="x", created_at=_NOW))


def test_a_touched_file_is_no_second_thought() -> None:
    line = ThoughtLine(content="x", source_ref="a.md", created_at=_NOW)
    assert line_id(line) == line_id(replace(line, created_at=datetime(2020, 1, 1, tzinfo=UTC)))


def test_graph_lines_get_ids_of_what_they_say() -> None:
    entity = EntityLine(name="Ana", entity_type="person")
    assert line_id(entity) == line_id(replace(entity, name=" ANA", description="d"))
    observation = ObservationLine(text="x")
    assert line_id(observation) != line_id(replace(observation, provenance=(_SPAN,)))
    relation = RelationLine(source="a", target="b", rel_type="knows")
    assert line_id(relation) != line_id(replace(relation, source="b", target="a"))


@pytest.mark.requirement("ruling:C10")
def test_a_graph_row_is_private_tagged_and_trusted_as_its_thoughts_demand() -> None:
    scope = Scope(user_id="u")
    thought = _thought(is_private=True, tags=("b",), origin=Origin.TOOL, scope=scope)
    line = ObservationLine(text="Rain", provenance=(_SPAN,), tags=("a",), claimed_origin="tool")
    row = build_observation(line, _OWNER, _nobody, SourceThoughts(thoughts={"t:1": thought}))
    assert row.is_private
    assert row.tags == ("a", "b")
    assert row.trust is TrustTier.AMBER
    assert row.scope == scope
    assert row.created_at == thought.created_at


@pytest.mark.requirement("ruling:C10")
def test_what_a_human_enters_is_green_and_what_nobody_vouches_for_is_amber() -> None:
    assert build_entity(EntityLine(name="Ana"), _OWNER).trust is TrustTier.GREEN
    assert build_entity(EntityLine(name="Ana"), _STRANGER).trust is TrustTier.AMBER


@pytest.mark.requirement("ruling:C10", "ruling:H.3")
def test_only_the_owner_is_believed_about_a_higher_trust_than_inherited() -> None:
    line = EntityLine(name="Ana", claimed_origin="tool", trust=TrustTier.GREEN)
    assert build_entity(line, _OWNER).trust is TrustTier.GREEN
    assert build_entity(line, _STRANGER).trust is TrustTier.AMBER
    assert build_entity(replace(line, trust=TrustTier.RED), _STRANGER).trust is TrustTier.RED


@pytest.mark.requirement("ruling:C10")
@pytest.mark.parametrize(
    ("thought", "row", "claimed", "trust"),
    TABLES["a_claimed_trust_never_rises_above_the_thoughts_unless_a_human_approved_the_row"],
)
def test_a_claimed_trust_never_rises_above_the_thoughts_unless_a_human_approved_the_row(
    thought: str, row: str, claimed: str, trust: str
) -> None:
    line = ObservationLine(text="Rain", provenance=(_SPAN,), claimed_origin=row, trust=TrustTier(claimed))
    behind = SourceThoughts(thoughts={"t:1": _thought(origin=Origin(thought))})
    assert build_observation(line, _OWNER, _nobody, behind).trust is TrustTier(trust)


def test_a_scope_of_its_own_goes_before_that_of_its_thoughts() -> None:
    line = EntityLine(name="Ana", scope=Scope(user_id="own"), provenance=(_SPAN,))
    row = build_entity(line, _OWNER, SourceThoughts(thoughts={"t:1": _thought(scope=Scope(user_id="u"))}))
    assert row.scope == Scope(user_id="own")


@pytest.mark.requirement("ruling:C13", "ruling:F.5")
def test_a_span_must_lie_inside_its_thought() -> None:
    line = ObservationLine(text="Rain", provenance=(Provenance(thought_id="t:1", start=0, end=14),))
    with pytest.raises(InvalidParams, match="ends beyond its thought"):
        build_observation(line, _OWNER, _nobody, SourceThoughts(thoughts={"t:1": _thought()}))
    redacted = _thought("", status=RowStatus.REDACTED)
    assert (
        build_observation(line, _OWNER, _nobody, SourceThoughts(thoughts={"t:1": redacted})).provenance
        == line.provenance
    )


def test_a_span_must_name_a_thought_that_is_or_was_there() -> None:
    line = ObservationLine(text="Rain", provenance=(_SPAN,))
    with pytest.raises(InvalidParams, match="neither in this file nor in the memory"):
        build_observation(line, _OWNER, _nobody)
    assert build_observation(line, _OWNER, _nobody, SourceThoughts(gone=frozenset({"t:1"}))).provenance == (_SPAN,)


def test_the_id_of_an_observation_does_not_hang_on_the_date_of_its_thought() -> None:
    line = ObservationLine(text="Rain", provenance=(_SPAN,))
    row = build_observation(line, _OWNER, _nobody, SourceThoughts(thoughts={"t:1": _thought()}))
    assert row.id == line_id(line)


def test_names_are_resolved_and_unknown_ones_refused() -> None:
    names = EntityNames([build_entity(EntityLine(id="e:ana", name="Ana Sol", aliases=("Ana",)), _OWNER)])
    names.add(build_entity(EntityLine(id="e:bo", name="Bo", aliases=("Ana B",)), _OWNER))
    relation = build_relation(RelationLine(source="  ana  sol", target="e:bo", rel_type="knows"), _OWNER, names)
    assert (relation.source_id, relation.target_id) == ("e:ana", "e:bo")
    observation = build_observation(ObservationLine(text="x", entities=("ANA", "Ana B")), _OWNER, names)
    assert observation.entity_ids == ("e:ana", "e:bo")
    with pytest.raises(InvalidParams, match="“target” names an unknown entity"):
        build_relation(RelationLine(source="Ana", target="Cy", rel_type="knows"), _OWNER, names)


def test_a_name_that_two_bear_means_neither() -> None:
    entities = [build_entity(EntityLine(id=f"e:{key}", name="Ana"), _OWNER) for key in "ab"]
    assert EntityNames(entities)("Ana") is None
    assert EntityNames(entities)("e:a") == "e:a"


def test_every_kind_of_line_makes_its_kind_of_row() -> None:
    names = EntityNames([build_entity(EntityLine(id="e:a", name="A"), _OWNER)])
    assert isinstance(build_row(ThoughtLine(content="x"), _OWNER, names), Thought)
    assert isinstance(build_row(EntityLine(name="x"), _OWNER, names), Entity)
    assert isinstance(build_row(ObservationLine(text="x"), _OWNER, names), Observation)
    assert isinstance(build_row(RelationLine(source="A", target="A", rel_type="x"), _OWNER, names), Relation)


@pytest.mark.requirement("ruling:H.3")
def test_who_corrected_a_row_is_the_entrances_word_too() -> None:
    line = ThoughtLine(content="The kiln is hot.", superseded_author=Origin.HUMAN)
    told = [build_thought(line, arrival).superseded_author for arrival in (_OWNER, _STRANGER)]
    assert told == [Origin.HUMAN, Origin.TOOL]


@pytest.mark.requirement("ruling:J2", "ruling:H.3b")
def test_only_the_owners_file_is_believed_about_what_the_owner_approved() -> None:
    said = ThoughtLine(content="Rain all day.", noted_by="codex", vouched=Vouch.PARTLY, vouched_spans=(0, 8))
    decided = replace(said, vouched_at=_NOW, claimed_origin="tool")
    owners, strangers = build_thought(decided, _OWNER), build_thought(decided, _STRANGER)
    assert (owners.vouched, owners.vouched_at, owners.vouched_spans) == (Vouch.PARTLY, _NOW, (0, 8))
    assert (strangers.vouched, strangers.vouched_at, strangers.vouched_spans) == (Vouch.WAITING, None, ())
    assert owners.noted_by == strangers.noted_by == "codex"
    assert build_thought(replace(said, vouched=None, vouched_spans=()), _STRANGER).vouched is None
