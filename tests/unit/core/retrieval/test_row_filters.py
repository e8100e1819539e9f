"""Whether a row may be seen at all."""

from dataclasses import replace
from datetime import timedelta

import pytest

from retrieval_rows import AT, HOME, LATER_STATES, entity, observation, relation, thought
from voice.core.records import Row, RowStatus, Scope, Table, table_of
from voice.core.retrieval.candidates import admits, may_be_seen, naming_filter
from voice.core.retrieval.values import RowFilter, Window

ALL = RowFilter(tables=frozenset(Table))
ROWS: tuple[Row, ...] = (thought("1"), observation("1"), entity("1", "Ada"), relation("1", "a", "knows", "b"))
EACH_TABLE = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)


@EACH_TABLE
def test_a_plain_row_is_seen(row: Row) -> None:
    assert admits(ALL, row)


@EACH_TABLE
def test_a_row_of_a_table_that_was_not_asked_for_is_not_seen(row: Row) -> None:
    own = frozenset({table_of(row.id)})
    assert not admits(RowFilter(tables=frozenset(Table) - own), row)
    assert admits(RowFilter(tables=own), row)


@EACH_TABLE
@pytest.mark.requirement("s0:constraint:privacy", "s0:test:privacy-tags", "ruling:C10")
def test_a_private_row_is_seen_only_when_private_rows_are_asked_for(row: Row) -> None:
    private = replace(row, is_private=True)
    assert not admits(ALL, private)
    assert admits(replace(ALL, include_private=True), private)


@EACH_TABLE
@pytest.mark.requirement("s0:test:privacy-tags", "s0:param:include_tags", "s0:param:exclude_tags")
def test_tags_include_and_exclude(row: Row) -> None:
    tagged = replace(row, tags=("work", "draft"))
    assert admits(replace(ALL, include_tags=("work", "home")), tagged)
    assert not admits(replace(ALL, include_tags=("home",)), tagged)
    assert not admits(replace(ALL, include_tags=("work",)), row)
    assert not admits(replace(ALL, exclude_tags=("draft",)), tagged)
    assert not admits(replace(ALL, include_tags=("work",), exclude_tags=("draft",)), tagged)
    assert admits(replace(ALL, exclude_tags=("other",)), tagged)


@EACH_TABLE
@pytest.mark.parametrize("status", LATER_STATES)
def test_a_row_that_is_no_longer_live_is_not_seen(row: Row, status: RowStatus) -> None:
    assert not admits(ALL, replace(row, status=status))
    assert admits(ALL, row)


@EACH_TABLE
def test_a_superseded_row_is_seen_when_history_is_asked_for(row: Row) -> None:
    history = replace(ALL, include_superseded=True)
    assert admits(history, replace(row, status=RowStatus.SUPERSEDED))
    assert not admits(history, replace(row, status=RowStatus.REDACTED))


@pytest.mark.requirement("ruling:A13", "s3:exclude:synthesis", "s3:not:synthesized")
def test_what_the_inner_voice_wrote_is_never_seen() -> None:
    for mark in ({"is_summary": True}, {"pipeline": "inner_voice"}):
        written = replace(thought("1"), **mark)
        assert not admits(ALL, written)
        assert may_be_seen(ALL, written)


@EACH_TABLE
@pytest.mark.requirement("s4:scope:and", "s4:scope:partial", "s4:scope:exact", "s4:scope:dimensions")
def test_every_scope_dimension_that_is_named_must_match(row: Row) -> None:
    scoped = replace(row, scope=HOME)
    assert admits(replace(ALL, scope=Scope(session_id="s1")), scoped)
    assert admits(replace(ALL, scope=HOME), scoped)
    assert not admits(replace(ALL, scope=Scope(session_id="s1", repo_id="/other")), scoped)
    assert not admits(replace(ALL, scope=Scope(session_id="s1", user_id="u1")), scoped)
    assert not admits(replace(ALL, scope=Scope(session_id="s")), scoped)


@EACH_TABLE
@pytest.mark.requirement("s3:time:half-open", "s3:sql:window")
def test_a_window_is_half_open(row: Row) -> None:
    assert admits(replace(ALL, window=Window(start=AT, end=AT + timedelta(seconds=1))), row)
    assert not admits(replace(ALL, window=Window(end=AT)), row)
    assert not admits(replace(ALL, window=Window(start=AT + timedelta(microseconds=1))), row)


@pytest.mark.requirement("promise:6")
def test_a_name_in_a_text_is_bound_by_privacy_scope_and_excluded_tags_but_not_by_date_or_wanted_tags() -> None:
    asked = replace(
        ALL,
        tables=frozenset({Table.OBSERVATIONS}),
        window=Window(end=AT - timedelta(days=1)),
        include_tags=("work",),
        exclude_tags=("draft",),
        scope=Scope(session_id="s1"),
    )
    naming = naming_filter(asked)
    named = replace(entity("1", "Ada"), scope=HOME)
    assert admits(naming, named)
    assert not admits(naming, replace(named, is_private=True))
    assert not admits(naming, replace(named, tags=("draft",)))
    assert not admits(naming, replace(named, scope=Scope(session_id="s2")))
    assert not admits(
        naming_filter(replace(asked, include_superseded=True)), replace(named, status=RowStatus.SUPERSEDED)
    )
