"""The wordings that state a relation between two things, and the period that a sentence gives it.

Law: a wording is a table row, type and pattern, and gives the direction. `{a:P}` is the source, `{b:O}` the target,
with the permitted types: P person, O organisation, L place, T tool, J project, E event, C concept. No wording spans a
third name unless it says so.

Only the sentence's own words bound a period: since, after, until, before, from … to. A deadline ("by Friday") is no
bound, and an end needs a past tense. A plain time ("in March") is only the start of what begins then. Times are parsed
as in questions, relative to the day of writing; without one, only absolute times count.
Source: rulings E and its table, F.1, F.2, F.6; spec rag-organize 2.
"""

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import Final, NamedTuple, cast
from zoneinfo import ZoneInfo

import regex

from voice.core.graph.review.extraction_results import EntityType, RelationType
from voice.core.nlq.calendar import Calendar, Expression
from voice.core.nlq.phrase_tables.reading import phrase_table
from voice.core.nlq.relative_times import After, Before, Between, Since, UntilTime
from voice.core.nlq.time_finder import MOST_READ, TimeFinder
from voice.core.retrieval.values import Window
from voice.core.text.instants import UNDATED, has_date
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import Language

_UTC = ZoneInfo("UTC")
# Undated sentences are parsed from both: bounds that agree are independent of the day of writing.
_ANY_DAYS: Final = (datetime(4001, 2, 3, tzinfo=UTC), datetime(5112, 9, 20, tzinfo=UTC))
_PAST_TENSE = late_pattern(
    r"\b(?:was|were|had|did|been|lived|worked|stayed|led|ran|taught|studied|\p{L}{2,}ed|war|waren|hatte|hat"
    r"|wohnte|lebte|arbeitete|studierte|vivió|vivía|trabajó|trabajaba|estuvo|fue|era|estudió)\b",
    regex.IGNORECASE,
)


class Period(NamedTuple):
    """A half-open period; None is open."""

    start: datetime | None = None
    end: datetime | None = None


NO_PERIOD = Period()


def calendar_at(moment: datetime) -> Calendar:
    """Return the calendar of a day of writing."""
    now = moment.astimezone(UTC) if has_date(moment) else UNDATED
    return Calendar(now=now, zone=_UTC, week_start="monday", hemisphere="north")


def period_in(text: str, language: Language, calendar: Calendar, *, begins: bool = False) -> Period:
    """Return the period in `text`, open where ambiguous; `begins`: it begins at the time named ("joined in May")."""
    found: list[Period] = []
    for phrase in TimeFinder.of(text[:MOST_READ], phrase_table(language), None, ()).phrases():
        expression = cast("Expression", phrase.match.value)
        try:
            window = expression.bounds(calendar) if has_date(calendar.now) else _absolute_bounds(expression)
        except (ValueError, OverflowError):
            continue  # beyond the calendar
        found.append(_period(expression, window, text, begins=begins))
    start = _only({period.start for period in found if period.start is not None})
    end = _only({period.end for period in found if period.end is not None})
    return NO_PERIOD if start is not None and end is not None and start >= end else Period(start, end)


def _only(moments: AbstractSet[datetime]) -> datetime | None:
    return next(iter(moments)) if len(moments) == 1 else None


def _absolute_bounds(expression: Expression) -> Window:
    """Return the bounds that are independent of the day of writing (ruling I2)."""
    one, other = (expression.bounds(calendar_at(day)) for day in _ANY_DAYS)
    start, end = one.start if one.start == other.start else None, one.end if one.end == other.end else None
    return Window(start=start, end=end)


def _period(expression: Expression, window: Window, text: str, *, begins: bool) -> Period:
    if isinstance(expression, (Since, After)):
        return Period(start=window.start)
    if isinstance(expression, Between):
        return Period(window.start, window.end)
    if isinstance(expression, (UntilTime, Before)):
        return Period(end=window.end) if _PAST_TENSE.search(text) else NO_PERIOD
    return Period(start=window.start) if begins else NO_PERIOD


LETTER_OF: Final[dict[EntityType, str]] = {
    "person": "P",
    "organisation": "O",
    "place": "L",
    "tool": "T",
    "project": "J",
    "event": "E",
    "concept": "C",
}
_AUX = (
    r"(?:,? (?:has|have|had|is|are|am|was|were|now|also|still|currently|just|already|been|always|mostly"
    r"|recently|jetzt|auch|ahora|ya)){0,8}"
)
_GAP = r"[^«».;:?!]{0,40}?"  # no other name, no other clause
_KIN_MATE = r"(?:husband|wife|spouse|mann|frau|ehemann|ehefrau|marido|esposa|esposo|mujer)"
_KIN_PARENT = r"(?:mother|father|mum|mom|dad|mutter|vater|madre|padre)"
_KIN_CHILD = r"(?:son|daughter|sohn|tochter|hijo|hija)"
_KIN_SIBLING = r"(?:(?:older |younger |little |big |twin )?(?:brother|sister)|bruder|schwester|hermano|hermana)"
_BOSS = r"(?:manager|boss|supervisor|team lead|chef|chefin|jefe|jefa)"
_ROLE = (
    r"(?:cto|ceo|cfo|coo|founder|director|head of [\w ]{2,20}|vp of [\w ]{2,20}|[\w ]{0,20}"
    r"(?:manager|engineer|designer|director|lead|assistant|lawyer|accountant))"
)


class Wording(NamedTuple):
    """A pattern that states a relation."""

    rel_type: RelationType
    pattern: regex.Pattern[str]
    begins: bool = False
    """Whether the relation begins at the time in the sentence."""


_SLOT = late_pattern(r"\{([ab]):([A-Z]+)\}")  # "{a:PO}"


def _wording(rel_type: RelationType, words: str, *, begins: bool = False) -> Wording:
    pattern = _SLOT.sub(lambda slot: f"«(?P<{slot[1]}>[{slot[2]}]\\d+)»", words)  # "«P0»", as `extract` writes a thing
    return Wording(rel_type, late_pattern(pattern, regex.IGNORECASE), begins)


_TABLE: Final[tuple[tuple[RelationType, str], ...]] = (
    (
        "works_at",
        (
            rf"{{a:P}}{_AUX} (?:works?|worked|working|employed|intern(?:s|ed|ing)|consult(?:s|ed|ing)|teach(?:es|ing)"
            rf"|taught)(?:{_GAP} )?(?: ?)(?:at|for|by)(?: the)? {{b:O}}"
        ),
    ),
    ("works_at", r"{a:P} (?:has been|is|was|had been|'s)(?: now| still)? at(?: the)? {b:O}"),
    ("works_at", r"{a:P}(?:,| is| was) (?:an?|the|our|their) (?:[\w-]+ ){1,4}(?:at|for)(?: the)? {b:O}"),
    ("works_at", rf"{{a:P}},? (?:is |was )?(?:the )?{_ROLE} (?:of|at)(?: the)? {{b:O}}"),
    ("works_at", rf"{{b:O}}(?:'s|’s)? {_ROLE},? (?:is )?{{a:P}}"),
    ("works_at", rf"{{a:P}} (?:arbeitet|arbeitete)(?:{_GAP})? bei(?: der| dem)? {{b:O}}"),
    ("works_at", rf"hat {{a:P}}(?:{_GAP})? bei(?: der| dem)? {{b:O}} gearbeitet"),
    ("works_at", rf"{{a:P}} hat(?:{_GAP})? bei(?: der| dem)? {{b:O}} gearbeitet"),
    ("works_at", r"(?:ist|war) {a:P}(?: seit \w+| jetzt)? bei(?: der| dem)? {b:O}"),
    ("works_at", r"{a:P} (?:ist|war)(?: seit [\w ]{3,15}| jetzt)? bei(?: der| dem)? {b:O}"),
    (
        "works_at",
        rf"{{a:P}},? ?(?:ahora )?(?:trabaja|trabajaba|trabajó|trabajo)(?:{_GAP})? (?:en|para)(?: la| el)? {{b:O}}",
    ),
    ("works_on", rf"{{a:P}}{_AUX} (?:works?|worked|working) on(?: the)? {{b:JT}}"),
    ("works_on", rf"{{a:P}} arbeitet(?:{_GAP})? an(?: dem| der)? {{b:J}}"),
    ("works_on", r"{a:P} trabaja en(?: el| la)? {b:J}"),
    (
        "works_with",
        rf"{{a:P}}{_AUX} (?:works?|worked|working)(?: on(?: the)? «[JT]\d+»|{_GAP})? (?:together )?with {{b:P}}",
    ),
    ("works_with", rf"{{a:P}} arbeitet(?:{_GAP})? mit {{b:P}}"),
    ("works_with", rf"{{a:P}} ?(?:trabaja|trabajó)(?:{_GAP})? con {{b:P}}"),
    ("leads", rf"{{a:P}}{_AUX} (?:leads?|led|leading|runs|heads|manages|managing)(?: the)? {{b:JO}}"),
    ("leads", r"{a:P} (?:is|was) (?:the )?(?:lead|head|manager|leader|owner) of(?: the)? {b:J}"),
    ("leads", rf"{{a:P}} (?:leitet|leitete)(?:{_GAP})? {{b:JO}}"),
    ("leads", r"{a:P} ?(?:dirige|lidera|coordina)(?: el| la)? {b:JO}"),
    ("reports_to", rf"{{a:P}}{_AUX} report(?:s|ed|ing)? to {{b:P}}"),
    ("reports_to", rf"{{a:P}}(?:'s|’s) {_BOSS},?(?: is| was)? {{b:P}}"),
    ("reports_to", r"{b:P} (?:manages|supervises) {a:P}"),
    ("reports_to", rf"{{b:P}} is {{a:P}}(?:'s|’s) {_BOSS}"),
    ("lives_in", rf"{{a:P}}{_AUX} (?:lives?|lived|living|resides?)(?:{_GAP})? in {{b:L}}"),
    ("lives_in", rf"{{a:P}} (?:wohnt|wohnte|lebt|lebte|wohne|lebe)(?:{_GAP})? in {{b:L}}"),
    ("lives_in", rf"{{a:P}} ?(?:vive|vivía|vivió|vivo)(?:{_GAP})? en {{b:L}}"),
    ("comes_from", rf"{{a:P}}{_AUX} (?:(?:comes|came|originally) from|from|born in|grew up in) {{b:L}}"),
    ("comes_from", r"{a:P} (?:kommt |stammt |ist )aus {b:L}"),
    ("comes_from", r"{a:P} (?:nació en|es de) {b:L}"),
    (
        "studies_at",
        rf"{{a:P}}{_AUX} (?:stud(?:y|ies|ied|ying)|graduated|graduates)(?:{_GAP})? (?:at|from)(?: the)? {{b:O}}",
    ),
    ("studies_at", rf"{{a:P}} (?:studiert|studierte)(?:{_GAP})? an der {{b:O}}"),
    ("studies_at", rf"{{a:P}} ?(?:estudia|estudió)(?:{_GAP})? en(?: la| el)? {{b:O}}"),
    ("married_to", rf"{{a:P}} (?:and|und|y) {{b:P}}{_AUX} (?:got |getting )?(?:married|se casaron|haben geheiratet)"),
    ("married_to", rf"{{a:P}}{_AUX} (?:got )?(?:married|married to) {{b:P}}"),
    ("married_to", r"{a:P} ist mit {b:P} verheiratet"),
    ("married_to", rf"{{a:P}}(?:'s|’s) {_KIN_MATE},?(?: is| was)? {{b:P}}"),
    ("married_to", rf"{{a:P}} is {{b:P}}(?:'s|’s) {_KIN_MATE}"),
    (
        "partner_of",
        r"{a:P}(?:'s|’s) (?:partner|boyfriend|girlfriend|fiancée?|freund|freundin|novio|novia),?(?: is)? {b:P}",
    ),
    ("parent_of", rf"{{a:P}} (?:is|was) {{b:P}}(?:'s|’s) {_KIN_PARENT}"),
    ("parent_of", rf"{{b:P}}(?:'s|’s) {_KIN_PARENT},?(?: is| was)? {{a:P}}"),
    ("parent_of", rf"{{a:P}}(?:'s|’s) {_KIN_CHILD},?(?: is| was)? {{b:P}}"),
    ("parent_of", rf"{{b:P}} (?:is|was) {{a:P}}(?:'s|’s) {_KIN_CHILD}"),
    ("sibling_of", rf"{{b:P}}(?:'s|’s) {_KIN_SIBLING},?(?: is| was)? {{a:P}}"),
    ("sibling_of", rf"{{a:P}} (?:is|was) {{b:P}}(?:'s|’s) {_KIN_SIBLING}"),
    ("friend_of", r"{a:P}(?:'s|’s) (?:best |old |good |close )?(?:friend|amigo|amiga),?(?: is)? {b:P}"),
    ("friend_of", r"{a:P} (?:is|was) (?:an? (?:old |good |close )?friend of {b:P}|{b:P}(?:'s|’s) (?:best )?friend)"),
    (
        "member_of",
        rf"{{a:P}}{_AUX} (?:plays? (?:in|for)|sings? in|(?:a )?member of|volunteers? (?:at|for))(?: the)? {{b:O}}",
    ),
    ("customer_of", r"{a:PO} (?:is|was|has been) (?:a|an old|a long-time) (?:customer|client) of {b:O}"),
    ("founded", rf"{{a:P}}{_AUX} (?:co-?founded|founded|gründete|fundó) {{b:OJ}}"),
    ("owns", r"{a:PO} owns {b:OL}"),
    ("uses", rf"{{a:OJ}}{_AUX} (?:uses?|used|using|runs on) {{b:T}}"),
    ("depends_on", rf"{{a:JT}}{_AUX} (?:depends? on|built (?:with|on)|relies on|written in|requires) {{b:T}}"),
    ("replaces", rf"(?:migrated|switched|moved|changed)(?:{_GAP})? from {{b:T}} to {{a:T}}"),
    ("replaces", r"replac(?:ed|ing) {b:T} (?:with|by) {a:T}"),
    ("replaces", r"{a:T} (?:replaces|replaced) {b:T}"),
    ("made_by", r"{b:O} (?:makes|made|develops|built|builds|sells|maintains) {a:TJ}"),
    ("made_by", r"{a:TJ} (?:is|was) (?:made|developed|built|sold) by {b:O}"),
    ("located_in", rf"{{a:OL}}{_AUX} (?:based|located|headquartered) in {{b:L}}"),
    ("located_in", r"{a:L} in {b:L}"),
    ("takes_place_in", r"{a:E}(?: is| was| takes place| took place)? in {b:L}"),
    ("attends", rf"{{a:P}}{_AUX} (?:went to|attended|attends|spoke at) {{b:E}}"),
    ("attends", r"(?:went to|was at|attended) {b:E}(?: in «L\d+»)? with {a:P}"),
)
_BEGINNING: Final[tuple[tuple[RelationType, str], ...]] = (  # they begin at the time that the sentence gives
    ("works_at", rf"{{a:P}}{_AUX} (?:joined|joins|joining|started at|starts at)(?: the)? {{b:O}}"),
    ("lives_in", rf"{{a:P}}{_AUX} (?:moved|relocated)(?: back)? to {{b:L}}"),
    ("lives_in", rf"{{a:P}} (?:ist|zog)(?:{_GAP})? nach {{b:L}}(?: gezogen)?"),
    ("lives_in", r"{a:P} se mudó a {b:L}"),
    ("located_in", rf"{{a:O}}{_AUX} moved(?: its [\w ]{{2,20}})? to {{b:L}}"),
    ("owns", rf"{{a:PO}}{_AUX} (?:acquired|bought|took over|kaufte|compró) {{b:O}}"),
)
WORDINGS: Final[tuple[Wording, ...]] = (
    *(_wording(rel_type, words) for rel_type, words in _TABLE),
    *(_wording(rel_type, words, begins=True) for rel_type, words in _BEGINNING),
)
