"""Hard check on tokens that name one thing letter by letter: a seat, a flight, an account, an address.

Law: a token of letters and digits ("12B", "LH404") or with an "@" says nothing but itself: one sign changed names
another thing. Numbers with a unit or an ending ("5km", "3rd") are no such tokens; capitals and separators do not count.

Source: DESIGN 6 stage 4; ruling D1.
"""

from collections.abc import Iterable

import regex

from voice.core.grounding.findings import Finding
from voice.core.text.patterns import late_pattern

_SIGN = r"[[\p{L}\p{Nd}]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]"
"""What a token is of: no letter that is written against the words around it."""
_TOKEN = late_pattern(rf"{_SIGN}(?:(?:{_SIGN}|[._%+@/-])*{_SIGN})?", regex.V1)
_MEASURED = late_pattern(r"\p{Nd}[\p{Nd}.,:/-]*(?:\p{Ll}+|\p{L}{2,}|[KMG]|(?:-\p{L}+)+)|\p{Ll}+-\p{Nd}+s?|[QqHh][1-4]")
""" "5km", "5K", "9AM", "5-year-old", "mid-1990s", "Q3": told otherwise in many ways."""
_SEPARATORS = late_pattern(r"[^\p{L}\p{Nd}@]+")


def identifier_findings(text: str, sources: Iterable[str]) -> list[Finding]:
    """Return a finding when a claim has an identifier that stands in no source while another of its form does.

    Args:
        text: the claim.
        sources: what is cited.
    """
    ours = _identifiers(text)
    if not ours:
        return []
    theirs = frozenset[str]().union(*map(_identifiers, sources))
    if not any(_form(other) == _form(one) for one in ours - theirs for other in theirs - ours):
        return []
    return [Finding(flag="name", text="the source names another one there than the answer", effect="contradicted")]


def _identifiers(text: str) -> frozenset[str]:
    return frozenset(
        _SEPARATORS.sub("", token).casefold()
        for token in _TOKEN.findall(text)
        if "@" in token or (_is_mixed(token) and not _MEASURED.fullmatch(token))
    )


def _is_mixed(token: str) -> bool:
    return any(char.isdecimal() for char in token) and any(char.isalpha() for char in token)


def _form(token: str) -> str:
    """Return where a token has letters and where digits; of an address only that it is one."""
    return "@" if "@" in token else "".join("9" if char.isdecimal() else "a" for char in token)
