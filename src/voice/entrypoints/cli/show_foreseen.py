"""A dry run on the terminal."""

from decimal import Decimal
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from voice.core.render.dry_run import counter_in_words, source_of
from voice.core.text.display import counted
from voice.entrypoints.cli.printing import printable

if TYPE_CHECKING:
    from voice.core.context.build import ContextPlan
    from voice.services.turn.preview import ForeseenCheck, ForeseenTurn


def show_foreseen(foreseen: "ForeseenTurn", out: Console, *, has_key: bool = False) -> None:
    """Print what a question would send and cost, and under an idempotency key, whether that was used already."""
    goes_on = foreseen.session_id or "a new one"
    _line(out, "session", goes_on)
    _line(out, "model", f"{foreseen.provider}/{foreseen.model}")
    if foreseen.earlier is not None:
        _line(out, "key", f"used already: the answer of {foreseen.earlier} would be given again, and nobody asked")
        return
    if has_key:
        _line(out, "key", "not used yet")
    if foreseen.plan:
        _show_context(foreseen.plan, out)
    if foreseen.ready and not foreseen.ready.refused:
        _line(out, "answered", "nobody would be asked, and the memory not looked at")
        return
    if foreseen.refused:
        reason = foreseen.refused.reason.value if foreseen.refused.reason else ""
        _line(out, "refused", f"nobody would be asked: {reason}", style="yellow")
        _line(out, "", foreseen.refused.notes or "")
        return
    _line(out, "prompt", f"{foreseen.template} · {foreseen.prompt_hash}")
    _show_tokens(foreseen, out)
    _show_cost(foreseen, out)


def _show_tokens(foreseen: "ForeseenTurn", out: Console) -> None:
    plan, trueing = foreseen.plan, foreseen.trueing
    if plan is None:
        return
    counter = counter_in_words(foreseen.counted_by)
    how = "estimated" if counter == "estimate" else f"counted by {counter}, the model's own"
    limit = f"the reply at most {foreseen.max_output_tokens}"
    _line(out, "tokens", f"{plan.prompt_tokens} of {plan.budget} {how}; {limit}")
    if trueing.turns:
        turns = "turn" if trueing.turns == 1 else f"{trueing.turns} turns"
        told = f"the model reported {trueing.mean:.2f} times the estimate on average, {trueing.largest:.2f} at most"
        _line(out, "", f"{told}, by its last {turns}: at most {foreseen.most_prompt_tokens} tokens")


def _show_cost(foreseen: "ForeseenTurn", out: Console) -> None:
    expected, worst = _dollars(foreseen.expected_cost), _dollars(foreseen.worst_cost)
    _line(out, "cost", f"{expected} expected, {worst} at worst ({source_of(foreseen.price) or 'no price is known'})")
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
    if not check.is_asked:
        _line(out, "check", f"{check.verifier} would not be asked: it did not pass when it was tried", style="yellow")
        return
    call = check.call
    most = f"{call.prompt_tokens} tokens and a reply of {call.max_output_tokens} at most"
    _line(out, "check", f"sentences that are not quoted, by {check.verifier}: {most}")
    _line(out, "", f"{_dollars(call.expected)} expected, {_dollars(call.worst)} at worst; nothing where all is quoted")
    if check.record is None:
        first = check.calibration
        calls = counted(check.calibration_calls, "call")
        _line(out, "", f"before it is believed it is tried, once: {calls}, {_dollars(first.expected)} expected")
    if check.capped:
        _line(out, "", f"it would not be asked, and nothing checked: {check.capped}", style="yellow")


def _show_context(plan: "ContextPlan", out: Console) -> None:
    _line(out, "sections", ", ".join(f"{name} {tokens}" for name, tokens in plan.sections))
    _line(out, "evidence", _ids([row.row_id for row in plan.evidence]))
    if plan.exchange_ids:
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
        _line(out, "pins", f"{counted(plan.pins_truncated, 'pin')} not wholly shown", style="yellow")


def _ids(ids: "tuple[str, ...] | list[str]") -> str:
    return " ".join(ids) or "-"


def _dollars(amount: Decimal | None) -> str:
    return "unknown" if amount is None else f"${amount:.6f}"


def _line(out: Console, head: str, said: str, *, style: str = "") -> None:
    out.print(Text(f"{head:<10}  ", style="dim"), Text(printable(said), style=style), sep="", soft_wrap=True)
