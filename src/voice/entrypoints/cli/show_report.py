"""Reports in a terminal, with bars."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from voice.core.render.report import report_rows
from voice.entrypoints.cli.printing import printable

if TYPE_CHECKING:
    from voice.core.report import Report, ReportRow

_BAR_WIDTH = 20


def show_report(report: "Report", what: str, out: Console) -> None:
    """Print the groups as a table with a bar per group, and why turns were refused."""
    header, *rows = report_rows(report, what)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(header):
        table.add_column(name.replace("_", " "), justify="left" if number == 0 else "right")
    table.add_column("")
    largest = max((_size(row, what) for row in report.rows), default=0)
    for row, cells in zip((*report.rows, report.total), rows, strict=True):
        is_total = row is report.total
        bar = "" if is_total else bar_of(_size(row, what), largest)
        table.add_row(*map(printable, cells), Text(bar, style="cyan"), style="bold" if is_total else "")
    out.print(table)
    if what in ("all", "grounding") and report.total.reasons:
        why = ", ".join(f"{reason} {count}" for reason, count in report.total.reasons)
        out.print(Text(f"refused or failed: {why}", style="dim"))
    if report.total.cost.unknown_count:
        out.print(Text("a turn of unknown cost is counted, not guessed", style="dim"))


def _size(row: "ReportRow", what: str) -> float:
    if what == "cost":
        return float(row.cost.known)
    return row.prompt_tokens + row.completion_tokens if what == "tokens" else row.turns


def bar_of(value: float, largest: float) -> str:
    """Return a bar of at most 20 blocks, its length in proportion to `largest`; at least one for anything at all."""
    if largest <= 0 or value <= 0:
        return ""
    return "▇" * max(1, round(_BAR_WIDTH * value / largest))
