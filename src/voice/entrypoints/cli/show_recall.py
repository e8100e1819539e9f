"""The three tiers in a terminal.

Law: what is numbered can be named: one count runs through all three sections. Text of a memory is printed as text.
"""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from voice.core.text.display import truncate
from voice.entrypoints.cli.marks import STYLE_OF_TIER
from voice.entrypoints.cli.printing import day_of, printable, printable_block
from voice.entrypoints.cli.show_retrieval import OUT_OF_TIME

if TYPE_CHECKING:
    from voice.core.recall.values import Pin, RecalledEntity, RecallProvenance, RecallResult

_LONGEST = 600
"""Characters of a row that are shown; `--json` has all of it."""


def show_recall(result: "RecallResult", out: Console) -> None:
    """Print pins, the current summary and the candidates, and how they came about."""
    _title("Pins", out)
    number = 0
    for pinned in result.pins:
        number += 1
        _head(number, pinned.target, _until(pinned.pin), out)
        _block(f"pinned: {printable(pinned.pin.reason)}", out, style="italic")
        _content(pinned.target, out)
    if not result.pins:
        _none("no pins here", out)
    _title("Current summary", out)
    if result.current_summary is None:
        _none("no open piece of work here has one", out)
    else:
        number += 1
        _head(number, result.current_summary, f"of {result.current_summary.capsule_id}", out)
        _content(result.current_summary, out)
    _title("Candidates", out)
    for found in result.candidates:
        number += 1
        _head(number, found.entity, f"score {found.score:.3f}", out)
        _block(printable(found.match_context or truncate(found.entity.content, _LONGEST)), out)
    if not result.candidates:
        _none(_why_none(result.provenance), out)
    out.print(Text(_footer(result.provenance), style="dim"))


def _title(text: str, out: Console) -> None:
    out.print(Text(text, style="bold"))


def _none(why: str, out: Console) -> None:
    _block(why, out, style="dim")


def _head(number: int, entity: "RecalledEntity", more: str, out: Console) -> None:
    line = Text(f"{number:>2}. ", style="bold cyan")
    line.append(f"{day_of(entity.created_at)} {printable(entity.kind)} ", style="dim")
    line.append(printable(entity.id), style=STYLE_OF_TIER[entity.trust.value])
    line.append(f"  {printable(more)}", style="dim")
    if entity.is_private:
        line.append("  private", style="yellow")
    out.print(line)


def _content(entity: "RecalledEntity", out: Console) -> None:
    _block(printable_block(truncate(entity.content, _LONGEST)).strip(), out)


def _block(text: str, out: Console, *, style: str = "") -> None:
    out.print(Padding.indent(Text(text, style=style), 4))


def _until(pin: "Pin") -> str:
    return "" if pin.expires_at is None else f"until {day_of(pin.expires_at)}"


def _why_none(made: "RecallProvenance") -> str:
    if made.over_budget_by:
        return f"none: pins and summary alone exceed the budget by {made.over_budget_by} tokens"
    if made.dropped_by_budget:
        return f"none of {made.dropped_by_budget} fits into the budget"
    if made.is_partial:
        return OUT_OF_TIME
    return "found nothing; try other words, or check scope, time and privacy"


def _footer(made: "RecallProvenance") -> str:
    budget = "no budget" if made.token_budget is None else f"budget {made.token_budget}"
    return (
        f"{made.returned_candidates} of {made.considered} candidates, {made.dropped_by_budget} over budget, "
        f"{made.total_candidates} in all · {made.tokens_used} tokens, {budget} · {made.provider_used}"
    )
