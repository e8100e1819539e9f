"""A conversation as a Markdown transcript for people.

Law: every sentence of an answer stands with its mark, every source it rests on is a footnote with the words it was cut
from; a turn that is private is left out unless it was asked for, and its absence is said. What a memory holds is text
and never markup. Days and hours are the person's own (ruling E).

Source: docs/sessions.md; rulings D1, D3, D6, E, H.
"""

from collections.abc import Iterator, Sequence

from voice.core.render.answer_markdown import Label, answer_lines, footnotes, in_markdown
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.display import counted
from voice.core.text.instants import in_zone


def transcript_markdown(
    session: InnerVoiceSession,
    exchanges: Sequence[DialogueExchange],
    *,
    timezone: str,
    include_private: bool = False,
) -> str:
    """Return a session as a Markdown document.

    Args:
        session: without its window.
        exchanges: all of them, oldest first.
        timezone: whose clocks and calendar date it.
        include_private: whether private turns are in it.
    """
    shown = [each for each in exchanges if include_private or not each.is_withheld]
    lines = [f"# {in_markdown(session.thread_topic)}", "", f"*{_about(session, exchanges, timezone)}*", ""]
    if len(shown) < len(exchanges):
        lines += [f"*{counted(len(exchanges) - len(shown), 'private turn')} left out.*", ""]
    for each in shown:
        lines += _turn(each, timezone)
    notes = [line for each in shown for line in footnotes(each, _label(each), timezone=timezone, places={})]
    return "\n".join([*lines, *notes]).rstrip("\n") + "\n"


def _about(session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], zone: str) -> str:
    facts = [session.id, counted(len(exchanges), "turn"), session.status]
    if exchanges:
        first, last = (in_zone(each.timestamp, zone) for each in (exchanges[0], exchanges[-1]))
        days = f"{first:%Y-%m-%d}" if first.date() == last.date() else f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
        facts.append(f"{days} ({zone})")
    return " · ".join(facts)


def _turn(exchange: DialogueExchange, zone: str) -> Iterator[str]:
    origin = " · imported" if exchange.imported_from else ""
    yield from (f"## {exchange.index + 1} · {in_zone(exchange.timestamp, zone):%Y-%m-%d %H:%M}{origin}", "")
    if exchange.redacted and not exchange.my_query:
        yield from ("*What was said here is not in this store.*", "")
        return
    yield from (f"> {in_markdown(exchange.my_query)}", "")
    yield from answer_lines(exchange, _label(exchange))


def _label(exchange: DialogueExchange) -> Label:
    """Return what the footnotes of a turn are called: its number, and theirs."""
    return lambda number: f"{exchange.index + 1}-{number}"
