"""What a name stands for: a person, a place, an organisation, a project.

Law: every reading says by which rule it was made, because rules are trusted by how often they were right
(`voice.core.extraction.entities`). Rules look at the name's own words first (a first name, a known place, "GmbH"),
then at what its sentence does with it ("works at", "lives in", "switched to"). No rule reads more than its sentence.

Source: rulings F.1, F.2; spec rag-organize 2.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

import regex

from voice.core.extraction.sentences import (
    ALONE_KIN,
    ALSO_WORDS,
    COMPANIES,
    EVENT_SUFFIX,
    KIN,
    KIN_WORDS,
    LOWER_TOOLS,
    METHOD,
    NEVER,
    ORG_PREFIX,
    ORG_SUFFIX,
    PERSON_NAMES,
    PLACE_PREFIX,
    PLACE_SUFFIX,
    PLACES,
    PROJECT_WORD,
    TITLES,
    TOOLS,
    WEAK_SUFFIX,
    Name,
)
from voice.core.graph.review.extraction_results import EntityType
from voice.core.text.lazy import late_pattern
from voice.core.text.word_weights import is_common_word


def _ends(pattern: str) -> regex.Pattern[str]:
    return late_pattern(rf"(?:^|\s)(?:{pattern})$")


CUES: Final[tuple[tuple[EntityType, regex.Pattern[str]], ...]] = (
    (
        "organisation",
        _ends(
            r"(?:stud(?:y|ies|ied|ying)|graduat(?:ed|es)) (?:at|from)(?: the)?|(?:work(?:s|ed|ing)?|job"
            r"|intern(?:s|ed)?|employed|hired|consult(?:s|ed|ing)?|interviewed?) (?:\w+ )?(?:at|for"
            r"|by)(?: the)?|(?:nurse|engineer|designer|manager|teacher|head of \w+|director|he|she|i|been|is"
            r"|was) at(?: the)?|joined|join(?:s|ing)?|acquired|bought by|left|founded|(?:cto|ceo|cfo|customer"
            r"|client|employee) (?:of|at)(?: the)?|(?:arbeitet|arbeite|gearbeitet|angestellt|job"
            r"|stelle) .{0,80}bei(?: der)?|ist sie bei|ist er bei|(?:trabaja|trabajo|trabajaba|trabajó) (?:en"
            r"|para)|call with|met the people from"
        ),
    ),
    (
        "place",
        _ends(
            r"(?:live|lives|lived|living|moved?|moving|flew|fly|flying|flights?|born|based|stay|stayed"
            r"|staying|trip|travel(?:s|led|ling|ed)?|drove|drive|holidays?|vacation|conference|hotel"
            r"|office is|office|grew up|back|married|train|weekend|visited|visit|been) (?:\w+ )?(?:to|in|from"
            r"|near|for|over in)|(?:wohn(?:t|e|en|te)|leb(?:t|e|en|te)|gezogen|zieht|geboren"
            r"|aufgewachsen) (?:.{0,80} )?(?:in|nach|aus)|(?:vive|vivo|vivía|vivió|viven|nació|casaron"
            r"|mudó) (?:.{0,80} )?(?:en|a)"
        ),
    ),
    (
        "tool",
        _ends(
            r"(?:us(?:e|es|ed|ing)|install(?:s|ed|ing)?|depends? (?:now )?on|(?:switch|migrat|chang)(?:e|ed"
            r"|ing) (?:the \w+ )?(?:from|to)|written in|built (?:with|on|in)|running on|runs on|deploy(?:ed|s"
            r"|ing)? (?:with|to|on)|replac(?:e|ed|es|ing)|upgrad(?:e|ed|ing)(?: to)?|learn(?:ed|ing|t)?"
            r"|plugin|library|framework|tool|app|strong on|weaker on|läuft (?:jetzt )?mit|suggests|usa|usamos"
            r"|benutzt|verwendet|nutzt)"
        ),
    ),
    (
        "project",
        _ends(r"work(?:s|ed|ing)? on|codenamed?|release of|arbeitet an"),
    ),
    (
        "person",
        _ends(
            r"(?:my|his|her|our|their|meine?|seine?|ihre?|mi|su) (?:\w+ )?(?:sister|brother|mother|father|mum"
            r"|mom|dad|wife|husband|son|daughter|cousin|friend|boss|manager|colleague|neighbou?r|flatmate"
            r"|roommate|partner|boyfriend|girlfriend|aunt|uncle|cat|dog|schwester|bruder|frau|mann|freund"
            r"|freundin|chef|chefin|kollege|kollegin|mutter|vater|tochter|sohn|hermana|hermano|marido|esposa"
            r"|mujer|hija|hijo|madre|padre|jefe|jefa|amiga|amigo)"
        ),
    ),
)
"""Words before a name of a kind."""
MEETING: Final = _ends(
    r"met|thanks to|thank|asked|told|called|(?:dinner|lunch|breakfast|coffee|call|meeting|talked"
    r"|spoke|went|works|working|played|plays|plans|agreed) with|(?:talked|spoke) to|treffen mit"
    r"|besprechung mit|essen mit|mittagessen mit|training mit|reunión con|cena con|habl[éó] con"
    r"|note for|letter from"
)
"""Words before a name of somebody, or of a game, a shop, a dish."""
DEED: Final = late_pattern(
    r"^(?:also |just |already |still |never |has |had |have |will |will not |does not |doesn't "
    r"|did not |didn't |really )*(?:says?|said|told|tells|asked|asks|thinks?|thought|wants?|wanted"
    r"|called|visited|wrote|writes|gave|gives|recommend(?:s|ed)|suggest(?:s|ed)|show(?:s|ed)|cooked"
    r"|baked|finished|fixed|came|went|laughed|cried|lives?|lived|moved|works?|worked|joined|left|met"
    r"|saw|owns|leads|reports|plays|played|teaches|studies|studied|speaks|promised|agreed|explained"
    r"|offered|sent|send|moderate|write|looked|look|married|bought|brought|wore|helped|needs|knows"
    r"|likes|loves|hates|arbeitet|wohnt|lebt|sagt|sagte|meint|hat|ist|studiert|leitet|kommt|möchte"
    r"|vive|trabaja|dice|dirige|estudia|es|manda|presentó|quiere|llamó|is (?:working|looking|blocked"
    r"|on holiday|ill|sick|late|away|\w+'s|very|my|a|our))\b"
)
"""What people do; other things seldom."""
FIRM_DEED: Final = late_pattern(
    r"^(?:has |have |just )*(?:acquired|acquires|announced|makes|develops|released|launched|hired|published"
    r"|raised|sells)\b"
)
"""What organisations do."""
OF_PROJECTS: Final = frozenset({"team", "project", "slipped", "launch", "release", "milestone", "deadline"})
"""Words behind a name of a project."""


class Rule(StrEnum):
    """By what a name was read; one confidence each."""

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
    """One reason to read a name as something."""

    entity_type: EntityType
    rule: Rule


_NO_SURNAME: Final = (ORG_SUFFIX | PLACE_SUFFIX | EVENT_SUFFIX) - {"park", "hill", "lane", "castle", "forest", "hall"}
_EVENT_SHAPE = late_pattern(r"^\p{Lu}[\p{L}]{1,7}(?:Con|Conf|Fest)$")
_CAMEL = late_pattern(
    r"^(?!(?:Le|La|Mc|Mac|De|Di|Van|Fitz)\p{Lu})\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*$|^\p{Lu}\p{Ll}+\.(?:js|io|py|ai)$"
)


def evidence_for(name: Name, language: str) -> tuple[Evidence, ...]:
    """Return why `name` may be read as what, strongest rule of each kind first.

    Args:
        name: where a name may stand.
        language: its note's; where every noun has a capital, a capital is no reason.
    """
    own = [*_of_itself(name)]
    kinds = {evidence.entity_type for evidence in own if evidence.rule is not Rule.AMBIGUOUS_NAME}
    found = [*own, *(evidence for evidence in _of_its_sentence(name) if not kinds or evidence.entity_type in kinds)]
    if not found and language != "de" and not name.tokens[0].opens and not name.sentence.is_titled:
        found.append(Evidence("concept", Rule.BARE))
    return tuple(found)


def _of_itself(name: Name) -> Iterator[Evidence]:
    yield from _listed(name)
    yield from _worded(name)
    yield from _personal(name)
    text = name.tokens[0].text
    if len(name.tokens) == 1 and _EVENT_SHAPE.match(text):
        yield Evidence("event", Rule.SHAPE)
    elif len(name.tokens) == 1 and _CAMEL.match(text):
        yield Evidence("tool", Rule.SHAPE)


def _listed(name: Name) -> Iterator[Evidence]:
    key = name.key
    if key in PLACES and not (key in ALSO_WORDS and DEED.match(" ".join(name.after))):
        yield Evidence("place", Rule.LISTED)
    if key in COMPANIES:
        yield Evidence("organisation", Rule.LISTED)
    if key in LOWER_TOOLS or (key in TOOLS and name.tokens[0].is_capital):
        yield Evidence("tool", Rule.LISTED)


def _worded(name: Name) -> Iterator[Evidence]:
    """Kinds that a word of the name itself tells."""
    keys = [token.key for token in name.tokens]
    if len(keys) < 2:
        return
    if keys[-1] in METHOD:
        yield Evidence("concept", Rule.WORDING)
    elif keys[0] in PROJECT_WORD:
        if not _is_everyday(keys[1:]):
            yield Evidence("project", Rule.WORDING)
    elif keys[0] in ORG_PREFIX or (keys[-1] in ORG_SUFFIX and _is_firm(keys)):
        yield Evidence("organisation", Rule.WORDING)
    elif keys[-1] in EVENT_SUFFIX and not _is_everyday(keys[:-1]):
        yield Evidence("event", Rule.WORDING)
    elif (keys[-1] in PLACE_SUFFIX and not _is_everyday(keys[:-1])) or keys[0] in PLACE_PREFIX:
        yield Evidence("place", Rule.WORDING)


def _is_firm(keys: list[str]) -> bool:
    """ "Medical Group" is anybody's, "Lumen Health" somebody's."""
    return keys[-1] not in WEAK_SUFFIX or len(keys) > 2 or not _is_everyday(keys[:-1])


def _is_everyday(keys: list[str]) -> bool:
    return all(is_common_word(part) and part not in PLACES for key in keys for part in key.split("-"))


def _personal(name: Name) -> Iterator[Evidence]:
    keys = [token.key for token in name.tokens]
    first, many = keys[0], len(keys) - 2 * (name.role is not None)
    last_word = name.tokens[-1].key
    if _is_titled(name, first, many):
        yield Evidence("person", Rule.TITLE)
    elif first in PERSON_NAMES and many <= 4 and last_word not in _NO_SURNAME:
        if many > 1:
            yield Evidence("person", Rule.FULL_NAME)
        elif first in ALSO_WORDS and name.role is None:
            yield Evidence("person", Rule.AMBIGUOUS_NAME)
        else:
            yield Evidence("person", Rule.FIRST_NAME)


def _is_titled(name: Name, first: str, many: int) -> bool:
    """ "Dr. Patel", "Aunt May", "Mum", "Beth the customer" of whom nobody knows that Beth is a first name."""
    if many > 1 and first in TITLES | KIN:
        return True
    if name.role is not None and first not in PERSON_NAMES:
        return True
    return first in ALONE_KIN or (bool(name.before) and name.before[-1] in TITLES)


def _of_its_sentence(name: Name) -> Iterator[Evidence]:
    if all(token.key in NEVER for token in name.tokens):
        return
    left = " ".join(name.before[-5:])
    for kind, pattern in CUES:
        if pattern.search(left):
            yield Evidence(kind, Rule.CUE)
    if MEETING.search(left):
        yield Evidence("person", Rule.MEETING)
    after = " ".join(name.after[:5])
    rule = Rule.OPENING_DEED if name.tokens[0].opens else Rule.DEED
    if len(name.tokens) <= 2 and DEED.match(after):
        yield Evidence("person", rule)
    if FIRM_DEED.match(after):
        yield Evidence("organisation", Rule.CUE)
    yield from _by_the_next_word(name, after.split(" ")[0])


def _by_the_next_word(name: Name, following: str) -> Iterator[Evidence]:
    if name.tokens[-1].is_possessive and following in KIN | KIN_WORDS:
        yield Evidence("person", Rule.CUE)
    if following in OF_PROJECTS and len(name.tokens) == 1:
        yield Evidence("project", Rule.CUE)
