"""Texts that are made to keep a reader busy.

Law: one piece, again and again, and an end that nothing expects: what must match to its end has then tried in vain.
"""

from itertools import count
from typing import Final

PIECES: Final = {
    "brackets": "(",
    "square brackets": "[",
    "closing brackets": ")",
    "quotation marks": '"',
    "opened quotations": "“a ",
    "single quotes": "'",
    "apostrophes": "a’s ",
    "commas": ",",
    "dashes": "–",
    "hyphens": "-",
    "colons": "a: ",
    "semicolons": "a; ",
    "full stops": ".",
    "question marks": "?",
    "sentences": "A. ",
    "short words": "a ",
    "capitals": "Ab ",
    "joined names": "Anna and ",
    "listed names": "Anna, ",
    "owners": "my the ",
    "questions": "What is ",
    "spaces": " ",
    "lines": "\n",
    "lines of one letter": "a\n",
    "indented lines": "\n  ",
    "items": "- a\n",
    "marks of items": "- ",
    "boxes": "- [ ] a\n",
    "quoted lines": "> ",
    "cells": "|a",
    "rules": "|-",
    "fences": "```\n",
    "ticks": "`",
    "stars": "*",
    "nested marks": '("[<*_',
    "struck out": "~~a",
    "comments": "%%",
    "links": "[a](",
    "wiki links": "[[a|",
    "pictures": "![",
    "markers": "[S1, ",
    "bare markers": "(S1 ",
    "openings of tags": "<",
    "tags": "<a>",
    "tags left open": "<a b=",
    "thinking": "<think>",
    "entities": "&#1;",
    "objects": '{"a":',
    "lists of lists": "[[",
    "backslashes": "\\",
    "one word": "a",
    "digits": "1",
    "figures": "1,",
    "dates": "3 May 2020 ",
    "clocks": "12:",
    "money": "1 € ",
    "addresses": "a@",
    "places": "http://a.b/",
    "schemes": "://",
    "headers": "From a ",
    "announced replies": "On 1 a wrote:\n> ",
    "combining marks": "e\u0301",
    "marks alone": "\u0301",
    "invisible": "\u200b",
    "turned round": "\u202e",
    "ideographs": "思",
    "ideographs in sentences": "思。",
    "escaped": "%41",
    "encoded": "QUFB",
    "spelt": "i g n o r e ",
}
NEAR: Final = ("brackets", "short words", "items", "listed names")
"""A few of them, for tests that must be quick."""
_NUMBER = count()


def hostile(piece: str, chars: int) -> str:
    """Return as many characters of a piece again and again, and an end that no other text has: caches do not help."""
    return f"{(piece * (chars // len(piece) + 1))[:chars]}\x01{next(_NUMBER)}"
