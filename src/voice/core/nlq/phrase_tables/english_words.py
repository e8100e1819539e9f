"""English words of time, by class, and the words that stand around them.

Law: data only; what the words make together is said in `voice.core.nlq.phrase_tables.english`.

Source: ruling E and its table.
"""

from typing import Final

from voice.core.nlq.calendar import Unit
from voice.core.nlq.phrase_tables.table import word_set, words

LEXICON: Final = {
    "month": words(
        {
            "january jan": 1,
            "february feb": 2,
            "march mar": 3,
            "april apr": 4,
            "may": 5,
            "june jun": 6,
            "july jul": 7,
            "august aug": 8,
            "september sept sep": 9,
            "october oct": 10,
            "november nov": 11,
            "december dec": 12,
        }
    ),
    "weekday": words(
        {
            "monday mon": 0,
            "tuesday tue tues": 1,
            "wednesday wed": 2,
            "thursday thu thur thurs": 3,
            "friday fri": 4,
            "saturday sat": 5,
            "sunday sun": 6,
        }
    ),
    "weekdays": words(
        {
            "mondays": 0,
            "tuesdays": 1,
            "wednesdays": 2,
            "thursdays": 3,
            "fridays": 4,
            "saturdays": 5,
            "sundays": 6,
        }
    ),
    "unit": words(
        {
            "minute minutes min mins": Unit.MINUTE,
            "hour hours hr hrs": Unit.HOUR,
            "day days": Unit.DAY,
            "week weeks wk wks": Unit.WEEK,
            "fortnight fortnights": Unit.FORTNIGHT,
            "month months mo mos": Unit.MONTH,
            "quarter quarters": Unit.QUARTER,
            "year years yr yrs": Unit.YEAR,
            "decade decades": Unit.DECADE,
        }
    ),
    "calendar_unit": words(
        {
            "week wk": Unit.WEEK,
            "month": Unit.MONTH,
            "quarter": Unit.QUARTER,
            "year yr": Unit.YEAR,
            "decade": Unit.DECADE,
        }
    ),
    "small": words(
        {
            "one": 1,
            "two": 2,
            "three": 3,
            "four": 4,
            "five": 5,
            "six": 6,
            "seven": 7,
            "eight": 8,
            "nine": 9,
            "ten": 10,
            "eleven": 11,
            "twelve": 12,
            "thirteen": 13,
            "fourteen": 14,
            "fifteen": 15,
            "sixteen": 16,
            "seventeen": 17,
            "eighteen": 18,
            "nineteen": 19,
        }
    ),
    "tens": words(
        {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
    ),
    "nth_day": words(
        {
            "first": 1,
            "second": 2,
            "third": 3,
            "fourth": 4,
            "fifth": 5,
            "sixth": 6,
            "seventh": 7,
            "eighth": 8,
            "ninth": 9,
            "tenth": 10,
            "eleventh": 11,
            "twelfth": 12,
            "thirteenth": 13,
            "fourteenth": 14,
            "fifteenth": 15,
            "sixteenth": 16,
            "seventeenth": 17,
            "eighteenth": 18,
            "nineteenth": 19,
            "twentieth": 20,
            "thirtieth": 30,
        }
    ),
    "nth": words({"first 1st": 1, "second 2nd": 2, "third 3rd": 3, "fourth 4th": 4, "fifth 5th": 5}),
    "abbreviated": words(
        {
            "jan": 1,
            "feb": 2,
            "apr": 4,
            "jun": 6,
            "jul": 7,
            "aug": 8,
            "sept sep": 9,
            "oct": 10,
            "nov": 11,
            "dec": 12,
        }
    ),
    "seasons": words({"springs": "spring", "summers": "summer", "autumns falls": "autumn", "winters": "winter"}),
    "season": words({"spring": "spring", "summer": "summer", "autumn fall": "autumn", "winter": "winter"}),
    "halved": words(
        {
            "year": (6, Unit.MONTH),
            "decade": (5, Unit.YEAR),
            "month": (15, Unit.DAY),
            "day": (12, Unit.HOUR),
            "hour": (30, Unit.MINUTE),
        }
    ),
    "feast": words({"christmas halloween valentine eve new": True}),
    "part": words(
        {
            "morning mornings": "morning",
            "afternoon": "afternoon",
            "evening": "evening",
            "night": "night",
            "noon midday lunchtime": "noon",
        }
    ),
    "third": words(
        {
            "early beginning start": "early",
            "mid middle": "mid",
            "late end": "late",
        }
    ),
}

UNMARKED: Final[dict[str, str]] = {
    "todays": "today",
    "yesterdays": "yesterday",
    "tonights": "tonight",
    "weeks": "week",
    "months": "month",
    "quarters": "quarter",
    "years": "year",
    "weekends": "weekend",
    "nights": "night",
    "mornings": "morning",
    "afternoons": "afternoon",
    "evenings": "evening",
    "mondays": "monday",
    "tuesdays": "tuesday",
    "wednesdays": "wednesday",
    "thursdays": "thursday",
    "fridays": "friday",
    "saturdays": "saturday",
    "sundays": "sunday",
    "springs": "spring",
    "summers": "summer",
    "autumns": "autumn",
    "winters": "winter",
}

NAME_CUES: Final = word_set(
    "the a an my our your his her their its every each any some no by of with about and or to for "
    "called named titled band song movie film album book novel show series character album track "
    "episode game app bot server code codename name word project restaurant black good casual easter "
    "ash ruby like than as is was"
)

VERBS_OF_PEOPLE: Final = word_set(
    "left came said went told got was is has had arrived met gave took made knew thought did does "
    "became began sent brought bought wrote spoke ran sat won lost quit moved joined called"
)

CLOSING: Final = word_set(
    "regarding concerning involving mention mentions mentioned mentioning contain contains refer refers "
    "pls plz please thx thanks lol ok okay btw tho though haha hmm too anyway again exactly roughly"
)
