"""Show reports on past turns, with bars.

Law: a figure is never cut: where a table does not fit, each group takes lines of its own, and the bars take what is
left over; into a pipe goes the table. Bars and colours say nothing that the figures do not say as well.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from voice.core.render.reports import priced_label
from voice.core.report.values import Calls, Period, PriceUsed, Report, ReportRow, money
from voice.core.text.display import counted, printable
from voice.core.text.instants import in_zone
from voice.core.usage import Total
from voice.entrypoints.cli.show.sessions import session_names
from voice.entrypoints.cli.terminal.printing import marks

_LEAST_BAR = 4  # columns of the shortest bar that is drawn
_MOST_BAR = 30  # columns of the longest
_GAP = 2  # columns between two cells
_TENTH = 10  # columns of "90-100 %"
_COUNT = 9  # columns of a count
_KINDS = ("repairs", "verifiers", "summaries", "reach", "reading")  # kinds of calls beside drafts
_RARE = ("repairs", "summaries", "reach", "reading")  # kinds that get a column only where there are such calls
_Cell = Callable[[ReportRow], str]


def _cost(total: Total) -> str:
    return money(total.known) + (f" +{total.unknown_count}?" if total.unknown_count else "")


def _columns_of_calls(kinds: Sequence[str], shown: Callable[[Calls], str]) -> "tuple[tuple[str, _Cell], ...]":
    # kind=kind: bound now, not when the loop has ended.
    return tuple((kind, lambda row, kind=kind: shown(row.calls[kind])) for kind in kinds)


def _tokens(row: ReportRow, count: int) -> str:
    return f"{count:,}" + (f" +{row.unknown_token_turns}?" if row.unknown_token_turns else "")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _seconds(value: int | None) -> str:
    return "" if value is None else f"{value / 1000:.2f} s"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"x{ratio:.2f}"


def _with_ratio(tokens: int, ratio: str) -> str:
    return f"{tokens:,} ({ratio})" if ratio else f"{tokens:,}"


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
    "all": (_TURNS, *_OUTCOME, _LATENCY[0], _COST),
    "cost": (
        _TURNS,
        _COST,
        ("a turn", lambda row: "" if row.mean_cost is None else money(row.mean_cost)),
        *_columns_of_calls(("drafts", *_KINDS), lambda calls: _cost(calls.cost) if calls.count else "none"),
    ),
    "tokens": (
        _TURNS,
        ("read", lambda row: _tokens(row, row.prompt_tokens)),
        ("cached", lambda row: _with_ratio(row.cached_tokens, _percent(row.cached_share))),
        ("written", lambda row: _tokens(row, row.completion_tokens)),
        ("our estimate", lambda row: _with_ratio(row.estimated_prompt_tokens, _times(row.estimate_ratio))),
        *_columns_of_calls(_KINDS, lambda calls: f"{calls.input_tokens + calls.output_tokens:,}"),
    ),
    "grounding": (
        _TURNS,
        *_OUTCOME,
        ("repaired", lambda row: f"{row.repairs} ({_percent(row.repair_rate)})" if row.repairs else "0"),
        *_LATENCY,
    ),
}


def show_report(report: Report, what: str, out: Console) -> None:
    """Print the period, the groups with a bar each, and what explains them."""
    period, total = report.period, report.total
    is_bounded = period.start is not None or period.end is not None  # no words about a period where none was asked for
    if report.is_empty:
        _print(out, f"No turns{_within(period)}." if is_bounded else "No turns are stored yet.")
    else:
        _print(out, f"Turns{_within(period)}" if is_bounded else "All turns", style="dim")
    _show_uncounted(report, out)
    if report.is_empty:  # no table of nothing, but the notes above
        return
    if report.repriced_with is not None:
        _print(out, f"Cost {priced_label(report.repriced_with)}; stored figures do not change", style="yellow")
    _show_groups(report, what, out)
    if what in ("all", "grounding") and total.reasons:
        why = ", ".join(f"{reason} {count}" for reason, count in total.reasons)
        _print(out, f"refused or failed: {why}", style="dim")
    if what == "grounding":
        _show_coverage(total, out)
    if what == "tokens":
        _print(out, _notes_on_tokens(total), style="dim")
    if what in ("all", "cost"):
        _show_prices(report, out)


def _print(out: Console, line: str, *, style: str = "") -> None:
    out.print(Text(marks().text(line), style=style))


def _show_groups(report: Report, what: str, out: Console) -> None:
    """Print a line per group; its name on a line of its own, or its figures on several, where the width wants that."""
    rows = (*report.rows, report.total)
    columns = _columns(report, what)
    # Sessions alone have topics; other keys are names already.
    topics = {row.key: row.topic for row in report.rows if row.topic is not None}
    names = session_names(topics, topics, width=out.width)
    cells = [[names.get(row.key, printable(row.key)), *(cell(row) for _, cell in columns)] for row in rows]
    lines = [[report.by, *(heading for heading, _ in columns)], *cells]
    # `cell_len`: wide characters take two columns.
    widths = [max(cell_len(line[place]) for line in lines) for place in range(len(lines[0]))]
    sizes = [_size(row, what) for row in report.rows]
    if sum(widths[1:]) + _GAP * (len(widths) - 1) <= out.width:
        _show_table(lines, widths, sizes, out)
    else:
        _show_narrow(lines, sizes, out)


def _columns(report: Report, what: str) -> list[tuple[str, _Cell]]:
    """Return the columns of a form; what calls of a rare kind took has one where there are such calls."""
    calls = report.total.calls
    return [
        (heading, cell)
        for heading, cell in _COLUMNS[what]
        if what == "grounding" or heading not in _RARE or calls[heading].count
    ]


def _show_table(lines: Sequence[Sequence[str]], widths: Sequence[int], sizes: Sequence[float], out: Console) -> None:
    """Print the figures in columns, each group with its bar; the names above them where they do not fit beside."""
    gap = " " * _GAP
    is_wide = sum(widths) + _GAP * (len(widths) - 1) <= out.width
    room = out.width - (sum(widths) + _GAP * len(widths) if is_wide else widths[0] + _GAP)  # what is left is for bars
    for line, bar in zip(lines, _bars(sizes, room), strict=True):
        cells = zip(line[1:], widths[1:], strict=True)
        figures = gap + gap.join(" " * (width - cell_len(cell)) + cell for cell, width in cells)
        name = line[0] + " " * (widths[0] - cell_len(line[0]))
        is_bold = line in (lines[0], lines[-1])
        _print_line(name + figures if is_wide else name, bar, out, is_bold=is_bold)
        if not is_wide:
            _print_line(figures, "", out, is_bold=is_bold)


def _show_narrow(lines: Sequence[Sequence[str]], sizes: Sequence[float], out: Console) -> None:
    """Print each group as its name, its bar, and its figures under it, which wrap between them."""
    _print_line(f"by {lines[0][0]}", "", out, is_bold=True)
    for line, bar in list(zip(lines, _bars(sizes, out.width // 2), strict=True))[1:]:
        _print_line(line[0], "", out, is_bold=True)
        if bar:
            _print_line(" " * (_GAP - 1), bar, out)
        told = " · ".join(
            f"{heading} {figure}" for heading, figure in zip(lines[0][1:], line[1:], strict=True) if figure
        )
        out.print(Padding.indent(Text(marks().text(told)), _GAP))


def _bars(sizes: Sequence[float], room: int) -> list[str]:
    """Return a bar for each line of a table: none for its heading and none for its sum."""
    width = min(_MOST_BAR, room)
    return ["", *(bar_of(size, max(sizes), width=width if width >= _LEAST_BAR else 0) for size in sizes), ""]


def _print_line(text: str, bar: str, out: Console, *, is_bold: bool = False) -> None:
    line = Text(text, style="bold" if is_bold else "")
    if bar:
        line.append(f"{' ' * _GAP}{bar}", style="cyan")
    line.rstrip()  # blanks at the end would wrap on a terminal
    out.print(line)


def _size(row: ReportRow, what: str) -> float:
    if what == "cost":
        return float(row.cost.known)  # unknown costs have no length
    return row.prompt_tokens + row.completion_tokens if what == "tokens" else row.turns  # else the number of turns


def bar_of(value: float, largest: float, *, width: int) -> str:
    """Return a bar of at most `width` blocks, its length in proportion to `largest`; at least one for anything at all.

    Where the output's encoding has no blocks, it is made of `#`.
    """
    if largest <= 0 or value <= 0 or width <= 0:
        return ""
    return ("#" if marks().is_ascii else "▇") * max(1, round(width * value / largest))


def _show_coverage(total: ReportRow, out: Console) -> None:
    """Print how covered the judged drafts were, by tenths: those that were answers beside those that were refused."""
    columns = (("answered", total.coverage), ("refused", total.coverage_refused))
    room = (out.width - _TENTH - 2 * _COUNT) // 2 - 2 * _GAP  # half of what the tenths and counts leave
    width = min(_MOST_BAR, room) if room >= _LEAST_BAR else 0
    if not any(any(counts) for _, counts in columns):
        return
    if width:
        heads = "".join(f"{' ' * (_COUNT - 5)}{title:<{5 + _GAP + width}}" for title, _ in columns)
        _print(out, f"{'coverage':<{_TENTH}}{heads}".rstrip(), style="bold")
    else:
        _print(out, "coverage: answered, refused", style="bold")
    for tenth in range(len(total.coverage)):
        line = Text(f"{f'{tenth * 10}-{(tenth + 1) * 10} %':<{_TENTH}}")
        for _, counts in columns:
            bar = bar_of(counts[tenth], max(counts), width=width)
            line.append(f"{counts[tenth]:>{_COUNT},}")
            line.append(f"{' ' * _GAP}{bar:<{width}}" if width else "", style="cyan")
        line.rstrip()
        out.print(line)


def _notes_on_tokens(total: ReportRow) -> str:
    told = ["read and written are the tokens that the provider reported for all calls"]
    if total.unknown_token_turns:
        told.append("+?: plus turns of unknown usage")
    if total.estimate_ratio is not None:
        told.append(f"voice estimated {total.estimate_ratio:.2f} times the prompt tokens that the provider reported")
    return "; ".join(told)


def _show_uncounted(report: Report, out: Console) -> None:
    """Say what no figure here counts: imported turns, and calls whose end is unknown."""
    if report.imported:
        were = "was" if report.imported == 1 else "were"
        told = f"{counted(report.imported, 'turn')} {were} asked elsewhere and imported"
        _print(out, f"{told}; these figures do not count them", style="yellow")
    if report.unended:
        calls = "a call" if report.unended == 1 else f"{report.unended} calls"
        most = "price unknown" if report.unended_cost.unknown_count else f"at most {money(report.unended_cost.known)}"
        told = f"{calls} with an unknown outcome: under way, or cut off when its process was killed, {most}"
        _print(out, f"{told}; spending caps count it, these figures do not", style="yellow")


def _show_prices(report: Report, out: Console) -> None:
    if report.total.cost.unknown_count:
        _print(out, "+?: plus turns of unknown cost", style="dim")
    for used in report.prices:
        _print(out, f"{printable(used.model)}: {_price(used)}", style="dim")
    if others := report.total.turns - sum(used.turns for used in report.prices):
        _print(out, f"no model call: {counted(others, 'turn')}", style="dim")


def _price(used: PriceUsed) -> str:
    turns = counted(used.turns, "turn") if used.turns else "no turn"
    if used.source is None:
        return f"price unknown · {turns}"
    dates = used.last_as_of if used.first_as_of == used.last_as_of else f"{used.first_as_of} to {used.last_as_of}"
    return " · ".join(part for part in (_rates(used), f"{printable(used.source)}, {dates}", turns) if part)


def _rates(used: PriceUsed) -> str:
    price = used.price
    if price is None:
        return ""
    cached = price.cached_input_per_million
    between = "" if cached is None else f", cached ${cached.normalize():f}"
    rates = f"${price.input_per_million.normalize():f} in{between}, ${price.output_per_million.normalize():f} out"
    return f"{rates} per million tokens"


def _within(period: Period) -> str:
    start = "" if period.start is None else f" from {_moment(period.start, period.timezone)}"
    if period.end is None:
        return f"{start} to now ({period.timezone})"
    local = in_zone(period.end, period.timezone)
    # "through March 5" is easier to read than "until March 6 00:00".
    through = f"through {local - timedelta(days=1):%Y-%m-%d}"
    last = through if _begins_a_day(local) else f"until {_moment(period.end, period.timezone)}"
    return f"{start} {last} ({period.timezone})"


def _moment(moment: datetime, timezone: str) -> str:
    local = in_zone(moment, timezone)
    return f"{local:%Y-%m-%d}" if _begins_a_day(local) else f"{local:%Y-%m-%d %H:%M}"


def _begins_a_day(local: datetime) -> bool:
    return (local.hour, local.minute, local.second) == (0, 0, 0)
