"""A list of conversations on a terminal.

Law: what is of one kind stands in one column, and a line is never broken by the terminal: a topic that is too long for
it is cut with an ellipsis. Where the output is no terminal nothing is cut.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from voice.entrypoints.cli.printing import minute_of, printable

if TYPE_CHECKING:
    from rich.console import Console

    from voice.core.session.values import InnerVoiceSession
    from voice.ports.stores import SessionListItem

_LEAST_TOPIC = 12
"""Columns that a topic needs beside the facts; with fewer it gets a line of its own."""
_INDENT = 4


def list_lines(items: "Sequence[SessionListItem]", out: "Console") -> Iterator[str]:
    """Yield a list of conversations, each on a line, or on three where the terminal is too narrow for one."""
    facts = _columns([_facts(item) for item in items])
    for item, told in zip(items, facts, strict=True):
        head, topic = f"{item.id}  {told}", printable(item.thread_topic)
        if not out.is_terminal or out.width - len(head) - 2 >= _LEAST_TOPIC:
            yield f"{head}  {_cut(topic, out, beside=len(head) + 2)}".rstrip()
        else:
            yield item.id
            yield f"{'':{_INDENT}}{told.rstrip()}"
            yield f"{'':{_INDENT}}{_cut(topic, out, beside=_INDENT)}"


def standing_of(of: "InnerVoiceSession | SessionListItem") -> str:
    """Return how a conversation and its topic stand."""
    return of.status if of.topic_status == "open" else f"{of.status}, topic {of.topic_status}"


def _facts(item: "SessionListItem") -> tuple[str, str, str, str]:
    number = item.total_exchanges
    fork = "a fork, " if item.is_fork else ""
    return minute_of(item.last_interaction), f"{number:,}", "turn" if number == 1 else "turns", fork + standing_of(item)


def _columns(rows: "Sequence[tuple[str, str, str, str]]") -> Iterator[str]:
    """Yield the rows with each column as wide as its widest; numbers end in one place."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for when, number, noun, standing in rows:
        turns = f"{number:>{widths[1]}} {noun:<{widths[2]}}"
        yield f"{when:<{widths[0]}}  {turns}  {standing:<{widths[3]}}"


def _cut(text: str, out: "Console", *, beside: int) -> str:
    """Return what of `text` fits on a line beside so many columns."""
    if not out.is_terminal:
        return text
    from rich.text import Text

    cut = Text(text)
    cut.truncate(max(out.width - beside, 1), overflow="ellipsis")
    return cut.plain
