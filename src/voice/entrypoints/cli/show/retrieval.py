"""Show what was retrieved and recalled, and how it was chosen.

Law: one count runs through the three tiers of a recall. Text of a memory is printed as text.
"""

from itertools import count
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from voice.core.messages.showing import WHY_LEFT_OUT
from voice.core.text.display import counted, printable, printable_block, truncate
from voice.core.text.instants import render_instant
from voice.entrypoints.cli.terminal.printing import STYLE_OF_TIER, day_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from voice.core.interchange.origin import Location
    from voice.core.recall.values import RecalledEntity, RecallProvenance, RecallResult
    from voice.core.retrieval.values import Diagnostics, Dropped, Selection, Snippet


OUT_OF_TIME = "the search ran out of time, so it may have missed something"
"""Why nothing is shown where the search was ended: nothing is said of what the memory holds."""
_LEFT_OUT_SHOWN = 40  # rows left out that are listed
_LEAST_WIDTH_OF_A_TABLE = 60  # columns; in fewer, a table would break ids
_Row = tuple[str, ...]
_NUMBERS = frozenset({"rank", "cosine", "words", "score", "#"})  # columns with figures, which end in one place


def show_selection(
    selection: "Selection", out: Console, *, explain: bool, locations: "Mapping[str, Location] | None" = None
) -> None:
    """Print snippets, best first, each with its place, and with `explain` how the choice was made."""
    from voice.core.text.markup import without_markup

    facts = selection.diagnostics
    if facts.no_results:
        out.print(Text("Nothing found: " + _why(facts), style="yellow"))
    for number, snippet in enumerate(selection.snippets, start=1):
        line = Text(f"{number:>2}. ", style="bold cyan")
        line.append(f"{snippet.score:.3f} ", style="bold")
        line.append(f"{day_of(snippet.created_at)} {snippet.source_type} ", style="dim")
        line.append(snippet.id, style=STYLE_OF_TIER[snippet.trust_tier.value])
        if snippet.confidence is not None and snippet.confidence.message:
            line.append(f"  {snippet.confidence.message}", style="dim")
        if (at := (locations or {}).get(snippet.id)) is not None:
            line.append("  ")
            line.append(printable(at.label_beside_date), style=f"link {at.uri}" if at.uri and out.is_terminal else "")
        # The terminal breaks what is too long, not we: a place that was marked is copied whole.
        out.print(line, soft_wrap=True)
        place = " › ".join((*snippet.context_path, *filter(None, (snippet.thread, snippet.speaker))))
        if explain and place:
            _block(printable(place), out, style="dim")
        _block(printable(without_markup(snippet.text)), out)
    if explain:
        _show_account(selection, out)


def _why(facts: "Diagnostics") -> str:
    from voice.core.retrieval.values import LOCAL_FTS

    if facts.partial:
        return OUT_OF_TIME  # first: what was not searched says nothing of the memory
    if facts.reason == "floor_excluded_all":
        return "every result is below the similarity floor; try other words or a lower --floor"
    admitted = sum(facts.admitted.values())
    if admitted and facts.excluded_other_model >= admitted:  # as many were left out for their vector as may be seen
        return "no row has a vector of the current encoder; run `voice maintain rebuild vectors`"
    if admitted and facts.retrieval_provider == LOCAL_FTS and not any(facts.matched.values()):
        return "no note that you can see contains a word of the query; try other words"
    if not admitted and facts.when:
        return "no note that you can see is from that time; try another time, or leave out --when"
    return "no note matches these tags, time and privacy settings; widen them, or add a note first"


def _show_account(selection: "Selection", out: Console) -> None:
    if selection.snippets:
        _show_scores(selection.snippets, out)
    _show_choice(selection.diagnostics, out)
    if selection.dropped:
        _show_left_out(selection.dropped, out)
    hidden = len(selection.dropped) - _LEFT_OUT_SHOWN
    if hidden > 0:
        out.print(Text(f"and {hidden} more; --json lists all of them", style="dim"))


def _show(title: str, columns: "Sequence[str]", rows: "Sequence[_Row]", notes: "Sequence[str]", out: Console) -> None:
    """Print records as a table, or where that would break their ids, one after another; no id is read as markup."""
    if out.width < _LEAST_WIDTH_OF_A_TABLE:
        _show_in_lines(title, columns, rows, notes, out)
        return
    grid = Grid(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, title_style="bold")
    for column in columns:
        grid.add_column(column, justify="right" if column in _NUMBERS else "left", overflow="fold")
    for row in rows:
        grid.add_row(*map(Text, row))
    if notes:
        grid.caption = Text("\n".join(notes), style="dim")
        grid.caption_justify = "left"
    out.print(grid)


def _show_in_lines(
    title: str, columns: "Sequence[str]", rows: "Sequence[_Row]", notes: "Sequence[str]", out: Console
) -> None:
    out.print(Text(title, style="bold"))
    for row in rows:
        first, *others = (" ".join(filter(None, pair)) for pair in zip(columns, row, strict=True) if pair[1])
        # The terminal breaks what is too long, not we: an id that was marked is copied whole.
        out.print(Text("\n".join([first, *(f"  {other}" for other in others)])), soft_wrap=True)
    for line in notes:
        out.print(Text(line, style="dim"))


def _show_scores(snippets: "tuple[Snippet, ...]", out: Console) -> None:
    from voice.core.context.prompt_evidence import instruction_in

    rows, notes = list[_Row](), list[str]()
    for number, snippet in enumerate(snippets, start=1):
        cosine = "none" if snippet.cosine is None else f"{snippet.cosine:.3f}"
        raised = ", ".join(f"{name} {value:+.3f}" for name, value in snippet.boosts)
        figures = (f"{snippet.rank_score:.4f}", cosine, f"{snippet.lexical:.3f}")
        rows.append((str(number), snippet.id, *figures, raised, ", ".join(snippet.also_in)))
        if kind := instruction_in(snippet.text, snippet.speaker, snippet.thread, path=snippet.context_path):
            notes.append(
                f"#{number} reads like instructions to a model ({kind}); `voice ask` keeps it out of the prompt"
            )
    _show("arms", ("#", "id", "rank", "cosine", "words", "raised by", "also in"), rows, notes, out)


def _show_choice(facts: "Diagnostics", out: Console) -> None:
    encoder = f"{facts.provider}/{facts.model} ({facts.dim})"
    by = facts.reranked
    filled, bare = counted(facts.backfilled, "place"), counted(facts.excluded_other_model, "row")
    notes = (
        f"{facts.retrieval_provider}, {facts.candidate_limit} rows per table; encoder {encoder}; {facts.latency_ms} ms",
        f"{filled} filled from the other source; {bare} without a vector",
        *([_time(facts)] if facts.when or facts.window.start or facts.window.end else []),
        *([f"re-ranked: {by.name} {by.version} read the best {by.rows} with the query"] if by else []),
        *facts.warnings,
    )
    rows = (
        ("searched", *_matched_counts(facts)),
        ("candidates", str(facts.kg_candidates), str(facts.thought_candidates)),
        ("floor", f"{facts.floor_kg:.3f}", f"{facts.floor_thoughts:.3f}"),
        ("places", *_slots(facts)),
    )
    _show("choice", ("", "graph", "thoughts"), rows, [*map(printable, notes)], out)


def _slots(facts: "Diagnostics") -> tuple[str, str]:
    """Return the places set aside for the graph and the thoughts; a single one is set aside for neither (ruling C6)."""
    if facts.kg_slots + facts.thought_slots < facts.k_req:  # fewer than asked for: a single place
        return "best of all", "best of all"
    return str(facts.kg_slots), str(facts.thought_slots)


def _matched_counts(facts: "Diagnostics") -> tuple[str, str]:
    counts = {"graph": [0, 0], "thoughts": [0, 0]}
    for table, admitted in facts.admitted.items():
        side = counts["thoughts" if table.value == "thoughts" else "graph"]  # all tables but one are the graph's
        side[0] += facts.matched.get(table, 0)
        side[1] += admitted
    graph, thoughts = (f"{matched} of {admitted}" for matched, admitted in counts.values())
    return graph, thoughts


def _time(facts: "Diagnostics") -> str:
    start, end = (
        "open" if moment is None else render_instant(moment) for moment in (facts.window.start, facts.window.end)
    )
    return f"time: {facts.when or 'given'} = from {start} to {end}"


def _show_left_out(dropped: "tuple[Dropped, ...]", out: Console) -> None:
    rows = [
        (one.id, f"{one.score:.3f}", WHY_LEFT_OUT[one.reason] + (f" as {one.of}" if one.of else ""))
        for one in dropped[:_LEFT_OUT_SHOWN]
    ]
    _show("left out", ("id", "score", "why"), rows, (), out)


_LONGEST = 600  # characters of a row that are shown; `--json` has all of it


def show_recall(result: "RecallResult", out: Console) -> None:
    """Print pins, the current summary and the candidates, and how they came about."""
    out.print(Text("Pins", style="bold"))
    numbers = count(1)  # one count for all three tiers
    for pinned in result.pins:
        ends = pinned.pin.expires_at
        _head(next(numbers), pinned.target, "" if ends is None else f"until {day_of(ends)}", out)
        _block(f"pinned: {printable(pinned.pin.reason)}", out, style="italic")
        _content(pinned.target, out)
    if not result.pins:
        _block("no pins here", out, style="dim")
    out.print(Text("Current summary", style="bold"))
    if result.current_summary is None:
        _block("no open capsule here has a summary", out, style="dim")
    else:
        _head(next(numbers), result.current_summary, f"of {result.current_summary.capsule_id}", out)
        _content(result.current_summary, out)
    out.print(Text("Candidates", style="bold"))
    for found in result.candidates:
        _head(next(numbers), found.entity, f"score {found.score:.3f}", out)
        _block(printable(found.match_context or truncate(found.entity.content, _LONGEST)), out)
    if not result.candidates:
        _block(_why_none(result.provenance), out, style="dim")
    out.print(Text(_footer(result.provenance), style="dim"))


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


def _why_none(made: "RecallProvenance") -> str:
    if made.over_budget_by:  # candidates get what pins and summary leave
        return f"none: pins and summary alone exceed the budget by {counted(made.over_budget_by, 'token')}"
    if made.dropped_by_budget:
        return f"none of {made.dropped_by_budget} fits into the budget"
    return OUT_OF_TIME if made.is_partial else "found nothing; try other words, or check scope, time and privacy"


def _footer(made: "RecallProvenance") -> str:
    budget = "no budget" if made.token_budget is None else f"budget {made.token_budget}"
    return (
        f"{made.returned_candidates} of {counted(made.considered, 'candidate')}, {made.dropped_by_budget} over budget, "
        f"{made.total_candidates} in all · {made.tokens_used} tokens, {budget} · {made.provider_used}"
    )
