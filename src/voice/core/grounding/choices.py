"""Which of the two that a question names the evidence says it of: "Who drove, Lara or Piet?".

Law: what the question itself offers is no news, and may be the answer all the same. The part of the evidence that tells
what is asked names the one it says it of: the first of those offered, or the one behind a "by". Where that part denies
something, or none tells what is asked in words that can be found, whichever is named may be right.

Source: ruling D5 (an answer brings what is asked for).
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise, takewhile

from voice.core.grounding.asked import ASKING
from voice.core.grounding.clauses import parts_of, words_of
from voice.core.grounding.passages import Passage
from voice.core.grounding.support import credit_of
from voice.core.text.negation import negated
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_HELD = 0.5
_OR = word_set("or oder o")
_BY = word_set("by von por")


def names_the_chosen(question: str, said: Collection[str], bearing: Sequence[Passage]) -> bool | None:
    """Return whether an answer names the one of those a question offers that the evidence says it of.

    Args:
        question: the question.
        said: the stems of the answer.
        bearing: the sentences that bear it out.

    Returns:
        None where the question offers nothing, or the answer names none of it.
    """
    found = words(question)
    offered = frozenset(_offered(question, found))
    named = offered.intersection(said)
    if not named:
        return None
    asked = [word.stem for word in found if not word.is_stop and word.key not in ASKING and word.stem not in offered]
    told = [_told_of(own, offered) for passage in bearing for own in _telling_parts(asked, passage)]
    return not told or any(one is None or one in named for one in told)


def _offered(question: str, found: Sequence[Word]) -> Iterator[str]:
    """Yield the stems of what stands on both sides of a question's "or", and before it in one list with it."""
    at = next((place for place, word in enumerate(found) if word.key in _OR and 0 < place < len(found) - 1), None)
    if at is None:
        return
    pairs = pairwise(reversed(found[:at]))
    listed = takewhile(lambda pair: question[pair[1].end : pair[0].start].strip() == "," and pair[1].is_capital, pairs)
    sides = [found[at - 1], *(earlier for _, earlier in listed), *found[at + 1 :]]
    yield from (word.stem for word in sides if not word.is_stop)


def _telling_parts(asked: Sequence[str], passage: Passage) -> Iterator[tuple[str, list[Word]]]:
    """Yield the words of those parts of a sentence that tell anything that is asked."""
    for part in parts_of(passage.text, passage.words):
        own = words_of(part, passage.words)
        stems = frozenset(word.stem for word in own)
        if not asked or any(credit_of(stem, stems) >= _HELD for stem in asked):
            yield passage.text, own


def _told_of(part: tuple[str, list[Word]], offered: Collection[str]) -> str | None:
    """Return of which of those offered a part tells; None where it denies, or tells of none."""
    text, own = part
    named = [word.stem for word in own if word.stem in offered]
    if not named or negated(text, own):
        return None
    return named[-1] if any(word.key in _BY for word in own) else named[0]
