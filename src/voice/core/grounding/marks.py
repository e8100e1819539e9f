"""The mark that a sentence bears which is not proven.

Law: the mark stands inside the text of an answer, around the sentence that it warns of, so that nobody who passes the
text on can pass it on without. A sentence that is proven, and one that states nothing, bears none. Offsets of a
sentence are those of its bare words; the mark lies outside them.

Source: DESIGN 6; ruling D1.
"""

from collections.abc import Mapping

from voice.core.grounding.values import PROVEN, Rung

SIGN_OF_RUNG: Mapping[Rung, str] = {
    "quoted": "✓",
    "verified": "✓",
    "unverified": "~",
    "unsupported": "✗",
    "contradicted": "✗",
    "remark": "·",
}
RUNG_IN_WORDS: Mapping[Rung, str] = {
    "quoted": "quoted",
    "verified": "verified",
    "unverified": "not checked",
    "unsupported": "not supported",
    "contradicted": "contradicted",
    "remark": "states nothing",
}
CLOSING = "]"


def mark_of(rung: Rung) -> str | None:
    """Return the mark of a sentence on this rung, such as "✗ not supported"; None where it bears none."""
    if rung in PROVEN or rung == "remark":
        return None
    return f"{SIGN_OF_RUNG[rung]} {RUNG_IN_WORDS[rung]}"


def opening_of_mark(rung: Rung) -> str:
    """Return what stands before a sentence on this rung; empty where it bears no mark."""
    mark = mark_of(rung)
    return "" if mark is None else f"[{mark}: "


def marked(text: str, rung: Rung) -> str:
    """Return a sentence with its mark around it: "[✗ not supported: She sold it.]"; bare where it bears none."""
    opening = opening_of_mark(rung)
    return f"{opening}{text}{CLOSING}" if opening else text
