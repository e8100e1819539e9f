"""English words of time by class, and rules for days and times of day.

Law: data; the rules for longer intervals are in `voice.core.nlq.phrase_tables.english`.
Source: ruling E and its table.
"""

import operator
from datetime import time
from functools import partial
from typing import Final

from voice.core.nlq.calendar import Unit, YearRef
from voice.core.nlq.intervals import DayPart, HourOf
from voice.core.nlq.phrase_matching import Rule
from voice.core.nlq.phrase_tables import builders as b
from voice.core.nlq.phrase_tables.table import const, same, words
from voice.core.nlq.points import Ago, At, Day, DayInMonth, MonthDate, NthWeekday, Weekday, WeekdayOf
from voice.core.nlq.relative_times import OffsetFrom
from voice.core.text.word_lists import numbered_words, word_set

LEXICON: Final = {
    "month": numbered_words(
        "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep october|oct "
        "november|nov december|dec"
    ),
    "weekday": numbered_words(
        "monday|mon tuesday|tue|tues wednesday|wed thursday|thu|thur|thurs friday|fri saturday|sat sunday|sun", start=0
    ),
    "weekdays": numbered_words("mondays tuesdays wednesdays thursdays fridays saturdays sundays", start=0),
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
    "small": numbered_words(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen"
    ),
    "tens": numbered_words("twenty thirty forty fifty sixty seventy eighty ninety", start=20, step=10),
    "nth_day": numbered_words(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
    )
    | {"thirtieth": 30},
    "nth": numbered_words("first|1st second|2nd third|3rd fourth|4th fifth|5th"),
    "abbreviated": words(
        {"jan": 1, "feb": 2, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sept sep": 9, "oct": 10, "nov": 11, "dec": 12}
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
    "third": words({"early beginning start": "early", "mid middle": "mid", "late end": "late"}),
}

UNMARKED: Final = {
    f"{word}s": word
    for word in word_set(
        "today yesterday tonight week month quarter year weekend night morning afternoon evening monday tuesday "
        "wednesday thursday friday saturday sunday spring summer autumn winter"
    )
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


_NUMBERS: Final = (
    Rule("n", "<hundreds>", same),
    Rule("n", "<under>", same),
    Rule("under", "{small}", same),
    Rule("under", "{tens} -? {small}", operator.add),
    Rule("under", "{tens}", same),
    Rule("under", "{int}", same),
    Rule("hundreds", "a hundred", const(100)),
    Rule("hundreds", "a hundred and <under>", partial(b.hundreds_and, 1)),
    Rule("hundreds", "{small} hundred", b.hundreds),
    Rule("hundreds", "{small} hundred and <under>", b.hundreds_and),
    Rule("n", "a|an", const(1)),
    Rule("n", "a? couple of?", const(2)),
    Rule("n", "a? few", const(3)),
    Rule("n", "several", const(3)),
    Rule("n", "half a dozen", const(6)),
    Rule("n", "a? dozen", const(12)),
    Rule("yr", "the? last|previous year|yr", const(YearRef(-1, relative=True))),
    Rule("yr", "this|the year", const(YearRef(0, relative=True))),
    Rule("yr", "the? year before last", const(YearRef(-2, relative=True))),
)

_DAYS: Final = (
    Rule("plain", "earlier? today", const(Day(0))),
    Rule("plain", "yesterday", const(Day(-1))),
    Rule("plain", "tomorrow", const(Day(1))),
    Rule("plain", "the? day before yesterday", const(Day(-2))),
    Rule("plain", "the? day after tomorrow", const(Day(2))),
    Rule("plain", "<n> {unit} ago today?", Ago),
    Rule("plain", "<n> {unit} and <n> {unit} ago", b.ago_twice),
    Rule("plain", "<n> {weekdays} ago", b.weekdays_ago),
    Rule("plain", "this time|day last|previous {calendar_unit}", partial(Ago, 1)),
    Rule("plain", "half a|an {halved} ago", b.half_ago),
    Rule("plain", "a {halved} and a half ago", b.one_and_half_ago),
    Rule("plain", "<n> {unit} back", Ago, weak=True),
    Rule("plain", "<n> {unit} from now", b.ahead),
    Rule("plain", "<n> {unit} ago on? {weekday}", b.weekday_ago),
    Rule("plain", "{weekday} <n> {unit} ago", b.weekday_then_ago),
    Rule("plain", "the {nth} {weekday} of|in <month>", NthWeekday),
    Rule("plain", "the last {weekday} of|in <month>", partial(NthWeekday, -1)),
    Rule("plain", "this past {weekday}", b.last_weekday),
    Rule("plain", "last|past|previous {weekday}", b.last_weekday),
    Rule("plain", "this {weekday}", b.this_weekday),
    Rule("plain", "next {weekday}", b.next_weekday),
    Rule("plain", "the? {weekday} before last", b.weekday_before_last),
    Rule("plain", "{weekday} ,? of? <week>", WeekdayOf),
    Rule("plain", "<week> ,? on? {weekday}", b.week_then_weekday),
    Rule("plain", "<date>", same),
    Rule("plain", "{weekday} ,? the? <date>", b.second),
    Rule("plain", "the {ordinal} of <month>", DayInMonth),
    Rule("plain", "the {nth_day} of <month>", DayInMonth),
    Rule("plain", "the last day of <month>", b.last_day_of),
    Rule("plain", "the first day of <month>", partial(DayInMonth, 1)),
    Rule("plain", "the day before <anchor>", b.day_before),
    Rule("plain", "the day after <anchor>", b.day_after),
    Rule("plain", "<n> {unit} before <anchor>", b.beside_before),
    Rule("plain", "<n> {unit} after <anchor>", OffsetFrom),
    Rule("span", "in? the <n> {unit} before <anchor>", b.days_before),
    Rule("span", "in? the <n> {unit} after <anchor>", b.days_after),
    Rule("span", "in|during? the {calendar_unit} before <anchor>", partial(b.days_before, 1)),
    Rule("span", "in|during? the {calendar_unit} after <anchor>", partial(b.days_after, 1)),
    Rule("date", "{month} the? {dom}", MonthDate),
    Rule("date", "{month} the? {dom} ,? of? <yr>", MonthDate),
    Rule("date", "{soft_month} the? {dom} ,? <yr>", MonthDate, weak=False),
    Rule("date", "{soft_month} the? {dom}", MonthDate, weak=True),
    Rule("date", "the? {dom} of? {month}", b.day_month),
    Rule("date", "the? {dom} of? {soft_month} ,? of? <yr>", b.day_month),
    Rule("date", "the? {dom} of {soft_month}", b.day_month),
    Rule("date", "the? {dom} {abbreviated}", b.day_month),
    Rule("date", "the {nth_day} of {soft_month} <yr>?", b.day_month),
    Rule("date", "the {tens} -? {nth} of {soft_month} <yr>?", b.day_of_tens),
    Rule("date", "{month} the? {nth_day}", MonthDate, weak=True),
    Rule("small_date", "{month_day}", b.slashed, weak=True),
    Rule("small_date", "the? {dom} {soft_month}", b.day_month),
    Rule("small_day", "{soft_weekday}", Weekday, weak=True),
    Rule("small_day", "{soft_weekday} {part}", b.weekday_part, weak=True),
    Rule("plain", "last|this past {soft_weekday}", b.last_weekday, weak=True),
    Rule("plain", "this {soft_weekday}", b.this_weekday, weak=True),
    Rule("feast", "christmas eve", const(MonthDate(12, 24))),
    Rule("feast", "christmas day?", const(MonthDate(12, 25))),
    Rule("feast", "new year eve", const(MonthDate(12, 31))),
    Rule("feast", "new year day?", const(MonthDate(1, 1))),
    Rule("feast_of", "christmas eve ,? of? <yr>", partial(MonthDate, 12, 24)),
    Rule("feast_of", "christmas day? ,? of? <yr>", partial(MonthDate, 12, 25)),
    Rule("feast_of", "new year eve ,? of? <yr>", partial(MonthDate, 12, 31)),
    Rule("feast_of", "new year day? ,? of? <yr>", partial(MonthDate, 1, 1)),
    Rule("feast_of", "halloween ,? of? <yr>", partial(MonthDate, 10, 31)),
    Rule("feast_of", "valentine day ,? of? <yr>", partial(MonthDate, 2, 14)),
    Rule("plain", "<feast_of>", same),
    Rule("feast", "halloween", const(MonthDate(10, 31))),
    Rule("feast", "valentine day", const(MonthDate(2, 14))),
    Rule("anchor", "<date>", same),
    Rule("anchor", "<feast>", same),
    Rule("loose_day", "{weekday}", Weekday, weak=True),
)

_PARTS_OF_DAYS: Final = (
    Rule("day", "<plain> ,? in? the? {part}", b.day_then_part),
    Rule("day", "{weekday} {part}", b.weekday_part, weak=True),
    Rule("day", "{weekday} in|at the? {part}", b.weekday_part),
    Rule("day", "early|late|earlier|later? this {part}", DayPart),
    Rule("day", "earlier|later? that {part} <plain>", DayPart),
    Rule("day", "the? night before last", const(DayPart("night", Day(-2)))),
    Rule("day", "early|late? last night", const(DayPart("night", Day(-1)))),
    Rule("day", "last evening", const(DayPart("evening", Day(-1)))),
    Rule("day", "tonight", const(DayPart("night", Day(0)))),
    Rule("day", "in|on? the {part} on|of? <plain>", DayPart),
    Rule("day", "in|on? the {part} on|of {weekday}", b.part_of_weekday),
    Rule("day", "around|at {part} on? <plain>", DayPart),
    Rule("parted", "this {part}", DayPart),
    Rule("parted", "<plain> ,? in? the? {part}", b.day_then_part),
    Rule("parted", "last night", const(DayPart("night", Day(-1)))),
    Rule("parted", "tonight", const(DayPart("night", Day(0)))),
    Rule("parted", "on? {weekday} {part}", b.weekday_part),
    Rule("hour_of", "{hour} <parted>", HourOf),
    Rule("instant", "<clock> <parted>", b.clock_of),
    Rule("instant", "<parted> at|around <clock>", b.part_then_clock),
    Rule("hours", "from|between? <clock> to|until|till|-|–|and <clock> on {weekday}", b.clocks_then_weekday),
    Rule("hour_of", "{hour} in|at the? {part} on? <plain>", b.hour_of_part),
    Rule("hours", "between {hour} and {hour} <parted>", b.hours_of),
    Rule("hours", "from {hour} to|until|till|-|– {hour} <parted>", b.hours_of),
    Rule("clock", "{clock}", same),
    Rule("clock", "{int} o'clock", time),
    Rule("clock", "noon|midday", const(time(12))),
    Rule("clock", "midnight", const(time(0))),
    Rule("instant", "<clock> ,? on? <plain>", At),
    Rule("instant", "<clock> on {weekday}", b.clock_on_weekday),
    Rule("instant", "<plain> ,? at|around? <clock>", b.day_then_clock),
    Rule("instant", "{weekday} at|around? <clock>", b.weekday_at_clock),
    Rule("hours", "from|between? {hour} to|until|till|-|–|—|and {clock} on? <plain>", b.hours_to_clock),
    Rule("hours", "from|between? {hour} to|until|till|-|–|—|and {clock} on {weekday}", b.hours_to_clock_on_weekday),
    Rule(
        "hours", "on? {weekday} ,? from|between {hour} to|until|till|-|–|—|and {clock}", b.weekday_then_hours_to_clock
    ),
    Rule("hours", "<plain> ,? from|between? {hour} to|until|till|-|–|—|and {clock}", b.day_then_hours_to_clock),
    Rule("hours", "between {hour} and {hour} on? <plain>", b.hours_then_day),
    Rule("hours", "from {hour} to|until|till|-|– {hour} on? <plain>", b.hours_then_day),
    Rule("hours", "between <clock> and <clock> on? <plain>", b.clocks_then_day),
    Rule("hours", "from? <clock> to|until|till|-|– <clock> on? <plain>", b.clocks_then_day),
    Rule("hours", "<plain> ,? between <clock> and <clock>", b.day_then_clocks),
    Rule("hours", "<plain> ,? from? <clock> to|until|till|-|– <clock>", b.day_then_clocks),
)

DAYS: Final = _NUMBERS + _DAYS + _PARTS_OF_DAYS
