"""Which parts of a session's past may be shown again, by the current state of their sources.

Law: an answer returns only while every row it rests on is unchanged and visible to this reader; a summary is checked
sentence by sentence (ruling D16). Text that instructs the model is excluded (ruling D22). Each omission has a reason,
never its text. What has become private marks the prompt private (ruling H).
Source: rulings D6, D16, D22, H; promises 6 and 9.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from voice.core.session.values import DialogueExchange, Ground, InnerVoiceSession, RollingSummary, SummaryLine
from voice.core.text.prompt_injection import find_instruction

_BULLET = re.compile(r"^- \[[^\]]*\] ")  # "- [2026-03-05] " before a summary line

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
"""`source_not_asked_for`: out of scope or excluded by tag. `instructions`: its own text addresses the model."""
OF_ONE_READER: frozenset[SkipReason] = frozenset({"source_private", "source_not_asked_for"})
"""Reasons that hold for one reader; all others hold for everyone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """A row's current state for one reader."""

    fault: SkipReason | None = None
    """Why nothing resting on it may be shown; None: it may."""
    is_private: bool = False
    content_hash: str = ""
    """Of its current text; empty if that depends on surrounding rows, as a node's text on its edges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedPart:
    """A part of the past left out of a prompt."""

    part: str
    """An exchange id, or `summary` for one of its sentences."""
    reason: SkipReason
    row_ids: tuple[str, ...] = ()
    """The rows that caused it; empty if its own text did."""


def grounds_of(exchange: DialogueExchange) -> tuple[Ground, ...]:
    """Return the rows an answer rests on: cited ones and those of receipts."""
    cited = ((source.source_id, source.content_hash) for source in exchange.sources)
    held = ((receipt.row_id, receipt.content_hash) for each in exchange.sentences for receipt in each.receipts)
    return tuple(dict.fromkeys((*cited, *held)))


def rows_behind(session: InnerVoiceSession, *, include_private: bool) -> tuple[str, ...]:
    """Return the rows behind the past that this reader could be shown."""
    told = (ground for each in answers_open_to(session, include_private=include_private) for ground in grounds_of(each))
    summary = summary_open_to(session, include_private=include_private)
    lines = (ground for line in summary.lines for ground in line.grounds) if summary else ()
    return tuple(dict.fromkeys(row_id for row_id, _ in (*told, *lines)))


def is_repeatable(exchange: DialogueExchange) -> bool:
    """Return whether a turn is an answer that may be shown again: complete, with grounds.

    Refusals (ruling D6) and answers that state nothing never return. An imported answer needs grounds to be checked
    against; one judged here does not.
    """
    is_whole = exchange.status == "answered" and not exchange.states_nothing and not exchange.redacted
    return is_whole and (exchange.imported_from is None or bool(grounds_of(exchange)))


def answers_open_to(session: InnerVoiceSession, *, include_private: bool) -> Iterator[DialogueExchange]:
    """Yield the window's repeatable answers, without withheld ones unless private is included."""
    answered = (each for each in session.context_window if is_repeatable(each))
    return (each for each in answered if include_private or not each.is_withheld)


def summary_open_to(session: InnerVoiceSession, *, include_private: bool) -> RollingSummary | None:
    """Return the summary; None if there is none or it is private and private is not included."""
    summary = session.rolling_summary
    return None if summary is None or (summary.is_private and not include_private) else summary


def summary_shown(summary: RollingSummary, exchanges: Iterable[DialogueExchange]) -> RollingSummary | None:
    """Return the public part of a summary; `exchanges` include the turns its sentences stem from."""
    return None if summary.is_private else summary.without_turns(withheld_in(summary, exchanges))


def withheld_in(summary: RollingSummary, exchanges: Iterable[DialogueExchange]) -> frozenset[int]:
    """Return the indexes of withheld exchanges folded into the summary."""
    return frozenset(each.index for each in exchanges if each.is_withheld and each.index <= summary.through_index)


def status_of_ground(standings: Mapping[str, SourceStatus] | None, row_id: str) -> SourceStatus:
    """Return a row's state; unknown rows count as removed, and without `standings` all rows stand."""
    if standings is None:
        return SourceStatus()
    return standings.get(row_id) or SourceStatus(fault="source_removed")  # not found, hence removed


def exchange_fault(
    exchange: DialogueExchange, standings: Mapping[str, SourceStatus] | None, *, quarantine: bool
) -> SkippedPart | None:
    """Return why an answer may not be shown again; None: it may."""
    said = (exchange.my_query, exchange.answer)
    return _fault(exchange.id, said, grounds_of(exchange), standings, quarantine=quarantine)


def line_fault(
    line: SummaryLine, standings: Mapping[str, SourceStatus] | None, *, quarantine: bool
) -> SkippedPart | None:
    """Return why a summary line may not be shown again; None: it may."""
    return _fault("summary", (_BULLET.sub("", line.text),), line.grounds, standings, quarantine=quarantine)


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
    reason = next(iter(faults.values()))  # one reason a part, with all its rows
    return SkippedPart(part=part, reason=reason, row_ids=tuple(each for each in faults if faults[each] == reason))


def _ground_fault(standings: Mapping[str, SourceStatus] | None, row_id: str, kept: str) -> SkipReason | None:
    standing = status_of_ground(standings, row_id)
    is_other = bool(kept and standing.content_hash) and standing.content_hash != kept  # either may be unknown
    return standing.fault or ("source_changed" if is_other else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHistory:
    """The part of a session that may be shown."""

    exchanges: tuple[DialogueExchange, ...] = field(repr=False)
    """Oldest first."""
    summary: RollingSummary | None = field(repr=False)
    """With its allowed lines; None if there are none."""
    left_out: tuple[str, ...] = field(repr=False)
    """The summary's omitted lines."""
    skipped: tuple[SkippedPart, ...]


def shown_history(
    session: InnerVoiceSession,
    grounds: Mapping[str, SourceStatus] | None,
    *,
    include_private: bool,
    quarantine: bool,
    withheld: Collection[int] = (),
) -> ShownHistory:
    """Select what of window and summary may be shown, with reasons for the rest.

    Args:
        grounds: state of the rows in `rows_behind`; None: not checked here.
        withheld: indexes of withheld folded turns; without private, the summary omits what only they said.
    """
    answers = [
        (_exchange_with_privacy(each, grounds), exchange_fault(each, grounds, quarantine=quarantine))
        for each in answers_open_to(session, include_private=include_private)
    ]
    summary = summary_open_to(session, include_private=include_private)
    summary_lines = () if summary is None else summary.lines
    lines = [(line, line_fault(line, grounds, quarantine=quarantine)) for line in summary_lines]
    open_lines = frozenset(summary.without_turns(() if include_private else withheld).lines if summary else ())
    left_out = tuple(line.text for line, fault in lines if fault is not None or line not in open_lines)
    faults = (fault for _, fault in (*answers, *lines))
    return ShownHistory(
        exchanges=tuple(each for each, fault in answers if fault is None),
        summary=summary and _summary_with_privacy(without_lines(summary, left_out), grounds),
        left_out=left_out,
        skipped=tuple(fault for fault in faults if fault is not None),
    )


def without_lines(summary: RollingSummary, unwanted: Collection[str]) -> RollingSummary | None:
    """Return the summary without those lines; None if none remain."""
    if not unwanted:
        return summary
    lines = tuple(line for line in summary.lines if line.text not in unwanted)
    return summary.with_lines(lines) if lines else None


def _exchange_with_privacy(
    exchange: DialogueExchange, standings: Mapping[str, SourceStatus] | None
) -> DialogueExchange:
    """Mark the answer private if one of its rows has become so."""
    is_private = exchange.is_private or _rests_on_private(grounds_of(exchange), standings)
    return replace(exchange, is_private=True) if is_private else exchange


def _summary_with_privacy(
    summary: RollingSummary | None, standings: Mapping[str, SourceStatus] | None
) -> RollingSummary | None:
    """Mark the summary private if one of its rows has become so."""
    if summary is None or summary.is_private:
        return summary
    grounds = (ground for line in summary.lines for ground in line.grounds)
    return replace(summary, is_private=True) if _rests_on_private(grounds, standings) else summary


def _rests_on_private(grounds: Iterable[Ground], standings: Mapping[str, SourceStatus] | None) -> bool:
    return any(status_of_ground(standings, row_id).is_private for row_id, _ in grounds)
