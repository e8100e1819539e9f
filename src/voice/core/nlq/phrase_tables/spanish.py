"""Spanish time phrases, laid out like the English table.

Law: as in `english`; a weekday needs its article, and following words do not change a phrase.
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
from voice.core.nlq.points import Ago, Day, HourFrom, Now, Weekday, WeekdayOf
from voice.core.nlq.relative_times import After, Before, Between, Since, UntilTime
from voice.core.text.word_lists import numbered_words

_LAST: Final = "pasado|pasada|anterior"
_THIS: Final = "este|esta"
_NEXT: Final = "próximo|próxima"

_LEXICON: Final = {
    "month": numbered_words(
        "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre"
    ),
    "weekday": numbered_words("lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo", start=0),
    "unit": words(
        {
            "minuto minutos": Unit.MINUTE,
            "hora horas": Unit.HOUR,
            "día días dia dias": Unit.DAY,
            "semana semanas": Unit.WEEK,
            "quincena quincenas": Unit.FORTNIGHT,
            "mes meses": Unit.MONTH,
            "trimestre trimestres": Unit.QUARTER,
            "año años": Unit.YEAR,
            "década décadas": Unit.DECADE,
        }
    ),
    "calendar_unit": words({"semana": Unit.WEEK, "mes": Unit.MONTH, "trimestre": Unit.QUARTER, "año": Unit.YEAR}),
    "small": numbered_words(
        "un|una|uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
        "diecisiete dieciocho diecinueve veinte"
    )
    | {"veinticinco": 25, "treinta": 30, "cien": 100},
    "abbreviated": numbered_words("ene feb mar abr may jun jul ago sept|sep oct nov dic"),
    "nth": words({"primer primera": 1, "segundo segunda": 2, "tercer tercera": 3, "cuarto cuarta": 4}),
    "season": words({"primavera": "spring", "verano": "summer", "otoño": "autumn", "invierno": "winter"}),
    "part": words({"mañana": "morning", "mediodía": "noon", "tarde": "afternoon", "noche": "night"}),
    "third": words({"principios comienzos inicios": "early", "mediados": "mid", "finales fines": "late"}),
}

_RULES: Final = (
    Rule("n", "{int}", same),
    Rule("n", "{small}", same),
    Rule("n", "un par de", const(2)),
    Rule("n", "unos|unas|varios|varias", const(3)),
    Rule("yr", f"año {_LAST}", const(YearRef(-1, relative=True))),
    Rule("yr", "este año", const(YearRef(0, relative=True))),
    Rule("year", "el? año {year}", b.calendar_year),
    Rule("year", "<yr>", Year),
    Rule("plain", "hoy", const(Day(0))),
    Rule("plain", "ayer", const(Day(-1))),
    Rule("plain", "anteayer|antier", const(Day(-2))),
    Rule("plain", "antes de ayer", const(Day(-2))),
    Rule("plain", "pasado mañana", const(Day(2))),
    Rule("plain", "hace <n> {unit}", Ago),
    Rule("plain", f"el {{weekday}} {_LAST}", b.last_weekday),
    Rule("plain", f"el {_LAST} {{weekday}}", b.last_weekday),
    Rule("plain", "este {weekday}", b.this_weekday),
    Rule("plain", f"el {_NEXT} {{weekday}}", b.next_weekday),
    Rule("plain", "el {weekday} de <week>", WeekdayOf),
    Rule("plain", "el? <date>", same),
    Rule("plain", "el? {weekday} ,? el? <date>", b.second),
    Rule("date", "{dom} de {month} de|del? <yr>?", b.day_month),
    Rule("date", "{dom} de? {abbreviated} .? de|del? <yr>?", b.day_month),
    Rule("hours", "<plain> ,? entre las|la {clock} y las|la {clock}", b.day_then_clocks),
    Rule("hours", "<plain> ,? de las|la? {clock} a las|la? {clock}", b.day_then_clocks),
    Rule("hours", "<plain> ,? entre las|la {hour} y las|la {hour}", b.day_then_hours),
    Rule("hour_at", "<plain> ,? a las|la {hour} de la {part}", b.day_then_hour_of_part),
    Rule("day", "<plain> por|en|a la|el? {part}", b.day_then_part),
    Rule("day", "el {weekday} por|en la {part}", b.weekday_part),
    Rule("day", "esta {part}", DayPart),
    Rule("day", "anoche", const(DayPart("night", Day(-1)))),
    Rule("day", "anteanoche", const(DayPart("night", Day(-2)))),
    Rule("instant", "<plain> a las {clock}", b.day_then_clock),
    Rule("week", f"la? semana {_LAST}", const(CurrentUnit(-1, Unit.WEEK))),
    Rule("week", "esta semana", const(CurrentUnit(0, Unit.WEEK))),
    Rule("month", "{month} de|del? <yr>?", Month),
    Rule("month", f"el? mes {_LAST}", const(CurrentUnit(-1, Unit.MONTH))),
    Rule("month", "este mes", const(CurrentUnit(0, Unit.MONTH))),
    Rule("span", "{month} de|del? <yr>", Month),
    Rule("span", f"{{month}} {_LAST}", b.last_month),
    Rule("span", "este {month}", b.this_month),
    Rule("span", f"{_THIS} {{calendar_unit}}", partial(CurrentUnit, 0)),
    Rule("span", f"el|la? {{calendar_unit}} {_LAST}", partial(CurrentUnit, -1)),
    Rule("span", f"el|la? {_LAST} {{calendar_unit}}", partial(CurrentUnit, -1)),
    Rule("span", f"el|la {_NEXT} {{calendar_unit}}", partial(CurrentUnit, 1)),
    Rule("span", "el|la {calendar_unit} que viene", partial(CurrentUnit, 1)),
    Rule("span", "los|las últimos|últimas|pasados|pasadas <n> {unit}", Rolling),
    Rule("span", "a? {third} de <month>", PartOf),
    Rule("span", "a? {third} de <yr>", b.part_of_year),
    Rule("span", "el? {nth} trimestre de|del? <yr>", b.quarter_of),
    Rule("span", "la? {nth} mitad de|del? <yr>", b.half_of),
    Rule("span", "el? {nth} semestre de|del? <yr>", b.half_of),
    Rule("span", "la|el última|último {unit}", partial(Rolling, 1)),
    Rule("span", "la? {nth} mitad de <month>", HalfMonth),
    Rule("span", "{quarter} de|del? <yr>", b.quarter_of),
    Rule("span", "la semana del <plain>", b.week_of),
    Rule("span", f"el|la? {{season}} {_LAST}", b.last_season),
    Rule("span", f"{_THIS} {{season}}", b.this_season),
    Rule("span", "el|la? {season} de|del? <yr>", Season),
    Rule("span", f"el? fin de semana {_LAST}", const(Weekend("last"))),
    Rule("span", "este fin de semana", const(Weekend("this"))),
    Rule("loose_span", "{month}", Month, weak=True),
    Rule("loose_span", "el|la? {season}", Season, weak=True),
    Rule("loose_span", "el|la? {quarter}", b.quarter_of, weak=True),
    Rule("loose_span", "el fin de semana", const(Weekend("last")), weak=True),
    Rule("time", "el {weekday}", Weekday, weak=True),
    Rule("time", "ahora", const(Now())),
    Rule("relation", "desde el? final|fin de|del <edged>", After),
    Rule("relation", "después de|del final|fin de|del <edged>", After),
    Rule("relation", "antes de|del final|fin|finales|fines de|del <edged>", b.before_end),
    Rule("relation", "hasta el? final|fin de|del <edged>", UntilTime),
    Rule("relation", "hasta <time> inclusive", UntilTime),
    Rule("edged", "<week>", same),
    Rule("edged", "año {year}", b.calendar_year),
    Rule("relation", "desde <time>", Since),
    Rule("relation", "a partir de|del <time>", Since),
    Rule("relation", "después de <time>", After),
    Rule("relation", "antes de <time>", Before),
    Rule("relation", "antes del {weekday}", b.before_weekday),
    Rule("relation", "antes del <date>", Before),
    Rule("relation", "después del <date>", After),
    Rule("relation", "después del {weekday}", b.after_weekday),
    Rule("range", "del {weekday} al {weekday}", b.weekday_to_weekday),
    Rule("relation", "hasta <time>", UntilTime),
    Rule("range", "entre <time> y <time>", Between),
    Rule("range", "de|desde <time> a|hasta|- <time>", Between),
    Rule("range", "del <date> al <date>", Between),
    Rule("range", "entre el {dom} y el {dom} de {month} de|del? <yr>?", b.days_month),
    Rule("range", "del {dom} al {dom} de {month} de|del? <yr>?", b.days_month),
    Rule("phrase", "en|de|durante|a? <day>", same),
    Rule("phrase", "en|de|durante|a? <span>", same),
    Rule("phrase", "en|durante <loose_span>", same),
    Rule("ahead", "para <loose_span>", same),
    Rule("phrase", "el fin de semana", const(Weekend("last")), weak=True),
    Rule("phrase", "el {weekday}", Weekday, weak=True),
    Rule("phrase", "<instant>", HourFrom),
    Rule("phrase", "<hours>", same),
    Rule("phrase", "<hour_at>", same),
    Rule("phrase", "en|durante <year>", same),
    Rule("phrase", "<relation>", same),
    Rule("phrase", "<range>", same),
    Rule("alone", "<time>", same),
    Rule("alone", "{weekday}", Weekday),
    Rule("alone", "mañana", const(Day(1))),
    Rule("alone", "<phrase>", same),
)

_REFUSALS: Final = Exclusions(
    (
        (r"\b(?:calle|avenida|av\.|plaza|paseo|barrio|colonia|estación|metro)(?: (?:de|del|de la))? ", "", ""),
        ("", "", r"-\p{L}"),
        (
            r"\b(?:se dice|se escribe|se pronuncia|traduce|traducir|significa|quiere decir|deletrea)\b[^?.!]{0,20}",
            "",
            r"['\"»]?(?: en <language>\b|<end>)",
        ),
        (r"\b(?:palabra|término|expresión) (?:para )?", "", ""),
        (r"\b(?:significado|origen|sinónimo|plural|traducción) de ", "", ""),
        (r"\bcu[aá]nt[oa]s (?:<counted>) (?:tiene|hay|trae|son)(?: (?:en|el|la))* ", "", "<end>"),
        (r"\bqué (?:día|fiesta|festivo|día de la semana) (?:es|fue|cae|hay|era)(?: (?:en|el|la))* ", "", "<end>"),
        (r"\bcuándo (?:es|empieza|termina|comienza|cae)(?: (?:el|la))? ", "", "<end>"),
        (r"\b(?:abre|abren|cierra|cierran|abierto|abierta|cerrado|cerrada|horario)\b[^?.!]{0,25}", "", "<end>"),
    ),
    {
        "end": r"\s*(?:[?.!]|$)",
        "language": "(?:inglés|alemán|francés|español|italiano|portugués|latín|chino|japonés|ruso|árabe|catalán|vasco)",
        "counted": "días|semanas|horas|meses|lunes|martes|miércoles|jueves|viernes|sábados|domingos",
    },
)

SPANISH: Final = PhraseTable(
    language="es",
    date_order="day_first",
    lexicon=_LEXICON,
    rules=b.SHARED + _RULES,
    until=frozenset({"hasta"}),
    refusals=_REFUSALS,
    corrections=("quiero decir", "o mejor dicho", "mejor dicho", "o sea"),
    vague=("recientemente", "últimamente", "hace poco", "hace tiempo", "el otro día"),
    joins_nouns=False,
)
