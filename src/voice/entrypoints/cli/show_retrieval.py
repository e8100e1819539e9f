"""Snippets in a terminal."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from voice.entrypoints.cli.printing import day_of, printable
from voice.entrypoints.cli.show import STYLE_OF_TIER

if TYPE_CHECKING:
    from voice.core.retrieval.values import Selection


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
            boosts = "".join(f" {name}+{value:.3f}" for name, value in snippet.boosts)
            arms = f"rank {snippet.rank_score:.4f} = cosine {snippet.score:.4f}, words {snippet.lexical:.4f}{boosts}"
            doubles = f"; also in {', '.join(snippet.also_in)}" if snippet.also_in else ""
            out.print(Padding.indent(Text(arms + doubles, style="dim"), 4))
    if explain:
        _show_choice(selection, out)


def _why(reason: str | None) -> str:
    if reason == "floor_excluded_all":
        return "what there is lies below the similarity floor; try other words or a lower --floor"
    return "nothing in this memory may be seen or compared; check tags, time and privacy, or remember something first"


def _show_choice(selection: "Selection", out: Console) -> None:
    facts = selection.diagnostics
    lines = [
        f"{facts.retrieval_provider}; encoder {facts.provider}/{facts.model} ({facts.dim})",
        f"candidates: {facts.kg_candidates} of the graph, {facts.thought_candidates} thoughts",
        f"places: {facts.kg_slots} graph, {facts.thought_slots} thoughts; {facts.backfilled} back-filled",
        f"floors: {facts.floor_kg:.3f} graph, {facts.floor_thoughts:.3f} thoughts",
        f"left out for another model or no vector: {facts.excluded_other_model}; {facts.latency_ms} ms",
    ]
    out.print(Text("\n".join(lines), style="dim"))
    for dropped in selection.dropped[:20]:
        of = f" of {dropped.of}" if dropped.of else ""
        out.print(Text(f"  left out {dropped.id}: {dropped.reason}{of} ({dropped.score:.3f})", style="dim"))
