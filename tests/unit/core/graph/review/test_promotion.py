"""From verdicts to rows: entities before relations, created or merged, never twice, all of it or nothing."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from candidate_values import candidate, edge, person
from store_values import FIRST_DAY, LAST_DAY, NOON, entity, of_kind, relation, thought
from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import Candidate, CandidateStatus, EntityProposal, RelationProposal
from voice.core.graph.review.decisions import Alias, Approve, Changes, Decision, Edit, Reject, Reopen
from voice.core.graph.review.promotion import KnownGraph, PromotionPlan, plan_promotion
from voice.core.records import (
    EmbeddingStatus,
    Entity,
    EntityName,
    Origin,
    Provenance,
    Relation,
    RowStatus,
    Scope,
    Thought,
    TrustTier,
)

ONE = thought("1", created_at=FIRST_DAY, tags=("a",), origin=Origin.MODEL, scope=Scope(repo_id="r"))
TWO = thought("2", tags=("b",))
SECRET = thought("s", is_private=True)
SPAN, SECOND, HIDDEN = (Provenance(thought_id=row.id, start=0, end=5) for row in (ONE, TWO, SECRET))
ADA, CO = person("Ada"), candidate(EntityProposal(name="Kiln Co", entity_type="organisation"))
WORKS = edge("Ada", "works_at", "Kiln Co")


def known(*rows: Entity | Relation | Thought, became: dict[str, frozenset[str]] | None = None) -> KnownGraph:
    entities = {row.id: row for row in rows if isinstance(row, Entity)}
    thoughts = [row for row in rows if isinstance(row, Thought)] or [ONE, TWO, SECRET]
    return KnownGraph(
        nodes=tuple(EntityName.of(row) for row in entities.values() if row.status is RowStatus.ACTIVE),
        entities=entities,
        relations={row.id: row for row in rows if isinstance(row, Relation)},
        thoughts={row.id: row for row in thoughts},
        became=became or {},
    )


def decided(
    said: Sequence[Decision], held: Sequence[Candidate], graph: KnownGraph | None = None, by: Origin = Origin.HUMAN
) -> PromotionPlan:
    return plan_promotion(said, {each.id: each for each in held}, graph or known(), now=NOON, by=by)


def approve(*held: Candidate) -> list[Decision]:
    return [Approve(candidate_id=each.id) for each in held]


def after(done: PromotionPlan, graph: KnownGraph) -> tuple[list[Candidate], KnownGraph]:
    """Return the candidates and the graph as they are once a plan was carried out."""
    rows = {**graph.entities, **graph.relations, **{row.id: row for row in done.rows}}
    return list(done.candidates), known(*rows.values(), *graph.thoughts.values())


def only(done: PromotionPlan) -> Entity | Relation:
    (row,) = done.rows
    return row


@pytest.mark.requirement("ruling:F.4", "ruling:F.5", "ruling:C10", "s1:moderation:promote")
def test_an_approved_entity_is_green_and_inherits_from_its_thoughts() -> None:
    row = of_kind(only(decided(approve(ADA), [ADA])), Entity)
    assert (row.id, row.name, row.entity_type, row.provenance) == (ADA.new_row_id, "Ada", "person", (SPAN,))
    assert (row.trust, row.origin, row.tags, row.scope) == (TrustTier.GREEN, Origin.HUMAN, ("a",), Scope(repo_id="r"))
    assert (row.created_at, row.recorded_at, row.confidence, row.revision) == (FIRST_DAY, NOON, 0.5, 1)


@pytest.mark.requirement("ruling:C10", "ruling:H.3")
def test_what_no_human_approved_is_as_good_as_its_worst_thought() -> None:
    done = decided(approve(ADA), [ADA], by=Origin.TOOL)
    assert (only(done).trust, only(done).origin, done.candidates[0].decided_by) == (
        TrustTier.RED, Origin.TOOL, Origin.TOOL)  # fmt: skip


@pytest.mark.requirement("ruling:F.4")
def test_the_candidate_remembers_what_it_became() -> None:
    done = decided(approve(ADA), [ADA])
    (kept,) = done.candidates
    assert (kept.status, kept.row_id, kept.revision) == (CandidateStatus.APPROVED, ADA.new_row_id, 2)
    assert (kept.decided_at, kept.decided_by) == (NOON, Origin.HUMAN)
    assert [(step.action, step.row_id) for step in done.steps] == [("created", ADA.new_row_id)]


@pytest.mark.requirement("ruling:F.4")
def test_entities_come_before_relations_in_whatever_order_they_are_named() -> None:
    done = decided(approve(WORKS, CO, ADA), [WORKS, CO, ADA])
    assert [step.candidate_id for step in done.steps] == [WORKS.id, CO.id, ADA.id]
    made = of_kind(done.rows[-1], Relation)
    assert (made.source_id, made.rel_type, made.target_id) == (ADA.new_row_id, "works_at", CO.new_row_id)
    assert [row.id for row in done.rows[:-1]] == [CO.new_row_id, ADA.new_row_id]


@pytest.mark.requirement("ruling:F.4")
def test_approving_again_changes_nothing() -> None:
    first = decided(approve(ADA, CO, WORKS), [ADA, CO, WORKS])
    held, graph = after(first, known())
    again = decided(approve(*held), held, graph)
    assert (again.rows, again.candidates) == ((), ())
    assert {step.action for step in again.steps} == {"unchanged"}
    assert [step.row_id for step in again.steps] == [step.row_id for step in first.steps]


@pytest.mark.requirement("ruling:F.4")
def test_approving_a_relation_again_changes_nothing_even_when_an_end_got_a_namesake() -> None:
    first = decided(approve(ADA, CO, WORKS), [ADA, CO, WORKS])
    held, graph = after(first, known())
    namesake = entity("other", name="Kiln Co", entity_type="place")
    again = decided(approve(*held), held, known(*graph.entities.values(), *graph.relations.values(), namesake))
    assert (again.rows, again.candidates) == ((), ())


@pytest.mark.requirement("ruling:F.7a")
def test_a_human_who_agrees_with_what_a_tool_decided_has_decided() -> None:
    ben = person("Ben")
    said = [*approve(ADA, CO, WORKS), Reject(candidate_id=ben.id, reason="no one")]
    first = decided(said, [ADA, CO, WORKS, ben], by=Origin.TOOL)
    held, graph = after(first, known())
    assert all(each.is_undecided for each in (*held, ADA))
    tool = decided(said, held, graph, by=Origin.TOOL)
    assert tool.candidates == ()
    human = decided(said, held, graph)
    assert [row.trust for row in human.rows] == [TrustTier.GREEN] * 3
    assert [(each.status, each.row_id, each.reason) for each in human.candidates] == [
        (each.status, each.row_id, each.reason) for each in held
    ]
    assert not any(each.is_undecided for each in human.candidates)
    held, graph = after(human, graph)
    for by in (Origin.HUMAN, Origin.TOOL):
        again = decided(said, held, graph, by=by)
        assert (again.rows, again.candidates) == ((), ())


@pytest.mark.requirement("ruling:C10", "ruling:F.4")
def test_what_a_tool_says_after_a_human_takes_nothing_from_a_row_that_was_there() -> None:
    there = relation("5", "e:7", "e:9", rel_type="works_at", trust=TrustTier.GREEN)
    graph = known(entity("7", "Ada"), entity("9", "Kiln Co"), there)
    held, graph = after(decided(approve(WORKS), [WORKS], graph), graph)
    assert decided(approve(*held), held, graph, by=Origin.TOOL).rows == ()


@pytest.mark.requirement("ruling:F.4")
@pytest.mark.parametrize("by", [Origin.HUMAN, Origin.TOOL])
def test_approving_again_changes_nothing_when_the_thoughts_have_gone(by: Origin) -> None:
    first = decided(approve(ADA, CO, WORKS), [ADA, CO, WORKS], by=by)
    held, graph = after(first, known(TWO, ONE))
    bare = known(*graph.entities.values(), *graph.relations.values(), TWO)
    again = decided(approve(*held), held, bare, by=by)
    assert (again.rows, again.candidates) == ((), ())
    assert {step.action for step in again.steps} == {"unchanged"}


@pytest.mark.requirement("ruling:F.4")
@pytest.mark.parametrize(
    "there",
    [
        entity("7", "ADA", entity_type="Person", embedding_status=EmbeddingStatus.READY),
        entity("7", "Ada Lund", entity_type="person", aliases=("ada",), embedding_status=EmbeddingStatus.READY),
    ],
)
def test_an_entity_that_is_there_is_added_to_and_not_made_twice(there: Entity) -> None:
    more = replace(ADA, proposed=EntityProposal(name="Ada", entity_type="person", aliases=("Adi",), description="p"))
    done = decided(approve(more), [more], known(there))
    row = of_kind(only(done), Entity)
    assert (row.id, row.name, row.revision, row.description) == ("e:7", there.name, 2, "p")
    assert (row.provenance, row.tags, set(row.aliases) >= {"Adi"}) == ((SPAN,), ("a",), True)
    assert row.embedding_status is EmbeddingStatus.PENDING
    assert (done.steps[0].action, done.candidates[0].row_id) == ("merged", "e:7")


@pytest.mark.requirement("ruling:F.4")
def test_an_entity_of_another_type_or_name_is_another_entity() -> None:
    done = decided(approve(ADA), [ADA], known(entity("7", "Ada", entity_type="project"), entity("8", "Beth")))
    assert [step.action for step in done.steps] == ["created"]


def test_of_several_entities_none_is_guessed() -> None:
    twins = [entity(key, "Ada", entity_type="person") for key in "78"]
    with pytest.raises(InvalidParams, match="e:7, e:8") as refused:
        decided(approve(ADA), [ADA], known(*twins))
    assert "Ada" not in refused.value.message
    with pytest.raises(InvalidParams, match="could be any of e:7, e:8"):
        decided(approve(WORKS), [WORKS], known(*twins, entity("9", "Kiln Co")))


@pytest.mark.requirement("ruling:F.4")
def test_two_candidates_that_were_edited_to_one_name_become_one_entity() -> None:
    other = person("Ada Lund", provenance=(SECOND,))
    said = [Edit(candidate_id=other.id, changes=Changes(name="Ada")), *approve(ADA, other)]
    done = decided(said, [ADA, other])
    row = only(done)
    assert (row.id, row.provenance, row.revision) == (ADA.new_row_id, (SPAN, SECOND), 1)
    assert [step.action for step in done.steps] == ["edited", "created", "merged"]


def test_an_end_is_found_by_the_name_it_had_before_an_edit() -> None:
    renamed = [Edit(candidate_id=ADA.id, changes=Changes(name="Ada Lund"))]
    done = decided([*renamed, *approve(WORKS, CO, ADA)], [ADA, CO, WORKS])
    made = of_kind(done.rows[-1], Relation)
    assert made.source_id == ADA.new_row_id
    rows = (entity("7", "Ada Lund"), entity("9", "Kiln Co"))
    later = decided(approve(WORKS), [WORKS], known(*rows, became={"ada": frozenset({"e:7", "e:gone"})}))
    assert only(later) == replace(made, source_id="e:7", target_id="e:9")


def test_an_end_may_be_an_id() -> None:
    by_id = edge("e:7", "works_at", "e:9")
    twins = (entity("7", "Ada"), entity("8", "Ada"), entity("9", "Kiln Co"))
    row = of_kind(only(decided(approve(by_id), [by_id], known(*twins))), Relation)
    assert (row.source_id, row.target_id) == ("e:7", "e:9")


@pytest.mark.requirement("ruling:F.4")
@pytest.mark.parametrize("missing", ["source", "target"])
def test_a_relation_whose_end_is_not_there_is_refused_with_what_to_do(missing: str) -> None:
    rows = {"source": entity("9", "Kiln Co"), "target": entity("7", "Ada")}
    with pytest.raises(InvalidParams, match=f"the {missing} of {WORKS.id} is not in the graph yet") as refused:
        decided(approve(WORKS), [WORKS], known(rows[missing]))
    assert "approve both together, or name another entity" in refused.value.message


def test_a_relation_needs_two_ends() -> None:
    loop = edge("Ada", "knows", "Adi")
    with pytest.raises(InvalidParams, match="both ends"):
        decided(approve(loop), [loop], known(entity("7", "Ada", aliases=("Adi",))))


@pytest.mark.requirement("ruling:F.4", "ruling:F.5")
def test_a_relation_that_is_there_is_added_to_and_not_made_twice() -> None:
    there = relation("5", "e:7", "e:9", rel_type="Works at", provenance=(SECOND, SPAN), trust=TrustTier.GREEN)
    dated = candidate(
        RelationProposal(source="Ada", rel_type="works_at", target="Kiln Co", valid_from=NOON, description="d")
    )
    graph = known(entity("7", "Ada"), entity("9", "Kiln Co"), there)
    done = decided(approve(dated), [dated], graph)
    assert only(done) == replace(
        there, valid_from=NOON, description="d", tags=("a",), revision=2, embedding_status=EmbeddingStatus.PENDING
    )
    assert done.candidates[0].row_id == "r:5"
    held, graph = after(done, graph)
    assert decided(approve(*held), held, graph).rows == ()
    other = replace(dated, proposed=replace(dated.proposed, valid_from=LAST_DAY), provenance=(HIDDEN,))
    assert [step.action for step in decided(approve(other), [other], graph).steps] == ["merged"]
    assert decided(approve(other), [other], graph).rows == ()


def test_a_relation_is_held_against_those_of_its_own_ends_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def edge_of(row: Relation) -> tuple[str, str]:
        compared.append(row.id)
        return row.source_id, row.target_id

    monkeypatch.setattr("voice.core.graph.review.candidate_rows._edge", edge_of)
    names = [f"Person {number}" for number in range(20)]
    people, links = [person(name) for name in names], [edge("Person 0", "knows", name) for name in names[1:]]
    done = decided(approve(*people, *links), [*people, *links])
    assert (len(done.rows), len(compared)) == (39, 19)


@pytest.mark.requirement("ruling:C10", "promise:6")
def test_what_is_private_makes_a_private_row_and_adds_nothing_to_another() -> None:
    secret = replace(ADA, is_private=True, provenance=(HIDDEN,))
    assert only(decided(approve(secret), [secret])).is_private
    beside = decided(approve(secret), [secret], known(entity("7", "Ada", entity_type="person")))
    assert (beside.rows, beside.candidates[0].row_id) == ((), "e:7")
    since = replace(ADA, provenance=(HIDDEN,))
    assert decided(approve(since), [since], known(entity("7", "Ada", entity_type="person"))).rows == ()
    hidden = entity("7", "Ada", entity_type="person", is_private=True)
    assert only(decided(approve(secret), [secret], known(hidden))).provenance == (HIDDEN,)
    with pytest.raises(InvalidParams, match="is private and e:7 is not"):
        decided([Alias(candidate_id=secret.id, entity_id="e:7")], [secret], known(entity("7", "Beth")))


def test_what_was_forgotten_backs_nothing() -> None:
    both = replace(ADA, provenance=(SPAN, SECOND))
    assert only(decided(approve(both), [both], known(TWO))).provenance == (SECOND,)
    with pytest.raises(InvalidParams, match="are forgotten or removed"):
        decided(approve(ADA), [ADA], known(TWO))
    bare = replace(ADA, provenance=())
    assert only(decided(approve(bare), [bare])).trust is TrustTier.GREEN


def test_an_alias_makes_a_candidate_another_name_of_an_entity() -> None:
    said: list[Decision] = [Alias(candidate_id=ADA.id, entity_id="e:7")]
    graph = known(entity("7", "Ada Lund", entity_type="person"))
    done = decided(said, [ADA], graph)
    row = of_kind(only(done), Entity)
    assert (row.name, row.aliases, row.provenance) == ("Ada Lund", ("Ada",), (SPAN,))
    assert [(step.action, step.row_id) for step in done.steps] == [("aliased", "e:7")]
    held, graph = after(done, graph)
    for again in (said, approve(ADA)):
        done = decided(again, held, graph)
        assert (done.rows, done.candidates, done.steps[0].action) == ((), (), "unchanged")


@pytest.mark.parametrize(
    ("held", "target", "words"),
    [
        (ADA, "e:none", "e:none is not an entity in the graph"),
        (ADA, "e:over", "e:over is not an entity in the graph"),
        (WORKS, "e:7", "is a relation"),
        (replace(ADA, status=CandidateStatus.APPROVED, row_id="e:8"), "e:7", "already in the graph as e:8"),
    ],
)
def test_an_alias_that_cannot_be_is_refused(held: Candidate, target: str, words: str) -> None:
    rows = (entity("7", "Beth"), entity("8", "Ada"), entity("over", "Cleo", status=RowStatus.SUPERSEDED))
    with pytest.raises(InvalidParams, match=words):
        decided([Alias(candidate_id=held.id, entity_id=target)], [held], known(*rows))


def test_a_rejection_says_why_and_when_and_may_be_thought_better_of() -> None:
    done = decided([Reject(candidate_id=ADA.id, reason=" a \n fragment ")], [ADA])
    (gone,) = done.candidates
    assert (gone.status, gone.reason, gone.decided_at, done.rows) == (
        CandidateStatus.REJECTED, "a fragment", NOON, ())  # fmt: skip
    again = decided([Reject(candidate_id=ADA.id)], [gone])
    assert (again.candidates, again.steps[0].action) == ((), "unchanged")
    (back,) = decided(approve(gone), [gone]).candidates
    assert (back.status, back.reason) == (CandidateStatus.APPROVED, "")


def test_a_rejection_that_was_a_slip_is_taken_back_with_all_it_said() -> None:
    edited = replace(ADA, edited=EntityProposal(name="Ada Lund", entity_type="person"))
    (gone,) = decided([Reject(candidate_id=ADA.id, reason="a slip")], [edited]).candidates
    done = decided([Reopen(candidate_id=ADA.id)], [gone])
    assert [step.action for step in done.steps] == ["reopened"]
    assert [replace(back, revision=1) for back in done.candidates] == [edited]
    again = decided([Reopen(candidate_id=ADA.id)], [edited])
    assert (again.candidates, again.steps[0].action) == ((), "unchanged")
    held = replace(ADA, status=CandidateStatus.APPROVED, row_id="e:8")
    with pytest.raises(InvalidParams, match="already in the graph"):
        decided([Reopen(candidate_id=ADA.id)], [held])


@pytest.mark.requirement("ruling:F.5")
def test_approving_again_brings_new_mentions_into_the_row_that_is_there() -> None:
    held, graph = after(decided(approve(ADA), [ADA]), known())
    more = replace(held[0], provenance=(SPAN, SECOND))
    done = decided(approve(more), [more], graph)
    assert (only(done).provenance, only(done).revision, done.candidates) == ((SPAN, SECOND), 2, ())


def test_an_edit_to_the_same_words_is_no_change() -> None:
    done = decided([Edit(candidate_id=ADA.id, changes=Changes(name="Ada"))], [ADA])
    assert (done.candidates, done.steps[0].action) == ((), "unchanged")


@pytest.mark.parametrize("said", [Reject(candidate_id=ADA.id), Edit(candidate_id=ADA.id, changes=Changes(name="x"))])
def test_what_is_in_the_graph_is_changed_there(said: Decision) -> None:
    held = replace(ADA, status=CandidateStatus.APPROVED, row_id="e:7")
    with pytest.raises(InvalidParams, match="already in the graph as e:7"):
        decided([said], [held], known(entity("7", "Ada")))


@pytest.mark.requirement("ruling:F.3")
@pytest.mark.parametrize("held", [ADA, WORKS])
def test_what_was_taken_out_of_the_graph_does_not_come_back_by_approving_again(held: Candidate) -> None:
    ends = (entity("7", "Ada", entity_type="tool"), entity("9", "Kiln Co"))
    gone: Entity | Relation = relation(held.new_row_id[2:], "e:7", "e:9", status=RowStatus.SUPERSEDED)
    if held is ADA:
        gone = entity(held.new_row_id[2:], "Ada", entity_type="person", status=RowStatus.SUPERSEDED)
    with pytest.raises(InvalidParams, match="from the graph, so"):
        decided(approve(held), [held], known(gone, *ends))
    approved = replace(held, status=CandidateStatus.APPROVED, row_id=held.new_row_id)
    for graph in (known(gone, *ends), known(*ends)):
        done = decided(approve(approved), [approved], graph)
        assert (done.rows, done.candidates, done.steps[0].action) == ((), (), "unchanged")


def test_a_batch_in_which_one_verdict_cannot_be_carried_out_is_refused_whole() -> None:
    with pytest.raises(InvalidParams):
        decided([*approve(ADA), *approve(WORKS)], [ADA, WORKS])
