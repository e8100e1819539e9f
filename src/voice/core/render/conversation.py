"""Conversations: sessions, their lists, comparisons and deletions as JSON; an answer or all turns as Markdown.

Law: stored facts only; unknown is null, money a decimal string. Turns are counted from 1, as a person sees them. Of a
private turn nothing but that it is there, unless private turns were asked for.
In Markdown every sentence stands with its mark, every source it rests on is a footnote with the words it was cut from,
the note or conversation and the day; a source is named by where it stands, by its id only where a caller knows no
place. What a memory holds is text and never markup. Days and hours are the person's own (ruling E).
Source: spec stateful-design-v2, 5; DESIGN 8 Web; docs/sessions.md; rulings D1, D3, D6, D16, D17, D18, E, H, I4.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from voice.core.grounding.answer_text import opening_of
from voice.core.grounding.values import SourceCitation
from voice.core.messages import showing as messages
from voice.core.render.answer import (
    NOT_REPLACED,
    Places,
    Replacements,
    lines_beside,
    lost_words,
    marked_sentences,
    notes_of,
    source_numbers,
)
from voice.core.render.turn_json import exchange_json
from voice.core.render.verification import checked_line
from voice.core.session.compare import SessionDiff, TurnPair
from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary, SummaryLine
from voice.core.text.display import counted, inert_signs, printable
from voice.core.text.instants import has_date, in_zone, render_instant


def session_json(session: InnerVoiceSession) -> Mapping[str, object]:
    """Return the session, without its exchanges, as JSON values."""
    summary = session.rolling_summary
    return {
        "id": session.id,
        "version": session.version,
        "thread_topic": session.thread_topic,
        "status": session.status,
        "topic_status": session.topic_status,
        "forked_from": forked_from_json(session),
        "provider": session.provider,
        "model": session.model,
        "max_prompt_tokens": session.max_prompt_tokens,
        "created_at": render_instant(session.created_at),
        "last_interaction": render_instant(session.last_interaction),
        "total_exchanges": session.total_exchanges,
        "answered": session.answered,
        "refused": session.refused,
        "errors": session.errors,
        "total_tokens": session.total_tokens,
        "total_cost": f"{session.total_cost.known:f}",  # a decimal without exponent
        "turns_of_unknown_cost": session.total_cost.unknown_count,
        "rolling_summary": None if summary is None else summary_json(summary),
    }


def forked_from_json(session: InnerVoiceSession) -> Mapping[str, object] | None:
    """Return where a fork left: the session that holds the last turn it shares, and that turn's number from 1."""
    if not session.lineage:
        return None
    return {"session_id": session.lineage[-1].session_id, "turn": session.own_from}  # turns 1 to `own_from` are shared


def summary_json(summary: RollingSummary) -> Mapping[str, object]:
    """Return a summary as JSON values: its lines with the turns they stem from, counted from 1 as they are shown."""
    return {
        "text": summary.text,
        "last_updated": render_instant(summary.last_updated),
        "exchanges_summarized": summary.exchanges_summarized,
        "token_savings": summary.token_savings,
        "revision": summary.revision,
        "through_turn": summary.through_index + 1,  # stored from 0
        "author": summary.author,
        "fallback": summary.fallback,
        "lines": [
            {
                "text": line.text,
                "turns": [index + 1 for index in line.turns],
                "written_by": "model" if line.by_model else "answer",
                "row_ids": [row_id for row_id, _ in line.grounds],
            }
            for line in summary.lines
        ],
    }


def summary_lines(summary: RollingSummary) -> Iterator[str]:
    """Yield a summary as lines for a person: what it is of, its sentences, each with its turns, and who wrote it."""
    yield messages.summary_of(counted(summary.exchanges_summarized, "earlier turn"), summary.revision)
    yield from (f"{line.text}{_stems(line)}" for line in summary.lines)
    if not summary.text:
        yield messages.SUMMARY_EMPTY
    if summary.author:
        yield f"* {messages.summary_by(summary.author)}"
    if summary.fallback:
        yield messages.summary_quotes(messages.NO_SUMMARY[summary.fallback])


def _stems(line: SummaryLine) -> str:
    if not line.turns:
        return ""
    turns = ", ".join(str(index + 1) for index in line.turns)
    named = messages.turns(turns) if len(line.turns) > 1 else messages.turn(turns)
    return f"  ({named}){' *' if line.by_model else ''}"


def diff_json(diff: SessionDiff, *, include_private: bool) -> Mapping[str, object]:
    """Return two sessions side by side as JSON values (schema: schemas/cli/sessions-diff.schema.json)."""
    return {
        "left": _head(diff.left),
        "right": _head(diff.right),
        "shared_turns": diff.shared,
        "turns": [_pair_json(pair, include_private=include_private) for pair in diff.pairs],
    }


def _head(session: InnerVoiceSession) -> Mapping[str, object]:
    return {name: value for name, value in session_json(session).items() if name != "rolling_summary"}


def _pair_json(pair: TurnPair, *, include_private: bool) -> Mapping[str, object]:
    is_told = include_private or not pair.is_private  # a private turn tells nothing but that it is there
    both = pair.left is not None and pair.right is not None
    return {
        "turn": pair.index + 1,
        "left": _side(pair.left, include_private=include_private),
        "right": _side(pair.right, include_private=include_private),
        "same_question": pair.is_same_question if both and is_told else None,
        "same_answer": pair.is_same_answer if both and is_told else None,
        "changes": [{"in": run.side, "text": run.text} for run in pair.runs()] if is_told else [],
    }


def _side(exchange: DialogueExchange | None, *, include_private: bool) -> Mapping[str, object] | None:
    if exchange is None:
        return None
    if exchange.is_withheld and not include_private:  # "private" in place of its words
        return {"id": exchange.id, "private": True}
    return exchange_json(exchange)


_MARKUP = re.compile(r"([\\`*_\[\]<>|#~])")  # signs that Markdown gives a meaning to
Label = Callable[[int], str]
"""What a footnote is called, from its number."""


def answer_markdown(
    exchange: DialogueExchange, places: Places, *, timezone: str, replaced: Replacements = NOT_REPLACED
) -> str:
    """Return one turn as a Markdown document: the question, the answer, its sources, dated in `timezone`."""
    cited = (*exchange.sources, *exchange.evidence_found)
    named = {source.source_id: places.get(source.source_id, messages.HERE_ONLY) for source in cited}
    lines = [*_question(exchange), *answer_lines(exchange, str, replaced)]
    notes = footnotes(exchange, str, timezone=timezone, places=named)
    return "\n".join([*lines, *notes]).rstrip("\n") + "\n"


def _question(exchange: DialogueExchange) -> Iterator[str]:
    """Yield what was asked, and that words of the turn are not here where that is so."""
    if exchange.my_query:
        yield from (f"> {in_markdown(exchange.my_query)}", "")
    if lost := lost_words(exchange):
        yield from (f"*{lost}*", "")


def answer_lines(exchange: DialogueExchange, label: Label, replaced: Replacements = NOT_REPLACED) -> Iterator[str]:
    """Yield an answer, or a refusal with its reason, without the question and without the footnotes it names."""
    if exchange.refused:
        yield from _refusal(exchange, label)
        return
    for sentence in marked_sentences(exchange, replaced):
        marks = "".join(f"[^{label(number)}]" for number in sentence.footnotes)
        mark = sentence.sign if sentence.mark is None else f"**{sentence.mark}:**"  # a proven one has a sign, no word
        yield f"- {mark} {in_markdown(sentence.text)}{marks}"
        yield from (f"  - {in_markdown(reason)}" for reason in sentence.reasons if sentence.is_doubtful)
        for each in sentence.replaced:
            yield f"  - {messages.REPLACED}" + (f": “{in_markdown(each.words)}”" if each.words else "")
    yield ""
    yield from _beside(exchange)
    checked = checked_line(exchange)
    facts = (
        *((messages.coverage(exchange.coverage_ratio),) if exchange.tells_coverage else ()),
        *((in_markdown(checked),) if checked else ()),
        f"{in_markdown(exchange.provider)}/{in_markdown(exchange.model)}",
    )
    yield from (f"*{' · '.join(facts)}*", "")


def footnotes(exchange: DialogueExchange, label: Label, *, timezone: str, places: Places) -> Iterator[str]:
    """Yield each source with its cut words, place (its id where unknown), day and origin; `timezone` dates them."""
    cited = exchange.evidence_found if exchange.refused else exchange.sources
    for row_id, number in source_numbers(cited).items():
        spans = [each for each in cited if each.source_id == row_id]  # one footnote for a row, with all its words
        words = " … ".join(dict.fromkeys(f"“{in_markdown(each.span)}”" for each in spans))
        yield f"[^{label(number)}]: {words} ({_source(spans[0], timezone, places.get(row_id, row_id))})"


def in_markdown(text: str) -> str:
    """Return text on one line whose characters are no markup and no signs of ours."""
    return _MARKUP.sub(r"\\\1", inert_signs(printable(text)))  # inert first: "[S1]" must not look like a label


def _beside(exchange: DialogueExchange) -> Iterator[str]:
    for line in lines_beside(exchange):
        yield from (f"*{in_markdown(line)}*", "")


def _refusal(exchange: DialogueExchange, label: Label) -> Iterator[str]:
    yield from (opening_of(exchange.reason), "")
    if notes := [f"{in_markdown(f'{note[:1].upper()}{note[1:]}')}." for note in notes_of(exchange)]:
        yield from (f"*{' '.join(notes)}*", "")
    if exchange.reason:
        yield from (f"{messages.REASON}: `{exchange.reason.value}`", "")
    yield from _beside(exchange)
    if numbers := source_numbers(exchange.evidence_found):
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
    """Return a session, of which `exchanges` are all turns, oldest first, as a Markdown document."""
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
    yield from _question(exchange)
    yield from answer_lines(exchange, _label(exchange), replaced)


def _label(exchange: DialogueExchange) -> Label:
    """Return what the footnotes of a turn are called: its number, and theirs."""
    return lambda number: f"{exchange.index + 1}-{number}"  # a document holds many turns: [^3-1] is unique
