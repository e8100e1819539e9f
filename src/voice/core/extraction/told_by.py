"""By which words a relation is told, and what it can stand between.

Law: one row a relation. Its kinds keep a place from employing a person; its words are those without one of which,
beside both names, nothing tells it: a sentence of two names and one verb is mostly names.

Source: rulings F.1, F.2; voice.core.extraction.wordings.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import regex

from voice.core.extraction.wordings import LETTER_OF
from voice.core.graph.extracted import EntityType, RelationType
from voice.core.text.patterns import late_pattern


class Told(NamedTuple):
    """How a relation is told."""

    sources: frozenset[EntityType]
    targets: frozenset[EntityType]
    words: regex.Pattern[str]


def _told(ends: str, told: str) -> Told:
    kinds: Mapping[str, EntityType] = {letter: kind for kind, letter in LETTER_OF.items()}
    source, target = ends.split(">")
    sources: frozenset[EntityType] = frozenset(kinds[letter] for letter in source)
    targets: frozenset[EntityType] = frozenset(kinds[letter] for letter in target)
    return Told(sources, targets, late_pattern(rf"\b(?:{told})", regex.IGNORECASE))


RELATIONS: Final[Mapping[RelationType, Told]] = {
    "works_at": _told(
        "P>O",
        r"work(?:s|ed|ing)?\b|employ|job\b|hired\b|joined\b|consult|teach|taught\b|intern\b|ceo\b|cto\b|cfo\b|director\b"
        r"|engineer\b|manager\b|arbeit|angestellt|trabaj|emplead",
    ),
    "works_on": _told("P>JT", r"work(?:s|ed|ing)?\b|contribut|develop|maintain|arbeitet|trabaj"),
    "works_with": _told("P>P", r"work(?:s|ed|ing)?\b|colleague|coworker|arbeitet|kolleg|trabaj"),
    "leads": _told("P>JO", r"lead(?:s|er|ing)?\b|led\b|runs\b|head(?:s|ed)?\b|manag|leitet|dirige|lidera"),
    "reports_to": _told("P>P", r"report(?:s|ed|ing)?\b|manager\b|boss\b|supervis|chef"),
    "lives_in": _told("P>L", r"liv(?:es?|ed|ing)\b|resid|moved\b|home\b|wohn|lebt|viv"),
    "comes_from": _told("P>L", r"from\b|born\b|grew\b|stammt|kommt|nació|natural"),
    "studies_at": _told("P>O", r"stud(?:y|ies|ied|ying|ent)|graduat|studiert|estudi"),
    "married_to": _told("P>P", r"marri|husband\b|wife\b|spouse\b|wedding|verheiratet|heirat|ehe|cas"),
    "partner_of": _told("P>P", r"partner\b|boyfriend|girlfriend|fianc|freund|novi[oa]"),
    "parent_of": _told(
        "P>P",
        r"mother|father|parent|mum\b|mom\b|dad\b|son\b|daughter|mutter|vater|madre|padre|hij[oa]",
    ),
    "sibling_of": _told("P>P", r"brother|sister|sibling|twin|bruder|schwester|herman[oa]"),
    "friend_of": _told("P>P", r"friend|freund|amig[oa]"),
    "member_of": _told("P>OJ", r"member|plays\b|sings\b|volunteer|mitglied|miembro"),
    "customer_of": _told("PO>O", r"customer|client|kund|cliente"),
    "founded": _told("P>OJ", r"(?:co-?)?found|started\b|gründet|fund(?:ó|a)"),
    "owns": _told("PO>OLTJ", r"own(?:s|ed|er)?\b|bought\b|acquir|gehört|besitz|posee|compró"),
    "uses": _told("POJ>T", r"us(?:es?|ed|ing)\b|runs\b|nutz|verwend|usa\b|utiliza"),
    "depends_on": _told("JT>JT", r"depend|relies\b|requires?\b|built\b|needs?\b|hängt|depende"),
    "replaces": _told("JT>JT", r"replac|instead\b|ersetzt|reemplaz|sustituy"),
    "made_by": _told("TJ>OP", r"mak(?:es?|er)\b|made\b|develop|built\b|builds\b|created?\b|entwickel|hecho"),
    "located_in": _told("OL>L", r"in\b|based\b|located|en\b"),
    "takes_place_in": _told("E>L", r"in\b|place\b|held\b|en\b"),
    "attends": _told("P>E", r"attend|went\b|spoke\b|visit|besuch|asist"),
}
