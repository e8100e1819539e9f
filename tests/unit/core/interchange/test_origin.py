"""Who is believed about whose words these are (rulings A12, H)."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.interchange.origin import Arrival, Entrance, ceiling_of, origin_for, origin_of_words, settle_origin
from voice.core.records import Origin

TABLES = tables(__file__)
_NOW = datetime(2026, 3, 20, tzinfo=UTC)
_ORDER = [Origin.MODEL, Origin.TOOL, Origin.LOGGED, Origin.HUMAN]


def _arrival(
    entrance: Entrance = Entrance.CLI, *, me: tuple[str, ...] = (), vouched: bool = False, mcp: Origin = Origin.TOOL
) -> Arrival:
    return Arrival(entrance=entrance, now=_NOW, own_speakers=frozenset(me), vouched=vouched, mcp_origin=mcp)


@pytest.mark.requirement("ruling:H.3", "ruling:A12")
@pytest.mark.parametrize(
    ("entrance", "claimed", "settled"), TABLES["a_claim_is_kept_where_the_entrance_allows_it_and_lowered_where_not"]
)
def test_a_claim_is_kept_where_the_entrance_allows_it_and_lowered_where_not(
    entrance: str, claimed: str | None, settled: str
) -> None:
    assert origin_for(Entrance(entrance), claimed) is Origin(settled)


@pytest.mark.requirement("ruling:H.3")
@given(st.sampled_from(Entrance), st.none() | st.sampled_from([*Origin]) | st.text(), st.sampled_from(Origin))
def test_no_claim_ever_rises_above_what_the_entrance_gives(
    entrance: Entrance, claimed: str | None, mcp_origin: Origin
) -> None:
    settled = origin_for(entrance, claimed, mcp_origin=mcp_origin)
    assert _ORDER.index(settled) <= _ORDER.index(ceiling_of(entrance, mcp_origin=mcp_origin))
    if claimed is not None:
        assert _ORDER.index(settled) <= _ORDER.index(Origin.parse(claimed))


def test_the_owner_may_raise_mcp_to_logged_but_never_to_human() -> None:
    assert ceiling_of(Entrance.MCP, mcp_origin=Origin.LOGGED) is Origin.LOGGED
    assert ceiling_of(Entrance.MCP, mcp_origin=Origin.HUMAN) is Origin.LOGGED
    assert ceiling_of(Entrance.HTTP, mcp_origin=Origin.LOGGED) is Origin.TOOL


@pytest.mark.requirement("ruling:H.3")
@pytest.mark.parametrize(
    ("kind", "speaker", "settled"), TABLES["unclaimed_words_are_the_persons_own_a_models_or_anothers"]
)
def test_unclaimed_words_are_the_persons_own_a_models_or_anothers(kind: str, speaker: str | None, settled: str) -> None:
    assert origin_of_words(_arrival(me=("Mel",)), kind=kind, speaker=speaker) is Origin(settled)


@pytest.mark.requirement("ruling:H.3")
def test_vouching_for_a_log_lifts_other_people_to_logged_and_leaves_a_model_a_model() -> None:
    vouched = _arrival(me=("Mel",), vouched=True)
    assert origin_of_words(vouched, kind="message", speaker="Caro") is Origin.LOGGED
    assert origin_of_words(vouched, kind="push", speaker=None) is Origin.LOGGED
    assert origin_of_words(vouched, kind="message", speaker="Mel") is Origin.HUMAN
    assert origin_of_words(vouched, kind="agent_chat", speaker=None) is Origin.MODEL


def test_neither_own_names_nor_vouching_help_at_an_entrance_that_is_not_the_owners() -> None:
    through_http = _arrival(Entrance.HTTP, me=("Mel",), vouched=True)
    assert origin_of_words(through_http, kind="message", speaker="Mel") is Origin.TOOL
    assert origin_of_words(through_http, kind="message", speaker="Caro") is Origin.TOOL
    assert origin_of_words(through_http, kind="note", speaker=None) is Origin.TOOL


def test_a_claim_goes_before_what_the_words_look_like() -> None:
    assert settle_origin(_arrival(vouched=True), claimed="tool", kind="note", speaker=None) is Origin.TOOL
    assert settle_origin(_arrival(), claimed="logged", kind="message", speaker="Caro") is Origin.LOGGED
    assert settle_origin(_arrival(), claimed=None, kind="message", speaker="Caro") is Origin.TOOL
