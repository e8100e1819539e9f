"""Which rows of a table a question is about.

Law: where a question names rows of a table by what their first cells hold, the others of it are not what was asked for.

Source: DESIGN 6 stage 4 (numbers); rulings C13, D1.
"""

from collections.abc import Sequence

from voice.core.grounding.answerability.passages import Passage
from voice.core.text.tables import cells_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_COMPARES = word_set(
    "than other others all every everything each else except besides most least more less total sum andere alle "
    "alles als otros otras todos todas más menos"
)


def rows_asked_about(found: Sequence[Word], passages: Sequence[Passage]) -> list[bool]:
    """Return for each sentence whether it may be given: not where a question names other rows of the same table alone.

    Args:
        found: the words of the question; one that compares is about all rows.
        passages: the sentences.
    """
    told = _telling(found)
    names = [_name_of(passage) for passage in passages]
    if any(word.key in _COMPARES for word in found):
        return [True] * len(passages)
    most: dict[tuple[str, tuple[str, ...]], int] = {}
    for passage, name in zip(passages, names, strict=True):
        table = (passage.row.row_id, passage.header)
        most[table] = max(most.get(table, 0), len(name & told))
    return [
        not name or name <= told or len(name & told) == most[passage.row.row_id, passage.header]
        for passage, name in zip(passages, names, strict=True)
    ]


def _name_of(passage: Passage) -> frozenset[str]:
    """Return what the first cell of a table's row tells; nothing for any other sentence."""
    return _telling(words((cells_of(passage.text) or ("",))[0])) if passage.header else frozenset()


def _telling(found: Sequence[Word]) -> frozenset[str]:
    """Return what words tell: a number by its digits, any other by its stem."""
    return frozenset(_digits(word) or word.stem for word in found if not word.is_stop)


def _digits(word: Word) -> str:
    return "".join(filter(str.isdigit, word.text)) if word.is_number else ""
