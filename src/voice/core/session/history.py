"""What of a session's past may be shown again, by how its sources stand today.

Law: what was said before rests on rows of the memory, and falls with them (ruling D16). Which rows those are is said
here, sentence by sentence for a summary; how a row stands is a value with one reason, so that what is left out of a
prompt can be told why, never what it said.

What was said before, and may be said again. An answer comes back into a prompt only while every row it rests on stands
as it stood and may be told to this reader (`voice.core.session.history`); a summary is held to that sentence by
sentence (ruling D16). What speaks to the model is kept out of the past as it is kept out of the rows (ruling D22).
Whatever is left out is named with its reason, never with its text; what became private since taints the prompt that
shows it (ruling H). A public question is asked without the turns that are withheld, in the window and in the summary.

Source: rulings D6, D16, H; rulings D6, D16, D22, H; promises 6 and 9.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from voice.core.session.values import DialogueExchange, Ground, InnerVoiceSession, RollingSummary, SummaryLine
from voice.core.text.prompt_injection.detection import find_instruction

_BULLET = re.compile(r"^- \[[^\]]*\] ")

SkipReason = Literal[
    "source_removed",
    "source_redacted",
    "source_superseded",
    "source_changed",
    "source_private",
    "source_not_asked_for",
    "source_instructions",
    "instructions",
]
"""`source_not_asked_for`: out of the scope, or with a tag that is excluded. `instructions`: its own words speak to the
model; `source_instructions`: those of a row that it rests on do."""
OF_ONE_READER: frozenset[SkipReason] = frozenset({"source_private", "source_not_asked_for"})
"""The reasons that hold for the one who asks; for any other, what rests on the row is lost for everybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """How a row stands today for one reader."""

    fault: SkipReason | None = None
    """Why nothing that rests on it may be said again; None: it may."""
    is_private: bool = False
    content_hash: str = ""
    """Of what it says now; empty where that changes with the rows around it, as a node's text with its edges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedPart:
    """A part of the past that was left out of a prompt."""

    part: str
    """The id of an exchange, or `summary`: one sentence of it."""
    reason: SkipReason
    row_ids: tuple[str, ...] = ()
    """The rows that are the reason; none where its own words are."""


def grounds_of(exchange: DialogueExchange) -> tuple[Ground, ...]:
    """Return the rows that an answer rests on: those it cites, and those its sentences hold receipts of."""
    cited = ((source.source_id, source.content_hash) for source in exchange.sources)
    held = ((receipt.row_id, receipt.content_hash) for each in exchange.sentences for receipt in each.receipts)
    return tuple(dict.fromkeys((*cited, *held)))


def rows_behind(session: InnerVoiceSession, *, include_private: bool) -> tuple[str, ...]:
    """Return the ids of the rows that the past of a session rests on, as far as the reader could be shown it."""
    told = (ground for each in answers_open_to(session, include_private=include_private) for ground in grounds_of(each))
    summary = summary_open_to(session, include_private=include_private)
    lines = (ground for line in summary.lines for ground in line.grounds) if summary else ()
    return tuple(dict.fromkeys(row_id for row_id, _ in (*told, *lines)))


def is_repeatable(exchange: DialogueExchange) -> bool:
    """Return whether a turn is an answer that can be said again: nothing of it was taken away, and it has grounds.

    A refusal never comes back (ruling D6), nor does what states nothing. What was judged here needs no grounds to be
    held to; an answer that was imported and names none would be held to nothing.
    """
    is_whole = exchange.status == "answered" and not exchange.states_nothing and not exchange.redacted
    return is_whole and (exchange.imported_from is None or bool(grounds_of(exchange)))


def answers_open_to(session: InnerVoiceSession, *, include_private: bool) -> Iterator[DialogueExchange]:
    """Yield the answers of the window that may come back, and are not withheld or may be shown."""
    answered = (each for each in session.context_window if is_repeatable(each))
    return (each for each in answered if include_private or not each.is_withheld)


def summary_open_to(session: InnerVoiceSession, *, include_private: bool) -> RollingSummary | None:
    """Return the session's summary if there is one that is not private, or may be."""
    summary = session.rolling_summary
    return None if summary is None or (summary.is_private and not include_private) else summary


def summary_shown(summary: RollingSummary, exchanges: Iterable[DialogueExchange]) -> RollingSummary | None:
    """Return what of a summary is shown where private rows are not asked for: nothing of a turn that is withheld.

    Args:
        summary: as it is stored.
        exchanges: the turns that its sentences stem from, and any others.
    """
    return None if summary.is_private else summary.without_turns(withheld_in(summary, exchanges))


def withheld_in(summary: RollingSummary, exchanges: Iterable[DialogueExchange]) -> frozenset[int]:
    """Return the indices of those of the exchanges that are withheld and folded into the summary."""
    return frozenset(each.index for each in exchanges if each.is_withheld and each.index <= summary.through_index)


def status_of_ground(standings: Mapping[str, SourceStatus] | None, row_id: str) -> SourceStatus:
    """Return how a row stands; one that nobody found was removed, and where nobody looked every row stands."""
    if standings is None:
        return SourceStatus()
    return standings.get(row_id) or SourceStatus(fault="source_removed")


def exchange_fault(
    exchange: DialogueExchange, standings: Mapping[str, SourceStatus] | None, *, quarantine: bool
) -> SkippedPart | None:
    """Return why an answer may not be said again; None: it may."""
    said = (exchange.my_query, exchange.answer)
    return _fault(exchange.id, said, grounds_of(exchange), standings, quarantine=quarantine)


def line_fault(
    line: SummaryLine, standings: Mapping[str, SourceStatus] | None, *, quarantine: bool
) -> SkippedPart | None:
    """Return why a sentence of a summary may not be said again; None: it may."""
    return _fault("summary", (_BULLET.sub("", line.text),), line.grounds, standings, quarantine=quarantine)


def sentence_fault(
    text: str, grounds: Iterable[Ground], standings: Mapping[str, SourceStatus] | None, *, quarantine: bool
) -> SkippedPart | None:
    """Return why a sentence of an answer may not be said again by itself; None: it may."""
    return _fault("summary", (text,), grounds, standings, quarantine=quarantine)


def _fault(
    part: str,
    said: Iterable[str],
    grounds: Iterable[Ground],
    standings: Mapping[str, SourceStatus] | None,
    *,
    quarantine: bool,
) -> SkippedPart | None:
    if quarantine and any(map(find_instruction, said)):
        return SkippedPart(part=part, reason="instructions")
    faults: dict[str, SkipReason] = {
        row_id: fault for row_id, kept in grounds if (fault := _ground_fault(standings, row_id, kept))
    }
    if not faults:
        return None
    reason = next(iter(faults.values()))
    return SkippedPart(part=part, reason=reason, row_ids=tuple(each for each in faults if faults[each] == reason))


def _ground_fault(standings: Mapping[str, SourceStatus] | None, row_id: str, kept: str) -> SkipReason | None:
    standing = status_of_ground(standings, row_id)
    is_other = bool(kept and standing.content_hash) and standing.content_hash != kept
    return standing.fault or ("source_changed" if is_other else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHistory:
    """What of a session may be shown."""

    exchanges: tuple[DialogueExchange, ...] = field(repr=False)
    """Oldest first."""
    summary: RollingSummary | None = field(repr=False)
    """With the lines that may be shown; None where there are none."""
    left_out: tuple[str, ...] = field(repr=False)
    """The lines of the summary that may not."""
    skipped: tuple[SkippedPart, ...]


def shown_history(
    session: InnerVoiceSession,
    grounds: Mapping[str, SourceStatus] | None,
    *,
    include_private: bool,
    quarantine: bool,
    withheld: Collection[int] = (),
) -> ShownHistory:
    """Return what of the session's window and summary may be shown, and why the rest may not.

    Args:
        session: with the window loaded, oldest first.
        grounds: how the rows that it rests on stand (`rows_behind`); None where that is judged elsewhere.
        include_private: whether private parts may be shown.
        quarantine: whether what reads like instructions to the model is kept out.
        withheld: the indices of folded turns that are withheld: without private parts, the summary is shown without
            what only they said, as the window is without such turns.
    """
    judge = _Judge(grounds=grounds, quarantine=quarantine)
    answers = [
        (judge.exchange_shown(each), judge.exchange_fault(each))
        for each in answers_open_to(session, include_private=include_private)
    ]
    summary = summary_open_to(session, include_private=include_private)
    lines = [] if summary is None else [(line, judge.line_fault(line)) for line in summary.lines]
    open_lines = () if summary is None else summary.without_turns(() if include_private else withheld).lines
    left_out = tuple(line.text for line, fault in lines if fault is not None or line not in open_lines)
    faults = (fault for _, fault in (*answers, *lines))
    return ShownHistory(
        exchanges=tuple(each for each, fault in answers if fault is None),
        summary=summary and judge.summary_shown(without_lines(summary, left_out)),
        left_out=left_out,
        skipped=tuple(fault for fault in faults if fault is not None),
    )


def without_lines(summary: RollingSummary, unwanted: Collection[str]) -> RollingSummary | None:
    """Return the summary without those lines; None where it has no others."""
    if not unwanted:
        return summary
    lines = tuple(line for line in summary.lines if line.text not in unwanted)
    return summary.of_lines(lines) if lines else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judge:
    """Says of each part of the past why it may not be shown."""

    grounds: Mapping[str, SourceStatus] | None
    quarantine: bool

    def exchange_fault(self, exchange: DialogueExchange) -> SkippedPart | None:
        return exchange_fault(exchange, self.grounds, quarantine=self.quarantine)

    def line_fault(self, line: SummaryLine) -> SkippedPart | None:
        return line_fault(line, self.grounds, quarantine=self.quarantine)

    def exchange_shown(self, exchange: DialogueExchange) -> DialogueExchange:
        """Return the answer, private if a row behind it is private by now."""
        is_private = exchange.is_private or self._is_private(grounds_of(exchange))
        return replace(exchange, is_private=True) if is_private else exchange

    def summary_shown(self, summary: RollingSummary | None) -> RollingSummary | None:
        """Return the summary, private if a row behind it is private by now."""
        if summary is None or summary.is_private:
            return summary
        grounds = (ground for line in summary.lines for ground in line.grounds)
        return replace(summary, is_private=True) if self._is_private(grounds) else summary

    def _is_private(self, grounds: Iterable[Ground]) -> bool:
        return any(status_of_ground(self.grounds, row_id).is_private for row_id, _ in grounds)
