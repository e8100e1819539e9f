"""Intent of a question: kind of answer, count, order, persons.

Law: one table per language (`data/language/intent.toml`), first match wins, no match assumes nothing. Count and order
change what is shown, not what is found (ruling E). A question asks for rows if it names a time and either uses a word
for rows or gives a count.
Source: spec nlq 1, 10; spec nlq, Test These Queries First; rulings D5, E; DESIGN 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import regex

from voice.core.graph.entity_names import Mention, NameIndex
from voice.core.nlq.calendar import Unit
from voice.core.nlq.parsed_query import AskedFor, ParsedQuery
from voice.core.nlq.phrase_matching import Token
from voice.core.nlq.phrase_tables.table import PhraseTable
from voice.core.retrieval.values import Order
from voice.core.text.language_data import every_word, language_tables, word_pairs
from voice.core.text.word_lists import Language, fold_word, is_stopword
from voice.core.text.words import words

_COUNTED = frozenset({"list", "what", "who", "where", "when"})  # "why" and "how many" have no number of results
_MOST_COUNTED = 100  # S3's largest limit (ruling A24)


@dataclass(frozen=True, slots=True)
class CountAsked:
    """A requested count with its span."""

    count: int
    start: int
    end: int


def answer_kind(text: str, language: Language) -> AskedFor:
    """Return the requested kind of answer; `statement` if it asks nothing."""
    folded = fold_word(text)
    kinds = word_pairs(language_tables("intent")[language], "kinds")
    if found := next((kind for kind, pattern in kinds.items() if regex.search(pattern, folded)), None):
        return cast("AskedFor", found)
    return "what" if text.rstrip().endswith(("?", "？")) else "statement"  # asks, but with none of these words


def order_asked(text: str, language: Language) -> Order | None:
    """Return the order implied by words such as "latest"; None if there are none."""
    folded, orders = fold_word(text), word_pairs(language_tables("intent")[language], "orders")
    found = next((order for order, pattern in orders.items() if regex.search(pattern, folded)), None)
    return cast("Order | None", found)


def limit_asked(
    tokens: Sequence[Token], table: PhraseTable, kind: AskedFor, left_out: Sequence[tuple[int, int]]
) -> CountAsked | None:
    """Return the count asked for ("three accomplishments", "the top 5") outside the spans `left_out`, if any."""
    if kind not in _COUNTED:
        return None
    for at, token in enumerate(tokens):
        if any(start <= token.start < end for start, end in left_out):  # "the last three weeks" is a time
            continue
        classes = table.classes(token)
        count = classes.get("small", classes.get("int"))  # "three" or 3
        if isinstance(count, int) and 2 <= count <= _MOST_COUNTED and _is_count(tokens, at, table):
            return CountAsked(count, token.start, token.end)
    return None


def persons_named(
    text: str, tokens: Sequence[Token], mentions: Sequence[Mention], names: NameIndex, table: PhraseTable
) -> tuple[str, ...]:
    """Return the people named, as written; without capitals for names (German) known persons only."""
    found = {m.start: text[m.start : m.end] for m in mentions if not names.people.isdisjoint(m.ids)}
    known = [(mention.start, mention.end) for mention in mentions]
    for start, end in () if table.nouns_are_capitalised else _names(tokens, table):
        if not any(start < right and left < end for left, right in known):  # no part of a known name
            found[start] = text[start:end]
    return tuple(dict.fromkeys(name for _, name in sorted(found.items())))


def _names(tokens: Sequence[Token], table: PhraseTable) -> list[tuple[int, int]]:
    """Return the spans of capitalised words that do not merely open a sentence."""
    runs: list[list[Token]] = []
    previous: Token | None = None
    for token in tokens:
        if _is_name(token, table):
            # "Mary Ann" is one name; "Mary, Ann" are two.
            is_next = previous is not None and runs and runs[-1][-1] is previous and token.start == previous.end + 1
            if is_next:
                runs[-1].append(token)
            else:
                runs.append([token])
        previous = token
    # Without the "'s", which is no part of a name.
    return [(run[0].start, run[-1].end - 2 * run[-1].is_possessive) for run in runs]


def _is_name(token: Token, table: PhraseTable) -> bool:
    if token.kind != "word" or not token.is_capitalised or is_stopword(token.word, table.language):
        return False
    # "May" and "April" are first names, "March" and "Friday" are not.
    if {"weekday", "month", "unit"} & table.classes(token).keys() and token.word not in table.person_like:
        return False
    return token.is_possessive or not token.opens_sentence  # "Tom's car?": a first word that owns is a name


def _is_count(tokens: Sequence[Token], at: int, table: PhraseTable) -> bool:
    """A number counts results before a plural that is not a duration, or after "top", "first", "last"."""
    before = tokens[at - 1].word if at else ""
    if before in {"top", "first", "last", "latest", "newest", "oldest", "ersten", "letzten", "primeros", "últimos"}:
        return True
    following = [token for token in tokens[at + 1 : at + 3] if token.kind == "word"]  # "three proud moments"
    if not following or isinstance(table.classes(following[0]).get("unit"), Unit):  # "three weeks"
        return False
    return any(token.word.endswith(("s", "en", "er", "people")) for token in following)


def query_topic(parsed: ParsedQuery) -> str:
    """Return the search topic: the question without its time and its words for rows."""
    text = parsed.untimed
    if not asks_for_rows(parsed) or all(term in every_word("questions", "rows") for term in parsed.terms):
        return text
    silent = [word for word in words(text) if word.key in every_word("questions", "rows")]
    starts, ends = (0, *(word.end for word in silent)), (*(word.start for word in silent), len(text))
    return " ".join(filter(None, (text[start:end].strip() for start, end in zip(starts, ends, strict=True))))


def asks_for_rows(parsed: ParsedQuery) -> bool:
    """Return whether a question asks for the rows of its time rather than a fact."""
    if parsed.time is None or parsed.asked_for not in {"list", "statement"}:
        return False
    return parsed.limit is not None or any(
        word.key in every_word("questions", "rows") for word in words(parsed.untimed)
    )
