"""Show audits and replays.

Law: what still stands takes one line a conversation; what does not is named, sentence by sentence. Words of private
turns are shown only where they were asked for, and what rests on a redacted row never (promise 6).
"""

from collections.abc import Sequence
from itertools import groupby

import click

from voice.core.context.prompt_proof import Replay
from voice.core.messages.showing import AUDITS, PROOFS
from voice.core.render.audit import replay_line, summary_line
from voice.core.session.audit import AuditReport, ExchangeAudit, SentenceAudit
from voice.core.text.display import truncate
from voice.entrypoints.cli.show.sessions import session_names
from voice.entrypoints.cli.terminal.printing import Marks, day_of, marks, printable, printable_block
from voice.entrypoints.cli.terminal.runtime import console

_SIGN_OF_PROOF = {"proven": "✓", "differs": "✗", "unprovable": "?", "not_sent": "·"}
_LONGEST = 300  # characters of today's words that are shown
_PRIVATE = "(private; --private shows it)"
_REDACTED = "(not shown: a row it rests on was redacted)"
_TAKEN_AWAY = "(its words were deleted with the row)"
_NOT_JUDGED = "(its words were deleted with another row that its answer cites or quotes; it cannot be judged)"


def show_audit(report: AuditReport, *, include_private: bool) -> None:
    """Print what became of the answers: a line for each conversation, and one for each sentence that fell."""
    signs = marks()
    sessions = {audit.session_id for audit in report.exchanges}
    names = session_names(sessions, report.topics, width=console().width)
    # `groupby` joins neighbours: the turns of a conversation stand together.
    for session_id, audits in groupby(report.exchanges, key=lambda audit: audit.session_id):
        _show_session(names[session_id], list(audits), signs, include_private=include_private)
    if len(sessions) != 1:
        click.echo(f"{len(sessions)} conversations, {summary_line(report.exchanges)}")


def _show_session(name: str, audits: Sequence[ExchangeAudit], signs: Marks, *, include_private: bool) -> None:
    stands = all(audit.is_grounded for audit in audits)
    sign = signs.styled("✓" if stands else "✗")
    click.echo(f"{sign} {signs.text(name)}  {summary_line(audits)}")
    for audit in audits:
        is_shown = include_private or not audit.is_private
        for sentence in audit.sentences:
            if sentence.status == "still_grounded":
                continue
            turn = f"turn {audit.index + 1} ({day_of(audit.timestamp)}, {audit.exchange_id})"  # people count from 1
            told = f"{turn}, sentence {sentence.index + 1}: {AUDITS[sentence.status]}  {' '.join(sentence.row_ids)}"
            click.echo(f"  {signs.styled('✗')} {told}".rstrip())
            click.echo(f"    {signs.text(_words_of(sentence, is_shown=is_shown))}")
            for today in sentence.today if is_shown and not sentence.is_withheld else ():
                click.echo(f"    {signs.text(f'today: “{truncate(printable(today), _LONGEST)}”')}")


def _words_of(sentence: SentenceAudit, *, is_shown: bool) -> str:
    if sentence.is_withheld:
        return _REDACTED  # before the text is looked at: it may hold what was redacted
    if not sentence.is_judged:
        return _NOT_JUDGED
    if is_shown and not sentence.text:  # deleted, not private: --private would not show it
        return _TAKEN_AWAY
    return f"“{printable(sentence.text)}”" if is_shown else _PRIVATE


def show_replays(replays: Sequence[Replay], *, show: bool, include_private: bool) -> None:
    """Print what became of each turn's prompt, and the rebuilt prompts where they were asked for."""
    signs = marks()
    for replay in replays:
        sign = signs.styled(_SIGN_OF_PROOF[replay.proof])
        where = f"turn {replay.index + 1} ({day_of(replay.timestamp)})  {replay.exchange_id}"
        summary = "" if replay.summary_revision is None else f"  (summary revision {replay.summary_revision})"
        click.echo(f"{sign} {where}  {PROOFS[replay.proof]}{summary}")
        for finding in replay.findings:
            click.echo(f"    {printable(finding)}")
        if show and replay.prompt is not None:
            is_shown = include_private or not replay.is_private
            click.echo(printable_block(f"{replay.system}\n\n{replay.prompt}") if is_shown else f"    {_PRIVATE}")
    if len(replays) != 1:
        click.echo(replay_line(replays))
