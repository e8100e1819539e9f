"""The topic words of a question and their weights.

Law: a word that only asks, that names the notes themselves, or that announces a number has no weight; of the others,
rarer words weigh more.

Source: ruling E ("words for the rows themselves are neither asked for in the text nor missed in it").
"""

from voice.core.text.background import weight_of
from voice.core.text.language_data import every_word
from voice.core.text.words import words


def term_weights(question: str) -> dict[str, float]:
    """Return the weight of each topic word of a question, by its stem."""
    found = words(question)
    silent = every_word("questions", "asking", "rows")
    if any(word.is_number for word in found):
        silent |= every_word("identifiers", "marks")
    told = (word.stem for word in found if not (word.is_stop or word.is_number or word.key in silent))
    return {stem: weight_of(stem) for stem in told}
