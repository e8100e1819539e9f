"""Leafing through rows: what is wanted, what may be seen, and where a page ends."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from store_values import entity, thought
from voice.core.records import Row, RowStatus, Table
from voice.core.retrieval.candidates import CatalogueFilter, catalogue_page
from voice.core.retrieval.values import Window

pytestmark = pytest.mark.requirement("web:sources:leaf")
ROWS: tuple[Row, ...] = tuple(
    replace(thought(str(number), content=f"note {number}"), seq=number, is_private=number == 4)
    for number in (6, 5, 4, 3, 2)
)
ALL = CatalogueFilter()


def test_a_page_ends_where_the_next_one_begins() -> None:
    first = catalogue_page(ROWS, ALL, limit=2, bottom=0)
    assert ([row.seq for row in first.rows], first.next) == ([6, 5], 5)
    assert catalogue_page(ROWS, ALL, limit=1, bottom=0).next == 6
    rest = catalogue_page([row for row in ROWS if row.seq < 5], ALL, limit=2, bottom=0)
    assert ([row.seq for row in rest.rows], rest.next) == ([3, 2], None)


def test_where_not_everything_was_looked_at_the_list_goes_on() -> None:
    assert catalogue_page(ROWS, ALL, limit=9, bottom=1).next == 2
    assert catalogue_page((), ALL, limit=9, bottom=7).next == 8
    assert catalogue_page((), ALL, limit=9, bottom=0).next is None


@pytest.mark.parametrize(
    ("where", "is_wanted"),
    [
        (ALL, True),
        (CatalogueFilter(tables=frozenset({Table.ENTITIES})), False),
        (CatalogueFilter(statuses=frozenset({RowStatus.SUPERSEDED})), False),
        (CatalogueFilter(include_tags=("kiln", "clay")), True),
        (CatalogueFilter(include_tags=("clay",)), False),
        (CatalogueFilter(window=Window(end=datetime(1990, 1, 1, tzinfo=UTC))), False),
    ],
)
def test_everything_that_is_said_must_hold(where: CatalogueFilter, *, is_wanted: bool) -> None:
    row = replace(thought("1"), tags=("kiln",), is_private=False)
    assert where.admits(row) is is_wanted


@pytest.mark.requirement("promise:6")
def test_what_is_private_is_admitted_only_where_it_was_asked_for() -> None:
    secret = replace(entity("1", "Zelda"), is_private=True)
    assert not ALL.admits(secret)
    assert replace(ALL, include_private=True).admits(secret)
