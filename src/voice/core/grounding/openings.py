"""Whether the "Yes" or the "No" that opens an answer is borne out by what stands beside it.

Law: a yes adds nothing where the statement beside it, with its evidence, holds every telling word of the question. A
no adds nothing where that statement denies, ends, limits or reverses something, or gives another value of the kind that
the question has: another number, day, name, colour or relation. Where it affirms just what was asked, a no
contradicts it; where neither is certain the no is not supported. Before a statement that answers an open question a no
says nothing.

Source: DESIGN 6 stage 4 (negation); ruling D1.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from voice.core.grounding.apart import is_colour
from voice.core.grounding.asked import ASKING, says
from voice.core.grounding.findings import Finding
from voice.core.grounding.opposed import opposed, states_of
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import are_opposite
from voice.core.grounding.preambles import opens_with_no
from voice.core.grounding.support import credit_of
from voice.core.text.dates import stated_dates, weekdays
from voice.core.text.facts import denied, fact_of
from voice.core.text.numbers import quantities
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_HELD = 0.5
_OPEN = late_pattern(
    r"^\W*(?:(?:and|but|so|und|aber)\b\W*)?(?:what|who|whom|whose|when|where|why|how|which|was|wer|wen|wem|wann|wo|wohin"
    r"|woher|warum|wie|welche[rsnm]?|qué|quién|cuándo|dónde|cómo|cuánt[oa]s?)\b",
    regex.IGNORECASE,
)
_MONEY = word_set("money cash geld dinero")
_ENDING = word_set(
    "sell sells sold give gives gave given leave leaves left lose loses lost cancel cancels cancelled "
    "canceled stop stops stopped quit quits break broke broken end ends ended die dies died return returns returned "
    "throw threw thrown replace replaced retire retired divorce divorced separate separated expire expired close "
    "closed closes postpone postponed resign resigned delete deleted refuse refused refuses decline declined reject "
    "rejected miss missed forget forgot forgotten fail failed avoid avoids avoided drop dropped swap swapped "
    "verkauft verkaufte gekündigt aufgehört abgesagt abgelehnt verloren vergessen getrennt gezogen gestorben beendet"
)
"""Deeds behind which something is no more, or was never done."""
_LIMITING = word_set("only just few instead rather nur erst lediglich solo hardly barely")
_MOVED = late_pattern(r"\bmove[sd]? (?:back |over )?(?:out|away|on|to|from)\b", regex.IGNORECASE)
_AGAINST = late_pattern(
    r"\bdecid\p{L}+ (?:\p{Ll}+ )?against\b|\bgegen \P{P}{1,30}\bentschieden\b|\bdagegen entschieden\b", regex.IGNORECASE
)
_CLAUSES = late_pattern(r"[,;:.!?()–—]+|\b(?:but|because|aber|weil|denn|sondern)\b", regex.IGNORECASE)
_UNFIT = Finding(flag="polarity", text="the answer says no, and no cited sentence says so", effect="unsupported")
_AFFIRMED = Finding(flag="polarity", text="the answer says no to what the source affirms", effect="contradicted")


class _Said(NamedTuple):
    """A statement as it is held against a question."""

    text: str
    words: Sequence[Word]
    used: Sequence[Passage]
    """What bears it out."""

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the statement and of what bears it out."""
        return frozenset(word.stem for word in self.words).union(*(passage.stems for passage in self.used))


def bears_yes(question: str, text: str, found: Sequence[Word], used: Sequence[Passage]) -> bool:
    """Return whether the statement `text`, of words `found`, with its evidence holds all that `question` tells."""
    said = _Said(text, found, used)
    return not list(_lacking(_telling(question), said))


def no_findings(question: str, text: str, found: Sequence[Word], used: Sequence[Passage]) -> list[Finding]:
    """Return what is wrong with the "No" that the sentence `text` opens with; nothing where it opens with none.

    Args:
        question: the question; without one nobody knows what is denied.
        text: the sentence.
        found: its words without the "No".
        used: the sentences that bear it out.
    """
    return no_beside(question, text, found, used) if opens_with_no(text) and not _is_open(question) else []


def no_beside(question: str, text: str, found: Sequence[Word], used: Sequence[Passage]) -> list[Finding]:
    """Return what is wrong with a "No" to `question` beside the statement `text`; one to no question must deny."""
    if _is_open(question):
        return [] if denied(found) else [_UNFIT]
    asked, said = _telling(question), _Said(text, found, used)
    if _turns(question, asked, said) or _is_denied_beside(question, asked, used):
        return []
    ours, theirs = _values(text, found), _values(question, words(question))
    lacking = [word for word in _lacking(asked, said) if not _kinds_of(word)]
    is_another = any(kind in theirs and theirs[kind].isdisjoint(told) for kind, told in ours.items())
    if not lacking and is_another:
        return []
    if (
        not lacking
        and asked
        and not _is_turned(asked, found)
        and all(ours[kind] <= theirs.get(kind, set()) for kind in ours)
    ):
        return [_AFFIRMED]
    return [_UNFIT]


def _is_open(question: str) -> bool:
    """Return whether a question is none that a yes or a no answers."""
    return not question or _OPEN.match(question) is not None


def _telling(question: str) -> list[Word]:
    line = question.partition("\n")[0]
    return [word for word in words(line) if not word.is_stop and word.key not in ASKING]


def _lacking(asked: Sequence[Word], said: _Said) -> Iterator[Word]:
    """Yield the words of a question that neither a statement nor its evidence says; a sum of euros is money."""
    held = said.stems
    for word in asked:
        is_sum = word.key in _MONEY and any(says("money", text) for text in (said.text, *(p.text for p in said.used)))
        if not is_sum and credit_of(word.stem, held) < _HELD:
            yield word


def _turns(question: str, asked: Sequence[Word], said: _Said) -> bool:
    """Return whether a statement denies, ends, limits or reverses, in a word that the question lacks."""
    stems = {word.stem for word in asked}
    own = [word for word in said.words if word.stem not in stems]
    return (
        denied(own)
        or any(word.key in _ENDING or word.key in _LIMITING for word in own)
        or (_MOVED.search(said.text) is not None and not _MOVED.search(question))
        or (_AGAINST.search(said.text) is not None and not _AGAINST.search(question))
        or any(are_opposite(one, other) for one in own for other in asked)
        or opposed(states_of(question), said.text) is not None
    )


def _is_denied_beside(question: str, asked: Sequence[Word], used: Sequence[Passage]) -> bool:
    """Return whether what bears a statement out denies, in a clause of its own, just what was asked.

    "Lukas is not coming, he has to work" bears out the no of "No, he has to work".
    """
    if not asked or denied(words(question)):
        return False
    clauses = (words(clause) for passage in used for clause in _CLAUSES.split(passage.text))
    holding = [
        clause
        for clause in clauses
        if all(credit_of(word.stem, frozenset(one.stem for one in clause)) >= _HELD for word in asked)
    ]
    return bool(holding) and all(map(denied, holding))


def _is_turned(asked: Sequence[Word], found: Sequence[Word]) -> bool:
    """Return whether a statement has the question's words in another order: "Ben called Anna", not Anna Ben."""
    places = {word.stem: place for place, word in reversed(list(enumerate(found)))}
    order = [places[word.stem] for word in asked if word.stem in places]
    return order != sorted(order)


def _values(text: str, found: Sequence[Word]) -> dict[str, set[object]]:
    """Return the values of a text by their kinds: what one value excludes another of."""
    told: dict[str, set[object]] = {
        "number": {quantity.value for quantity in quantities(text, found)},
        "time": {*weekdays(text), *((day.year, day.month, day.day) for day in stated_dates(text))},
    }
    for word in found:
        for kind in _kinds_of(word) - {"number", "time"}:
            told.setdefault(kind, set()).add(word.stem)
    return {kind: values for kind, values in told.items() if values}


def _kinds_of(word: Word) -> set[str]:
    """Return of which kinds a word is a value."""
    fact = fact_of(word)
    kinds = {"number": word.is_number, "time": bool(weekdays(word.text) or stated_dates(word.text))}
    kinds |= {"colour": is_colour(word), "kin": fact is not None and fact.kind == "kin"}
    kinds["name"] = word.is_capital and not word.is_stop and not any(kinds.values())
    return {kind for kind, is_so in kinds.items() if is_so}
