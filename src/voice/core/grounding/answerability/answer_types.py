"""What type of answer a question asks for, and whether a text holds it.

Law: "when" asks for a time, "how many" for a number, "what does it cost" for money. The words are data
(`data/language/answer_types.toml`).

Source: ruling D5.
"""

from collections.abc import Mapping
from functools import cache
from typing import Literal, cast

import regex

from voice.core.text.language_data import entries, every_phrase, language_tables, phrase_pattern
from voice.core.text.numbers import quantities

_FAR = 400
"""Characters from how a question for money begins to the word that tells that it is one."""
Amount = Literal["number", "money"]
AnswerType = Literal["time"] | Amount


def answer_types(question: str) -> tuple[AnswerType, ...]:
    """Return the types of answer that `question` asks for, in a fixed order; none for "what", "why", "tell me".

    Who asks for money asks for no other number.
    """
    is_timed = _phrase("time").search(question) is not None
    time: tuple[AnswerType, ...] = ("time",) if is_timed else ()
    if _asks_for_money(question):
        return (*time, "money")
    return (*time, "number") if _phrase("number").search(question) else time


def holds_amount(kind: Amount, text: str) -> bool:
    """Return whether a text holds an amount of the kind; generous, so that False means "certainly not"."""
    if kind == "number":
        return bool(quantities(text)) or bool(_phrase("amounts").search(text))
    is_money = any(map(text.__contains__, entries("answer_types", "signs"))) or bool(_phrase("currencies").search(text))
    return is_money or (bool(_phrase("paid").search(text)) and bool(quantities(text)))


def _phrase(key: str) -> "regex.Pattern[str]":
    return every_phrase("answer_types", key)


def _asks_for_money(question: str) -> bool:
    if _phrase("price").search(question):
        return True
    found = ((opening.search(question), words) for opening, words in _money())
    return any(begun and words.search(question, begun.end(), begun.end() + _FAR) for begun, words in found)


@cache
def _money() -> "tuple[tuple[regex.Pattern[str], regex.Pattern[str]], ...]":
    """Return what opens a question for money, each with what finds the words that stand behind it."""
    pairs = [
        cast("Mapping[str, list[str]]", pair)
        for table in language_tables("answer_types").values()
        for pair in cast("list[object]", table.get("money", []))
    ]
    return tuple((phrase_pattern(frozenset(pair["opens"])), phrase_pattern(frozenset(pair["words"]))) for pair in pairs)
