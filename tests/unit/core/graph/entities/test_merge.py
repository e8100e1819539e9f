"""Two entities made one, and made two again: nothing known of either is lost."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import NOON, entity, observation, of_kind, relation
from voice.core.errors import InvalidParams
from voice.core.graph.corrections import Correction
from voice.core.graph.entities.merge import (
    Merge,
    MergeChanges,
    MergedState,
    NeighbourRows,
    merge_entities,
    require_mergeable,
    require_undoable,
    undo_merge,
)
from voice.core.records import Entity, GraphRow, Observation, Origin, Provenance, Relation, RowStatus, Scope, TrustTier

pytestmark = [pytest.mark.requirement("ruling:F.6"), pytest.mark.requirement("ruling:F.5")]
LATER, LAST = NOON + timedelta(days=1), NOON + timedelta(days=2)
WHY = Correction(reason="the same person", at=LATER)
BACK = Correction(reason="they are two", at=LAST)
BETH, BETTY = entity("beth", "Beth"), entity("betty", "Betty", aliases=("B.",))


def span(key: str) -> tuple[Provenance, ...]:
    return (Provenance(thought_id=f"t:{key}", start=0, end=4),)


def merged(kept: Entity = BETH, absorbed: Entity = BETTY, around: NeighbourRows | None = None) -> MergeChanges:
    return merge_entities(kept, absorbed, around or NeighbourRows(), WHY, merge_id="m:1", past_id="e:past")


def by_id(*parts: MergeChanges) -> dict[str, GraphRow]:
    return {row.id: row for part in parts for row in (*part.fresh, *part.beside)}


def beth(*parts: MergeChanges) -> Entity:
    return of_kind(by_id(*parts)["e:beth"], Entity)


def held(rows: dict[str, GraphRow], merge: Merge, **more: object) -> MergedState:
    kept, absorbed = (of_kind(rows[row_id], Entity) for row_id in (merge.kept, merge.absorbed))
    past = rows.get(merge.past)
    known = {row_id: row for row_id, row in rows.items() if isinstance(row, Observation | Relation)}
    base = MergedState(kept=kept, absorbed=absorbed, past=past if isinstance(past, Entity) else None, rows=known)
    return replace(base, **more)  # pyright: ignore[reportArgumentType]


def apart(rows: dict[str, GraphRow], merge: Merge, **more: object) -> MergeChanges:
    return undo_merge(merge, held(rows, merge, **more), BACK, past_ids=("e:past2", "e:past3"))


def test_the_one_that_stays_bears_what_was_known_of_both() -> None:
    kept = replace(BETH, description="a potter", provenance=span("1"), tags=("a",), confidence=0.5)
    other = replace(
        BETTY, description="lives in Porto", provenance=span("2"), tags=("b",), trust=TrustTier.AMBER, is_private=True
    )
    rows = by_id(merged(kept, replace(other, created_at=NOON - timedelta(days=9), scope=Scope(user_id="u"))))
    one, gone, past = (of_kind(rows[row_id], Entity) for row_id in ("e:beth", "e:betty", "e:past"))
    assert (one.name, one.aliases, one.description) == ("Beth", ("Betty", "B."), "a potter; lives in Porto")
    assert (one.provenance, one.tags, one.confidence) == (span("1") + span("2"), ("a", "b"), 1.0)
    assert (one.is_private, one.scope, one.created_at) == (True, Scope(), NOON - timedelta(days=9))
    assert (one.recorded_at, one.revision, one.status) == (LATER, 2, RowStatus.ACTIVE)
    assert (gone.status, gone.superseded_by, gone.superseded_reason) == (RowStatus.SUPERSEDED, "e:beth", WHY.reason)
    assert (past.description, past.superseded_by, past.superseded_at) == ("a potter", "e:beth", LATER)


def test_a_time_holds_for_both_only_where_both_have_one() -> None:
    timed = {"valid_from": NOON, "valid_until": LATER}
    one = beth(merged(replace(BETH, **timed), replace(BETTY, valid_from=LATER, valid_until=LAST)))
    assert (one.valid_from, one.valid_until) == (NOON, LAST)
    one = beth(merged(replace(BETH, **timed), BETTY))
    assert (one.valid_from, one.valid_until) == (None, None)


def test_rows_that_named_the_other_name_the_one_that_stays() -> None:
    around = NeighbourRows(
        relations=(
            relation("own", "e:beth", "e:x"),
            relation("in", "e:x", "e:betty"),
            relation("loop", "e:betty", "e:betty"),
            relation("same", "e:betty", "e:x", provenance=span("3")),
            relation("again", "e:betty", "e:x", provenance=span("4")),
            relation("poor", "e:betty", "e:x", provenance=span("3")),
            relation("between", "e:betty", "e:beth"),
        ),
        observations=(observation("1", entity_ids=("e:betty", "e:x", "e:beth")),),
    )
    done = merged(around=around)
    rows = by_id(done)
    edges = {row.id: (row.source_id, row.target_id) for row in rows.values() if isinstance(row, Relation)}
    assert edges["r:in"] == ("e:x", "e:beth")
    assert edges["r:loop"] == ("e:beth", "e:beth")
    assert (rows["r:own"].provenance, rows["r:own"].revision) == (span("3") + span("4"), 2)
    ended = {each.row_id: (each.into, each.lent) for each in done.merge.ended}
    assert ended == {
        "r:same": ("r:own", span("3")),
        "r:again": ("r:own", span("4")),
        "r:poor": ("r:own", ()),
        "r:between": (None, ()),
    }
    assert {rows[row_id].status for row_id in ended} == {RowStatus.SUPERSEDED}
    assert of_kind(rows["o:1"], Observation).entity_ids == ("e:beth", "e:x")
    assert {each.row_id for each in done.merge.moved} == {"r:in", "r:loop", "o:1"}


@pytest.mark.parametrize(
    "more",
    [
        {"is_private": True},
        {"description": "two days a week"},
        {"valid_from": NOON, "valid_until": LATER},
        {"scope": Scope(user_id="u")},
    ],
)
def test_an_edge_that_says_more_or_to_others_is_not_swallowed(more: dict[str, object]) -> None:
    """What is private lends nothing to what is not, and hides none of it; another time is another fact."""
    own, other = relation("own", "e:beth", "e:x"), relation("same", "e:betty", "e:x", provenance=span("3"))
    for first, second in ((own, replace(other, **more)), (replace(own, **more), other)):  # pyright: ignore[reportArgumentType]
        if first.description:
            continue
        done = merged(around=NeighbourRows(relations=(first, second)))
        assert (done.merge.ended, [each.row_id for each in done.merge.moved]) == ((), ["r:same"])
        assert "r:own" not in by_id(done)


def test_words_that_came_while_it_was_private_stay_private() -> None:
    private = replace(BETTY, description="is in therapy", is_private=True)
    done = merged(replace(BETH, description="a potter"), private)
    rows = by_id(done)
    said = replace(beth(done), description="a potter, in therapy since May", revision=3)
    left = beth(apart({**rows, "e:beth": said}, done.merge))
    assert (left.is_private, beth(apart(rows, done.merge)).is_private) == (True, False)


def names(draw: st.DrawFn) -> tuple[str, ...]:
    return tuple(draw(st.lists(st.sampled_from(("Beth", "beth", "Betty", "B.", "Liz")), max_size=3)))


@st.composite
def nodes(draw: st.DrawFn, key: str, name: str) -> Entity:
    moments = st.one_of(st.none(), st.sampled_from((NOON, LATER)))
    return entity(
        key,
        name,
        aliases=names(draw),
        description=draw(st.sampled_from(("", "a potter", "lives in Porto"))),
        provenance=tuple(each for key in draw(st.sets(st.sampled_from("123"))) for each in span(key)),
        tags=tuple(draw(st.sets(st.sampled_from("ab")))),
        is_private=draw(st.booleans()),
        confidence=draw(st.sampled_from((0.2, 0.9))),
        valid_from=draw(moments),
        valid_until=None,
        trust=draw(st.sampled_from(list(TrustTier))),
    )


@st.composite
def edges(draw: st.DrawFn) -> tuple[Relation, ...]:
    ends = st.sampled_from(("e:beth", "e:betty", "e:x"))
    drawn = draw(st.lists(st.tuples(ends, ends, st.sampled_from("123")), max_size=6))
    made = (relation(str(place), one, two, provenance=span(key)) for place, (one, two, key) in enumerate(drawn))
    return tuple(row for row in made if {row.source_id, row.target_id} & {"e:beth", "e:betty"})


@given(nodes("beth", "Beth"), nodes("betty", "Betty"), edges(), st.permutations(["e:beth", "e:betty", "e:x"]))
def test_taking_a_merge_back_gives_what_was_there(
    kept: Entity, absorbed: Entity, relations: tuple[Relation, ...], about: list[str]
) -> None:
    """Promise: unmerge after merge is what was before, but for numbers and times of recording."""
    told = observation("1", entity_ids=tuple(about))
    before: dict[str, GraphRow] = {row.id: row for row in (kept, absorbed, told, *relations)}
    done = merged(kept, absorbed, NeighbourRows(relations=relations, observations=(told,)))
    after = before | by_id(done)
    live = [row for row in after.values() if isinstance(row, Relation) and row.status is RowStatus.ACTIVE]
    assert all("e:betty" not in (row.source_id, row.target_id) for row in live)
    assert len({(row.source_id, row.target_id) for row in live}) >= len(live) - len(relations)
    undone = apart(after, done.merge)
    back = after | by_id(undone)
    for row_id, row in before.items():
        now = back[row_id]
        same = {"revision": 0, "recorded_at": NOON, "embedding_status": row.embedding_status}
        assert replace(now, **same) == replace(row, **same)
    assert undone.merge.undone_at == LAST
    assert undone.stayed == ()


def test_what_was_said_since_stays_with_the_one_that_stayed() -> None:
    around = NeighbourRows(relations=(relation("1", "e:betty", "e:x"), relation("2", "e:betty", "e:y")))
    done = merged(around=around)
    rows, one = by_id(done), beth(done)
    rows["e:beth"] = replace(one, description="a glazier", aliases=(*one.aliases, "Bee"), provenance=span("9"))
    rows["r:1"] = replace(rows["r:1"], target_id="e:beth", source_id="e:z")  # pyright: ignore[reportCallIssue]
    del rows["r:2"]
    since = relation("new", "e:beth", "e:z", recorded_at=LAST)
    undone = apart(rows, done.merge, around=NeighbourRows(relations=(since, relation("old", "e:beth", "e:w"))))
    alone = beth(undone)
    assert (alone.description, alone.aliases, alone.provenance) == ("a glazier", ("Bee",), span("9"))
    assert undone.stayed == ("r:new",)
    assert not {"r:1", "r:2"} & by_id(undone).keys()


def test_what_a_third_one_brought_stays_and_a_forgotten_past_is_not_needed() -> None:
    other = replace(BETTY, provenance=span("2"), tags=("x",))
    done = merged(absorbed=other)
    rows = by_id(done)
    del rows["e:past"]
    third = entity("liz", "Liz", aliases=("B.",), tags=("x",))
    alone = beth(apart(rows, done.merge, others=(third,)))
    assert (alone.aliases, alone.tags, alone.provenance) == (("B.",), ("x",), ())


def test_an_edge_that_was_changed_since_is_left_as_it_is() -> None:
    around = NeighbourRows(
        relations=(relation("1", "e:beth", "e:x"), relation("2", "e:betty", "e:x", provenance=span("2")))
    )
    done = merged(around=around)
    rows = by_id(done)
    rows["r:2"] = replace(rows["r:2"], superseded_by="r:other")
    del rows["r:1"]
    assert not {"r:1", "r:2"} & by_id(apart(rows, done.merge)).keys()
    assert {"r:1", "r:2"} & by_id(apart(by_id(done), done.merge)).keys() != set()


def test_an_edge_whose_own_grounds_were_forgotten_since_ends_when_what_was_lent_to_it_is_taken_back() -> None:
    own, same = relation("own", "e:beth", "e:x", provenance=span("1")), relation("same", "e:betty", "e:x")
    more = replace(same, id="r:more", provenance=span("3"))
    done = merged(around=NeighbourRows(relations=(own, replace(same, provenance=span("2")), more)))
    rows = by_id(done)
    there = by_id(apart(rows, done.merge))
    assert (there["r:own"].status, there["r:own"].provenance) == (RowStatus.ACTIVE, span("1"))
    rows["r:own"] = replace(rows["r:own"], provenance=span("2") + span("3"))
    back = apart(rows, done.merge)
    (ended,) = [row for row in back.beside if row.id == "r:own"]
    assert (ended.status, ended.provenance, ended.revision) == (RowStatus.SUPERSEDED, (), rows["r:own"].revision + 1)
    assert "r:own" not in {row.id for row in back.fresh}
    assert {by_id(back)[row_id].status for row_id in ("r:same", "r:more")} == {RowStatus.ACTIVE}
    rows["r:own"] = ended
    assert "r:own" not in by_id(apart(rows, done.merge))


def test_rows_that_were_forgotten_or_redacted_since_stay_as_they_are() -> None:
    around = NeighbourRows(
        relations=(
            relation("own", "e:beth", "e:x", provenance=span("1")),
            relation("moved", "e:betty", "e:y"),
            relation("same", "e:betty", "e:x", provenance=span("2")),
        ),
        observations=(observation("1", entity_ids=("e:betty",)), observation("2", entity_ids=("e:betty",))),
    )
    done = merged(around=around)
    rows = by_id(done)
    bare = {
        row_id: replace(rows[row_id], status=RowStatus.REDACTED) for row_id in ("r:own", "r:moved", "r:same", "o:1")
    }
    left = by_id(apart(rows | bare, done.merge))
    assert not bare.keys() & left.keys()
    assert "o:2" in left
    gone = {row_id: row for row_id, row in rows.items() if row_id not in bare}
    assert not bare.keys() & by_id(apart(gone, done.merge)).keys()


def test_what_was_there_before_is_what_an_as_of_shows() -> None:
    done = merged()
    rows = by_id(done)
    back = by_id(apart(rows, done.merge))
    assert (back["e:betty"].recorded_at, back["e:betty"].status) == (LAST, RowStatus.ACTIVE)
    was = back["e:past3"]
    assert (was.superseded_by, was.superseded_at, was.recorded_at) == ("e:betty", LATER, NOON)
    assert (back["e:past2"].superseded_by, back["e:past2"].superseded_at) == ("e:beth", LAST)


def test_two_that_cannot_be_one_are_refused() -> None:
    with pytest.raises(InvalidParams, match="both names mean e:beth"):
        require_mergeable(BETH, BETH, allow_private=False)
    for pair in ((BETH, replace(BETTY, status=RowStatus.REMOVAL)), (replace(BETTY, status=RowStatus.REMOVAL), BETH)):
        with pytest.raises(InvalidParams, match="e:betty is no longer in use"):
            require_mergeable(*pair, allow_private=False)
    private = replace(BETTY, is_private=True)
    for pair in ((BETH, private), (private, BETH)):
        with pytest.raises(InvalidParams, match="e:betty is private and e:beth is not; with --private"):
            require_mergeable(*pair, allow_private=False)
        require_mergeable(*pair, allow_private=True)
    require_mergeable(BETH, BETTY, allow_private=False)


DONE = merged()
STATE = held(by_id(DONE), DONE.merge)


@pytest.mark.parametrize(
    ("merge", "one", "two", "said"),
    [
        ({"undone_at": LAST}, {}, {}, "already undone"),
        ({}, None, {}, "e:beth was forgotten"),
        ({}, {}, None, "e:betty was forgotten"),
        ({}, {"status": RowStatus.SUPERSEDED, "superseded_by": "e:z"}, {}, "merged into e:z"),
        ({}, {"status": RowStatus.REDACTED}, {}, "e:beth was redacted"),
        ({}, {}, {"status": RowStatus.REDACTED}, "e:betty was redacted"),
        ({}, {}, {"superseded_by": "e:z"}, "no longer a part of e:beth"),
        ({}, {}, {"status": RowStatus.ACTIVE}, "no longer a part of e:beth"),
    ],
)
def test_a_merge_that_cannot_be_taken_back_says_why(
    merge: dict[str, object], one: dict[str, object] | None, two: dict[str, object] | None, said: str
) -> None:
    def changed(row: Entity, members: dict[str, object] | None) -> Entity | None:
        return None if members is None else replace(row, **members)  # pyright: ignore[reportArgumentType]

    assert require_undoable(DONE.merge, STATE.kept, STATE.absorbed) == (STATE.kept, STATE.absorbed)
    with pytest.raises(InvalidParams, match=said):
        require_undoable(replace(DONE.merge, **merge), changed(STATE.kept, one), changed(STATE.absorbed, two))  # pyright: ignore[reportArgumentType]
    assert DONE.merge.by is Origin.HUMAN
