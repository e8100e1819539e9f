"""Show how far a question is while it is asked.

Law: on a terminal one line on stderr says how far a question is, and is gone before the answer is printed; elsewhere
only a verifier's test is announced. The line holds counts and names, no word of a draft (ruling D9).

Source: docs/streaming.md; DESIGN 8.
"""

import sys
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from voice.core.render.turn_json import calibrating_line, event_json, event_line
from voice.core.session.turn_events import Calibrating, EventListener
from voice.entrypoints.cli.terminal.printing import note, print_json_line, printable
from voice.entrypoints.cli.terminal.runtime import console

if TYPE_CHECKING:
    from voice.core.session.turn_events import Event


@contextmanager
def status_line() -> Generator[EventListener]:
    """Show how far a question is while the block runs; yield what is to be told of its events."""
    if not sys.stderr.isatty():
        yield _told_of_trials
        return
    from rich.markup import escape

    with console(stderr=True).status("reading the question") as status:

        def tell(event: "Event") -> None:
            _told_of_trials(event)
            status.update(escape(printable(event_line(event))))

        yield tell


def _told_of_trials(event: "Event") -> None:
    """Say that a verifier is tried first, wherever stderr goes: it takes time and money, once."""
    if isinstance(event, Calibrating):
        note(calibrating_line(event))


async def print_events(events: "AsyncIterator[Event]") -> None:
    """Print each event on a line of its own, as it happens."""
    async for event in events:
        print_json_line(event_json(event))
