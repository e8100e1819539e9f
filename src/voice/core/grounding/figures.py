"""Hard checks on what can be counted: numbers, units, clock times, dates.

Law: a number or date in a claim is borne out by the sentences that support the claim, or the claim is not supported.
Where those sentences state another value of the same measure, the claim is contradicted. A relative date of the source
counts as the day it means, when the day it was said on is known. An amount by which something changed is none to
which it did (`steps`).

Source: DESIGN 6 stage 4; rulings D1, D22.
"""

from collections.abc import Sequence

from voice.core.grounding.dating import all_days_of_writing, days_of_writing, is_day_of_writing, told_dates
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage
from voice.core.grounding.steps import step_finding
from voice.core.text.amounts import amounts, run_times, single_measures
from voice.core.text.dates import (
    DateMention,
    Quarter,
    bears_out,
    quarters,
    stated_dates,
    weekday_of,
    weekdays,
)
from voice.core.text.numbers import Quantity, is_same_measure, quantities, same_quantity
from voice.core.text.words import Word

_SURE = 0.5
"""From this recall of the best sentence on, another value of the same measure is a contradiction."""
_COUNTED = 3
"""Up to this number, a spelled-out count may be the answer's own ("two friends, Ann and Bob")."""


def figure_findings(text: str, found: Sequence[Word], passages: Sequence[Passage], best_recall: float) -> list[Finding]:
    """Return what is wrong with the numbers and dates of a claim.

    Args:
        text: the claim.
        found: its words.
        passages: the evidence sentences that support it, best first.
        best_recall: the share of the claim that the best of them holds.
    """
    in_quarters = quarters(text)
    claimed_dates = [
        mention for mention in stated_dates(text) if not any(q.start <= mention.start < q.end for q in in_quarters)
    ]
    in_dates = {place for mention in (*claimed_dates, *in_quarters) for place in range(mention.start, mention.end)}
    claimed = [one for one in amounts(text, found) if not (one.is_soft or one.start in in_dates)]
    if not (claimed or in_dates or weekdays(text)):
        return []
    written_on = days_of_writing(passages)
    told = [mention for passage in passages for mention in told_dates(passage)]
    stated = [*told, *written_on]
    borne_out = {one.start for one in claimed_dates if is_day_of_writing(text, one, written_on, passages)}
    undated = [one for one in claimed_dates if one.start not in borne_out]
    findings = _date_findings(undated, told, passages, best_recall)
    findings += _quarter_findings(in_quarters, stated, passages, best_recall)
    findings += _weekday_findings(text, stated, passages, best_recall)
    return findings + (_amount_findings(text, found, claimed, stated, passages, best_recall) if claimed else [])


def _amount_findings(
    text: str,
    found: Sequence[Word],
    claimed: Sequence[Quantity],
    stated: Sequence[DateMention],
    passages: Sequence[Passage],
    best_recall: float,
) -> list[Finding]:
    """Return what is wrong with the amounts that a claim is held to."""
    placed = [(passage.text, q) for passage in passages for q in amounts(passage.text, passage.words)]
    numbers = [q for _, q in placed]
    numbers += [q for passage in passages for q in single_measures(passage.text, passage.words)]
    numbers += [q for passage in passages for q in run_times(passage.text)]
    findings: list[Finding] = []
    for quantity in claimed:
        finding = _number_finding(quantity, numbers, stated, best_recall)
        finding = finding or step_finding(text, found, quantity, placed, is_sure=best_recall >= _SURE)
        findings += [finding] if finding else []
    return findings


def _date_findings(
    claimed: Sequence[DateMention], stated: Sequence[DateMention], passages: Sequence[Passage], best_recall: float
) -> list[Finding]:
    findings: list[Finding] = []
    by_start: dict[int, list[DateMention]] = {}
    for mention in claimed:
        by_start.setdefault(mention.start, []).append(mention)
    for readings in by_start.values():
        if any(bears_out(reading, other) for reading in readings for other in stated):
            continue
        if _in_parts(readings[0], stated, passages):
            continue
        other = next((one for one in stated if _excludes(readings[0], one)), None)
        is_of_the_note = any(bears_out(reading, day) for reading in readings for day in all_days_of_writing(passages))
        says = readings[0].text.rstrip(".,")
        if other is not None and best_recall >= _SURE and not is_of_the_note:
            text = f"the source says {other.text.rstrip('.,')}, the answer says {says}"
            findings.append(Finding(flag="date", text=text, effect="contradicted"))
        else:
            text = f"no cited sentence gives the date {says}"
            findings.append(Finding(flag="date", text=text, effect="unsupported"))
    return findings


def _quarter_findings(
    claimed: Sequence[Quarter], stated: Sequence[DateMention], passages: Sequence[Passage], best_recall: float
) -> list[Finding]:
    """Return a finding for each quarter in which no date of the evidence lies and that no evidence names."""
    named = [quarter for passage in passages for quarter in quarters(passage.text)]
    stated = [mention for mention in stated if mention.start < mention.end] or stated
    findings: list[Finding] = []
    for quarter in claimed:
        same = any(q.months == quarter.months and quarter.year in (None, q.year) for q in named)
        if same or any(quarter.holds(mention) for mention in stated):
            continue
        other = next((q.text for q in named), None) or next((m.text for m in stated if m.start < m.end), None)
        if other is not None and best_recall >= _SURE:
            reason = f"the source says {other}, the answer says {quarter.text}"
            findings.append(Finding(flag="date", text=reason, effect="contradicted"))
        else:
            reason = f"no cited sentence gives the date {quarter.text}"
            findings.append(Finding(flag="date", text=reason, effect="unsupported"))
    return findings


def _weekday_findings(
    text: str, stated: Sequence[DateMention], passages: Sequence[Passage], best_recall: float
) -> list[Finding]:
    """Return a finding when the claim names a weekday and its evidence, the same statement, names only others."""
    claimed = weekdays(text)
    named = {day: word for passage in passages for day, word in weekdays(passage.text).items()}
    days = named.keys() | {weekday_of(mention) for mention in stated if mention.start < mention.end}
    if not named or claimed.keys() <= days:
        return []
    says = next(word for day, word in claimed.items() if day not in days)
    reason = f"the source says {next(iter(named.values()))}, the answer says {says}"
    return [Finding(flag="date", text=reason, effect="contradicted" if best_recall >= _SURE else "unsupported")]


def _excludes(claimed: DateMention, stated: DateMention) -> bool:
    """Return whether both cannot be one date: a part that both state differs."""
    pairs = ((claimed.year, stated.year), (claimed.month, stated.month), (claimed.day, stated.day))
    both = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
    return bool(both) and any(ours != theirs for ours, theirs in both)


def _in_parts(claimed: DateMention, stated: Sequence[DateMention], passages: Sequence[Passage]) -> bool:
    """Return whether the parts of a claimed date stand apart in the source ("on May 7 … 2023")."""
    if claimed.month is None:
        return any(q.value == claimed.year for passage in passages for q in quantities(passage.text, passage.words))
    bare = claimed._replace(year=None)
    return any(bears_out(bare, other) and other.year is None for other in stated) and any(
        other.year == claimed.year for other in stated
    )


def _number_finding(
    claimed: Quantity, numbers: Sequence[Quantity], dates: Sequence[DateMention], best_recall: float
) -> Finding | None:
    if any(same_quantity(claimed, other) for other in numbers):
        return None
    is_day = claimed.unit is None and claimed.text.endswith(("st", "nd", "rd", "th"))
    if is_day and any(claimed.value == mention.day for mention in dates):
        return None
    if other := next((o for o in numbers if o.value == claimed.value and o.is_time == claimed.is_time), None):
        text = f"the source says {other.text}, the answer says {claimed.text}"
        return Finding(flag="unit", text=text, effect="contradicted" if best_recall >= _SURE else "unsupported")
    other = _rival(claimed, numbers)
    if other is None and claimed.value <= _COUNTED and claimed.unit is None and not claimed.text[:1].isdigit():
        return Finding(flag="number", text=f"no cited sentence says {claimed.text}", effect="note", weight=0.3)
    if other is not None and best_recall >= _SURE:
        text = f"the source says {other.text}, the answer says {claimed.text}"
        return Finding(flag="number", text=text, effect="contradicted")
    return Finding(flag="number", text=f"no cited sentence gives the number {claimed.text}", effect="unsupported")


def _rival(claimed: Quantity, numbers: Sequence[Quantity]) -> Quantity | None:
    """Return the number that the source gives for the same measure or the same counted thing; None when unclear."""
    hard = [other for other in numbers if other.is_time == claimed.is_time and not other.is_soft]
    for other in hard:
        if is_same_measure(claimed, other) or (claimed.head and claimed.head == other.head):
            return other
        if claimed.is_time:
            return other
    return hard[0] if len(hard) == 1 and claimed.unit is None and hard[0].unit is None else None
