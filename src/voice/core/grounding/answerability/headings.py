"""The headings of an answer and what stands under them.

Law: a line that only announces ("Ada's boats:", "## Travel", the head of a table) is no claim by itself as long as it
states nothing: it has no verb, and every telling word of it is in the sources, in the question or a word of answering.
Its items stand under it until a sentence that is no item. Anything else is judged as what it is.

Source: ruling D1.
"""

from voice.core.grounding.answerability.clauses import is_finite
from voice.core.text.patterns import late_pattern
from voice.core.text.words import words

_HASH = late_pattern(r"\s*#{1,6}\s")
_DECORATION = "*_`~ \t\n"


def is_title(text: str) -> bool:
    """Return whether a line of a note only announces what stands below it: "# Yearly bills", "Packing list:"."""
    announces = text.strip(_DECORATION).endswith((":", "：")) or bool(_HASH.match(text))
    return announces and not any(map(is_finite, words(text)))
