"""Printing to a terminal: text without control characters, JSON, days, signs, and progress in lines.

Law: no text steers a terminal: control characters are removed, also for pipes and files, which are read in a terminal
later; JSON keeps them as escapes. Notes go to stderr, one line each. A sign or colour says nothing that words do not
say as well; where the encoding lacks a sign, an ASCII one replaces it (`NO_COLOR`, pipes and files have no colour).

For who watches no terminal (a log, a pipe, a service), progress is a line every ten seconds, the first after ten,
whatever the work is at: how much was done, how fast, and about how long that takes still where it is known.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import click

from voice.core.text.display import counted, escape_json, printable

_Document = Mapping[str, object] | list[object]
JSON: Final = "voice.json"
"""Under this name click holds whether `--json` was given."""
_UNDATED_YEAR = 1  # of `voice.core.text.instants.UNDATED`: a command that shows no date imports nothing for it


def note(message: str) -> None:
    """Print one line on stderr."""
    click.echo(f"voice: {printable(message)}", err=True)


def print_first(items: Sequence[str], most: int) -> None:
    """Print the first items on stderr, and how many more there are."""
    for item in items[:most]:
        click.echo(item, err=True)
    if len(items) > most:
        click.echo(f"and {len(items) - most:,} more", err=True)


def print_json(document: _Document, *, indent: int | None = 2) -> None:
    """Print one JSON document, keys in the order given, on one line without `indent`, in ASCII unless that is UTF-8."""
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"  # "UTF-8", "utf8"
    click.echo(json_text(document, ascii_only=not is_utf8, indent=indent))


def wants_json() -> bool:
    """Return whether the command that runs was given `--json`."""
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(JSON) is True


def print_result(document: _Document | Callable[[], _Document], lines: str | Iterable[str], *, none: str = "") -> None:
    """Print what came of a command: with `--json` the document, else the lines, or on stderr that there are `none`."""
    if wants_json():
        print_json(document() if callable(document) else document)
        return
    told = [lines] if isinstance(lines, str) else [*lines]
    if none and not told:
        click.echo(none, err=True)
    for line in told:
        click.echo(line)


def json_text(document: _Document, *, ascii_only: bool = False, indent: int | None = 2) -> str:
    """Return one JSON document, keys in the order given, the characters that steer a terminal as escapes."""
    return escape_json(json.dumps(document, ensure_ascii=ascii_only, indent=indent))


def day_of(moment: datetime) -> str:
    """Return the day on which `moment` falls where the person lives, as YYYY-MM-DD (rulings E: days are local, I2)."""
    return "undated" if moment.year <= _UNDATED_YEAR else f"{_local(moment).date()}"


def minute_of(moment: datetime) -> str:
    """Return the minute at which `moment` falls where the person lives, as YYYY-MM-DD HH:MM."""
    if moment.year <= _UNDATED_YEAR:
        return "undated"
    return _local(moment).replace(tzinfo=None).isoformat(" ", "minutes")  # no zone behind it: it is the person's own


def _local(moment: datetime) -> datetime:
    from voice.core.text.instants import in_zone

    return in_zone(moment, zone_here())


def zone_here() -> str:
    """Return the time zone in which the person lives, as the command that runs has it from the settings."""
    context = click.get_current_context(silent=True)
    said: object = context.find_root().obj.get("timezone") if context else None
    # Before settings are read, and outside of a command.
    return said if isinstance(said, str) else "UTC"


_ASCII = {"✓": "+", "✗": "x", "·": "-", "“": '"', "”": '"', "—": "-", "→": "->", "…": "...", "─": "-"}
STYLE_OF_TIER = {"green": "green", "amber": "yellow", "red": "red"}
COLOUR_OF_MARK = {"✓": "green", "~": "yellow", "✗": "red", "?": "cyan", "·": "bright_black"}
_TABLE = str.maketrans(_ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """How signs are written on one output."""

    is_ascii: bool

    def text(self, text: str) -> str:
        """Return `text` with the signs of ours that the output lacks in ASCII."""
        return text.translate(_TABLE) if self.is_ascii else text

    def styled(self, mark: str) -> str:
        """Return one sign in its colour, for `click.echo`, which drops colours where they are not wanted."""
        return self.text(mark) if is_uncoloured() else click.style(self.text(mark), fg=COLOUR_OF_MARK[mark])


def is_terminal() -> bool:
    """Return whether what is printed is for a person, not for a file or another program."""
    return sys.stdout.isatty()


def is_uncoloured() -> bool:
    """Return whether the person wants no colours: NO_COLOR is set to anything at all (no-color.org)."""
    return os.environ.get("NO_COLOR", "") != ""


def marks(encoding: str | None = None) -> Marks:
    """Return how signs are written in `encoding`; None is that of standard output."""
    try:
        "".join(_ASCII).encode(encoding or sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return Marks(is_ascii=True)
    return Marks(is_ascii=False)


EVERY_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A part of a work."""

    done: int
    total: int | None
    begun: float
    at: float  # when it was as far as that

    def left(self, now: float) -> float | None:
        """How many seconds it takes from now on; None where that is not known."""
        # Done, not begun, or heard of once: no rate to reckon with.
        if not self.total or not 0 < self.done < self.total or self.at == self.begun:
            return None
        return (now - self.begun) * (self.total - self.done) / self.done

    @property
    def rate(self) -> str:
        """How many a second, or a minute, it was until then; empty where that is not known."""
        elapsed = self.at - self.begun
        a_minute = 60 * self.done / elapsed if elapsed else 0
        if a_minute < 60:
            return f", {a_minute:.0f} a minute" if a_minute >= 1 else ""
        return f", {a_minute / 60:,.0f} a second"


@dataclass(slots=True, kw_only=True)
class ProgressLines:
    """Says how far a work is; a part of it begins when it is first heard of."""

    clock: Callable[[], float]
    then: str | None = None
    """The part that comes last, which is told of as long as it has not begun."""
    _steps: dict[str, _Step] = field(default_factory=dict[str, _Step])

    def advance(self, title: str, done: int, total: int | None) -> None:
        """Take note of how far a part of the work is."""
        now = self.clock()
        begun = self._steps[title].begun if title in self._steps else now  # a part keeps its beginning
        self._steps[title] = _Step(done=done, total=total, begun=begun, at=now)

    def line(self) -> str:
        """Return how far all of it is."""
        now = self.clock()
        told = [_in_words(title, step, now) for title, step in self._steps.items() if step.done or step.total]
        coming = [f"then {self.then}"] if self.then and self.then not in self._steps else []
        return "; ".join((*(told or ["starting"]), *coming))


@contextmanager
def reported_in_lines(lines: ProgressLines, tell: Callable[[str], None]) -> Generator[None]:
    """Tell every ten seconds how far a work is while the block runs."""
    ended = threading.Event()
    teller = threading.Thread(target=report_until, args=(ended.wait, lines, tell), daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()  # the last line is out before the answer is printed


def report_until(ended: Callable[[float], bool], lines: ProgressLines, tell: Callable[[str], None]) -> None:
    """Tell how far a work is whenever it has not ended for ten seconds more."""
    while not ended(EVERY_S):  # True at the end, False after ten seconds
        tell(lines.line())


def _in_words(title: str, step: _Step, now: float) -> str:
    if not step.total:
        return f"{title}: {counted(step.done, 'record')}{step.rate}"
    percent = min(100, 100 * step.done // step.total)  # more may come in than was counted before
    left = step.left(now)
    if left is None:
        return f"{title}: {percent} %"
    duration = f"{left:.0f} s" if left < 120 else f"{left / 60:.0f} min"
    return f"{title}: {percent} %, about {duration} left"
