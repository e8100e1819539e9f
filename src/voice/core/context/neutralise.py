"""Evidence is data: what a memory says can neither close its own frame nor pose as a source id.

Law: neutralising only inserts U+2060 WORD JOINER, which `norm_v1` drops, so a faithful quote of a neutralised text is
still found word for word in the stored one (rulings D4, D22).
"""

import re

WORD_JOINER = "\u2060"
_FRAME = re.compile(r"<(?=/?\s*source\b)", re.IGNORECASE)
_ALIAS = re.compile(r"\b([Ss])(?=\d{1,6}\b)")
_HEADING = re.compile(r"^(?=#{1,6}\s)", re.MULTILINE)


def neutralise(text: str) -> str:
    """Return `text` with frame tags, look-alike source ids and headings broken by an invisible joiner."""
    framed = _FRAME.sub("<" + WORD_JOINER, text)
    unaliased = _ALIAS.sub(lambda match: match[1] + WORD_JOINER, framed)
    return _HEADING.sub(WORD_JOINER, unaliased)


def attribute(value: str) -> str:
    """Return `value` fit to stand between double quotes in a source tag: one line, no quotes, no angle brackets."""
    return neutralise(" ".join(value.split())).translate({ord('"'): "'", ord("<"): "(", ord(">"): ")"})
