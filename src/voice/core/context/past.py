"""What was said before, and may be said again.

Law: an answer comes back into a prompt only while every row it rests on stands as it stood and may be told to this
reader (`voice.core.session.past`); a summary is held to that sentence by sentence (ruling D16). What speaks to the
model is kept out of the past as it is kept out of the rows (ruling D22). Whatever is left out is named with its reason,
never with its text; what became private since taints the prompt that shows it (ruling H). A public question is asked
without the turns that are withheld, in the window and in the summary.

Source: rulings D6, D16, D22, H; promises 6 and 9.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from voice.core.session.past import (
    Skipped,
    Standing,
    answers_open_to,
    exchange_fault,
    grounds_of,
    line_fault,
    standing_of_ground,
    summary_open_to,
)
from voice.core.session.values import DialogueExchange, Ground, InnerVoiceSession, RollingSummary, SummaryLine


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
    session: InnerVoiceSession,
    grounds: Mapping[str, Standing] | None,
    *,
    include_private: bool,
    quarantine: bool,
    withheld: Collection[int] = (),
) -> Past:
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
        return exchange_fault(exchange, self.grounds, quarantine=self.quarantine)

    def line_fault(self, line: SummaryLine) -> Skipped | None:
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
        return any(standing_of_ground(self.grounds, row_id).is_private for row_id, _ in grounds)
