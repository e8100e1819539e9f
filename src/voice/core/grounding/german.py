"""Hard checks on what German says in its small words: before or after, the how-manieth, who gives and who is given.

Law: "vor" and "nach" before one word, two ordinals before one word, and two names that change places around one verb or
one preposition are two statements. Decided only where the word around which they turn is the same in both sentences.

Source: DESIGN 6 stage 4; ruling D1.
"""

import regex

from voice.core.grounding.findings import Finding
from voice.core.text.patterns import late_pattern

_ORDER = late_pattern(
    r"\b(?P<which>[Vv]or|[Nn]ach) (?:dem |der |den )?(?P<what>\p{Lu}\p{Ll}+|eins|zwei|drei|vier|fünf|sechs|sieben|acht"
    r"|neun|zehn|elf|zwölf|\p{Nd}{1,2}(?!\p{Nd}))\b"
)
_ORDINAL = late_pattern(
    r"\b(?P<which>(?:erst|zweit|dritt|viert|fünft|sechst|siebt|siebent|acht|neunt|zehnt|elft|zwölft"
    r"|(?:drei|vier|fünf|sech|sieb|acht|neun)zehnt|(?:\p{Ll}+und)?(?:zwanzig|dreißig)st)e)[nrms]? "
    r"(?P<what>\p{Lu}\p{Ll}+)\b"
)
_BESIDE = late_pattern(r"\b(?P<which>an|von|für|gegen|bei) (?P<what>\p{Lu}\p{Ll}+)\b(?!,| (?:und|oder|sowie)\b)")
_AROUND = late_pattern(
    r"^\W*(?P<doer>\p{Lu}\p{Ll}+) (?P<deed>\p{Ll}+) (?P<other>\p{Lu}\p{Ll}+)(?= (?:das|die|den|dem|der|ein\p{Ll}*)\b)"
)
_MUTUAL = late_pattern(r"\b(?:getroffen|geheiratet|traf|trifft|heiratete|und)\b")


def german_findings(text: str, source: str) -> list[Finding]:
    """Return a finding when a claim turns around what its best sentence says in German.

    Args:
        text: the claim.
        source: the sentence of the evidence that holds most of it.
    """
    if any(_is_other(pattern, text, source) for pattern in (_ORDER, _ORDINAL)):
        reason = "the source has another order or place in it than the answer"
        return [Finding(flag="antonym", text=reason, effect="contradicted")]
    if _change_places(text, source):
        reason = "the source has the two people the other way round"
        return [Finding(flag="person", text=reason, effect="contradicted")]
    return []


def _told(pattern: "regex.Pattern[str]", text: str) -> set[tuple[str, str]]:
    return {(match["which"].lower(), match["what"]) for match in pattern.finditer(text)}


def _is_other(pattern: "regex.Pattern[str]", text: str, source: str) -> bool:
    """Return whether both have a word of one table before the same word, and none of the claim's is the source's."""
    stated = _told(pattern, source)
    around = {what for _, what in stated}
    return any(what in around and (which, what) not in stated for which, what in _told(pattern, text))


def _change_places(text: str, source: str) -> bool:
    """Return whether two names stand in each other's place around the same verb, or behind the same preposition."""
    ours, theirs = _told(_BESIDE, text), _told(_BESIDE, source)
    for which, what in ours - theirs:
        for name in (name for other, name in theirs - ours if other == which):
            if _holds(source, what) and _holds(text, name):
                return True
    claimed, stated = _AROUND.search(text), _AROUND.search(source)
    if claimed is None or stated is None or _MUTUAL.search(text):
        return False
    return claimed.group("doer", "deed", "other") == stated.group("other", "deed", "doer")


def _holds(text: str, name: str) -> bool:
    return regex.search(rf"\b{name}\b", text) is not None
