"""Snippets in a terminal, and how they were chosen."""

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from voice.entrypoints.cli.printing import day_of, printable
from voice.entrypoints.cli.show import STYLE_OF_TIER

if TYPE_CHECKING:
    from voice.core.retrieval.values import Diagnostics, Dropped, Selection, Snippet

_LEFT_OUT_SHOWN = 40


def show_selection(selection: "Selection", out: Console, *, explain: bool) -> None:
    """Print snippets, best first, and with `explain` how the choice was made and what was left out."""
    facts = selection.diagnostics
    if facts.no_results:
        out.print(Text("Nothing found: " + _why(facts.reason), style="yellow"))
    for number, snippet in enumerate(selection.snippets, start=1):
        line = Text(f"{number:>2}. ", style="bold cyan")
        line.append(f"{snippet.score:.3f} ", style="bold")
        line.append(f"{day_of(snippet.created_at)} {snippet.source_type} ", style="dim")
        line.append(snippet.id, style=STYLE_OF_TIER[snippet.trust_tier.value])
        out.print(line)
        out.print(Padding.indent(Text(printable(snippet.text)), 4))
    if explain:
        _show_account(selection, out)


def _why(reason: str | None) -> str:
    if reason == "floor_excluded_all":
        return "what there is lies below the similarity floor; try other words or a lower --floor"
    return "nothing in this memory may be seen or compared; check tags, time and privacy, or remember something first"


def _show_account(selection: "Selection", out: Console) -> None:
    if selection.snippets:
        out.print(_arms(selection.snippets))
    out.print(_choice(selection.diagnostics))
    if selection.dropped:
        out.print(_left_out(selection.dropped))
    hidden = len(selection.dropped) - _LEFT_OUT_SHOWN
    if hidden > 0:
        out.print(Text(f"and {hidden} more; --json lists all of them", style="dim"))


def _grid(title: str, *columns: str) -> Grid:
    grid = Grid(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, title_style="bold")
    for column in columns:
        is_number = column in ("rank", "cosine", "words", "score", "#")
        grid.add_column(column, justify="right" if is_number else "left", overflow="fold")
    return grid


def _arms(snippets: "tuple[Snippet, ...]") -> Grid:
    grid = _grid("arms", "#", "id", "rank", "cosine", "words", "raised by", "also in")
    for number, snippet in enumerate(snippets, start=1):
        raised = ", ".join(f"{name} {value:+.3f}" for name, value in snippet.boosts)
        cosine = "none" if snippet.cosine is None else f"{snippet.cosine:.3f}"
        row = (snippet.id, f"{snippet.rank_score:.4f}", cosine, f"{snippet.lexical:.3f}", raised)
        grid.add_row(str(number), *map(Text, row), Text(", ".join(snippet.also_in)))
    return grid


def _choice(facts: "Diagnostics") -> Grid:
    grid = _grid("choice", "", "graph", "thoughts")
    grid.add_row("searched", *_searched(facts))
    grid.add_row("candidates", str(facts.kg_candidates), str(facts.thought_candidates))
    grid.add_row("floor", f"{facts.floor_kg:.3f}", f"{facts.floor_thoughts:.3f}")
    grid.add_row("places", str(facts.kg_slots), str(facts.thought_slots))
    encoder = f"{facts.provider}/{facts.model} ({facts.dim})"
    notes = [
        f"{facts.retrieval_provider}, {facts.candidate_limit} rows a table; encoder {encoder}; {facts.latency_ms} ms",
        f"{facts.backfilled} places back-filled; {facts.excluded_other_model} rows without a vector of this encoder",
        *([_time(facts)] if facts.when or facts.window.start or facts.window.end else []),
        *facts.warnings,
    ]
    grid.caption = Text("\n".join(map(printable, notes)), style="dim")
    grid.caption_justify = "left"
    return grid


def _searched(facts: "Diagnostics") -> tuple[str, str]:
    """Return how much of the graph and of the thoughts matched, of how much that may be seen."""
    counts = {"graph": [0, 0], "thoughts": [0, 0]}
    for table, admitted in facts.admitted.items():
        side = counts["thoughts" if table.value == "thoughts" else "graph"]
        side[0] += facts.matched.get(table, 0)
        side[1] += admitted
    graph, thoughts = (f"{matched} of {admitted}" for matched, admitted in counts.values())
    return graph, thoughts


def _time(facts: "Diagnostics") -> str:
    start, end = ("open" if moment is None else moment.isoformat() for moment in (facts.window.start, facts.window.end))
    return f"time: {facts.when or 'given'} = from {start} to {end}"


def _left_out(dropped: "tuple[Dropped, ...]") -> Grid:
    from voice.core.render.retrieval import WHY_LEFT_OUT

    grid = _grid("left out", "id", "score", "why")
    for one in dropped[:_LEFT_OUT_SHOWN]:
        of = f" as {one.of}" if one.of else ""
        grid.add_row(Text(one.id), f"{one.score:.3f}", WHY_LEFT_OUT[one.reason] + of)
    return grid
