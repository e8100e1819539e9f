"""Turns, sources and reports in a terminal.

Law: what is printed was stored; text of a memory is printed as text, never as markup of the terminal.
"""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from voice.core.render.answer import REFUSED, marked_sentences, source_numbers
from voice.core.report import money
from voice.entrypoints.cli.printing import day_of, printable

if TYPE_CHECKING:
    from voice.core.grounding.values import SourceCitation
    from voice.core.session.values import DialogueExchange
    from voice.services.ask import Turn

_STYLE_OF_MARK = {"✓": "green", "~": "yellow", "✗": "red", "?": "cyan", "·": "dim"}
STYLE_OF_TIER = {"green": "green", "amber": "yellow", "red": "red"}


def show_exchange(exchange: "DialogueExchange", out: Console) -> None:
    """Print a judged turn: each sentence with its mark and footnotes, then the numbered sources."""
    if exchange.refused:
        _show_refusal(exchange, out)
        return
    grid = _grid(2)
    for sentence in marked_sentences(exchange):
        text = Text(printable(sentence.text))
        text.append("".join(f" [{number}]" for number in sentence.footnotes), style="bold cyan")
        grid.add_row(Text(sentence.mark, style=_STYLE_OF_MARK[sentence.mark]), text)
        if sentence.mark in ("✗", "~"):
            for reason in sentence.reasons:
                grid.add_row("", Text(printable(reason), style="red dim"))
    out.print(grid)
    _show_sources(exchange.sources, out)
    out.print(Text(_footer(exchange), style="dim"))


def _grid(columns: int) -> Table:
    """Return a table without lines whose last column wraps under itself."""
    grid = Table.grid(padding=(0, 1))
    for _ in range(columns - 1):
        grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _quoted(source: "SourceCitation") -> Text:
    text = Text(f"“{printable(source.span)}”  ")
    return text.append(source.source_id, style=f"{STYLE_OF_TIER[source.trust_tier.value]} dim")


def _footer(exchange: "DialogueExchange") -> str:
    cost = "cost unknown" if exchange.cost_estimate is None else money(exchange.cost_estimate)
    count = len(source_numbers(exchange.sources))
    return (
        f"coverage {exchange.coverage_ratio:.0%} · {count} source{'s' if count != 1 else ''} · "
        f"{exchange.provider}/{exchange.model} · {cost} · {exchange.latency_ms} ms · session {exchange.session_id}"
    )


def _show_sources(sources: "tuple[SourceCitation, ...]", out: Console) -> None:
    if not sources:
        return
    numbers = source_numbers(sources)
    out.print(Text("Sources", style="bold"))
    grid = _grid(3)
    for source in sources:
        number = Text(f"{numbers[source.source_id]}.", style="bold cyan")
        grid.add_row(number, Text(day_of(source.created_at), style="dim"), _quoted(source))
    out.print(grid)


def _show_refusal(exchange: "DialogueExchange", out: Console) -> None:
    out.print(Text.assemble(("✗ ", "red"), REFUSED))
    if exchange.notes:
        out.print(Padding.indent(Text(printable(exchange.notes)), 2))
    if exchange.reason:
        out.print(Padding.indent(Text(f"reason: {exchange.reason.value}", style="dim"), 2))
    if exchange.evidence_found:
        out.print(Text("What the memory does say", style="bold"))
        grid = _grid(2)
        for source in exchange.evidence_found:
            grid.add_row(Text(day_of(source.created_at), style="dim"), _quoted(source))
        out.print(grid)


def show_explanation(turn: "Turn", out: Console) -> None:
    """Print what was understood, what was found and what the model was shown."""
    if turn.parsed:
        time = printable(turn.parsed.time.note) if turn.parsed.time else "any time"
        out.print(
            Text(f"understood  {time}; terms: {', '.join(map(printable, turn.parsed.terms)) or '-'}", style="dim")
        )
        for notice in turn.parsed.notices:
            out.print(Text(f"            {notice.code}: {printable(notice.detail)}", style="yellow"))
    if turn.plan:
        spent = ", ".join(f"{name} {tokens}" for name, tokens in turn.plan.sections)
        out.print(Text(f"shown       {turn.plan.prompt_tokens} of {turn.plan.budget} tokens ({spent})", style="dim"))
        if turn.plan.skipped_for_budget:
            out.print(Text(f"            {len(turn.plan.skipped_for_budget)} rows did not fit", style="dim"))
        if turn.plan.pins_truncated:
            out.print(Text(f"            {turn.plan.pins_truncated} pins are not wholly shown", style="dim"))
    if turn.selection:
        out.print(_candidates_table(turn))


def _candidates_table(turn: "Turn") -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("id", "date", "rank", "cosine", "words", "tier", "text"):
        table.add_column(name, no_wrap=name != "text", overflow="ellipsis")
    for snippet in turn.selection.snippets[:12] if turn.selection else ():
        table.add_row(
            snippet.id,
            day_of(snippet.created_at),
            f"{snippet.rank_score:.3f}",
            f"{snippet.score:.3f}",
            f"{snippet.lexical:.3f}",
            Text(snippet.trust_tier.value, style=STYLE_OF_TIER[snippet.trust_tier.value]),
            Text(printable(snippet.text)),
        )
    return table
