"""A list of conversations as it is printed."""

from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from rich.console import Console

from voice.entrypoints.cli.show.sessions import list_lines
from voice.ports.stores import SessionListItem

WHEN = datetime(2026, 3, 5, 14, 0, tzinfo=UTC)
ID = "s:01km66fsm727n7qm3dcxjw158h"


def item(topic: str, turns: int = 1, status: str = "open", **members: object) -> SessionListItem:
    return SessionListItem(
        id=ID,
        thread_topic=topic,
        status=status,
        created_at=WHEN,
        total_exchanges=turns,
        **{"last_interaction": WHEN, **members},  # pyright: ignore[reportArgumentType]
    )


def listed(*items: SessionListItem, width: int, is_terminal: bool = True) -> list[str]:
    return list(list_lines(items, Console(width=width, force_terminal=is_terminal)))


def test_a_year_has_four_digits() -> None:
    (line,) = listed(item("the kiln", last_interaction=datetime(2, 1, 1, tzinfo=UTC)), width=120)
    assert line.startswith(f"{ID}  0002-01-01 00:00  ")


def test_each_kind_of_fact_stands_in_one_column() -> None:
    told = listed(
        item("the kiln"), item("the oven", 12_345, "expired"), item("the shed", 7, topic_status="resolved"), width=120
    )
    assert [line.removeprefix(f"{ID}  2026-03-05 14:00  ") for line in told] == [
        "     1 turn   open                  the kiln",
        "12,345 turns  expired               the oven",
        "     7 turns  open, topic resolved  the shed",
    ]


def test_a_fork_is_called_one() -> None:
    (told,) = listed(item("the kiln", 2, "closed", own_from=1), width=120)
    assert told == f"{ID}  2026-03-05 14:00  2 turns  a fork, closed  the kiln"


@pytest.mark.parametrize("topic", ["kiln " * 600, "窯" * 1_000], ids=["narrow letters", "wide letters"])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_topic_that_is_too_long_is_cut_to_the_terminal(topic: str, width: int) -> None:
    told = listed(item(topic), item("short"), width=width)
    assert max(map(cell_len, told)) <= width
    assert sum(line.endswith("…") for line in told) == 1
    assert any(line.endswith("short") for line in told)


def test_where_the_output_is_no_terminal_a_topic_is_whole() -> None:
    (told,) = listed(item("x" * 3_000), width=80, is_terminal=False)
    assert told.endswith("  " + "x" * 3_000)


def test_on_a_terminal_that_is_too_narrow_the_facts_and_the_topic_get_lines_of_their_own() -> None:
    assert listed(item("the kiln in the shed"), width=24) == [
        ID,
        "    2026-03-05 14:00  1 turn  open",
        "    the kiln in the shed",
    ]
    assert listed(width=24) == []


def test_nothing_that_steers_a_terminal_is_printed() -> None:
    (line,) = listed(item("\x1b[31mred\nkiln"), width=120)
    assert ("\x1b" in line, "kiln" in line) == (False, True)
