"""What an answer makes of evidence that disagrees with itself, or that has ended.

Law: where two rows of the prompt disagree and neither has ended, a sentence that states one side as a plain fact in an
answer that does not give the other is marked `disputed`, with both sides and their days in the sources' own words; it
is supported all the same. Where a row has ended, a sentence that states it as what is now is marked `ended`, and is
unsupported when the row that took its place was in the prompt, too.

Source: DESIGN 2 promise 1; S2 "Where sources disagree, give both with their dates"; ruling F (a correction supersedes).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import regex

from voice.core.grounding.claims import Judged
from voice.core.grounding.disagreement import Disagreement, Statement, disagreements, has_ended
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage, all_passages
from voice.core.grounding.values import Evidence
from voice.core.text.dates import stated_dates
from voice.core.text.patterns import late_pattern
from voice.core.text.words import words

_SHOWN = 120
_MOST = 5
"""Disagreements told of one sentence: who reads five knows that it is not settled."""
_NOW = late_pattern(
    r"\b(?:is|are|am|has|have|works?|lives?|costs?|likes?|loves?|owns?|wants?|plans?|takes?|studies|believes?|thinks?)\b"
    r"|['’](?:s|m|re|ve)\b",
    regex.IGNORECASE,
)
_THEN = late_pattern(
    r"\b(?:was|were|had|did|used to|until|till|before|then|former\w*|previous\w*|earlier|no longer|not any ?more|once"
    r"|at first|originally|been|ended|replaced|changed|in the past|at the time|bis|früher|damals|antes|hasta)\b",
    regex.IGNORECASE,
)


def with_disputes(
    texts: Sequence[str], judged: Sequence[Judged], sent: Sequence[Evidence], *, now: datetime | None
) -> list[Judged]:
    """Return the outcomes of an answer's sentences with what the rows that were sent say against each other.

    Args:
        texts: the sentences.
        judged: their outcomes, in the same order.
        sent: all rows of the prompt.
        now: when it is asked; without it every row that has an end counts as ended.
    """
    supported = [outcome.verdict == "supported" for outcome in judged]
    if not any(supported):
        return list(judged)
    told = [frozenset(word.stem for word in words(text)) for text in texts]
    rests = [_rows_of(outcome) for outcome in judged]
    used = frozenset[str]().union(*(rows for rows, holds in zip(rests, supported, strict=True) if holds))
    pairs = open_disagreements(sent, now, lambda passage: passage.row.alias in used)
    gives = [(said, on) for said, on, holds in zip(told, rests, supported, strict=True) if holds]
    found = [
        [*_disputed(said, outcome, pairs, gives), *_ended(text, outcome, sent, now)] if holds else []
        for text, said, outcome, holds in zip(texts, told, judged, supported, strict=True)
    ]
    return [_marked(outcome, findings) for outcome, findings in zip(judged, found, strict=True)]


def open_disagreements(
    sent: Sequence[Evidence], now: datetime | None, concerns: Callable[[Passage], bool] = lambda _: True
) -> tuple[Disagreement, ...]:
    """Return the disagreements of rows neither of which has ended by `now`, those with a sentence that `concerns`."""
    return tuple(pair for pair in disagreements(sent, concerns) if not pair.is_settled(now))


def disagree(chosen: Sequence[Passage], sent: Sequence[Evidence], now: datetime | None) -> bool:
    """Return whether two of the chosen sentences disagree with each other."""
    places = {_place(passage) for passage in chosen}
    pairs = open_disagreements(sent, now, lambda passage: _place(passage) in places)
    return any(all(_place(side.passage) in places for side in pair.sides()) for pair in pairs)


def other_sides(chosen: Sequence[Passage], sent: Sequence[Evidence], now: datetime | None) -> list[Passage]:
    """Return the sentences that disagree with the chosen ones and are not among them, each once."""
    places = {_place(passage) for passage in chosen}
    found: dict[tuple[str, int], Passage] = {}
    for pair in open_disagreements(sent, now, lambda passage: _place(passage) in places):
        for side, other in (pair.sides(), pair.sides()[::-1]):
            if _place(side.passage) in places and _place(other.passage) not in places:
                found.setdefault(_place(other.passage), other.passage)
    return list(found.values())


def _place(passage: Passage) -> tuple[str, int]:
    return passage.row.alias, passage.start


def _used(judged: Judged) -> tuple[Passage, ...]:
    return judged.support.used if judged.support else ()


def _rows_of(judged: Judged) -> frozenset[str]:
    return frozenset(passage.row.alias for passage in _used(judged))


def _marked(judged: Judged, findings: Sequence[Finding]) -> Judged:
    if not findings:
        return judged
    verdict = "unsupported" if any(finding.effect == "unsupported" for finding in findings) else judged.verdict
    return replace(judged, verdict=verdict, findings=(*judged.findings, *findings))


def _disputed(
    said: frozenset[str],
    judged: Judged,
    pairs: Sequence[Disagreement],
    gives: Sequence[tuple[frozenset[str], frozenset[str]]],
) -> list[Finding]:
    """Return a finding for each disagreement of which the sentence gives one side, the answer not the other."""
    on = _rows_of(judged)
    found: list[Finding] = []
    for pair in pairs:
        for side, other in (pair.sides(), pair.sides()[::-1]):
            if _gives(side, said, on) and not any(_gives(other, theirs, rows) for theirs, rows in gives):
                found.append(Finding(flag="disputed", text=told_of(pair), effect="note"))
    return list(dict.fromkeys(found))[:_MOST]


def _gives(side: Statement, said: frozenset[str], on: frozenset[str]) -> bool:
    """Return whether a sentence that rests on the rows `on` says what one side says."""
    telling = {word.stem for word in words(side.value) if not word.is_stop}
    return side.passage.row.alias in on and telling <= said


def told_of(pair: Disagreement) -> str:
    """Return a disagreement in words: both sides as the sources have them, each with its day."""
    sides = "; ".join(f"“{_short(side.passage.text)}”{_day(side.passage)}" for side in pair.sides())
    days = [side.passage.said_on for side in pair.sides()]
    changed = pair.may_change and None not in days and days[0] != days[1]
    return f"your notes disagree: {sides}{'; the later one may be so because things changed' if changed else ''}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN].rstrip()}…"


def _day(passage: Passage) -> str:
    day = passage.said_on
    return f" ({day.day} {day:%B %Y})" if day else ""


def _ended(text: str, judged: Judged, sent: Sequence[Evidence], now: datetime | None) -> list[Finding]:
    """Return a finding when a sentence states as what is now what only rows that have ended hold."""
    best = next(iter(_used(judged)), None)
    if best is None or not has_ended(best.row, now) or not _is_of_now(text):
        return []
    if any(_holds(judged, passage) for row in sent if not has_ended(row, now) for passage in all_passages(row)):
        return []
    replaced = any(row.row_id == best.row.superseded_by for row in sent)
    return [Finding(flag="ended", text=_end_of(best.row), effect="unsupported" if replaced else "note")]


def _is_of_now(text: str) -> bool:
    return _NOW.search(text) is not None and _THEN.search(text) is None and not stated_dates(text)


def _holds(judged: Judged, passage: Passage) -> bool:
    return all(word.stem in passage.stems for word in judged.content)


def _end_of(row: Evidence) -> str:
    if row.valid_until is not None:
        ended = f"the source held until {row.valid_until.day} {row.valid_until:%B %Y}"
    else:
        ended = "a later note took the source's place"
    return f"{ended}, the answer states it as what is now"
