"""What a sentence does with a name that shows what it names.

Law: a cue stands right before the name or right behind it, in the words of the same stretch between two marks; all are
matched folded. A cue never makes a name: it only tells its kind.

Source: rulings F.1, F.2.
"""

from typing import Final

import regex

from voice.core.graph.extracted import EntityType
from voice.core.text.patterns import late_pattern


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
