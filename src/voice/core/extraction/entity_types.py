"""Determine the type of a name: person, place, organisation, project, tool, event.

Law: evidence names its rule, because rules are trusted by how often they were right (`entities.SHARES`). First the
name's own words count (a first name, a known place, "GmbH"), then its sentence ("works at", "lives in"), never more.
Source: rulings F.1, F.2; spec rag-organize 2.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

import regex

from voice.core.extraction.sentences import (
    ALSO_WORDS,
    COMPANIES,
    ENTITY_WORDS,
    EVENT_SUFFIX,
    KIN,
    KIN_WORDS,
    LOWER_TOOLS,
    METHOD,
    NEVER,
    ORG_SUFFIX,
    PERSON_NAMES,
    PLACE_SUFFIX,
    PLACES,
    PROJECT_WORD,
    TITLES,
    TOOLS,
    Name,
)
from voice.core.graph.review.extraction_results import EntityType
from voice.core.text.language_data import entries, is_common_word
from voice.core.text.lazy import late_pattern


def _ends(pattern: str) -> regex.Pattern[str]:
    return late_pattern(rf"(?:^|\s)(?:{pattern})$")  # for the words before a name, at their end


_CUES: Final[Mapping[EntityType, regex.Pattern[str]]] = {  # words before a name of a type
    "organisation": _ends(
        r"(?:stud(?:y|ies|ied|ying)|graduat(?:ed|es)) (?:at|from)(?: the)?|(?:work(?:s|ed|ing)?|job"
        r"|intern(?:s|ed)?|employed|hired|consult(?:s|ed|ing)?|interviewed?) (?:\w+ )?(?:at|for"
        r"|by)(?: the)?|(?:nurse|engineer|designer|manager|teacher|head of \w+|director|he|she|i|been|is"
        r"|was) at(?: the)?|joined|join(?:s|ing)?|acquired|bought by|left|founded|(?:cto|ceo|cfo|customer"
        r"|client|employee) (?:of|at)(?: the)?|(?:arbeitet|arbeite|gearbeitet|angestellt|job"
        r"|stelle) .{0,80}bei(?: der)?|ist sie bei|ist er bei|(?:trabaja|trabajo|trabajaba|trabajó) (?:en"
        r"|para)|call with|met the people from"
    ),
    "place": _ends(
        r"(?:live|lives|lived|living|moved?|moving|flew|fly|flying|flights?|born|based|stay|stayed"
        r"|staying|trip|travel(?:s|led|ling|ed)?|drove|drive|holidays?|vacation|conference|hotel"
        r"|office is|office|grew up|back|married|train|weekend|visited|visit|been) (?:\w+ )?(?:to|in|from"
        r"|near|for|over in)|(?:wohn(?:t|e|en|te)|leb(?:t|e|en|te)|gezogen|zieht|geboren"
        r"|aufgewachsen) (?:.{0,80} )?(?:in|nach|aus)|(?:vive|vivo|vivía|vivió|viven|nació|casaron"
        r"|mudó) (?:.{0,80} )?(?:en|a)"
    ),
    "tool": _ends(
        r"(?:us(?:e|es|ed|ing)|install(?:s|ed|ing)?|depends? (?:now )?on|(?:switch|migrat|chang)(?:e|ed"
        r"|ing) (?:the \w+ )?(?:from|to)|written in|built (?:with|on|in)|running on|runs on|deploy(?:ed|s"
        r"|ing)? (?:with|to|on)|replac(?:e|ed|es|ing)|upgrad(?:e|ed|ing)(?: to)?|learn(?:ed|ing|t)?"
        r"|plugin|library|framework|tool|app|strong on|weaker on|läuft (?:jetzt )?mit|suggests|usa|usamos"
        r"|benutzt|verwendet|nutzt)"
    ),
    "project": _ends(r"work(?:s|ed|ing)? on|codenamed?|release of|arbeitet an"),
    "person": _ends(
        r"(?:my|his|her|our|their|meine?|seine?|ihre?|mi|su) (?:\w+ )?(?:sister|brother|mother|father|mum"
        r"|mom|dad|wife|husband|son|daughter|cousin|friend|boss|manager|colleague|neighbou?r|flatmate"
        r"|roommate|partner|boyfriend|girlfriend|aunt|uncle|cat|dog|schwester|bruder|frau|mann|freund"
        r"|freundin|chef|chefin|kollege|kollegin|mutter|vater|tochter|sohn|hermana|hermano|marido|esposa"
        r"|mujer|hija|hijo|madre|padre|jefe|jefa|amiga|amigo)"
    ),
}
MEETING: Final = _ends(
    r"met|thanks to|thank|asked|told|called|(?:dinner|lunch|breakfast|coffee|call|meeting|talked"
    r"|spoke|went|works|working|played|plays|plans|agreed) with|(?:talked|spoke) to|treffen mit"
    r"|besprechung mit|essen mit|mittagessen mit|training mit|reunión con|cena con|habl[éó] con"
    r"|note for|letter from"
)
"""Words before a person's name, or that of a game, a shop, a dish."""
DEED: Final = late_pattern(
    r"^(?:also |just |already |still |never |has |had |have |will |will not |does not |doesn't "
    r"|did not |didn't |really ){0,8}(?:says?|said|told|tells|asked|asks|thinks?|thought|wants?|wanted"
    r"|called|visited|wrote|writes|gave|gives|recommend(?:s|ed)|suggest(?:s|ed)|show(?:s|ed)|cooked"
    r"|baked|finished|fixed|came|went|laughed|cried|lives?|lived|moved|works?|worked|joined|left|met"
    r"|saw|owns|leads|reports|plays|played|teaches|studies|studied|speaks|promised|agreed|explained"
    r"|offered|sent|send|moderate|write|looked|look|married|bought|brought|wore|helped|needs|knows"
    r"|likes|loves|hates|arbeitet|wohnt|lebt|sagt|sagte|meint|hat|ist|studiert|leitet|kommt|möchte"
    r"|vive|trabaja|dice|dirige|estudia|es|manda|presentó|quiere|llamó|is (?:working|looking|blocked"
    r"|on holiday|ill|sick|late|away|\w+'s|very|my|a|our))\b"
)
"""Verbs of people, seldom of other things."""
_FIRM_DEED: Final = late_pattern(  # verbs of organisations
    r"^(?:has |have |just ){0,4}(?:acquired|acquires|announced|makes|develops|released|launched|hired|published"
    r"|raised|sells)\b"
)
# Words after a project's name.
_OF_PROJECTS: Final = frozenset({"team", "project", "slipped", "launch", "release", "milestone", "deadline"})


class Rule(StrEnum):
    """A rule that gives a name's type, with its own confidence."""

    SPEAKER = "speaker"
    FULL_NAME = "full_name"
    FIRST_NAME = "first_name"
    AMBIGUOUS_NAME = "ambiguous_name"
    TITLE = "title"
    LISTED = "listed"
    WORDING = "wording"
    SHAPE = "shape"
    CUE = "cue"
    MEETING = "meeting"
    DEED = "deed"
    OPENING_DEED = "opening_deed"
    BESIDE = "beside"
    BARE = "bare"


class Evidence(NamedTuple):
    """One reason for a type."""

    entity_type: EntityType
    rule: Rule


_ORG_PREFIX: Final = entries(ENTITY_WORDS, "org_prefix")
# They name an organisation only with a word that is not everyday language, or three and more words.
_WEAK_SUFFIX: Final = entries(ENTITY_WORDS, "weak_suffix")
_PLACE_PREFIX: Final = entries(ENTITY_WORDS, "place_prefix")
_ALONE_KIN: Final = entries(ENTITY_WORDS, "alone_kin")  # kinship words used as names
_NO_SURNAME: Final = (ORG_SUFFIX | PLACE_SUFFIX | EVENT_SUFFIX | entries(ENTITY_WORDS, "tool_suffix")).difference(
    ("park", "hill", "lane", "castle", "forest", "hall")  # these are surnames as well
)
_EVENT_SHAPE = late_pattern(r"^\p{Lu}[\p{L}]{1,7}(?:Con|Conf|Fest)$")  # "PyCon", "DevFest"
_CAMEL = late_pattern(  # "GitHub", "Node.js"; not "McDonald"
    r"^(?!(?:Le|La|Mc|Mac|De|Di|Van|Fitz)\p{Lu})\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*$|^\p{Lu}\p{Ll}+\.(?:js|io|py|ai)$"
)


def evidence_for(name: Name, language: str) -> tuple[Evidence, ...]:
    """Return the evidence for the type of `name`, its own words' first; in German a capital alone proves nothing."""
    own = [*_own_evidence(name)]
    types = {evidence.entity_type for evidence in own if evidence.rule is not Rule.AMBIGUOUS_NAME}
    # A sentence makes no other type of what the name's own words show.
    found = [*own, *(evidence for evidence in _context_evidence(name) if not types or evidence.entity_type in types)]
    if not found and language != "de" and not name.tokens[0].opens and not name.sentence.is_titled:
        found.append(Evidence("concept", Rule.BARE))
    return tuple(found)


def _own_evidence(name: Name) -> Iterator[Evidence]:
    yield from _from_lists(name)
    yield from _from_wording(name)
    yield from _from_personal_names(name)
    text = name.tokens[0].text
    if len(name.tokens) == 1 and _EVENT_SHAPE.match(text):
        yield Evidence("event", Rule.SHAPE)
    elif len(name.tokens) == 1 and _CAMEL.match(text):
        yield Evidence("tool", Rule.SHAPE)


def _from_lists(name: Name) -> Iterator[Evidence]:
    # "Florence says" speaks of a person, not of the place.
    if (key := name.key) in PLACES and not (key in ALSO_WORDS and DEED.match(" ".join(name.after))):
        yield Evidence("place", Rule.LISTED)
    if key in COMPANIES:
        yield Evidence("organisation", Rule.LISTED)
    if key in LOWER_TOOLS or (key in TOOLS and name.tokens[0].is_capital):
        yield Evidence("tool", Rule.LISTED)


def _from_wording(name: Name) -> Iterator[Evidence]:
    keys = [token.key for token in name.tokens]
    if len(keys) < 2:
        return
    if keys[-1] in METHOD:
        yield Evidence("concept", Rule.WORDING)
    elif keys[0] in PROJECT_WORD:
        if not _is_everyday(keys[1:]):  # "Project Meeting" names nothing
            yield Evidence("project", Rule.WORDING)
    elif keys[0] in _ORG_PREFIX or (keys[-1] in ORG_SUFFIX and _is_distinctive(keys)):
        yield Evidence("organisation", Rule.WORDING)
    elif keys[-1] in EVENT_SUFFIX and not _is_everyday(keys[:-1]):
        yield Evidence("event", Rule.WORDING)
    elif (keys[-1] in PLACE_SUFFIX and not _is_everyday(keys[:-1])) or keys[0] in _PLACE_PREFIX:
        yield Evidence("place", Rule.WORDING)


def _is_distinctive(keys: list[str]) -> bool:
    """Return whether an organisation's words name one: "Lumen Health", but not "Medical Group"."""
    return keys[-1] not in _WEAK_SUFFIX or len(keys) > 2 or not _is_everyday(keys[:-1])


def _is_everyday(keys: list[str]) -> bool:
    return all(is_common_word(part) and part not in PLACES for key in keys for part in key.split("-"))


def _from_personal_names(name: Name) -> Iterator[Evidence]:
    keys = [token.key for token in name.tokens]
    first, length = keys[0], len(keys) - 2 * (name.role is not None)  # a role is two words: "the customer"
    if _is_titled(name, first, length):
        yield Evidence("person", Rule.TITLE)
    elif first in PERSON_NAMES and length <= 4 and keys[-1] not in _NO_SURNAME:
        if length > 1:
            yield Evidence("person", Rule.FULL_NAME)
        elif first in ALSO_WORDS and name.role is None:
            yield Evidence("person", Rule.AMBIGUOUS_NAME)
        else:
            yield Evidence("person", Rule.FIRST_NAME)


def _is_titled(name: Name, first: str, length: int) -> bool:
    """Return whether a title, kinship or role shows a person: "Dr. Patel", "Aunt May", "Mum", "Zed the customer"."""
    is_called_so = (length > 1 and first in TITLES | KIN) or (name.role is not None and first not in PERSON_NAMES)
    return is_called_so or first in _ALONE_KIN or (bool(name.before) and name.before[-1] in TITLES)


def _context_evidence(name: Name) -> Iterator[Evidence]:
    if all(token.key in NEVER for token in name.tokens):
        return
    left = " ".join(name.before[-5:])
    for entity_type, pattern in _CUES.items():
        if pattern.search(left):
            yield Evidence(entity_type, Rule.CUE)
    may_be_person = name.tokens[-1].key not in _NO_SURNAME or not name.tokens[1:]
    if may_be_person and MEETING.search(left):
        yield Evidence("person", Rule.MEETING)
    after = " ".join(name.after[:5])
    if may_be_person and not name.tokens[2:] and DEED.match(after):
        yield Evidence("person", Rule.OPENING_DEED if name.tokens[0].opens else Rule.DEED)
    if _FIRM_DEED.match(after) and name.before[-1:] != ("the",):  # "the Tipuana makes shade": one of a kind
        yield Evidence("organisation", Rule.CUE)
    yield from _next_word_evidence(name, after.split(" ")[0])


def _next_word_evidence(name: Name, next_word: str) -> Iterator[Evidence]:
    if name.tokens[-1].is_possessive and next_word in KIN | KIN_WORDS:
        yield Evidence("person", Rule.CUE)
    if next_word in _OF_PROJECTS and len(name.tokens) == 1:
        yield Evidence("project", Rule.CUE)
