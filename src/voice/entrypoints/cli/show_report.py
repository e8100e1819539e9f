"""Reports in a terminal, with bars."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from voice.core.report import money
from voice.entrypoints.cli.printing import printable
from voice.entrypoints.cli.runtime import is_narrow

if TYPE_CHECKING:
    from voice.core.report import Report, ReportRow

_BAR_WIDTH = 12
_Cell = Callable[["ReportRow"], str]


def _cost(row: "ReportRow") -> str:
    return money(row.cost.known) + (f" +{row.cost.unknown_count}?" if row.cost.unknown_count else "")


def _tokens(row: "ReportRow", count: int) -> str:
    return f"{count:,}" + (f" +{row.unknown_token_turns}?" if row.unknown_token_turns else "")


_TURNS: tuple[str, _Cell] = ("turns", lambda row: str(row.turns))
_OUTCOME: tuple[tuple[str, _Cell], ...] = (
    ("answered", lambda row: str(row.answered)),
    ("refused", lambda row: str(row.refused)),
    ("failed", lambda row: str(row.errors)),
    ("coverage", lambda row: "" if row.mean_coverage is None else f"{row.mean_coverage:.0%}"),
)
_COST: tuple[str, _Cell] = ("cost", _cost)
_COLUMNS: dict[str, tuple[tuple[str, _Cell], ...]] = {
    "all": (_TURNS, *_OUTCOME, ("prompt ≈", lambda row: f"{row.estimated_prompt_tokens:,}"), _COST),
    "cost": (_TURNS, _COST),
    "tokens": (
        _TURNS,
        ("read", lambda row: _tokens(row, row.prompt_tokens)),
        ("cached", lambda row: _tokens(row, row.cached_tokens)),
        ("written", lambda row: _tokens(row, row.completion_tokens)),
        ("our estimate", lambda row: f"{row.estimated_prompt_tokens:,}"),
    ),
    "grounding": (_TURNS, *_OUTCOME, ("repaired", lambda row: str(row.repairs))),
}


def show_report(report: "Report", what: str, out: Console) -> None:
    """Print the groups as a table with a bar per group, and why turns were refused."""
    if is_narrow(out):
        _show_narrow(report, what, out)
    else:
        out.print(_table(report, what))
    if what in ("all", "grounding") and report.total.reasons:
        why = ", ".join(f"{reason} {count}" for reason, count in report.total.reasons)
        out.print(Text(f"refused or failed: {why}", style="dim"))
    if report.total.cost.unknown_count and what in ("all", "cost"):
        out.print(Text("+?: turns whose cost is unknown are counted, not guessed", style="dim"))


def _show_narrow(report: "Report", what: str, out: Console) -> None:
    """Print each group as a heading and its figures under it, which wrap between them."""
    for row in (*report.rows, report.total):
        out.print(Text(printable(row.key), style="bold"))
        figures = ((heading, cell(row)) for heading, cell in _COLUMNS[what])
        told = " · ".join(f"{heading} {figure}" for heading, figure in figures if figure)
        out.print(Padding.indent(Text(told), 2))


def _table(report: "Report", what: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(report.by, no_wrap=True)
    for heading, _ in _COLUMNS[what]:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    largest = max((_size(row, what) for row in report.rows), default=0)
    for row in (*report.rows, report.total):
        is_total = row is report.total
        cells = (printable(row.key), *(cell(row) for _, cell in _COLUMNS[what]))
        bar = "" if is_total else bar_of(_size(row, what), largest)
        table.add_row(*cells, Text(bar, style="cyan"), style="bold" if is_total else "")
    return table


def _size(row: "ReportRow", what: str) -> float:
    if what == "cost":
        return float(row.cost.known)
    return row.prompt_tokens + row.completion_tokens if what == "tokens" else row.turns


def bar_of(value: float, largest: float) -> str:
    """Return a bar of at most 12 blocks, its length in proportion to `largest`; at least one for anything at all."""
    if largest <= 0 or value <= 0:
        return ""
    return "▇" * max(1, round(_BAR_WIDTH * value / largest))
