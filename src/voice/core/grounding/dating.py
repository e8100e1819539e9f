"""Which days a sentence of the memory is evidence for: those it names, and sometimes the day it was written on.

Law: the day of writing dates what a note tells of that day, and nothing else. Where the sentence names a time of its
own ("on 12 June", "in two years", "next week") or tells what is still to come, the day of writing is only the note's:
it bears out when something was noted ("you wrote on 3 May that …", "3 May: …"), never when it happens. What it makes
certain is a date and no number: no note of the year 2024 bears out that a code is 2024.

Source: DESIGN 6 stage 4 (dates); ruling D1.
"""

from collections.abc import Sequence

import regex

from voice.core.grounding.passages import Passage
from voice.core.text.dates import (
    DateMention,
    bears_out,
    of_day,
    relative_dates,
    stated_dates,
    weekday_of,
    weekdays,
    with_year_near,
)
from voice.core.text.patterns import late_pattern

_AHEAD = late_pattern(
    r"\b(?:will|going to|gonna|soon|upcoming|coming up|due|expires?|deadline|until|ago|next|tomorrow|yesterday"
    r"|(?:last|coming|past|few|couple of|several|in (?:an?|\p{L}+|\d+)) (?:days?|weeks?|weekends?|months?|years?))\b"
    r"|\w['’]ll\b",
    regex.IGNORECASE,
)
"""What a sentence tells of another time than the day it was written on."""
_NOTED = (
    r"(?:not(?:e|es|ed|ing)|wr(?:ite|ites|ote|itten)|record(?:s|ed)?|mention(?:s|ed)?|sa(?:id|ys?)|told|logged|dated"
    r"|posted|entry|entries|messages?|memory|memories|journal|diary|stated|reported|shared|described|announced|as)"
)
_NEAR = 80
"""Characters before and behind a date that are looked at."""
_BEFORE = late_pattern(
    rf"(?:\b{_NOTED}(?:,?\s+(?:on|of|from|in|at|dated|it|this|that|so|back))*\s+"
    r"|\b(?:day|days|night|week|weeks|weekend|month|months|year|years|\p{L}+day)\s+(?:before|after|of|prior to)\s+"
    r"|[(\[][^()\[\]]{0,30})$",
    regex.IGNORECASE,
)
_AFTER = late_pattern(rf"^[\])]*,?\s+(?:\p{{L}}[\p{{L}}'’]*\s+){{0,3}}{_NOTED}\b", regex.IGNORECASE)
_LABEL = (late_pattern(r"^[\s*•·–-]*$"), late_pattern(r"^[,:]"))
"""Nothing before a date and a comma or colon behind it: a line of the memory under its day."""
_YEAR_LED = late_pattern(r"\b(?:in|since|from|of|during|by|until|till|early|mid|late)[\s-]+$", regex.IGNORECASE)


def passage_dates(passage: Passage) -> list[DateMention]:
    """Return every date that a passage makes certain: written, relative to the day it was said, and that day."""
    day = passage.said_on
    return told_dates(passage) if day is None else [*told_dates(passage), of_day(day)]


def told_dates(passage: Passage) -> list[DateMention]:
    """Return the dates that a passage names, in whatever words; not the day it was said on."""
    written = stated_dates(passage.text)
    day = passage.said_on
    if day is None:
        return written
    return [*(with_year_near(mention, day) for mention in written), *relative_dates(passage.text, day)]


def days_of_writing(passages: Sequence[Passage]) -> list[DateMention]:
    """Return the days on which rows were written that tell of that day; nothing where the best tells of another.

    Args:
        passages: the evidence sentences that support a claim, best first.
    """
    of_another = {passage.row.alias for passage in passages if _is_of_another_time(passage)}
    if passages and passages[0].row.alias in of_another:
        return []
    return all_days_of_writing([passage for passage in passages if passage.row.alias not in of_another])


def all_days_of_writing(passages: Sequence[Passage]) -> list[DateMention]:
    """Return the days on which the rows of passages were written."""
    return [of_day(passage.said_on) for passage in passages if passage.said_on is not None]


def is_day_of_writing(
    text: str, claimed: DateMention, days: Sequence[DateMention], passages: Sequence[Passage]
) -> bool:
    """Return whether a date of a claim is borne out by the day a row was written on.

    Args:
        text: the claim.
        claimed: the date in it.
        days: what `days_of_writing` gives for the passages.
        passages: the evidence sentences that support the claim.
    """
    before = text[max(0, claimed.start - _NEAR) : claimed.start]
    if claimed.month is None and not _YEAR_LED.search(before):
        return False
    behind = text[claimed.end : claimed.end + _NEAR]
    is_label = _LABEL[0].search(before) and _LABEL[1].search(behind)
    if is_label or _BEFORE.search(before) or _AFTER.search(behind):
        days = all_days_of_writing(passages)
    return any(bears_out(claimed, day) for day in days)


def _is_of_another_time(passage: Passage) -> bool:
    day = passage.said_on
    if day is None:
        return True
    named = weekdays(passage.text)
    if named and weekday_of(of_day(day)) not in named:
        return True
    others = (mention for mention in told_dates(passage) if not weekdays(mention.text))
    return any(not bears_out(mention, of_day(day)) for mention in others) or bool(_AHEAD.search(passage.text))
