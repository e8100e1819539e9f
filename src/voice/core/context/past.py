"""What was said before, and may be said again.

Law: an answer comes back into a prompt only while every row it rests on stands as it stood and may be told to this
reader (`voice.core.session.past`); a summary is held to that sentence by sentence (ruling D16). What speaks to the
model is kept out of the past as it is kept out of the rows (ruling D22). Whatever is left out is named with its reason,
never with its text; what became private since taints the prompt that shows it (ruling H).

Source: rulings D6, D16, D22, H; promises 6 and 9.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from voice.core.session.past import Skipped, SkipReason, Standing, answers_open_to, grounds_of, summary_open_to
from voice.core.session.values import DialogueExchange, Ground, InnerVoiceSession, RollingSummary
from voice.core.text.instructions import instruction_in

_BULLET = re.compile(r"^- \[[^\]]*\] ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What of a session may be shown."""

    exchanges: tuple[DialogueExchange, ...] = field(repr=False)
    """Oldest first."""
    summary: RollingSummary | None = field(repr=False)
    """With the lines that may be shown; None where there are none."""
    left_out: tuple[str, ...] = field(repr=False)
    """The lines of the summary that may not."""
    skipped: tuple[Skipped, ...]


def past_of(
    session: InnerVoiceSession, grounds: Mapping[str, Standing] | None, *, include_private: bool, quarantine: bool
) -> Past:
    """Return what of the session's window and summary may be shown, and why the rest may not.

    Args:
        session: with the window loaded, oldest first.
        grounds: how the rows that it rests on stand (`rows_behind`); None where that is judged elsewhere.
        include_private: whether private parts may be shown.
        quarantine: whether what reads like instructions to the model is kept out.
    """
    judge = _Judge(grounds=grounds, quarantine=quarantine)
    answers = [
        (judge.exchange_shown(each), judge.exchange_fault(each))
        for each in answers_open_to(session, include_private=include_private)
    ]
    summary = summary_open_to(session, include_private=include_private)
    lines = [] if summary is None else [(line, judge.line_fault(line.text, line.grounds)) for line in summary.lines]
    left_out = tuple(line.text for line, fault in lines if fault is not None)
    faults = (fault for _, fault in (*answers, *lines))
    return Past(
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

    grounds: Mapping[str, Standing] | None
    quarantine: bool

    def exchange_fault(self, exchange: DialogueExchange) -> Skipped | None:
        said = (exchange.my_query, exchange.answer)
        return self._fault(exchange.id, said, grounds_of(exchange))

    def line_fault(self, text: str, grounds: Iterable[Ground]) -> Skipped | None:
        return self._fault("summary", (_BULLET.sub("", text),), grounds)

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
        return any(self._standing(row_id).is_private for row_id, _ in grounds)

    def _standing(self, row_id: str) -> Standing:
        if self.grounds is None:
            return Standing()
        return self.grounds.get(row_id) or Standing(fault="source_removed")

    def _fault(self, part: str, said: Iterable[str], grounds: Iterable[Ground]) -> Skipped | None:
        if self.quarantine and any(map(instruction_in, said)):
            return Skipped(part=part, reason="instructions")
        faults: dict[str, SkipReason] = {
            row_id: fault for row_id, kept in grounds if (fault := self._ground_fault(row_id, kept))
        }
        if not faults:
            return None
        reason = next(iter(faults.values()))
        return Skipped(part=part, reason=reason, row_ids=tuple(each for each in faults if faults[each] == reason))

    def _ground_fault(self, row_id: str, kept: str) -> SkipReason | None:
        standing = self._standing(row_id)
        is_other = bool(kept and standing.content_hash) and standing.content_hash != kept
        return standing.fault or ("source_changed" if is_other else None)
