"""Show conversations: as a list, by name in a table, two beside each other, and what audits and replays found.

Law: what is of one kind stands in one column, and the terminal never breaks a line: a topic that is too long is cut
with an ellipsis. Where the output is no terminal, nothing is cut. In tables, an id is cut to what tells the
conversations of one output apart (commands take the start of an id). Of an audit, what still stands takes one line a
conversation; what does not is named, sentence by sentence. Words of private turns are shown only where they were asked
for, and what rests on a redacted row never (promise 6).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from voice.core.messages.showing import AUDITS, PROOFS
from voice.core.text.display import counted, printable, printable_block, truncate
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.printing import Marks, day_of, marks, minute_of
from voice.entrypoints.cli.terminal.runtime import console

if TYPE_CHECKING:
    from rich.console import Console

    from voice.core.context.prompt_proof import Replay
    from voice.core.session.audit import AuditReport, ExchangeAudit, SentenceAudit
    from voice.core.session.compare import SessionDiff, TurnPair
    from voice.core.session.values import DialogueExchange, InnerVoiceSession
    from voice.ports.stores import SessionListItem


_LEAST_TOPIC = 12  # columns that a topic needs beside the facts; with fewer it gets a line of its own
_INDENT = 4  # columns


def list_lines(items: "Sequence[SessionListItem]", out: "Console") -> Iterator[str]:
    """Yield a list of conversations, each on a line, or on three where the terminal is too narrow for one."""
    facts = _columns([_facts(item) for item in items])
    for item, told in zip(items, facts, strict=True):
        head, topic = f"{item.id}  {told}", printable(item.thread_topic)
        if not out.is_terminal or out.width - len(head) - 2 >= _LEAST_TOPIC:
            yield f"{head}  {_cut(topic, out, beside=len(head) + 2)}".rstrip()
        else:
            yield item.id
            yield f"{'':{_INDENT}}{told.rstrip()}"
            yield f"{'':{_INDENT}}{_cut(topic, out, beside=_INDENT)}"


def status_of(of: "InnerVoiceSession | SessionListItem") -> str:
    """Return how a conversation and its topic stand."""
    return of.status if of.topic_status == "open" else f"{of.status}, topic {of.topic_status}"


def _facts(item: "SessionListItem") -> tuple[str, str, str, str]:
    number = item.total_exchanges
    fork = "a fork, " if item.is_fork else ""
    return minute_of(item.last_interaction), f"{number:,}", "turn" if number == 1 else "turns", fork + status_of(item)


def _columns(rows: "Sequence[tuple[str, str, str, str]]") -> Iterator[str]:
    """Yield the rows with each column as wide as its widest; numbers end in one place."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for when, number, noun, standing in rows:
        turns = f"{number:>{widths[1]}} {noun:<{widths[2]}}"
        yield f"{when:<{widths[0]}}  {turns}  {standing:<{widths[3]}}"


def _cut(text: str, out: "Console", *, beside: int) -> str:
    if not out.is_terminal:  # a pipe takes lines of any length
        return text
    return _shortened(text, max(out.width - beside, 1))


_LEAST_ID = 12  # characters: the prefix, and the moment at which it began
_MOST_TOPIC = 32  # columns of a topic in a table


def session_names(ids: Collection[str], topics: Mapping[str, str], *, width: int) -> Mapping[str, str]:
    """Return what each conversation is shown as: the start of its id, and its topic as `width` columns allow."""
    length = _LEAST_ID
    while len({each[:length] for each in ids}) < len(set(ids)):  # so long that no two ids are cut to the same
        length += 1
    room = max(1, min(_MOST_TOPIC, width - length - 2))
    return {each: f"{each[:length]}  {_shortened(printable(topics.get(each, '')), room)}".rstrip() for each in ids}


def _shortened(text: str, width: int) -> str:
    from rich.text import Text

    topic = Text(text)  # by columns, not characters
    topic.truncate(width, overflow="ellipsis")
    return topic.plain


def diff_lines(diff: "SessionDiff", *, include_private: bool) -> Iterator[str]:
    """Yield the comparison line by line."""
    yield f"A  {_head(diff.left)}"
    yield f"B  {_head(diff.right)}"
    yield _shared(diff)
    for pair in diff.pairs:
        yield ""
        yield f"turn {pair.index + 1}"
        yield from _pair(pair, include_private)


def _head(session: "InnerVoiceSession") -> str:
    turns = counted(session.total_exchanges, "turn")
    return f"{session.id}  {minute_of(session.last_interaction)}  {turns}  {printable(session.thread_topic)}"


def _shared(diff: "SessionDiff") -> str:
    if not diff.shared:
        return "nothing is shared"
    same = "the first turn is" if diff.shared == 1 else f"the first {diff.shared} turns are"
    return f"{same} shared" if diff.pairs else f"{same} shared; the two are the same"


def _pair(pair: "TurnPair", include_private: bool) -> Iterator[str]:
    if pair.left is None or pair.right is None or (pair.is_private and not include_private):
        for sign, each in (("A", pair.left), ("B", pair.right)):
            if each is not None:
                yield from _side(sign, each, is_shown=include_private or not each.is_withheld)
        return
    if pair.is_same_question:
        yield f"  > {printable(pair.left.my_query)}"
    else:
        yield f"A > {printable(pair.left.my_query)}"
        yield f"B > {printable(pair.right.my_query)}"
    if pair.is_same_answer:
        yield f"  the same answer: {_answer(pair.left)}"
        return
    runs = pair.runs()
    if any(run.side == "both" for run in runs):  # nothing in common: word by word would be noise
        around = {"both": ("", ""), "left": ("[-", "-]"), "right": ("{+", "+}")}
        yield "  " + " ".join(f"{around[run.side][0]}{printable(run.text)}{around[run.side][1]}" for run in runs)
        return
    yield f"A   {_answer(pair.left)}"
    yield f"B   {_answer(pair.right)}"


def _side(sign: str, exchange: "DialogueExchange", *, is_shown: bool) -> Iterator[str]:
    if not is_shown:
        yield f"{sign}   private; --private shows it"
        return
    yield f"{sign} > {printable(exchange.my_query)}"
    yield f"{sign}   {_answer(exchange)}"


def _answer(exchange: "DialogueExchange") -> str:
    return printable(forms.answer.shown_answer(exchange))


_SIGN_OF_PROOF = {"proven": "✓", "differs": "✗", "unprovable": "?", "not_sent": "·"}
_LONGEST = 300  # characters of today's words that are shown
_PRIVATE = "(private; --private shows it)"
_REDACTED = "(not shown: a row it rests on was redacted)"
_TAKEN_AWAY = "(its words were deleted with the row)"
_NOT_JUDGED = "(its words were deleted with another row that its answer cites or quotes; it cannot be judged)"


def show_audit(report: "AuditReport", *, include_private: bool) -> None:
    """Print what became of the answers: a line for each conversation, and one for each sentence that fell."""
    signs = marks()
    sessions = {audit.session_id for audit in report.exchanges}
    names = session_names(sessions, report.topics, width=console().width)
    # `groupby` joins neighbours: the turns of a conversation stand together.
    for session_id, audits in groupby(report.exchanges, key=lambda audit: audit.session_id):
        _show_session(names[session_id], list(audits), signs, include_private=include_private)
    if len(sessions) != 1:
        click.echo(f"{len(sessions)} conversations, {forms.audit.summary_line(report.exchanges)}")


def _show_session(name: str, audits: "Sequence[ExchangeAudit]", signs: Marks, *, include_private: bool) -> None:
    stands = all(audit.is_grounded for audit in audits)
    sign = signs.styled("✓" if stands else "✗")
    click.echo(f"{sign} {signs.text(name)}  {forms.audit.summary_line(audits)}")
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


def _words_of(sentence: "SentenceAudit", *, is_shown: bool) -> str:
    if sentence.is_withheld:
        return _REDACTED  # before the text is looked at: it may hold what was redacted
    if not sentence.is_judged:
        return _NOT_JUDGED
    if is_shown and not sentence.text:  # deleted, not private: --private would not show it
        return _TAKEN_AWAY
    return f"“{printable(sentence.text)}”" if is_shown else _PRIVATE


def show_replays(replays: "Sequence[Replay]", *, show: bool, include_private: bool) -> None:
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
        click.echo(forms.audit.replay_line(replays))
