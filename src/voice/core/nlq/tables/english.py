"""English time phrases.

Law: one line, one way to say a time. `day` is a day said plainly, `span` anything longer said plainly; `loose` are
words that mean a time only in the right company ("in May"); `time` is any of them; `phrase` is what may stand in a
question, `alone` what may stand in an explicit `when` besides. A time of day without its day is a habit, not a time.

Source: ruling E and its table.
"""

from datetime import time
from functools import partial
from typing import Final

from voice.core.nlq.calendar import Unit
from voice.core.nlq.expressions import YearRef
from voice.core.nlq.grammar import Rule
from voice.core.nlq.points import Ago, At, Day, HourFrom, MonthDate, Now, Weekday, WeekdayOf
from voice.core.nlq.relations import After, Before, Between, Both, Since, Until
from voice.core.nlq.stretches import CurrentUnit, DayPart, PartOf, Rolling, Season, UnitHolding, Weekend, Year
from voice.core.nlq.tables import builders as b
from voice.core.nlq.tables.table import PhraseTable, const, same, word_set, words

_LEXICON: Final = {
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
    "unit": words(
        {
            "minute minutes mins": Unit.MINUTE,
            "hour hours hrs": Unit.HOUR,
            "day days": Unit.DAY,
            "week weeks": Unit.WEEK,
            "fortnight fortnights": Unit.FORTNIGHT,
            "month months": Unit.MONTH,
            "quarter quarters": Unit.QUARTER,
            "year years": Unit.YEAR,
            "decade decades": Unit.DECADE,
        }
    ),
    "calendar_unit": words(
        {"week": Unit.WEEK, "month": Unit.MONTH, "quarter": Unit.QUARTER, "year": Unit.YEAR, "decade": Unit.DECADE}
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
    "tens": words({"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}),
    "nth": words({"first 1st": 1, "second 2nd": 2, "third 3rd": 3, "fourth 4th": 4, "fifth 5th": 5}),
    "season": words({"spring": "spring", "summer": "summer", "autumn fall": "autumn", "winter": "winter"}),
    "feast": words({"christmas halloween valentine eve": True}),
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

_NUMBERS: Final = (
    Rule("n", "{int}", same),
    Rule("n", "{small}", same),
    Rule("n", "{tens} -? {small}", b.add),
    Rule("n", "{tens}", same),
    Rule("n", "a|an", const(1)),
    Rule("n", "a? couple of?", const(2)),
    Rule("n", "a? few", const(3)),
    Rule("n", "several", const(3)),
    Rule("n", "half a dozen", const(6)),
    Rule("n", "a? dozen", const(12)),
    Rule("yr", "{year}", b.year_ref),
    Rule("yr", "the? last|previous year", const(YearRef(-1, relative=True))),
    Rule("yr", "this|the year", const(YearRef(0, relative=True))),
    Rule("yr", "the? year before last", const(YearRef(-2, relative=True))),
)

_DAYS: Final = (
    Rule("plain", "earlier? today", const(Day(0))),
    Rule("plain", "yesterday", const(Day(-1))),
    Rule("plain", "tomorrow", const(Day(1))),
    Rule("plain", "the? day before yesterday", const(Day(-2))),
    Rule("plain", "the? day after tomorrow", const(Day(2))),
    Rule("plain", "<n> {unit} ago", Ago),
    Rule("plain", "<n> {unit} ago today", Ago),
    Rule("plain", "<n> {unit} back", Ago, weak=True),
    Rule("plain", "<n> {unit} from now", b.ahead),
    Rule("plain", "<n> {unit} ago on? {weekday}", b.weekday_ago),
    Rule("plain", "{weekday} <n> {unit} ago", b.weekday_then_ago),
    Rule("plain", "the {nth} {weekday} of|in <month>", b.nth_weekday),
    Rule("plain", "the last {weekday} of|in <month>", partial(b.nth_weekday, -1)),
    Rule("plain", "this past {weekday}", b.last_weekday),
    Rule("plain", "last|past|previous {weekday}", b.last_weekday),
    Rule("plain", "this {weekday}", b.this_weekday),
    Rule("plain", "next {weekday}", b.next_weekday),
    Rule("plain", "the? {weekday} before last", b.weekday_before_last),
    Rule("plain", "{weekday} ,? of? <week>", WeekdayOf),
    Rule("plain", "<week> ,? on? {weekday}", b.week_then_weekday),
    Rule("plain", "<date>", same),
    Rule("plain", "{weekday} ,? the? <date>", b.second),
    Rule("plain", "the {ordinal} of <month>", b.nth_day),
    Rule("plain", "the last day of <month>", b.last_day_of),
    Rule("plain", "the first day of <month>", partial(b.nth_day, 1)),
    Rule("plain", "the day before <date>", b.day_before),
    Rule("plain", "the day after <date>", b.day_after),
    Rule("plain", "<n> {unit} before <date>", b.beside_before),
    Rule("plain", "<n> {unit} after <date>", b.beside_after),
    Rule("date", "{date}", b.on_date),
    Rule("date", "{month} the? {dom} ,? of? <yr>?", b.month_day),
    Rule("date", "{soft_month} the? {dom} ,? <yr>", b.month_day, weak=False),
    Rule("date", "{soft_month} the? {dom}", b.month_day, weak=True),
    Rule("date", "the? {dom} of? {month} ,? of? <yr>?", b.day_month),
    Rule("date", "the? {dom} of? {soft_month} ,? of? <yr>", b.day_month),
    Rule("date", "the {dom} of {soft_month}", b.day_month),
    Rule("date", "christmas eve", const(MonthDate(12, 24)), weak=True),
    Rule("date", "christmas day?", const(MonthDate(12, 25)), weak=True),
    Rule("date", "new year eve", const(MonthDate(12, 31)), weak=True),
    Rule("date", "new year day?", const(MonthDate(1, 1)), weak=True),
    Rule("date", "halloween", const(MonthDate(10, 31)), weak=True),
    Rule("date", "valentine day", const(MonthDate(2, 14)), weak=True),
    Rule("loose_day", "{weekday}", Weekday, weak=True),
)

_PARTS_OF_DAYS: Final = (
    Rule("day", "<plain>", same),
    Rule("day", "<plain> ,? in? the? {part}", b.day_then_part),
    Rule("day", "{weekday} {part}", b.weekday_part),
    Rule("day", "{weekday} in|at the? {part}", b.weekday_part),
    Rule("day", "early|late|earlier? this {part}", DayPart),
    Rule("day", "the? night before last", const(DayPart("night", Day(-2)))),
    Rule("day", "early|late? last night", const(DayPart("night", Day(-1)))),
    Rule("day", "last evening", const(DayPart("evening", Day(-1)))),
    Rule("day", "tonight", const(DayPart("night", Day(0)))),
    Rule("day", "in|on? the {part} on|of? <plain>", b.part_then_day),
    Rule("day", "in|on? the {part} on|of {weekday}", b.part_of_weekday),
    Rule("day", "around|at {part} on? <plain>", b.part_then_day),
    Rule("clock", "{clock}", same),
    Rule("clock", "{int} o'clock", b.full_hour),
    Rule("clock", "noon|midday", const(time(12))),
    Rule("clock", "midnight", const(time(0))),
    Rule("instant", "<clock> ,? on? <plain>", At),
    Rule("instant", "<clock> on {weekday}", b.clock_on_weekday),
    Rule("instant", "<plain> ,? at|around? <clock>", b.day_then_clock),
    Rule("instant", "{weekday} at|around? <clock>", b.weekday_at_clock),
    Rule("hours", "between <clock> and <clock> on? <plain>", b.clocks_then_day),
    Rule("hours", "from? <clock> to|until|till|-|– <clock> on? <plain>", b.clocks_then_day),
    Rule("hours", "<plain> ,? between <clock> and <clock>", b.day_then_clocks),
    Rule("hours", "<plain> ,? from? <clock> to|until|till|-|– <clock>", b.day_then_clocks),
)

_SPANS: Final = (
    Rule("week", "last|previous week", const(CurrentUnit(-1, Unit.WEEK))),
    Rule("week", "this week", const(CurrentUnit(0, Unit.WEEK))),
    Rule("week", "next week", const(CurrentUnit(1, Unit.WEEK))),
    Rule("week", "the? week before last", const(CurrentUnit(-2, Unit.WEEK))),
    Rule("month", "{month} ,? of? <yr>?", b.month_of),
    Rule("month", "{soft_month} ,? of? <yr>", b.month_of),
    Rule("month", "<yr> in {soft_month}", b.year_first),
    Rule("month", "{year_month}", b.year_month),
    Rule("month", "last|previous month", const(CurrentUnit(-1, Unit.MONTH))),
    Rule("month", "this month", const(CurrentUnit(0, Unit.MONTH))),
    Rule("month", "last {month}", b.last_month),
    Rule("year", "<yr>", Year, weak=True),
    Rule("span", "{month} ,? of? <yr>", b.month_of),
    Rule("span", "{soft_month} ,? of? <yr>", b.month_of),
    Rule("span", "<yr> ,? in {soft_month}", b.year_first),
    Rule("span", "the month of {soft_month} <yr>?", b.month_of),
    Rule("span", "{year_month}", b.year_month),
    Rule("span", "last|this past {soft_month}", b.last_month, weak=False),
    Rule("span", "last {soft_month}", b.last_month),
    Rule("span", "this {soft_month}", b.this_month),
    Rule("span", "next {soft_month}", b.next_month),
    Rule("span", "earlier|later|early|late? this {calendar_unit}", partial(CurrentUnit, 0)),
    Rule("span", "the current {calendar_unit}", partial(CurrentUnit, 0)),
    Rule("span", "last|previous {calendar_unit}", partial(CurrentUnit, -1)),
    Rule("span", "the previous {calendar_unit}", partial(CurrentUnit, -1)),
    Rule("span", "the last quarter", const(CurrentUnit(-1, Unit.QUARTER)), weak=True),
    Rule("span", "next {calendar_unit}", partial(CurrentUnit, 1)),
    Rule("span", "the? {calendar_unit} before last", partial(CurrentUnit, -2)),
    Rule("span", "the|these|this? last|past|previous <n> {unit}", Rolling),
    Rule("span", "the last {calendar_unit}", partial(Rolling, 1), weak=True),
    Rule("span", "in|over|during|within|for|throughout|from the last {unit}", partial(Rolling, 1), weak=True),
    Rule("span", "the|this? past {unit}", partial(Rolling, 1)),
    Rule("span", "the year {year}", b.calendar_year),
    Rule("span", "the {decade}", b.decade),
    Rule("span", "the? {third} -|of|in? <month>", PartOf),
    Rule("span", "the? {third} -|of|in? {soft_month}", b.part_of_month),
    Rule("span", "the? {third} -|of|in? <yr>", b.part_of_year),
    Rule("span", "the {nth} week of|in <month>", b.nth_week),
    Rule("span", "the last week of|in <month>", b.last_week_of),
    Rule("span", "the week of|starting|beginning <plain>", partial(UnitHolding, Unit.WEEK)),
    Rule("span", "the? {nth} quarter of|in? <yr>", b.quarter_of),
    Rule("span", "the? last quarter of|in? <yr>", partial(b.quarter_of, -1)),
    Rule("span", "the? {nth} half of|in? <yr>", b.half_of),
    Rule("span", "the? {nth} half of|in <month>", b.half_of_month),
    Rule("span", "{quarter} ,? of|in? <yr>", b.quarter_of),
    Rule("span", "<yr> {quarter}", b.year_then_quarter),
    Rule("span", "{half} of|in? <yr>", b.half_of),
    Rule("span", "last|past {season}", b.last_season),
    Rule("span", "this past {season}", b.last_season),
    Rule("span", "the? {season} before last", b.season_before_last),
    Rule("span", "this {season}", b.this_season),
    Rule("span", "next {season}", b.next_season),
    Rule("span", "the? {season} of? <yr>", b.season_of),
    Rule("span", "last|previous weekend", const(Weekend("last"))),
    Rule("span", "the|this past weekend", const(Weekend("last"))),
    Rule("span", "the last|previous weekend", const(Weekend("last")), weak=True),
    Rule("span", "this weekend", const(Weekend("this"))),
    Rule("span", "next weekend", const(Weekend("next"))),
    Rule("span", "the? weekend before last", const(Weekend("last", 1))),
    Rule("loose_span", "{soft_month}", b.month_of, weak=True),
    Rule("loose_span", "{quarter}", b.quarter_of, weak=True),
    Rule("loose_span", "the {season}", Season, weak=True),
    Rule("loose_span", "{season}", Season, weak=True),
    Rule("loose_span", "the weekend", const(Weekend("last")), weak=True),
)

_TIMES: Final = (
    Rule("time", "<day>", same),
    Rule("time", "<instant>", same),
    Rule("time", "<span>", same),
    Rule("time", "<loose_day>", same),
    Rule("time", "the {ordinal}", b.day_number, weak=True),
    Rule("time", "<loose_span>", same),
    Rule("time", "<year>", same),
    Rule("time", "now", const(Now())),
    Rule("plain_time", "<day>", same),
    Rule("plain_time", "<instant>", same),
    Rule("plain_time", "<span>", same),
    Rule("month_name", "{soft_month}", b.month_of),
    Rule("range", "from <time> to|until|till|through|-|–|—|.. <time>", Between),
    Rule("range", "from <time> up to|until <time>", Between),
    Rule("range", "between <time> and|& <time>", Between),
    Rule("range", "<plain_time> to|until|till|through|-|–|—|.. <plain_time>", Between),
    Rule("range", "<month_name> to|through|-|–|— <span>", Between),
    Rule("range", "{year} to|through|-|–|—|and|or {year}", b.years),
    Rule("range", "<plain_time> and|or <plain_time>", Both),
    Rule("range", "on {weekday} and|or on? {weekday}", b.weekdays),
    Rule("range", "from|between? {soft_month} the? {dom} to|through|-|–|—|and {dom} ,? <yr>?", b.month_days),
    Rule("range", "from|between? the? {dom} to|through|-|–|—|and the? {dom} of? {soft_month} ,? <yr>?", b.days_month),
    Rule("relation", "ever? since <time>", Since),
    Rule("relation", "ever? since <clock>", b.since_clock),
    Rule("relation", "from <time> on|onwards|onward|forward", Since),
    Rule("relation", "from <time> until|till|to now", Since),
    Rule("relation", "starting from|on|in? <time>", Since),
    Rule("relation", "after <time>", After),
    Rule("relation", "before <time>", Before),
    Rule("relation", "prior to <time>", Before),
    Rule("relation", "earlier than <time>", Before),
    Rule("relation", "later than <time>", After),
    Rule("relation", "up? until|till|through <time>", Until),
    Rule("relation", "up to <time>", Until),
)

_PHRASES: Final = (
    Rule("phrase", "in|on|at|during|from|over|for|of|within|throughout|around|back? <day>", same),
    Rule("phrase", "in|on|at|during|from|over|for|of|within|throughout|around|back? <span>", same),
    Rule("phrase", "back in|on <span>", same),
    Rule("phrase", "on|at|around? <instant>", HourFrom),
    Rule("phrase", "on|from <loose_day>", same),
    Rule("phrase", "on the {ordinal}", b.day_number, weak=True),
    Rule("phrase", "in|during|throughout|from <loose_span>", same),
    Rule("phrase", "back in <loose_span>", same),
    Rule("phrase", "over|at|on|for the weekend", const(Weekend("last")), weak=True),
    Rule("phrase", "in|during|throughout|from <year>", same),
    Rule("phrase", "back in <year>", same),
    Rule("phrase", "<relation>", same),
    Rule("phrase", "<range>", same),
    Rule("phrase", "<hours>", same),
    Rule("phrase", "in|during|over <range>", same),
    Rule("bare", "{weekday}", Weekday, weak=True),
    Rule("alone", "<time>", same),
    Rule("alone", "{part}", DayPart),
    Rule("alone", "at? <clock>", b.hour_at),
    Rule("alone", "at|around? <instant>", HourFrom),
    Rule("alone", "<phrase>", same),
    Rule("alone", "on|at|in <time>", same),
)

ENGLISH: Final = PhraseTable(
    language="en",
    date_order="month_first",
    lexicon=_LEXICON,
    rules=_NUMBERS + _DAYS + _PARTS_OF_DAYS + _SPANS + _TIMES + _PHRASES,
    soft=word_set("may march mar jan dec jun sep"),
    abbreviations=word_set("mon tue wed thu fri sat sun jan mar apr jun jul aug sep oct nov dec"),
    name_cues=word_set(
        "the a an my our your his her their its every each any some no by of with about and or to for "
        "called named titled band song movie film album book novel show series character album track "
        "episode game app bot server code codename name word project restaurant black good casual easter "
        "ash ruby like than as is was"
    ),
    verbs_of_people=word_set(
        "left came said went told got was is has had arrived met gave took made knew thought did does "
        "became began sent brought bought wrote spoke ran sat won lost quit moved joined called"
    ),
    person_like=word_set("april may june august jan summer autumn dawn"),
    linking=word_set("of"),
    vague=("ago", "recently", "lately", "the other day", "a while back", "back then", "these days", "in the past"),
)
