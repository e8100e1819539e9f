"""The words by which a text says which one of several things it means.

Law: closed tables a language (`data/language/naming.toml`), read when they are first asked for; no word of a language
stands in the rules that ask for them.

Source: DESIGN 6 "Word lists are data files per language, not code"; ruling D5.
"""

from functools import cache
from typing import Literal

from voice.core.text.language_data import language_tables, words_under

NamingKind = Literal["marks", "labels", "listed", "joins", "ordinals", "signs"]


@cache
def naming_words(kind: NamingKind) -> frozenset[str]:
    """Return the words of one kind, of every language, in small letters."""
    return frozenset[str]().union(*(words_under(table, kind) for table in language_tables("naming").values()))
