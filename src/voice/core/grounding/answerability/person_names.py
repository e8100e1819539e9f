"""The names of persons: which words of a text are some, and whom they mean.

Law: a name is what is written with a capital where other words are not. A person is known by the rows of a prompt: who
speaks in one, or is named at its head. A short form means the same person ("Mel", "Melanie").

Source: DESIGN 5 ("names one person while the evidence is by another"); rulings D1, D5.
"""

from collections.abc import Sequence
from typing import NamedTuple

from voice.core.grounding.answerability.evidence_sentences import EvidenceSentence, speaker_of
from voice.core.grounding.values import Evidence
from voice.core.text.language_data import entries, every_word
from voice.core.text.word_weights import is_common_word
from voice.core.text.words import Word, language_of, words


def first_person() -> frozenset[str]:
    """Return the words by which somebody speaks of themselves, alone or with others."""
    return every_word("persons", "first_singular", "first_object", "first_plural")


class People(NamedTuple):
    """The people known from the rows of this prompt: first names and full names, folded."""

    names: frozenset[str]

    def find(self, key: str) -> str | None:
        """Return the known name that `key` means (also shortened: "Mel" for "Melanie"), or None."""
        return next((name for name in sorted(self.names) if same_name(key, name)), None)


def people_of(rows: Sequence[Evidence]) -> People:
    """Return the people of `rows`: their speakers; names of other things are not people."""
    speakers = {name for row in rows if (name := speaker_of(row))}
    return People(frozenset(words(name)[0].key for name in speakers if words(name)))


def same_name(ours: str, theirs: str) -> bool:
    """Return whether one is the other or its beginning, from three letters on ("Caro", "Caroline")."""
    shorter, longer = sorted((ours, theirs), key=len)
    return shorter == longer or (len(shorter) >= 3 and longer.startswith(shorter) and len(longer) - len(shorter) <= 6)


def proper_names(text: str, found: Sequence[Word]) -> list[Word]:
    """Return the words of a sentence that are names: capitals inside it, and at its start when no everyday word.

    In German every noun is a capital, so that a capital says nothing; there are none to be sure of.
    """
    if language_of(found) == "de":
        return []
    names: list[Word] = []
    capitals = sum(word.is_capital for word in found)
    if len(found) > 4 and capitals > 0.8 * len(found):
        return []
    for word in found:
        if not word.is_capital or word.is_stop or word.key in every_word("names", "not_names") or word.is_number:
            continue
        if _begins(text, word) and (is_common_word(word.key) or word.key.endswith(tuple(entries("names", "endings")))):
            continue
        names.append(word)
    return names


def asked_names(question: str, found: Sequence[Word], rows: Sequence[Evidence]) -> list[Word]:
    """Return the words of a question that are names; in German, where every noun is capital, those the rows know."""
    if language_of(found) != "de":
        return proper_names(question, found)
    keys = {word.key for word in found if word.is_capital}
    names = dict.fromkeys(name for row in rows for name in (*row.entity_names, speaker_of(row) or ""))
    parts = ({word.key for word in words(name) if not word.is_stop} for name in names)
    known = frozenset[str]().union(*(part for part in parts if part <= keys))
    return [word for word in found if word.is_capital and word.key in known]


def _begins(text: str, word: Word) -> bool:
    """Return whether the word stands first in its sentence, line or quotation."""
    before = text[: word.start].rstrip(" \t*_#>-•–—\"'“‘«([")
    return not before or before[-1] in ".!?:;\n"


def is_vocative(sentence: EvidenceSentence, word: Word) -> bool:
    """Return whether a name is only being spoken to: set off by commas or marks, not part of the statement."""
    before = sentence.text[: word.start].rstrip()
    after = sentence.text[word.end :].lstrip()
    opens = not before or before[-1] in ",.!?;:"
    closes = not after or after[0] in ",.!?;:"
    return opens and closes
