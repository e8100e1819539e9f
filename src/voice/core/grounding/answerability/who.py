"""Hard checks on names: that they are in the evidence, and who did what to whom.

Law: a name that no cited row holds is not supported. A claim about one person is contradicted by a sentence that is
certainly about another: first-person words of another speaker, another name as its subject, or the same two names the
other way round. Where it is not certain (a vocative, "you", "we", a pronoun) nothing is decided here.

Source: DESIGN 5 ("names one person while the evidence is by another"), DESIGN 6 stage 4; rulings D1, D5.
"""

from collections.abc import Sequence
from typing import NamedTuple

import regex

from voice.core.grounding.answerability.passages import Passage, speaker_of
from voice.core.grounding.values import Evidence
from voice.core.text.background import is_known_word
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, language_of, words

FIRST_SINGULAR = word_set("i i'm i've i'd i'll im ive me my mine myself ich mein meine mir mich je mon ma yo mi")
FIRST_PLURAL = word_set("we we're we've we'd we'll us our ours ourselves wir uns unser unsere nous notre nosotros")
SECOND = word_set("you you're you've you'd you'll your yours yourself youre u ur du dein deine vous tu votre")
GREEK_ASKING = "πωσ ποιοσ ποια ποιο ποιον ποιοι που ποτε τι γιατι ποσο ποσα ποσοι ποσεσ"
"""Keys of the Greek words that ask; a capital at the head of a question makes them no names."""
_PLAIN_CAPITALS = word_set(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december jan feb mar apr jun jul aug sep sept oct nov dec mr mrs ms dr prof yes no "
    "ok okay q1 q2 q3 q4",
    GREEK_ASKING,
)


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
        if not word.is_capital or word.is_stop or word.key in _PLAIN_CAPITALS or word.is_number:
            continue
        if _begins(text, word) and (is_known_word(word.key) or word.key.endswith(("ing", "ly", "ed"))):
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


def is_vocative(passage: Passage, word: Word) -> bool:
    """Return whether a name is only being spoken to: set off by commas or marks, not part of the statement."""
    before = passage.text[: word.start].rstrip()
    after = passage.text[word.end :].lstrip()
    opens = not before or before[-1] in ",.!?;:" or bool(_GREETING.search(before))
    closes = not after or after[0] in ",.!?;:"
    return opens and closes


_GREETING = late_pattern(
    r"\b(?:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|ok|okay|congrats|yep|cheers|aw+)$", regex.IGNORECASE
)
