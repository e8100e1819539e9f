"""Show a turn with its sources, how it came about, or what a dry run foresees.

Law: what is printed was stored; text of a memory is printed as text, never as markup of the terminal.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from voice.core.grounding.answer_text import opening_of
from voice.core.messages.showing import CLOSEST, RUNGS
from voice.core.render import answer
from voice.core.render.understanding import counter_in_words, source_of
from voice.core.render.verification import calibration_line, checked_line
from voice.core.report.values import money
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.terminal.printing import STYLE_OF_TIER, day_of, marks

if TYPE_CHECKING:
    from voice.core.context.build import ContextPlan
    from voice.core.grounding.values import Rung, SourceCitation
    from voice.core.interchange.origin import Location
    from voice.core.render.answer import MarkedSentence
    from voice.core.retrieval.values import Snippet
    from voice.core.session.values import DialogueExchange
    from voice.services.runtime.turn import Turn
    from voice.services.turn.preview import ForeseenCheck, ForeseenTurn

_CANDIDATES_SHOWN = 12  # rows that an explanation lists
_NARROW = 60  # columns of a terminal under which a line would be broken anywhere
_STYLE_OF_RUNG: "Mapping[Rung, str]" = {
    "quoted": "dim green",
    "verified": "dim green",
    "unverified": "bold yellow",
    "unsupported": "bold red",
    "contradicted": "bold red",
    "remark": "dim",
}


def show_exchange(
    exchange: "DialogueExchange", out: Console, locations: "Mapping[str, Location] | None" = None
) -> None:
    """Print a judged turn: each sentence with its mark and footnotes, then the numbered sources."""
    if exchange.refused:
        _show_refusal(exchange, out, locations or {})
        return
    for sentence in answer.marked_sentences(exchange):
        _show_sentence(sentence, out)
    for line in (*answer.lines_beside(exchange), *answer.premise_lines(exchange)):
        _print_row(out, Text("!", style="yellow"), Text(printable(line), style="yellow"))
    _show_sources(exchange.sources, out, locations or {})
    if note := answer.coverage_note(exchange):
        _print(out, Text(note, style="yellow"))
    _print(out, Text(_footer(exchange), style="dim"))


def _show_sentence(sentence: "MarkedSentence", out: Console) -> None:
    """Print a sentence: a quiet sign before one that is proven, a loud sign and word before one that is not."""
    style = _STYLE_OF_RUNG[sentence.rung]
    warning = f"{RUNGS[sentence.rung]}: " if sentence.is_doubtful else ""  # proven sentences need no word
    text = Text.assemble((warning, style), printable(sentence.shown))
    text.append("".join(f" [{number}]" for number in sentence.footnotes), style="bold cyan")
    _print_row(out, Text(sentence.sign, style=style), text)
    for reason in sentence.reasons if sentence.is_doubtful else ():  # what is proven needs no reasons here
        _print_row(out, Text(" "), Text(printable(reason), style=style))


def _print(out: Console, text: Text) -> None:
    out.print(_with_ascii_signs(out, text))


def _with_ascii_signs(out: Console, text: Text) -> Text:
    signs = marks(out.encoding)
    if not signs.is_ascii:
        return text
    # By blanks, so that each part keeps its style.
    return Text.assemble(*((signs.text(part.plain), part.style) for part in text.split(" ", include_separator=True)))


def _print_row(out: Console, lead: Text, text: Text) -> None:
    """Print a line whose text wraps under itself on a terminal, and is left whole everywhere else."""
    if not out.is_terminal:  # the terminal of a pipe's reader wraps as it likes
        _print(out, Text.assemble(lead, " ", text))
        return
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(_with_ascii_signs(out, lead), _with_ascii_signs(out, text))
    out.print(grid)


def _quoted(row: "Sequence[SourceCitation]", out: Console, locations: "Mapping[str, Location]") -> Text:
    source = row[0]
    said = " … ".join(f"“{printable(span)}”" for span in answer.quoted_spans(row))
    text = Text.assemble((day_of(source.created_at), "dim"), f" {said}")
    text.append("\n" if out.is_terminal and out.width < _NARROW else "  ")  # the place below the words
    if (at := locations.get(source.source_id)) is not None:
        text.append(printable(at.label_beside_date), style=f"link {at.uri}" if at.uri and out.is_terminal else "")
        text.append("  ")
    return text.append(source.source_id, style=f"{STYLE_OF_TIER[source.trust_tier.value]} dim")


def _footer(exchange: "DialogueExchange") -> str:
    cost = "cost unknown" if exchange.cost_estimate is None else money(exchange.cost_estimate)
    checked = checked_line(exchange)
    sources = counted(len(answer.sources_by_row(exchange.sources)), "source")
    proven = (f"coverage {exchange.coverage_ratio:.0%}", sources) if exchange.tells_coverage else ()
    asked = (f"{exchange.provider}/{exchange.model}", cost, f"{exchange.latency_ms} ms")
    facts = (*proven, *((printable(checked),) if checked else ()), *asked, f"session {exchange.session_id}")
    return " · ".join(facts)


def _show_sources(sources: "tuple[SourceCitation, ...]", out: Console, locations: "Mapping[str, Location]") -> None:
    rows = answer.sources_by_row(sources)
    if rows:
        out.print(Text("Sources", style="bold"))
    _show_numbered(rows, out, locations)


def _show_numbered(
    rows: "Sequence[Sequence[SourceCitation]]", out: Console, locations: "Mapping[str, Location]"
) -> None:
    for number, row in enumerate(rows, start=1):
        _print_row(out, Text(f"{number}.", style="bold cyan"), _quoted(row, out, locations))


def _show_refusal(exchange: "DialogueExchange", out: Console, locations: "Mapping[str, Location]") -> None:
    _print_row(out, Text("✗", style="red"), Text(opening_of(exchange.reason)))
    for note in (*answer.notes_of(exchange), *answer.lines_beside(exchange)):
        _print_row(out, Text(" "), Text(printable(note)))
    if exchange.reason:
        _print_row(out, Text(" "), Text(f"reason: {exchange.reason.value}", style="dim"))
    rows = answer.closest_passages(exchange, {row_id: at.label for row_id, at in locations.items()})
    if rows:
        out.print(Text(CLOSEST, style="bold"))
    _show_numbered(rows, out, locations)


def show_explanation(turn: "Turn", out: Console) -> None:
    """Print what was understood, what was found and what the model was shown."""
    if turn.parsed:
        time = printable(turn.parsed.time.note) if turn.parsed.time else "any time"
        terms = ", ".join(map(printable, turn.parsed.terms)) or "-"
        out.print(Text(f"understood  {time}; terms: {terms}", style="dim"))
        for notice in turn.parsed.notices:
            out.print(Text(f"            {notice.code}: {printable(notice.detail)}", style="yellow"))
    if turn.plan:
        _show_plan(turn.plan, out)
    if (verification := turn.exchange.verification) and (told := calibration_line(verification)):
        out.print(Text(f"verified    {printable(told)}", style="dim"))
    if turn.selection:
        show_candidates(turn.selection.snippets[:_CANDIDATES_SHOWN], out)


def _show_plan(plan: "ContextPlan", out: Console) -> None:
    spent = ", ".join(f"{name} {tokens}" for name, tokens in plan.sections)
    out.print(Text(f"shown       {plan.prompt_tokens} of {plan.budget} tokens ({spent})", style="dim"))
    if plan.skipped_for_budget:
        out.print(Text(f"            no room for {counted(len(plan.skipped_for_budget), 'row')}", style="dim"))
    if plan.quarantined:
        out.print(Text(f"            kept out: {', '.join(map(printable, plan.quarantined))}", style="yellow"))
    for each in plan.skipped:
        out.print(Text(f"            left out of the past: {printable(each.part)} ({each.reason})", style="yellow"))
    if plan.pins_truncated:
        out.print(Text(f"            no room for {counted(plan.pins_truncated, 'pin')} in full", style="dim"))


def show_candidates(snippets: "Sequence[Snippet]", out: Console) -> None:
    """Print rows with their figures, each in its own lines."""
    for snippet in snippets:
        # The terminal breaks what is too long, not we: an id that was marked is copied whole.
        tier = (snippet.trust_tier.value, STYLE_OF_TIER[snippet.trust_tier.value])
        out.print(Text.assemble(snippet.id, f"  {day_of(snippet.created_at)}  ", tier), soft_wrap=True)
        figures = f"rank {snippet.rank_score:.3f}  cosine {snippet.score:.3f}  words {snippet.lexical:.3f}"
        out.print(Padding.indent(Text(figures, style="dim"), 4))
        out.print(Padding.indent(Text(printable(snippet.text)), 4))


def show_foreseen(foreseen: "ForeseenTurn", out: Console, *, has_key: bool = False) -> None:
    """Print what a question would send and cost, and under an idempotency key, whether that was used already."""
    _line(out, "session", foreseen.session_id or "a new one")
    _line(out, "model", f"{foreseen.provider}/{foreseen.model}")
    if foreseen.earlier is not None:  # the key decides before anything else would happen
        told = f"already used: voice would return the stored answer {foreseen.earlier}, without a model call"
        _line(out, "key", told)
        return
    if has_key:
        _line(out, "key", "not used yet")
    if foreseen.plan:
        _show_context(foreseen.plan, out)
    if foreseen.ready and not foreseen.ready.refused:  # small talk, which needs neither model nor notes
        _line(out, "answered", "no model call, no search")
        return
    if foreseen.refused:  # refused for certain, before a model is asked
        reason = foreseen.refused.reason.value if foreseen.refused.reason else ""
        _line(out, "refused", f"no model call: {reason}", style="yellow")
        _line(out, "", foreseen.refused.notes or "")
        return
    _line(out, "prompt", f"{foreseen.template} · {foreseen.prompt_hash}")
    _show_tokens(foreseen, out)
    _show_cost(foreseen, out)


def _show_tokens(foreseen: "ForeseenTurn", out: Console) -> None:
    plan, ratio = foreseen.plan, foreseen.token_calibration
    if plan is None:
        return
    counter = counter_in_words(foreseen.counted_by)
    how = "estimated" if counter == "estimate" else f"counted by {counter}, the model's own"
    limit = f"the reply at most {foreseen.max_output_tokens}"
    _line(out, "tokens", f"{plan.prompt_tokens} of {plan.budget} {how}; {limit}")
    if ratio.turns:  # how far estimates were off before
        turns = "turn" if ratio.turns == 1 else f"{ratio.turns} turns"
        told = f"the model reported {ratio.mean:.2f} times the estimate on average, {ratio.largest:.2f} at most"
        _line(out, "", f"{told}, by its last {turns}: at most {foreseen.most_prompt_tokens} tokens")


def _show_cost(foreseen: "ForeseenTurn", out: Console) -> None:
    expected, worst = _dollars(foreseen.expected_cost), _dollars(foreseen.worst_cost)
    _line(out, "cost", f"{expected} expected, {worst} at worst ({source_of(foreseen.price) or 'price unknown'})")
    if foreseen.check is not None:
        _show_check(foreseen.check, out)
    if foreseen.turn_cap is not None:
        _line(out, "cap", f"this turn: ${foreseen.turn_cap}")
    for state in foreseen.caps:
        left, limit = _dollars(state.left), state.cap.limit
        _line(out, "cap", f"this {state.cap.name}: {_dollars(state.spent.counted)} of ${limit:f} spent, {left} left")
    for warning in foreseen.warnings:
        _line(out, "", warning, style="yellow")
    if foreseen.capped:
        _line(out, "refused", foreseen.capped, style="yellow")


def _show_check(check: "ForeseenCheck", out: Console) -> None:
    if not check.is_asked:  # sentences that are not quoted then stay unchecked
        _line(out, "check", f"voice would not ask {check.verifier}: it did not pass its test", style="yellow")
        return
    call = check.call
    most = f"{call.prompt_tokens} tokens and a reply of {call.max_output_tokens} at most"
    _line(out, "check", f"sentences that are not quoted, by {check.verifier}: {most}")
    cost = f"{_dollars(call.expected)} expected, {_dollars(call.worst)} at worst"
    _line(out, "", f"{cost}; nothing if everything is quoted")
    if check.record is None:  # None: it was not tested here yet
        first = check.calibration
        calls = counted(check.calibration_calls, "call")
        _line(out, "", f"voice tests it once before its first use: {calls}, {_dollars(first.expected)} expected")
    if check.capped:
        _line(out, "", f"voice would check nothing: {check.capped}", style="yellow")


def _show_context(plan: "ContextPlan", out: Console) -> None:
    _line(out, "sections", ", ".join(f"{name} {tokens}" for name, tokens in plan.sections))
    _line(out, "evidence", _ids([row.row_id for row in plan.evidence]))
    if plan.exchange_ids:  # turns of the session that the prompt repeats
        _line(out, "recent", _ids(plan.exchange_ids))
    if plan.summary_revision is not None:
        _line(out, "summary", f"revision {plan.summary_revision}")
    for each in plan.skipped:
        because = f" because of {_ids(each.row_ids)}" if each.row_ids else ""
        _line(out, "skipped", f"{each.part}: {each.reason}{because}", style="yellow")
    if plan.skipped_for_budget:
        _line(out, "no room", _ids(plan.skipped_for_budget), style="yellow")
    if plan.quarantined:
        _line(out, "kept out", f"{_ids(plan.quarantined)}: they read like instructions", style="yellow")
    if plan.pins_truncated:
        _line(out, "pins", f"{counted(plan.pins_truncated, 'pin')} not shown in full", style="yellow")


def _ids(ids: "tuple[str, ...] | list[str]") -> str:
    return " ".join(ids) or "-"


def _dollars(amount: Decimal | None) -> str:
    return "unknown" if amount is None else f"${amount:.6f}"  # six places: a turn may cost less than a cent


def _line(out: Console, head: str, said: str, *, style: str = "") -> None:
    out.print(Text(f"{head:<10}  ", style="dim"), Text(printable(said), style=style), sep="", soft_wrap=True)
