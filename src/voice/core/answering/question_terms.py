"""The words of a question that tell what it is about.

Law: a word that asks, that names the rows themselves, or that only says that a number follows tells nothing; of the
others the rarer tell more.

Source: ruling E ("words for the rows themselves are neither asked for in the text nor missed in it").
"""

from voice.core.text.background import weight_of
from voice.core.text.language_data import every_word
from voice.core.text.words import words


def term_weights(question: str) -> dict[str, float]:
    """Return how telling each word of a question is, by its stem."""
    found = words(question)
    silent = every_word("questions", "asking", "rows")
    if any(word.is_number for word in found):
        silent |= every_word("identifiers", "marks")
    told = (word.stem for word in found if not (word.is_stop or word.is_number or word.key in silent))
    return {stem: weight_of(stem) for stem in told}
