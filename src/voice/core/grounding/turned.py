"""What somebody has, does or plans, against what ended it: "Karl has the piano", "Karl sold the piano".

Law: who is said to hold a thing or to work somewhere is answered by the same one's giving up of the same; who means to
move by the same one's wish to stay; a part of the body that is well by the same part that hurts. Both sentences must
say it of one and the same, at their head: what a neighbour sold, or another's knee, speaks against nothing.

Source: spec stateful-design-v2, stances ("challenge"); DESIGN 6 stage 4.
"""

import regex

from voice.core.grounding.passages import Passage
from voice.core.grounding.who import same_name
from voice.core.text.negation import has_negation
from voice.core.text.patterns import late_pattern
from voice.core.text.words import stems_in, words

_WHO = r"^\W*(?P<who>I|[Ww]e|\p{Lu}\p{L}+)(?:['’](?:ve|s|d|m|re|ll))?\s+"
_WHAT = r"\s+(?P<what>[^.,;:!?\n]+)"
_STANDS = late_pattern(
    rf"{_WHO}(?:(?:still|now|currently)\s+)?(?:(?P<holds>have|has|own|owns|keep|keeps)|(?P<works>works? (?:at|for|in)))"
    rf"{_WHAT}"
)
_OVER = late_pattern(
    r"^\W*(?:(?P<who>I|[Ww]e|\p{Lu}\p{L}+)\s+)?(?:(?:have|has|had|just|finally|already)\s+)*"
    r"(?:(?P<holds>(?i:sold|gave away|given away|got rid of|donated|threw away))"
    r"|(?P<works>(?i:quit|left|resigned from|(?:was|were|got) (?:fired|laid off) (?:from|by))))"
    rf"{_WHAT}"
)
_AGAIN = late_pattern(r"\b(?:again|back|almost|nearly|for (?:the day|lunch)|early|late|home|at \d)\b", regex.IGNORECASE)
_MEANS = (
    r"\b(?:I|we)(?:['’]d| would| should| want| will|['’]ll| am going| are going|['’]m going| decided| prefer| plan| am"
    r"|['’]m)(?: (?:rather|like|prefer|love|better))?(?: to)? "
)
_MOVES = late_pattern(
    rf"{_MEANS}(?:move|moving|relocate|emigrate)(?: (?:to|away|out|abroad|into)\b|[.!]?$)", regex.IGNORECASE
)
_STAYS = late_pattern(
    rf"{_MEANS}(?:stay|staying|remain) (?:in (?:the|our|my)?\s?\p{{L}}+|here|put|where)", regex.IGNORECASE
)
_BODY = r"(?P<part>knee|back|foot|ankle|shoulder|hip|elbow|wrist|hand|arm|leg|neck|head|tooth|stomach|throat|eye|ear)s?"
_MY_PART = rf"^\W*my (?:(?:left|right|lower|upper) )?{_BODY} (?:(?:still|now|really|again) )?"
_SOUND = late_pattern(
    rf"{_MY_PART}(?:(?:is|are|feels?) (?:(?:completely|quite|all|perfectly|just) )?(?:fine|ok(?:ay)?|well|good|healed"
    r"|healthy|better|right)\b|(?:has|have) healed\b)",
    regex.IGNORECASE,
)
_SORE = late_pattern(
    rf"{_MY_PART}(?:hurts?|aches?|(?:is|are|feels?) (?:(?:very|so|still) )?(?:sore|painful|swollen|stiff|inflamed"
    r"|injured))\b",
    regex.IGNORECASE,
)
_FIRST = frozenset({"i", "we", ""})


def is_turned(text: str, passage: Passage) -> bool:
    """Return whether a sentence tells of the same one that what a claim says has ended, or is meant otherwise.

    Args:
        text: the claim.
        passage: the sentence.
    """
    said = passage.text
    if has_negation(text, words(text)) or has_negation(said, passage.words):
        return False
    return _has_ended(text, said) or (
        passage.speaker is None and (_is_meant_otherwise(text, said) or _hurts(text, said))
    )


def _has_ended(text: str, said: str) -> bool:
    claim, over = _STANDS.match(text), _OVER.match(said)
    if claim is None or over is None or _AGAIN.search(said) or (claim["holds"] is None) is not (over["holds"] is None):
        return False
    what = stems_in(claim["what"]) - stems_in("the a an my our")
    return _are_one(claim["who"], over["who"] or "") and bool(what) and what <= stems_in(over["what"])


def _are_one(ours: str, theirs: str) -> bool:
    both = {ours.casefold(), theirs.casefold()}
    return both <= _FIRST or (not both & _FIRST and same_name(ours.casefold(), theirs.casefold()))


def _is_meant_otherwise(text: str, said: str) -> bool:
    return any(one.search(text) and other.search(said) for one, other in ((_MOVES, _STAYS), (_STAYS, _MOVES)))


def _hurts(text: str, said: str) -> bool:
    pairs = ((one.match(text), other.match(said)) for one, other in ((_SOUND, _SORE), (_SORE, _SOUND)))
    return any(ours and theirs and ours["part"].lower() == theirs["part"].lower() for ours, theirs in pairs)
