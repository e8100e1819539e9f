"""The question that closes an answer of the stance `question`: it takes up what the quoted sentences turn on.

Law: it is of the kind of the sentences (a reason, a wish, a thing given up, trouble, a sum, something denied), and
brings no name, number or date, nor a word of the matter, that they lack. Of several kinds the one that says most of how
a person decides comes first; of none, or of several sentences of different kinds, it asks what they mean. Questions and
words are data (`data/language/question_back.toml`); a language without words of a kind has the general questions alone.

Source: spec stateful-design-v2, stances ("question"); ruling D1.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import cast

import regex

from voice.core.grounding.answerability.answer_types import holds_amount
from voice.core.text.language_data import Table, language_tables, phrase_pattern
from voice.core.text.negation import has_negation
from voice.core.text.word_lists import Language, guess_language
from voice.core.text.words import words

_SUM = "sum"


def question_back(question: str, quoted: Sequence[str]) -> str:
    """Return what to ask about the quoted sentences, in the language of the question.

    Args:
        question: what was asked.
        quoted: the sentences that are given, word for word.
    """
    language = guess_language([word.key for word in words(question)])
    table = language_tables("question_back")[language]
    found = {_turns_on(text, table, language) for text in quoted}
    is_of_one = len(found) == 1 and (len(quoted) == 1 or table.get(_SUM) not in found)
    return (next(iter(found)) if is_of_one else None) or str(table["one" if len(quoted) == 1 else "several"])


def _turns_on(text: str, table: Table, language: Language) -> str | None:
    """Return the question after a sentence of its kind; None where it is of none."""
    found = next((back for pattern, back in _turns(language) if pattern.search(text)), None)
    if found is not None or _SUM not in table:
        return found
    if holds_amount("money", text):
        return str(table[_SUM])
    return str(table["denied"]) if has_negation(text, words(text)) else None


@cache
def _turns(language: Language) -> "tuple[tuple[regex.Pattern[str], str], ...]":
    """Return what finds the words of each kind, and the question after it."""
    kinds = cast("list[Mapping[str, object]]", language_tables("question_back")[language].get("turns", []))
    return tuple((phrase_pattern(frozenset(cast("list[str]", each["words"]))), str(each["back"])) for each in kinds)
