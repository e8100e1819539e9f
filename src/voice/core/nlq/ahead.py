"""Times that are still to come: "from May", asked in March, is the May ahead.

Law: a month, a day of one, a season or a part of a year that names no year is the latest that has begun, unless the
question looks ahead: it asks from, or up to, such a time and not of what was told or done, or it says what will be.
Then it is the next one, but for what goes on now, and for what holds from a time that has begun just now. What holds
from a time on has no end. "Since" looks back whatever is asked.

Source: ruling I3; ruling E and its table.
"""

from datetime import time, timedelta
from typing import Final

import regex

from voice.core.nlq.calendar import Calendar, Unit, shift
from voice.core.nlq.expressions import ONE_DAY, Expression, start_of
from voice.core.nlq.points import MonthDate
from voice.core.nlq.relations import After, Before, Since, Until
from voice.core.nlq.stretches import Fraction, Month, Season
from voice.core.retrieval.values import Window
from voice.core.text.patterns import late_pattern
from voice.core.text.stopwords import Language

_FROM: Final = late_pattern(r"^(?:from|starting|beginning|as of|ab|a partir)\b", regex.IGNORECASE)
_UP_TO: Final = late_pattern(r"^(?:until|till|by|up to|bis|hasta)\b", regex.IGNORECASE)
_WILL: Final = late_pattern(
    r"\b(?:will|shall|planned|planning|going to|scheduled|happens|upcoming|coming up|wird|werden?|geplant|va a|vamos a"
    r"|será)\b|['’]ll\b",
    regex.IGNORECASE,
)
_PLANS: Final = late_pattern(
    r"\b(?:plan(?:s|ned|ning)?|scheduled|upcoming|geplant|plane|planen|pläne|vorhaben|planead[oa]s?|planes)\b",
    regex.IGNORECASE,
)
_WAS: Final[dict[Language, regex.Pattern[str]]] = {
    "en": late_pattern(r"\b(?:did|was|were|had)\b", regex.IGNORECASE),
    "de": late_pattern(r"\b(?:war|waren|hatten?|wurden?)\b", regex.IGNORECASE),
    "es": late_pattern(r"\b(?:fue|fueron|era|estaban?|había)\b", regex.IGNORECASE),
}
_MUST: Final = late_pattern(
    r"\b(?:must|should|need|have to|due|muss|müssen|soll|sollen|debo|tengo que)\b", regex.IGNORECASE
)
_PAST: Final[dict[Language, regex.Pattern[str]]] = {
    "en": late_pattern(
        r"\b(?:did|was|were|had|(?:have|has)(?! to\b)|been|wrote|write|said|say|told|went|came|got"
        r"|\p{L}{2,}(?<!\bne)ed)\b",
        regex.IGNORECASE,
    ),
    "de": late_pattern(
        r"\b(?:war|waren|hatten?|habe|haben|hat|wurden?|gab|schrieb|ging|kam|ge\p{L}+(?:t|en))\b", regex.IGNORECASE
    ),
    "es": late_pattern(
        r"\b(?:fue|fui|era|estaba|había|hice|hizo|he|ha|\p{L}+(?:é|ó|aron|ieron|aste))\b", regex.IGNORECASE
    ),
}
_ROWS: Final = late_pattern(
    r"\b(?:notes?|entr(?:y|ies)|thoughts?|messages?|e?mails?|photos?|pictures?|(?:any|some|every)thing|things?|stuff"
    r"|those|ones?|moments?|memories|letters?|posts?|ideas?|talks?|chats?|notizen?|einträge?|gedanken|nachrichten"
    r"|notas?|entradas?|pensamientos|mensajes)\b",
    regex.IGNORECASE,
)
_YEARLY: Final = (MonthDate, Month, Fraction, Season)
_NOON: Final = time(12)
_JUST_BEGUN: Final = timedelta(days=92)
"""What began no longer ago is meant rather than the next one: "from January", asked in March."""


def asks_for_plans(text: str, language: Language) -> bool:
    """Return whether a question asks for what is planned, and not for what was."""
    return _PLANS.search(text) is not None and _WAS[language].search(text) is None


def window_ahead(
    expression: Expression, text: str, span: tuple[int, int], language: Language, calendar: Calendar
) -> Window | None:
    """Return the window of a time that is still to come; None where it is not, or none is meant.

    Args:
        expression: the time.
        text: the whole question; an explicit time stands alone.
        span: where the time stands in it.
        language: the question's.
        calendar: when and where it is asked.
    """
    said = text[span[0] : span[1]].strip()
    if isinstance(expression, Since) and not _FROM.search(said):
        return None
    inner = expression.what if isinstance(expression, (Since, After, Until, Before)) else expression
    if not _leaves_its_year_open(inner) or not _looks_ahead(said, text, span[0], language):
        return None
    is_from = _FROM.search(said) is not None
    try:
        if _is_past(inner, calendar, may_have_ended=is_from):
            year = shift(calendar.today, 1, Unit.YEAR) - ONE_DAY
            calendar = calendar.seen_from(calendar.instant(year, _NOON))
        elif not is_from:
            return None
        window = expression.bounds(calendar)
    except (ValueError, OverflowError):
        return None
    return Window(start=window.start) if is_from else window


def _is_past(expression: Expression, calendar: Calendar, *, may_have_ended: bool) -> bool:
    """Return whether the latest of such a time is not meant: it began long ago, or has ended and does not go on."""
    bounds = expression.bounds(calendar)
    has_ended = bounds.end is not None and bounds.end <= calendar.now
    return calendar.now - start_of(bounds) > _JUST_BEGUN or (has_ended and not may_have_ended)


def _leaves_its_year_open(expression: Expression) -> bool:
    if not isinstance(expression, _YEARLY) or expression.year is not None:
        return False
    return not isinstance(expression, (Month, Season)) or expression.which == "bare"


def _looks_ahead(said: str, text: str, start: int, language: Language) -> bool:
    if _WILL.search(text) or asks_for_plans(text, language):
        return True
    if _PAST[language].search(text):
        return False
    if _MUST.search(text):
        return True
    is_open = _FROM.search(said) is not None or _UP_TO.search(said) is not None
    return is_open and not _ROWS.search(text, 0, start)
