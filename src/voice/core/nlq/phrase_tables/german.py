"""German time phrases, laid out like the English table.

Law: as in `english`; capitals do not mark titles, and compounds are one word, so following words do not change a
phrase.
Source: ruling E and its table.
"""

from functools import partial
from typing import Final

from voice.core.nlq.calendar import Unit, YearRef
from voice.core.nlq.intervals import (
    CurrentUnit,
    DayPart,
    HalfMonth,
    Month,
    PartOf,
    Rolling,
    Season,
    Weekend,
    Year,
)
from voice.core.nlq.phrase_matching import Rule
from voice.core.nlq.phrase_tables import builders as b
from voice.core.nlq.phrase_tables.table import Exclusions, PhraseTable, const, same, words
from voice.core.nlq.points import Ago, Day, HourFrom, MonthDate, Now, Weekday, WeekdayOf
from voice.core.nlq.relative_times import After, Before, Between, Since, UntilTime
from voice.core.text.word_lists import numbered_words

_WEEKDAYS: Final = numbered_words(
    "montag|montags dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag", start=0
)
_PARTS: Final = words(
    {
        "morgen vormittag früh": "morning",
        "mittag": "noon",
        "nachmittag": "afternoon",
        "abend": "evening",
        "nacht": "night",
    }
)
_ONES: Final = numbered_words("ein zwei drei vier fünf sechs sieben acht neun")
_TENS: Final = numbered_words("zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig", start=20, step=10)
_LAST: Final = (
    "letzte|letzten|letzter|letztes|letztem|vergangene|vergangenen|vergangenes|vergangener|vorige|vorigen|voriges"
)
_THIS: Final = "diese|diesen|dieser|dieses|diesem"
_NEXT: Final = "nächste|nächsten|nächster|nächstes|kommende|kommenden|kommendes"
_BEFORE_LAST: Final = "vorletzte|vorletzten|vorletzter|vorletztes"

_LEXICON: Final = {
    "month": numbered_words(
        "januar|jänner februar märz april mai juni juli august september oktober november dezember"
    ),
    "weekday": _WEEKDAYS,
    "weekday_part": {
        f"{day}{part}": (index, value) for day, index in _WEEKDAYS.items() for part, value in _PARTS.items()
    },
    "unit": words(
        {
            "minute minuten": Unit.MINUTE,
            "stunde stunden": Unit.HOUR,
            "tag tage tagen": Unit.DAY,
            "woche wochen": Unit.WEEK,
            "monat monate monaten": Unit.MONTH,
            "quartal quartale quartalen": Unit.QUARTER,
            "jahr jahre jahren": Unit.YEAR,
            "jahrzehnt jahrzehnte jahrzehnten": Unit.DECADE,
        }
    ),
    "calendar_unit": words(
        {"woche": Unit.WEEK, "monat monats": Unit.MONTH, "quartal quartals": Unit.QUARTER, "jahr jahres": Unit.YEAR}
    ),
    "small": numbered_words(
        "ein|eine|einem|einen|einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
        "fünfzehn sechzehn siebzehn achtzehn neunzehn"
    )
    | {"hundert": 100}
    | _TENS
    | {f"{one}und{ten}": ones + tens for one, ones in _ONES.items() for ten, tens in _TENS.items()},
    "abbreviated": words(
        {
            "jan jän": 1,
            "feb": 2,
            "mär mrz": 3,
            "apr": 4,
            "jun": 6,
            "jul": 7,
            "aug": 8,
            "sept sep": 9,
            "okt": 10,
            "nov": 11,
            "dez": 12,
        }
    ),
    "nth": words(
        {
            "erste ersten erstes": 1,
            "zweite zweiten zweites": 2,
            "dritte dritten drittes": 3,
            "vierte vierten viertes": 4,
        }
    ),
    "season": words({"frühling frühjahr": "spring", "sommer": "summer", "herbst": "autumn", "winter": "winter"}),
    "part": _PARTS,
    "third": words({"anfang": "early", "mitte": "mid", "ende": "late"}),
}

_RULES: Final = (
    Rule("n", "{int}", same),
    Rule("n", "{small}", same),
    Rule("n", "ein|einem paar", const(2)),
    Rule("n", "paar", const(2)),
    Rule("n", "einigen|wenigen|mehreren", const(3)),
    Rule("yr", f"{_LAST} jahr|jahres", const(YearRef(-1, relative=True))),
    Rule("yr", f"{_THIS} jahr|jahres", const(YearRef(0, relative=True))),
    Rule("year", "im|des|dem jahr|jahre|jahres {year}", b.calendar_year),
    Rule("year", "jahr {year}", b.calendar_year),
    Rule("year", "<yr>", Year),
    Rule("plain", "heute", const(Day(0))),
    Rule("plain", "gestern", const(Day(-1))),
    Rule("plain", "vorgestern", const(Day(-2))),
    Rule("plain", "übermorgen", const(Day(2))),
    Rule("plain", "an? heiligabend|weihnachtsabend <yr>?", partial(MonthDate, 12, 24)),
    Rule("plain", "an? silvester <yr>?", partial(MonthDate, 12, 31)),
    Rule("plain", "an? neujahr <yr>?", partial(MonthDate, 1, 1)),
    Rule("plain", "vor <n> {unit}", Ago),
    Rule("plain", f"am? {_LAST} {{weekday}}", b.last_weekday),
    Rule("plain", f"am? {_THIS} {{weekday}}", b.this_weekday),
    Rule("plain", f"am? {_NEXT} {{weekday}}", b.next_weekday),
    Rule("plain", "<week> am? {weekday}", b.week_then_weekday),
    Rule("plain", "{weekday} der? <week>", WeekdayOf),
    Rule("plain", "am|dem|den|vom? <date>", same),
    Rule("plain", "am? {weekday} ,? dem|den? <date>", b.second),
    Rule("date", "der|dem|den? {dom} . {month} <yr>?", b.day_month),
    Rule("date", "der|dem|den? {dom} . {abbreviated} .? <yr>?", b.day_month),
    Rule("span", "{abbreviated} .? <yr>", Month),
    Rule("parted", "<plain> am? {part}", b.day_then_part),
    Rule("instant", "<parted> um {hour} uhr", b.part_then_hour),
    Rule("hours", "<plain> zwischen {hour} uhr? und {hour} uhr", b.day_then_hours),
    Rule("hours", "<plain> von {hour} uhr? bis {hour} uhr", b.day_then_hours),
    Rule("day", "<plain> am? {part}", b.day_then_part),
    Rule("day", "am? {weekday_part}", b.weekday_and_part),
    Rule("day", "am {weekday} {part}", b.weekday_part),
    Rule("day", "morgen {part}", b.part_tomorrow),
    Rule("day", f"{_LAST} nacht", const(DayPart("night", Day(-1)))),
    Rule("instant", "<plain> um {clock} uhr?", b.day_then_clock),
    Rule("instant", "<plain> um {int} uhr", b.day_then_hour),
    Rule("week", f"der|die? {_LAST} woche", const(CurrentUnit(-1, Unit.WEEK))),
    Rule("week", f"{_THIS} woche", const(CurrentUnit(0, Unit.WEEK))),
    Rule("month", "{month} des? <yr>?", Month),
    Rule("month", f"des? {_LAST} monats|monat", const(CurrentUnit(-1, Unit.MONTH))),
    Rule("month", f"des? {_THIS} monats|monat", const(CurrentUnit(0, Unit.MONTH))),
    Rule("span", "{month} des? <yr>", Month),
    Rule("span", f"{_LAST} {{month}}", b.last_month),
    Rule("span", f"{_THIS} {{month}}", b.this_month),
    Rule("span", f"{_THIS} {{calendar_unit}}", partial(CurrentUnit, 0)),
    Rule("span", f"{_LAST} {{calendar_unit}}", partial(CurrentUnit, -1)),
    Rule("span", f"{_NEXT} {{calendar_unit}}", partial(CurrentUnit, 1)),
    Rule("span", f"{_BEFORE_LAST} {{calendar_unit}}", partial(CurrentUnit, -2)),
    Rule("span", f"den|die|der|das? {_LAST} <n> {{unit}}", Rolling),
    Rule("span", "{third} <month>", PartOf),
    Rule("span", "{third} <yr>", b.part_of_year),
    Rule("span", "der|die|das? {nth} quartal des? jahres? <yr>", b.quarter_of),
    Rule("span", "das|des? {nth} halbjahr|halbjahrs|halbjahres des? jahres? <yr>", b.half_of),
    Rule("span", "der|die? {nth} hälfte von|des|der? jahres? <yr>", b.half_of),
    Rule("span", "der|die? {nth} hälfte des <month>", HalfMonth),
    Rule("span", "{quarter} <yr>", b.quarter_of),
    Rule("span", "der|die woche vom <plain>", b.week_of),
    Rule("span", f"{_LAST} {{season}}", b.last_season),
    Rule("span", f"{_THIS} {{season}}", b.this_season),
    Rule("span", f"{_NEXT} {{season}}", b.next_season),
    Rule("span", "{season} <yr>", Season),
    Rule("span", f"{_LAST} wochenende", const(Weekend("last"))),
    Rule("span", f"{_THIS} wochenende", const(Weekend("this"))),
    Rule("span", f"{_NEXT} wochenende", const(Weekend("next"))),
    Rule("span", f"{_BEFORE_LAST} wochenende", const(Weekend("last", 1))),
    Rule("loose_span", "{month}", Month, weak=True),
    Rule("loose_span", "{season}", Season, weak=True),
    Rule("loose_span", "{quarter}", b.quarter_of, weak=True),
    Rule("loose_span", "wochenende", const(Weekend("last")), weak=True),
    Rule("time", "{weekday}", Weekday, weak=True),
    Rule("time", "jetzt", const(Now())),
    Rule("relation", "seit <n> {unit}", Rolling),
    Rule("relation", "seit anfang <edged>", Since),
    Rule("relation", "seit ende <edged>", After),
    Rule("relation", "nach ende <edged>", After),
    Rule("relation", "vor anfang <edged>", Before),
    Rule("relation", "vor ende <edged>", b.before_end),
    Rule("edged", "<week>", same),
    Rule("relation", "seit|ab dem|der|den? <time>", Since),
    Rule("relation", "nach dem|der|den? <time>", After),
    Rule("relation", "vor dem|der|den? <time>", Before),
    Rule("relation", "bis zum|zur|zu|einschliesslich|dem? <time>", UntilTime),
    Rule("range", "zwischen dem|der? <time> und dem|der? <time>", Between),
    Rule("range", "von|vom dem|der? <time> bis|-|–|— zum|zur|zu? <time>", Between),
    Rule("range", "zwischen dem? {dom} . und dem? {dom} . {month} <yr>?", b.days_month),
    Rule("range", "vom|von? {dom} . bis|-|–|— zum? {dom} . {month} <yr>?", b.days_month),
    Rule("phrase", "in|von|vom|am|im|an? <day>", same),
    Rule("phrase", "in|von|vom|am|im|an|über|während? <span>", same),
    Rule("phrase", "im|in|vom|von|während <loose_span>", same),
    Rule("ahead", "für den|die? <loose_span>", same),
    Rule("phrase", "am|übers|vom wochenende", const(Weekend("last"))),
    Rule("phrase", "am|vom {weekday}", Weekday),
    Rule("phrase", "<instant>", HourFrom),
    Rule("phrase", "<hours>", same),
    Rule("phrase", "im jahr|jahre {year}", b.calendar_year),
    Rule("phrase", "in|von {year}", b.calendar_year),
    Rule("phrase", "<relation>", same),
    Rule("phrase", "<range>", same),
    Rule("alone", "<time>", same),
    Rule("alone", "morgen", const(Day(1))),
    Rule("alone", "<phrase>", same),
)

_REFUSALS: Final = Exclusions(
    (
        (r"\b(?:straße|strasse|platz|allee|brücke|gasse) (?:des|der|vom) ", "", ""),
        ("", "", r" (?:straße|strasse|allee|platz)\b"),
        ("", "", r"-\p{L}"),
        (r"\b(?:wort|ausdruck|begriff) (?:für )?", "", ""),
        (
            r"\b(?:heißt|sagt man|schreibt man|übersetzt man|buchstabiert man|bedeutet)\b[^?.!]{0,20}",
            "",
            r"[^?.!]{0,3} auf \p{Lu}",
        ),
        (r"\b(?:bedeutet|übersetze?|buchstabiere?|schreibt man|bedeutung von|herkunft von) ", "", r"\s*(?:[?.!]|$)"),
        (
            r"\bwie ?viele? (?:\w+ )?(?:wochen|monate|\p{L}*tage) (?:hat|gibt es|sind)(?: (?:der|im|in|am|es))* ",
            "",
            r"\s*(?:[?.!]|$)",
        ),
        (r"\b(?:welcher|was für ein) (?:wochen|feier)?tag (?:ist|war|fällt|liegt)(?: (?:der|im|auf|den|in))* ", "", ""),
        (r"\bwann (?:ist|beginnt|endet)(?: (?:der|die|das))? ", "", r"\s*(?:[?.!]|$)"),
        (
            r"\b(?:öffnet|schließt|geöffnet|geschlossen|öffnungszeiten|fahrplan|sprechstunde)\b[^?.!]{0,25}",
            "",
            r"\s*(?:[?.!]|$| (?:auf|zu|offen|geöffnet))",
        ),
    ),
    {},
)

GERMAN: Final = PhraseTable(
    language="de",
    date_order="day_first",
    lexicon=_LEXICON,
    rules=b.SHARED + _RULES,
    until=frozenset({"bis"}),
    refusals=_REFUSALS,
    corrections=("ich meine", "besser gesagt", "vielmehr", "nein warte"),
    vague=("kürzlich", "neulich", "letztens", "vor kurzem", "damals", "früher einmal"),
    nouns_are_capitalised=True,
    joins_nouns=False,
)
