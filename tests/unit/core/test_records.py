"""A row that is wrong cannot be built; trust, privacy and tags follow from where it came from."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.errors import InvalidParams
from voice.core.records import (
    TRUST_RANK,
    Entity,
    Inheritance,
    Origin,
    Provenance,
    Scope,
    Table,
    Thought,
    TrustTier,
    VectorRow,
    require_utc,
    table_of,
    tier_of_origin,
)

_NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)


def thought(
    id_: str = "t:1",
    *,
    origin: Origin = Origin.HUMAN,
    tags: tuple[str, ...] = (),
    is_private: bool = False,
    scope: Scope = Scope(),  # noqa: B008 - a frozen value
) -> Thought:
    return Thought(
        id=id_,
        created_at=_NOW,
        recorded_at=_NOW,
        origin=origin,
        tags=tags,
        is_private=is_private,
        scope=scope,
        content="Beth likes tea.",
    )


@pytest.mark.requirement("ruling:A12")
@pytest.mark.parametrize("origin", list(Origin))
def test_each_origin_is_read_by_its_name(origin: Origin) -> None:
    assert Origin.parse(origin.value) is origin


@pytest.mark.requirement("ruling:A12")
@given(st.none() | st.text().filter(lambda text: text not in set(Origin)))
def test_an_unknown_or_missing_origin_is_the_models_and_never_a_humans(text: str | None) -> None:
    assert Origin.parse(text) is Origin.MODEL


@pytest.mark.requirement("s0:trust:human", "s0:trust:tool", "s0:trust:model")
def test_trust_follows_from_the_origin() -> None:
    tiers = {origin: tier_of_origin(origin) for origin in Origin}
    assert tiers == {
        Origin.HUMAN: TrustTier.GREEN,
        Origin.LOGGED: TrustTier.GREEN,
        Origin.TOOL: TrustTier.AMBER,
        Origin.MODEL: TrustTier.RED,
    }
    assert thought(origin=Origin.TOOL).trust is TrustTier.AMBER


@pytest.mark.parametrize(
    ("row_id", "table"),
    [("t:1", Table.THOUGHTS), ("e:1", Table.ENTITIES), ("o:1", Table.OBSERVATIONS), ("r:1", Table.RELATIONS)],
)
def test_the_prefix_of_an_id_names_its_table(row_id: str, table: Table) -> None:
    assert table_of(row_id) is table


@pytest.mark.parametrize("row_id", ["", "x:1", "thoughts", "T:1"])
def test_an_id_without_a_known_prefix_is_refused(row_id: str) -> None:
    with pytest.raises(InvalidParams, match="ids look like"):
        table_of(row_id)


@pytest.mark.requirement("ruling:B10")
def test_a_naive_datetime_is_refused_and_an_aware_one_becomes_utc() -> None:
    with pytest.raises(InvalidParams, match="--at has no time zone"):
        require_utc(datetime(2026, 3, 5), "--at")  # noqa: DTZ001 - the naive one is the point
    elsewhere = datetime(2026, 3, 5, 14, tzinfo=timezone(timedelta(hours=2)))
    row = Entity(id="e:1", created_at=elsewhere, recorded_at=_NOW, origin=Origin.HUMAN, name="Beth")
    assert (row.created_at, row.created_at.tzinfo) == (_NOW, UTC)


def test_tags_are_a_sorted_set() -> None:
    assert thought(tags=("b", "a", "b")).tags == ("a", "b")


@pytest.mark.parametrize("id_", ["", "no-prefix", "t:\x00"])
def test_a_row_id_has_a_prefix_and_no_nul(id_: str) -> None:
    with pytest.raises(InvalidParams, match="prefix:key"):
        thought(id_)


@pytest.mark.requirement("ruling:A13", "s3:exclude:synthesis", "s1:field:is_summary", "s1:field:pipeline")
def test_what_the_inner_voice_wrote_is_known_by_either_mark() -> None:
    assert not thought().is_synthesis
    assert replace(thought(), is_summary=True).is_synthesis
    assert replace(thought(), pipeline="inner_voice").is_synthesis
    assert not replace(thought(), pipeline="import").is_synthesis


@pytest.mark.requirement("ruling:F.5")
@pytest.mark.parametrize(("start", "end"), [(-1, 3), (4, 3)])
def test_a_provenance_span_runs_forward_from_zero(start: int, end: int) -> None:
    with pytest.raises(InvalidParams, match="0 <= start <= end"):
        Provenance(thought_id="t:1", start=start, end=end)


class TestScope:
    """Dimensions that are named must match exactly; those that are not are ignored."""

    @pytest.mark.requirement("s4:scope:dimensions", "s4:scope:and")
    def test_every_named_dimension_must_match(self) -> None:
        row = Scope(session_id="s", repo_id="r", agent_id="a", user_id="u")
        assert Scope(session_id="s", repo_id="r", agent_id="a", user_id="u").admits(row)
        assert not Scope(session_id="s", repo_id="other").admits(row)
        assert not Scope(agent_id="other").admits(row)
        assert not Scope(user_id="other").admits(row)

    @pytest.mark.requirement("s4:scope:partial")
    def test_a_dimension_that_is_not_named_is_ignored(self) -> None:
        assert Scope(repo_id="r").admits(Scope(session_id="anything", repo_id="r"))

    @pytest.mark.requirement("s4:scope:exact")
    @pytest.mark.parametrize("other", [None, "repo*", "rep", "REPO", "repo/"])
    def test_a_dimension_matches_exactly(self, other: str | None) -> None:
        assert not Scope(repo_id="repo").admits(Scope(repo_id=other))
        assert Scope(repo_id="repo").admits(Scope(repo_id="repo"))

    assert Scope(repo_id="repo").admits(Scope(repo_id="repo"))

    @pytest.mark.requirement("ruling:A18")
    def test_only_the_explicit_everything_is_everything(self) -> None:
        assert Scope().is_empty
        assert not Scope.ALL.is_empty
        assert not Scope(user_id="u").is_empty
        assert Scope.ALL.admits(Scope(session_id="s"))

    @pytest.mark.requirement("ruling:A18b")
    def test_what_belongs_to_no_scope_comes_in_where_that_was_said(self) -> None:
        here, nowhere = Scope(repo_id="r", or_unscoped=True), Scope(or_unscoped=True)
        rows = (Scope(repo_id="r", user_id="u"), Scope(), Scope(repo_id="x"))
        assert [here.admits(row) for row in rows] == [True, True, False]
        assert [nowhere.admits(row) for row in rows] == [False, True, False]
        assert [scope.is_empty for scope in (here, nowhere)] == [False, False]


@pytest.mark.requirement("ruling:C10")
class TestInheritance:
    """A KG row takes over from the thoughts behind it."""

    def test_private_if_any_is_all_tags_and_the_lowest_trust(self) -> None:
        got = Inheritance.of((thought(tags=("a",)), thought(origin=Origin.TOOL, tags=("b",), is_private=True)))
        assert got == Inheritance(is_private=True, tags=("a", "b"), trust=TrustTier.AMBER, scope=Scope())

    def test_what_a_human_entered_or_approved_is_green(self) -> None:
        assert Inheritance.of((thought(origin=Origin.MODEL),), entered_by=Origin.HUMAN).trust is TrustTier.GREEN
        assert Inheritance.of((), entered_by=Origin.HUMAN).trust is TrustTier.GREEN

    def test_without_provenance_it_is_amber(self) -> None:
        assert Inheritance.of(()) == Inheritance(is_private=False, tags=(), trust=TrustTier.AMBER, scope=Scope())

    def test_a_scope_is_kept_only_where_all_thoughts_share_it(self) -> None:
        mine = Scope(repo_id="r")
        assert Inheritance.of((thought(scope=mine), thought(scope=mine))).scope == mine
        assert Inheritance.of((thought(scope=mine), thought())).scope == Scope()

    @given(st.lists(st.sampled_from(list(Origin)), min_size=1, max_size=5))
    def test_trust_never_rises_above_that_of_any_thought(self, origins: list[Origin]) -> None:
        got = Inheritance.of(tuple(thought(origin=origin) for origin in origins)).trust
        assert TRUST_RANK[got] == min(TRUST_RANK[tier_of_origin(origin)] for origin in origins)


@pytest.mark.requirement("ruling:B12")
def test_a_zero_vector_cannot_be_built() -> None:
    with pytest.raises(InvalidParams, match="zero vector"):
        VectorRow(row_id="t:1", model="m", dim=2, data=bytes(8))


@pytest.mark.parametrize(("dim", "size"), [(2, 4), (0, 0), (-1, 4)])
def test_a_vector_has_four_bytes_for_each_number(dim: int, size: int) -> None:
    with pytest.raises(InvalidParams, match="must have"):
        VectorRow(row_id="t:1", model="m", dim=dim, data=b"\x01" * size)


def test_a_vector_and_a_span_that_are_right_stand_as_given() -> None:
    assert VectorRow(row_id="t:1", model="m", dim=2, data=b"\x00" * 7 + b"\x01").dim == 2
    assert Provenance(thought_id="t:1", start=0, end=0).end == 0
