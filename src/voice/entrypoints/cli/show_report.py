"""Reports in a terminal, with bars.

Law: a figure is never cut: where a table does not fit, each group takes lines of its own, and the bars take what is
left over; into a pipe goes the table. Bars and colours say nothing that the figures do not say as well.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from voice.core.render.report import priced_label
from voice.core.report import money
from voice.core.text.days import in_zone
from voice.entrypoints.cli.marks import marks
from voice.entrypoints.cli.printing import printable

if TYPE_CHECKING:
    from voice.core.report import Calls, Period, PriceUsed, Report, ReportRow
    from voice.core.usage import Total

_LEAST_BAR = 4
_MOST_BAR = 30
_GAP = 2
_Cell = Callable[["ReportRow"], str]


def _cost(total: "Total") -> str:
    return money(total.known) + (f" +{total.unknown_count}?" if total.unknown_count else "")


def _of_calls(calls: "Calls") -> str:
    return f"{_cost(calls.cost)} in {calls.count}" if calls.count else "none"


def _tokens(row: "ReportRow", count: int) -> str:
    return f"{count:,}" + (f" +{row.unknown_token_turns}?" if row.unknown_token_turns else "")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _seconds(value: int | None) -> str:
    return "" if value is None else f"{value / 1000:.2f} s"


def _cached(row: "ReportRow") -> str:
    return f"{row.cached_tokens:,}" + ("" if row.cached_share is None else f" ({row.cached_share:.0%})")


def _estimate(row: "ReportRow") -> str:
    return f"{row.estimated_prompt_tokens:,}" + ("" if row.estimate_ratio is None else f" (x{row.estimate_ratio:.2f})")


_TURNS: tuple[str, _Cell] = ("turns", lambda row: str(row.turns))
_OUTCOME: tuple[tuple[str, _Cell], ...] = (
    ("answered", lambda row: str(row.answered)),
    ("refused", lambda row: f"{row.refused} ({_percent(row.refusal_rate)})" if row.refused else "0"),
    ("failed", lambda row: str(row.errors)),
    ("coverage", lambda row: _percent(row.mean_coverage)),
)
_LATENCY: tuple[tuple[str, _Cell], ...] = (
    ("median", lambda row: _seconds(row.median_latency_ms)),
    ("p95", lambda row: _seconds(row.p95_latency_ms)),
)
_COST: tuple[str, _Cell] = ("cost", lambda row: _cost(row.cost))
_COLUMNS: dict[str, tuple[tuple[str, _Cell], ...]] = {
    "all": (_TURNS, *_OUTCOME, *_LATENCY, _COST),
    "cost": (
        _TURNS,
        _COST,
        ("a turn", lambda row: "" if row.mean_cost is None else money(row.mean_cost)),
        ("drafts", lambda row: _of_calls(row.drafts)),
        ("verifiers", lambda row: _of_calls(row.verifiers)),
    ),
    "tokens": (
        _TURNS,
        ("read", lambda row: _tokens(row, row.prompt_tokens)),
        ("cached", _cached),
        ("written", lambda row: _tokens(row, row.completion_tokens)),
        ("our estimate", _estimate),
        ("verifiers", lambda row: f"{row.verifiers.input_tokens + row.verifiers.output_tokens:,}"),
    ),
    "grounding": (
        _TURNS,
        *_OUTCOME,
        ("repaired", lambda row: f"{row.repairs} ({_percent(row.repair_rate)})" if row.repairs else "0"),
        *_LATENCY,
    ),
}


def show_report(report: "Report", what: str, out: Console) -> None:
    """Print the period, the groups with a bar each, and what explains them."""
    if not report.total.turns:
        _print(out, f"No turns{_within(report.period)}." if _is_bounded(report.period) else "No turns are stored yet.")
        return
    _print(out, f"Turns{_within(report.period)}" if _is_bounded(report.period) else "All turns", style="dim")
    if report.repriced_with is not None:
        _print(out, f"Cost {priced_label(report.repriced_with)}; what is stored stays as it is", style="yellow")
    _show_groups(report, what, out)
    if what in ("all", "grounding") and report.total.reasons:
        why = ", ".join(f"{reason} {count}" for reason, count in report.total.reasons)
        _print(out, f"refused or failed: {why}", style="dim")
    if what == "grounding":
        _show_coverage(report.total, out)
    if what == "tokens":
        _print(out, _notes_on_tokens(report.total), style="dim")
    if what in ("all", "cost"):
        _show_prices(report, out)


def _print(out: Console, line: str, *, style: str = "") -> None:
    out.print(Text(marks().text(line), style=style))


def _show_groups(report: "Report", what: str, out: Console) -> None:
    rows = (*report.rows, report.total)
    cells = [(printable(row.key), *(cell(row) for _, cell in _COLUMNS[what])) for row in rows]
    heads = (report.by, *(heading for heading, _ in _COLUMNS[what]))
    widths = [max(cell_len(line[place]) for line in (heads, *cells)) for place in range(len(heads))]
    room = out.width - sum(widths) - _GAP * (len(widths) - 1)
    largest = max(_size(row, what) for row in report.rows)
    width = min(_MOST_BAR, room - _GAP)
    bars = [bar_of(_size(row, what), largest, width=width if width >= _LEAST_BAR else 0) for row in report.rows]
    if room < 0:
        _show_narrow(
            heads, cells, [bar_of(_size(row, what), largest, width=out.width // 2) for row in report.rows], out
        )
    else:
        out.print(_table(heads, cells, bars))


def _show_narrow(heads: Sequence[str], cells: Sequence[Sequence[str]], bars: Sequence[str], out: Console) -> None:
    """Print each group as a heading, its bar, and its figures under it, which wrap between them."""
    for line, bar in zip(cells, (*bars, ""), strict=True):
        out.print(Text(line[0], style="bold"))
        if bar:
            out.print(Padding.indent(Text(bar, style="cyan"), 2))
        told = " · ".join(f"{heading} {figure}" for heading, figure in zip(heads[1:], line[1:], strict=True) if figure)
        out.print(Padding.indent(Text(marks().text(told)), 2))


def _table(heads: Sequence[str], cells: Sequence[Sequence[str]], bars: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
    for place, heading in enumerate(heads):
        table.add_column(heading, justify="right" if place else "left", no_wrap=True)
    if any(bars):
        table.add_column("", no_wrap=True)
    for line, bar in zip(cells, (*bars, ""), strict=True):
        shown = [*(Text(cell) for cell in line), *([Text(bar, style="cyan")] if any(bars) else [])]
        table.add_row(*shown, style="bold" if line is cells[-1] else "")
    return table


def _size(row: "ReportRow", what: str) -> float:
    if what == "cost":
        return float(row.cost.known)
    return row.prompt_tokens + row.completion_tokens if what == "tokens" else row.turns


def bar_of(value: float, largest: float, *, width: int) -> str:
    """Return a bar of at most `width` blocks, its length in proportion to `largest`; at least one for anything at all.

    Where the output's encoding has no blocks, it is made of `#`.
    """
    if largest <= 0 or value <= 0 or width <= 0:
        return ""
    return ("#" if marks().is_ascii else "▇") * max(1, round(width * value / largest))


def _show_coverage(total: "ReportRow", out: Console) -> None:
    """Print how covered the drafts were: a line for each tenth in which there are any."""
    for title, counts in (("answered", total.coverage), ("refused after a draft", total.coverage_refused)):
        if not any(counts):
            continue
        _print(out, f"coverage, {title}:", style="dim")
        for tenth, count in enumerate(counts):
            figure = f"  {tenth * 10:>2}-{(tenth + 1) * 10:>3} % {count:>7,}"
            width = min(_MOST_BAR, out.width - cell_len(figure) - 1)
            out.print(Text(f"{figure} {bar_of(count, max(counts), width=width)}".rstrip()))


def _notes_on_tokens(total: "ReportRow") -> str:
    told = ["read and written are what the provider reported, verifiers' calls included"]
    if total.unknown_token_turns:
        told.append("+?: turns whose usage was not reported are counted, not guessed")
    if total.estimate_ratio is not None:
        told.append(f"our estimate of a prompt was {total.estimate_ratio:.2f} times what was reported")
    return "; ".join(told)


def _show_prices(report: "Report", out: Console) -> None:
    """Print the prices behind the figures, each with its source and its date."""
    if report.total.cost.unknown_count:
        _print(out, "+?: turns whose cost is unknown are counted, not guessed", style="dim")
    for used in report.prices:
        _print(out, f"{printable(used.model)}: {_price(used)}", style="dim")


def _price(used: "PriceUsed") -> str:
    turns = f"{used.turns} turn{'' if used.turns == 1 else 's'}"
    if used.source is None:
        return f"price unknown · {turns}"
    dates = used.last_as_of if used.first_as_of == used.last_as_of else f"{used.first_as_of} to {used.last_as_of}"
    return " · ".join(part for part in (_rates(used), f"{printable(used.source)}, {dates}", turns) if part)


def _rates(used: "PriceUsed") -> str:
    price = used.price
    if price is None:
        return ""
    cached = price.cached_input_per_million
    between = "" if cached is None else f", cached ${cached.normalize():f}"
    rates = f"${price.input_per_million.normalize():f} in{between}, ${price.output_per_million.normalize():f} out"
    return f"{rates} a million tokens"


def _is_bounded(period: "Period") -> bool:
    return period.start is not None or period.end is not None


def _within(period: "Period") -> str:
    start = "" if period.start is None else f" from {_moment(period.start, period.timezone)}"
    if period.end is None:
        return f"{start} to now ({period.timezone})"
    local = in_zone(period.end, period.timezone)
    is_whole_day = (local.hour, local.minute, local.second) == (0, 0, 0)
    last = (
        f"through {local - timedelta(days=1):%Y-%m-%d}"
        if is_whole_day
        else f"until {_moment(period.end, period.timezone)}"
    )
    return f"{start} {last} ({period.timezone})"


def _moment(moment: datetime, timezone: str) -> str:
    local = in_zone(moment, timezone)
    return f"{local:%Y-%m-%d}" if (local.hour, local.minute, local.second) == (0, 0, 0) else f"{local:%Y-%m-%d %H:%M}"
