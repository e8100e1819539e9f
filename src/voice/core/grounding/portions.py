"""A part told as the whole: "34 of the 46 instruments were catalogued" is not "the instruments were catalogued".

Law: where the best evidence sentence tells something of a part of some things, by a number or a word for a part, a
claim that names the same things with "the", "all" or "my" and keeps neither a number nor a word for a part says more
than the source. The things are compared by the form they have there: "one of the lamps" may be "the lamp". What is
"one of the deepest" or "among the deepest" is not "the deepest", and what is told of one kiln is not told of all kilns.

Source: DESIGN 6 stage 4 (quantifiers).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import regex

from voice.core.grounding.findings import Finding
from voice.core.grounding.support import Support
from voice.core.text.amounts import amounts
from voice.core.text.patterns import late_pattern
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_PART_OF = late_pattern(
    r"\b(?:(?:\p{Nd}+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|some|most|many|half|part|several"
    r"|few|thirds?|quarters?)\s+(?:out\s+)?of(?:\s+(?:all\s+)?(?:the|my|our|your|his|her|its|their|these|those))?"
    r"|half\s+the|(?:\p{Nd}+|einige|viele|die\s+hälfte|ein\s+teil)\s+(?:der|von\s+den|meiner|unserer))"
    r"\s+(?:\p{Nd}+\s+)?(?P<things>\p{L}+(?:\s+\p{L}+)?)",
    regex.IGNORECASE,
)
_WHOLE = word_set("the all my our your his her its their these those every die alle meine unsere ihre")
_MOST = (
    r"(?P<most>(?:most|least)\s+\p{L}+|(?!guest|forest|interest|request|harvest|west|rest|test|nest|chest|contest)"
    r"\p{L}{2,}est|best|worst|first|last|favou?rite|\p{L}{2,}ste[nrms]?)\b"
)
_OWN = r"(?:the|my|our|your|his|her|its|their|der|die|das|den|dem|mein\p{L}*|unser\p{L}*|sein\p{L}*|ihr\p{L}*)"
_OF_SEVERAL = r"(?:\bof|\bamong|\bamongst|\beine[rsnm]?|\bzu)\s+"
_ONE_OF_THE_MOST = late_pattern(rf"{_OF_SEVERAL}{_OWN}\s+(?:very\s+)?{_MOST}", regex.IGNORECASE)
_THE_MOST = late_pattern(rf"(?<!{_OF_SEVERAL})\b{_OWN}\s+(?:very\s+)?{_MOST}", regex.IGNORECASE)
_OF_ALL = late_pattern(
    rf"\b(?:(?:all|both|most|many|several)(?:\s+of)?(?:\s+{_OWN})?\s+(?P<things>\p{{L}}{{2,}}(?<!s)s)"
    rf"|(?:alle|beide|viele)(?:\s+{_OWN})?\s+(?P<things>\p{{L}}{{2,}}(?:en?|er|s))"
    rf"|(?:every|each(?:\s+of\s+{_OWN})?|jede[nrsm]?)\s+(?P<things>\p{{L}}{{3,}}))\b",
    regex.IGNORECASE,
)
_ONE = late_pattern(
    r"\b(?:(?<!(?:every|each|all|both) )(?:the|my|our|your|his|her|their|this|that|a|an|one)"
    r"|der|das|den|dem|ein\p{L}{0,2}|mein\p{L}{0,2}|unser\p{L}{0,2})\s+(?:\p{Ll}+\s+)?$",
    regex.IGNORECASE,
)
_PLURAL = ("s", "n", "e")
"""How a word ends that may name several things: nobody is a part of a community as an instrument is of forty-six."""
_PARTIAL = word_set(
    "some most many half part parts several few third thirds quarter quarters partly mostly almost nearly one of "
    "einige viele hälfte teil teils"
)


def portion_findings(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    """Return a finding when the claim `text` tells of all, or of the first, what its evidence tells of a part.

    Args:
        text: the claim.
        found: its words.
        support: what holds it.
    """
    return [*_most_findings(text, support), *_all_findings(text, support), *_part_findings(text, found, support)]


def _all_findings(text: str, support: Support) -> list[Finding]:
    """Return a finding when the claim tells of all or most what its best sentence tells of a single one."""
    said = support.best.text if support.best else ""
    for match in _OF_ALL.finditer(text):
        stem = stem_of(match["things"].lower())
        forms = [word for word in (support.best.words if support.best else ()) if word.stem == stem]
        if len(forms) == 1 and _is_single(said, forms[0]):
            reason = f"the source says this of one {forms[0].key}, the answer of more"
            return [Finding(flag="quantifier", text=reason, effect="unsupported")]
    return []


def _is_single(text: str, word: Word) -> bool:
    """Return whether a word of `text` is one thing: singular, with an article or an owner before it."""
    is_plural = word.text.lower().endswith("s") and not word.text.lower().endswith("ss")
    return not is_plural and _ONE.search(text[: word.start]) is not None


def _most_findings(text: str, support: Support) -> list[Finding]:
    """Return a finding when the claim calls "the deepest" what its evidence only calls one of the deepest."""
    ours = _mosts(_THE_MOST, text)
    alone = set[str]().union(*(_mosts(_THE_MOST, passage.text) for passage in support.used))
    several = set[str]().union(*(_mosts(_ONE_OF_THE_MOST, passage.text) for passage in support.used))
    found = sorted((ours & several) - alone)
    if not found:
        return []
    reason = f'the source says one of several "{found[0]}", the answer says the one'
    return [Finding(flag="quantifier", text=reason, effect="unsupported")]


def _mosts(pattern: "regex.Pattern[str]", text: str) -> set[str]:
    """Return the superlatives that `pattern` finds, without a German ending."""
    found = (" ".join(match["most"].lower().split()) for match in pattern.finditer(text))
    return {most[:-1] if most.endswith(("sten", "ster", "stem", "stes")) else most for most in found}


def _part_findings(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    parts = list(_PART_OF.finditer(support.best.text)) if support.best else []
    if not parts or amounts(text, found) or any(word.key in _PARTIAL for word in found):
        return []
    whole = set(_named_whole(found))
    for match in parts:
        if any(word.key in whole and word.key.endswith(_PLURAL) for word in words(match["things"])):
            reason = "the source says this of a part of them, the answer of all"
            return [Finding(flag="quantifier", text=reason, effect="unsupported")]
    return []


def _named_whole(found: Sequence[Word]) -> Iterator[str]:
    """Yield the keys of what is named with "the" or "all", an adjective between them or not."""
    for before, word in pairwise(found):
        if before.key in _WHOLE and not word.is_stop:
            yield word.key
    for (before, between), (_, word) in pairwise(pairwise(found)):
        if before.key in _WHOLE and not between.is_stop and not word.is_stop:
            yield word.key
