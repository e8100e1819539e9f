"""An answer, or a whole conversation, as Markdown with marks and footnotes.

Law: every sentence stands with its mark, every source it rests on is a footnote with the words it was cut from, the
note or conversation and the day; a source is named by where it stands, by its id only where a caller knows no place.
What a memory holds is text and never markup. Days and hours are the person's own (ruling E). A turn that is private is
left out of a conversation unless it was asked for, and its absence is said.

Source: DESIGN 8 Web; docs/sessions.md; rulings D1, D3, D6, E, H, I4.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from voice.core.grounding.refusal import opening_of
from voice.core.grounding.values import SourceCitation
from voice.core.messages import showing as messages
from voice.core.render.answer import NOT_REPLACED, Replacements, lines_beside, marked_sentences, source_numbers
from voice.core.render.verification import checked_line
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.display import counted
from voice.core.text.escaping import inert_signs, printable
from voice.core.text.instants import has_date, in_zone

_MARKUP = re.compile(r"([\\`*_\[\]<>|#~])")
Label = Callable[[int], str]
"""What a footnote is called, from its number."""


def answer_markdown(
    exchange: DialogueExchange, places: Mapping[str, str], *, timezone: str, replaced: Replacements = NOT_REPLACED
) -> str:
    """Return one turn as a Markdown document: the question, the answer, its sources.

    Args:
        exchange: the turn.
        places: where its sources stand, by their rows' ids: `Garden/Gate.md:12`.
        timezone: whose calendar dates it.
        replaced: what took the place of rows that it rests on.
    """
    cited = (*exchange.sources, *exchange.evidence_found)
    named = {source.source_id: places.get(source.source_id, messages.HERE_ONLY) for source in cited}
    lines = [f"> {in_markdown(exchange.my_query)}", "", *answer_lines(exchange, str, replaced)]
    notes = footnotes(exchange, str, timezone=timezone, places=named)
    return "\n".join([*lines, *notes]).rstrip("\n") + "\n"


def answer_lines(exchange: DialogueExchange, label: Label, replaced: Replacements = NOT_REPLACED) -> Iterator[str]:
    """Yield an answer, or a refusal with its reason, without the question and without the footnotes it names."""
    if exchange.refused:
        yield from _refusal(exchange, label)
        return
    for sentence in marked_sentences(exchange, replaced):
        marks = "".join(f"[^{label(number)}]" for number in sentence.footnotes)
        mark = sentence.sign if sentence.mark is None else f"**{sentence.mark}:**"
        yield f"- {mark} {in_markdown(sentence.text)}{marks}"
        yield from (f"  - {in_markdown(reason)}" for reason in sentence.reasons if sentence.is_doubtful)
        yield from (f"  - {messages.REPLACED}{_replacement_words(each.words)}" for each in sentence.replaced)
    yield ""
    yield from _beside(exchange)
    checked = checked_line(exchange)
    facts = (
        *(() if exchange.states_nothing else (messages.coverage(exchange.coverage_ratio),)),
        *((in_markdown(checked),) if checked else ()),
        f"{in_markdown(exchange.provider)}/{in_markdown(exchange.model)}",
    )
    yield from (f"*{' · '.join(facts)}*", "")


def footnotes(exchange: DialogueExchange, label: Label, *, timezone: str, places: Mapping[str, str]) -> Iterator[str]:
    """Yield each source with the words that were cut from it, where it stands, its day and how it came to be known.

    Args:
        exchange: the turn.
        label: what footnotes are called.
        timezone: whose calendar dates them.
        places: where sources stand, by their rows' ids; one that is absent is named by its id.
    """
    cited = exchange.evidence_found if exchange.refused else exchange.sources
    for row_id, number in source_numbers(cited).items():
        spans = [each for each in cited if each.source_id == row_id]
        words = " … ".join(dict.fromkeys(f"“{in_markdown(each.span)}”" for each in spans))
        yield f"[^{label(number)}]: {words} ({_source(spans[0], timezone, places.get(row_id, row_id))})"


def in_markdown(text: str) -> str:
    """Return text on one line whose characters are no markup and no signs of ours."""
    return _MARKUP.sub(r"\\\1", inert_signs(printable(text)))


def _replacement_words(words: str) -> str:
    return f": “{in_markdown(words)}”" if words else ""


def _beside(exchange: DialogueExchange) -> Iterator[str]:
    for line in lines_beside(exchange):
        yield from (f"*{in_markdown(line)}*", "")


def _refusal(exchange: DialogueExchange, label: Label) -> Iterator[str]:
    why = ": ".join(said for said in (exchange.reason and exchange.reason.value, exchange.notes) if said)
    yield from (opening_of(exchange.reason), "")
    if why:
        yield from (f"*{in_markdown(why)}*", "")
    yield from _beside(exchange)
    if exchange.evidence_found:
        numbers = source_numbers(exchange.evidence_found)
        found = "".join(f"[^{label(number)}]" for number in numbers.values())
        yield from (f"{messages.NOT_ENOUGH}:{found}", "")


def _source(source: SourceCitation, zone: str, place: str) -> str:
    day = f"{in_zone(source.created_at, zone):%Y-%m-%d}" if has_date(source.created_at) else messages.UNDATED
    return f"{in_markdown(place)}, {day}, {source.trust_tier.value}"


def transcript_markdown(
    session: InnerVoiceSession,
    exchanges: Sequence[DialogueExchange],
    *,
    timezone: str,
    include_private: bool = False,
    replaced: Replacements = NOT_REPLACED,
) -> str:
    """Return a session as a Markdown document.

    Args:
        session: without its window.
        exchanges: all of them, oldest first.
        timezone: whose clocks and calendar date it.
        include_private: whether private turns are in it.
        replaced: what took the place of rows that answers rest on.
    """
    shown = [each for each in exchanges if include_private or not each.is_withheld]
    lines = [f"# {in_markdown(session.thread_topic)}", "", f"*{_about(session, exchanges, timezone)}*", ""]
    if len(shown) < len(exchanges):
        lines += [f"*{messages.left_out(counted(len(exchanges) - len(shown), 'private turn'))}*", ""]
    for each in shown:
        lines += _turn(each, timezone, replaced)
    notes = [line for each in shown for line in footnotes(each, _label(each), timezone=timezone, places={})]
    return "\n".join([*lines, *notes]).rstrip("\n") + "\n"


def _about(session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], zone: str) -> str:
    facts = [session.id, counted(len(exchanges), "turn"), session.status]
    if exchanges:
        first, last = (in_zone(each.timestamp, zone) for each in (exchanges[0], exchanges[-1]))
        days = f"{first:%Y-%m-%d}" if first.date() == last.date() else messages.days(first, last)
        facts.append(f"{days} ({zone})")
    return " · ".join(facts)


def _turn(exchange: DialogueExchange, zone: str, replaced: Replacements) -> Iterator[str]:
    origin = f" · {messages.IMPORTED}" if exchange.imported_from else ""
    yield from (f"## {exchange.index + 1} · {in_zone(exchange.timestamp, zone):%Y-%m-%d %H:%M}{origin}", "")
    if exchange.redacted and not exchange.my_query:
        yield from (f"*{messages.NOT_STORED_HERE}*", "")
        return
    yield from (f"> {in_markdown(exchange.my_query)}", "")
    yield from answer_lines(exchange, _label(exchange), replaced)


def _label(exchange: DialogueExchange) -> Label:
    """Return what the footnotes of a turn are called: its number, and theirs."""
    return lambda number: f"{exchange.index + 1}-{number}"
