"""The headings of an answer and what stands under them.

Law: a line that only announces ("Ada's boats:", "## Travel", the head of a table) is no claim by itself as long as it
states nothing: it has no verb, and every telling word of it is in the sources, in the question or a word of answering.
Its items stand under it until a sentence that is no item. Anything else is judged as what it is.

Source: ruling D1.
"""

from collections.abc import Sequence

from voice.core.grounding.clauses import is_finite
from voice.core.text.patterns import late_pattern
from voice.core.text.words import words

_HASH = late_pattern(r"\s*#{1,6}\s")
_ITEM = late_pattern(r"\s*(?:[-*•‣◦▪●–—+]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+|\s*\|")
_RULE = late_pattern(r"\s*\|?[\s:|-]*-{2,}[\s:|-]*$")
_DECORATION = "*_`~ \t\n"


def is_heading(texts: Sequence[str], index: int) -> bool:
    """Return whether a sentence of an answer announces those after it and states nothing with a verb."""
    if index + 1 >= len(texts):
        return False
    text = texts[index]
    following = texts[index + 1]
    heads_table = text.lstrip().startswith("|") and _RULE.match(following) is not None
    return is_title(text) or (heads_table and not any(map(is_finite, words(text))))


def is_title(text: str) -> bool:
    """Return whether a line of a note only announces what stands below it: "# Yearly bills", "Packing list:"."""
    announces = text.strip(_DECORATION).endswith((":", "：")) or bool(_HASH.match(text))
    return announces and not any(map(is_finite, words(text)))


def headings_of(texts: Sequence[str]) -> list[int | None]:
    """Return for each sentence the place of the heading it stands under as an item of a list; None for any other."""
    found: list[int | None] = []
    heading: int | None = None
    for index, text in enumerate(texts):
        is_item = _ITEM.match(text) is not None
        if not is_item:
            heading = index if is_heading(texts, index) else None
        found.append(heading if is_item else None)
    return found
