"""A conversation as a Markdown transcript for people.

Law: every sentence of an answer stands with its mark, every source it rests on is a footnote with the words it was cut
from; a turn that is private is left out unless it was asked for, and its absence is said. What a memory holds is text
and never markup. Days and hours are the person's own (ruling E).

Source: docs/sessions.md; rulings D1, D3, D6, E, H.
"""

import re
from collections.abc import Iterator, Sequence

from voice.core.grounding.refusal import opening_of
from voice.core.grounding.values import SourceCitation
from voice.core.render.answer import lines_beside, marked_sentences, source_numbers
from voice.core.render.proof import checked_line
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.counting import counted
from voice.core.text.days import in_zone
from voice.core.text.instants import is_told

_MARKUP = re.compile(r"([\\`*_\[\]<>|#~])")


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
    lines = [f"# {_text(session.thread_topic)}", "", f"*{_about(session, exchanges, timezone)}*", ""]
    if len(shown) < len(exchanges):
        lines += [f"*{counted(len(exchanges) - len(shown), 'private turn')} left out.*", ""]
    for each in shown:
        lines += _turn(each, timezone)
    notes = [line for each in shown for line in _footnotes(each, timezone)]
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
    yield from (f"> {_text(exchange.my_query)}", "")
    if exchange.refused:
        yield from _refusal(exchange)
        return
    for sentence in marked_sentences(exchange):
        marks = "".join(f"[^{exchange.index + 1}-{number}]" for number in sentence.footnotes)
        mark = sentence.sign if sentence.mark is None else f"**{sentence.mark}:**"
        yield f"- {mark} {_text(sentence.text)}{marks}"
        yield from (f"  - {_text(reason)}" for reason in sentence.reasons if sentence.is_doubtful)
    yield ""
    yield from _beside(exchange)
    checked = checked_line(exchange)
    facts = (
        *(() if exchange.states_nothing else (f"Coverage {exchange.coverage_ratio:.0%}",)),
        *((_text(checked),) if checked else ()),
        f"{_text(exchange.provider)}/{_text(exchange.model)}",
    )
    yield from (f"*{' · '.join(facts)}*", "")


def _beside(exchange: DialogueExchange) -> Iterator[str]:
    for line in lines_beside(exchange):
        yield from (f"*{_text(line)}*", "")


def _refusal(exchange: DialogueExchange) -> Iterator[str]:
    why = ": ".join(said for said in (exchange.reason and exchange.reason.value, exchange.notes) if said)
    yield from (opening_of(exchange.reason), "")
    if why:
        yield from (f"*{_text(why)}*", "")
    yield from _beside(exchange)
    if exchange.evidence_found:
        numbers = source_numbers(exchange.evidence_found)
        found = "".join(f"[^{exchange.index + 1}-{number}]" for number in numbers.values())
        yield from (f"Found, and not enough:{found}", "")


def _footnotes(exchange: DialogueExchange, zone: str) -> Iterator[str]:
    cited = exchange.evidence_found if exchange.refused else exchange.sources
    numbers = source_numbers(cited)
    for row_id, number in numbers.items():
        spans = [each for each in cited if each.source_id == row_id]
        words = " … ".join(dict.fromkeys(f"“{_text(each.span)}”" for each in spans))
        yield f"[^{exchange.index + 1}-{number}]: {words} ({_source(spans[0], zone)})"


def _source(source: SourceCitation, zone: str) -> str:
    day = f"{in_zone(source.created_at, zone):%Y-%m-%d}" if is_told(source.created_at) else "undated"
    return f"{_text(source.source_id)}, {day}, {source.trust_tier.value}"


def _text(text: str) -> str:
    """Return text on one line whose characters are no markup."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
