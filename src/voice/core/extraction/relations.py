"""Which relations a note words between the things that it names.

Law: a relation is read only where one sentence words it between two things the note names; what is asked, denied,
wished, planned or doubted is no relation. Its direction is the wording's. Its span reaches from the one end to the
other. When the sentence bounds it in time, it is valid only then.

How relations are worded, in English, German and Spanish. A wording is a row of one table: what it says, its words
between two places, whether what it tells begins at the time it names. `{a:P}` is the first end, `{b:O}` the second,
with the kinds that may stand there: P person, O organisation, L place, T tool, J project, E event, C concept. No
wording reaches over a third name unless it says so.

Source: rulings F.1, F.2, F.6; spec rag-organize 2; rulings F.1, F.2.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import regex

from voice.core.extraction.entities import NamedThing, Slot
from voice.core.extraction.sentences import ParsedNote, Sentence
from voice.core.extraction.validity import calendar_at, period_in
from voice.core.graph.review.extraction_results import EntityType, ExtractedRelation, RelationType
from voice.core.records import Provenance, Thought
from voice.core.text.lazy import late_pattern
from voice.core.text.negation import has_negation
from voice.core.text.words import words

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
    r"|recently|jetzt|auch"
    r"|ahora|ya)){0,8}"
)
_GAP = r"[^«».;:?!]{0,40}?"
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
    """One way of saying that two things are related."""

    rel_type: RelationType
    pattern: regex.Pattern[str]
    begins: bool = False


_SLOT = late_pattern(r"\{([ab]):([A-Z]+)\}")


def _wording(rel_type: RelationType, words: str, *, begins: bool = False) -> Wording:
    pattern = _SLOT.sub(lambda slot: f"«(?P<{slot[1]}>[{slot[2]}]\\d+)»", words)
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
    ("attends", rf"{{a:P}}{_AUX} (?:went to|attended|attends|spoke at|spoke at) {{b:E}}"),
    ("attends", r"(?:went to|was at|attended) {b:E}(?: in «L\d+»)? with {a:P}"),
)
_BEGINNING: Final[tuple[tuple[RelationType, str], ...]] = (
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


class Way(StrEnum):
    """How the ends of a relation are given."""

    NAMED = "named"
    STOOD_FOR = "stood_for"
    LISTED = "listed"


SHARES: Final[Mapping[Way, float]] = {
    Way.NAMED: 0.97,  # 33 of 33
    Way.STOOD_FOR: 0.94,  # 15 of 15
    Way.LISTED: 0.5,  # never seen
}
"""(right + 1) / (read + 2) over the first sixty of the labelled notes (ruling F.2)."""
_UNSURE: Final = late_pattern(
    r"\b(?:would|could|might|may|wants? to|wanted to|hopes? to|hoping|plans? to|planned|will|if|whether|maybe"
    r"|perhaps|almost"
    r"|nearly|wish(?:es)?|thinking of|considering|should|supposed|used to|no longer|not|never|dreams?|rumou?r"
    r"|pretend(?:s|ed)?"
    r"|vielleicht|würde|möchte|wenn|ob|soll|will nach|nicht|nie|kein|quizás|quiere|quería|si|ojalá|no|nunca)\b",
    regex.IGNORECASE,
)
_LONGEST: Final = 600
"""Characters of a sentence; a longer one is a heap of words."""
_JOINT: Final = r"(?: and | und | y | & |, )"
_MORE: Final = late_pattern(rf"{_JOINT}«([A-Z]\d+)»")
_MAY_END: Final = late_pattern(r"\b(?:Co|Corp|Inc|Ltd|Bros|etc|[ap]\.m)\.\s+(?=\p{Lu})")
_EARLIER: Final = late_pattern(r"«([A-Z]\d+)»(?: and | und | y | & )$")


class _Masked(NamedTuple):
    """A sentence with its things replaced by their kinds and numbers."""

    text: str
    slots: Mapping[str, Slot]
    places: Sequence[tuple[int, int]]
    """Where in the masked text each slot stands; with the note's offsets to be had from `slots`."""


class _Found(NamedTuple):
    wording: Wording
    source: Slot
    target: Slot
    way: Way


def relations_in(thought: Thought, reading: ParsedNote, slots: Sequence[Sequence[Slot]]) -> list[ExtractedRelation]:
    """Return the relations that `thought` words, each once per sentence.

    Args:
        slots: for each of them, the places that stand for things.
    """
    found: list[ExtractedRelation] = []
    for sentence, places in zip(reading.sentences, slots, strict=True):
        if not sentence.is_question and len(places) > 1 and sentence.end - sentence.start <= _LONGEST:
            found.extend(_of_sentence(thought, reading, sentence, places))
    return found


def _of_sentence(
    thought: Thought, reading: ParsedNote, sentence: Sentence, places: Sequence[Slot]
) -> Iterator[ExtractedRelation]:
    masked = _mask(reading.text, sentence, places)
    said: set[tuple[str, int, int]] = set()
    for one in _matches(masked):
        key = (one.wording.rel_type, id(one.source.thing), id(one.target.thing))
        if key in said or one.source.thing is one.target.thing or not _is_told(reading.text, sentence, one):
            continue
        said.add(key)
        yield _relation(thought, reading, sentence, one)


def _mask(text: str, sentence: Sentence, places: Sequence[Slot]) -> _Masked:
    pieces: list[str] = []
    slots: dict[str, Slot] = {}
    marks: list[tuple[int, int]] = []
    at, length = sentence.start, 0
    for number, slot in enumerate(places):
        name = f"{LETTER_OF[slot.thing.entity_type]}{number}"
        slots[name] = slot
        tail = "'s" if slot.owns else ""
        piece = f"{text[at : slot.start]}«{name}»{tail}"
        pieces.append(piece)
        length += len(piece)
        marks.append((length - len(name) - 2 - len(tail), length))
        at = slot.end
    pieces.append(text[at : sentence.end])
    return _Masked("".join(pieces), slots, marks)


def _matches(masked: _Masked) -> Iterator[_Found]:
    for wording in WORDINGS:
        for match in wording.pattern.finditer(masked.text):
            source, target = masked.slots[match["a"]], masked.slots[match["b"]]
            way = Way.NAMED if source.is_named and target.is_named else Way.STOOD_FOR
            yield _Found(wording, source, target, way)
            for beside in _beside(masked, match, match["b"], backwards=False):
                yield _Found(wording, source, beside, Way.LISTED)
            if match.start() == match.start("a") - 1:
                for beside in _beside(masked, match, match["a"], backwards=True):
                    yield _Found(wording, beside, target, Way.LISTED)


def _beside(masked: _Masked, match: regex.Match[str], name: str, *, backwards: bool) -> Iterator[Slot]:
    """Yield what is listed with an end of a wording: "uses Flask and SQLite", "Ken and Mei work at Acme"."""
    other = _EARLIER.search(masked.text[: match.start()]) if backwards else _MORE.match(masked.text, match.end())
    if other is not None and other[1][0] == name[0]:
        yield masked.slots[other[1]]


def _is_told(text: str, sentence: Sentence, found: _Found) -> bool:
    """Return whether the sentence tells it as so, up to the second end."""
    until = max(found.source.end, found.target.end)
    lead = text[sentence.start : until]
    cut = max(lead.rfind(". "), lead.rfind("; "), lead.rfind(", but "), 0)
    lead = lead[cut:]
    return not _UNSURE.search(lead) and not has_negation(lead, words(lead))


def _told_with(text: str, sentence: Sentence, start: int, end: int) -> str:
    """Return what of the sentence bounds a relation: it ends, too, where "Co." and the like may have ended one."""
    stops = [stop.end() for stop in _MAY_END.finditer(text, sentence.start, sentence.end)]
    first = max((stop for stop in stops if stop <= start), default=sentence.start)
    return text[first : min((stop for stop in stops if stop > end), default=sentence.end)]


def _relation(thought: Thought, reading: ParsedNote, sentence: Sentence, found: _Found) -> ExtractedRelation:
    ends: tuple[NamedThing, NamedThing] = (found.source.thing, found.target.thing)
    start = min(found.source.start, found.target.start)
    end = max(found.source.end, found.target.end)
    told = _told_with(reading.text, sentence, start, end)
    period = period_in(told, reading.language, calendar_at(thought.created_at), begins=found.wording.begins)
    return ExtractedRelation(
        source=ends[0].name,
        rel_type=found.wording.rel_type,
        target=ends[1].name,
        confidence=min(SHARES[found.way], *(thing.confidence for thing in ends)),
        mentions=(Provenance(thought_id=thought.id, start=start, end=end),),
        valid_from=period.start,
        valid_until=period.end,
    )
