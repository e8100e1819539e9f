"""What a question asks for, and how well the evidence fits it.

Law: a sentence fits by the share of the question's telling words that it holds and speaks of the subject
(`reference_resolution`); what else the same thought says counts less, and what was said around it within minutes less
still. The best sentence counts, never a pool of all: words strewn over a memory are not a statement. The same is
measured of everybody else.

The subject is the one person a question names who has a part in the talk, or, when it names none and asks about "I" or
"my", the memory's owner ("what did I write about …" only asks); with several or none it has no single subject. Only
recorded speakers are such persons: a line's label may be a heading. What it takes for granted are its telling words
without the subject, its dates, and those that only ask. The noun that says which sort of thing is wanted ("what spice")
is light: an answer names the thing and need not name its sort.

"when" asks for a time, "how many" for a number, "what does it cost" for money: the words are data
(`data/language/answer_types.toml`).

Source: ruling D5; DESIGN 5; ruling E (words of mood or kind rank, they never exclude).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, lru_cache
from itertools import dropwhile, pairwise, repeat, takewhile
from typing import Literal, NamedTuple, Self, cast

import regex

from voice.core.grounding.extractive.evidence_sentences import EvidenceSentence, sentences_of
from voice.core.grounding.extractive.persons import (
    OWNER,
    People,
    Persons,
    asked_names,
    is_owner,
    people_of,
    persons_spoken_of,
    same_name,
)
from voice.core.grounding.extractive.term_overlap import match_credit
from voice.core.grounding.values import Evidence
from voice.core.text.instants import has_date
from voice.core.text.language_data import entries, every_phrase, every_word, language_tables, phrase_pattern
from voice.core.text.numbers import quantities
from voice.core.text.word_weights import word_weight
from voice.core.text.words import Word, stems_in, words

_SORT = 0.4
"""What the noun counts that says which sort of thing is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedQuestion:
    """A question as it is held against the evidence."""

    subject: str | None
    """A known first name, `OWNER`, or None when it is not about one person."""
    telling: Mapping[str, float]
    """What it takes for granted: stems and how much each counts."""
    people: People
    persons: frozenset[str]
    """Those of them whom it names."""

    @classmethod
    def of(cls, question: str, evidence: Sequence[Evidence]) -> Self:
        """Return `question` read over the people of `evidence`."""
        found = words(question)
        people = people_of([row for row in evidence if row.speaker])
        named = [word for word in asked_names(question, found, evidence) if people.find(word.key)]
        persons = {name for word in named if (name := people.find(word.key)) and not is_owner(name)}
        subject = None
        if len(persons) == 1:
            subject = next(iter(persons))
        elif not persons and _is_about_the_asker(found):
            subject = OWNER
        telling = _telling(found, named)
        return cls(subject=subject, telling=telling, people=people, persons=frozenset(persons))

    @property
    def weight(self) -> float:
        """How much it takes for granted."""
        return sum(self.telling.values())

    @property
    def is_compared(self) -> bool:
        """Whether what is said of its subject can be told from what is said of others: several people speak."""
        return (
            self.subject is not None
            and bool(self.telling)
            and any(not is_owner(name) if self.subject == OWNER else name != self.subject for name in self.people.names)
        )

    @property
    def is_of_who_speaks(self) -> bool:
        """Whether it is of somebody who has a part in the talk, or of the owner beside others."""
        return bool(self.persons) or self.is_compared


def _is_about_the_asker(found: Sequence[Word]) -> bool:
    """Return whether a question asks about "I" or "my"; "what did I write about …" and "tell me" only ask."""
    pairs = pairwise((*(word.key for word in found), ""))
    own, asking = every_word("persons", "first_singular"), every_word("questions", "asking", "rows")
    return any(key in own and after not in asking for key, after in pairs)


def words_of_no_topic() -> frozenset[str]:
    """Return the words that tell of no subject: they ask, or are of a time, a sort or a manner."""
    return every_word("questions", "asking", "rows", "light") | every_word("names", "not_names")


def _telling(found: Sequence[Word], named: Sequence[Word]) -> dict[str, float]:
    sorts = {word.stem for word in _sorts(found)}
    silent = words_of_no_topic()
    told = [word for word in found if not (word.is_stop or word.is_number or word in named or word.key in silent)]
    return {word.stem: word_weight(word.stem) * (_SORT if word.stem in sorts else 1.0) for word in told}


def _sorts(found: Sequence[Word]) -> Iterator[Word]:
    """Return the words that say which sort of thing is wanted."""
    which = every_word("questions", "which")
    behind = list(dropwhile(lambda word: word.key not in which, found))[1:]
    is_asked = bool(behind) and behind[0].key in every_word("questions", "being")
    behind = list(dropwhile(lambda word: word.is_stop, behind)) if is_asked else behind
    goes_on = every_word("questions", "goes_on")
    return takewhile(lambda word: not word.is_stop or word.key in goes_on, behind)


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


class PlacedLine(NamedTuple):
    """A sentence, or a line, with the path it stands under."""

    text: str
    path: str


def holds_price(wanted: Collection[str], lines: Iterable[PlacedLine]) -> bool:
    """Return whether one of some consecutive lines states money of what a question asks about, by its topic words.

    A line does that names some of it or stands under it; so does the line right behind, if it names nothing else before
    its amount: "The kiln came in May. It cost 900 euros."
    """
    of = set(wanted) - _money_stems()
    is_behind = False
    for line in lines:
        held = stems_in(f"{line.path}\n{line.text}")
        is_own = not of or any(match_credit(stem, held) >= _HALF for stem in of)
        if (is_own or (is_behind and _names_nothing(line.text, of))) and _states_money(line.text):
            return True
        is_behind = is_own
    return False


def _states_money(line: str) -> bool:
    """Return whether a line states money; of a row of a table the head may tell that it does."""
    return holds_amount("money", line) or (line.startswith("|") and bool(quantities(line)))


def _names_nothing(line: str, of: Collection[str]) -> bool:
    """Return whether a line names nothing before its amount but what is asked about."""
    until = min((each.start for each in quantities(line)), default=len(line))
    return all(
        word.is_stop or word.is_number or word.stem in of or word.stem in _money_stems() for word in words(line[:until])
    )


@cache
def _money_stems() -> frozenset[str]:
    """Return the stems of the words by which money is asked for and told."""
    asking = " ".join(word for pair in _money_pairs() for word in pair["words"])
    return stems_in(f"{asking} {' '.join(every_word('answer_types', 'price', 'paid', 'currencies'))}")


def _phrase(key: str) -> "regex.Pattern[str]":
    return every_phrase("answer_types", key)


def _asks_for_money(question: str) -> bool:
    if _phrase("price").search(question):
        return True
    parts = ([phrase_pattern(frozenset(pair[each])) for each in ("opens", "words")] for pair in _money_pairs())
    found = ((opening.search(question), words) for opening, words in parts)
    return any(begun and words.search(question, begun.end(), begun.end() + _FAR) for begun, words in found)


@cache
def _money_pairs() -> Sequence[Mapping[str, list[str]]]:
    """Return what opens a question for money in two parts, and the words that stand behind it."""
    tables = language_tables("answer_types").values()
    return [pair for table in tables for pair in cast("list[Mapping[str, list[str]]]", table.get("money", []))]


_SAME_THOUGHT = 0.6
_SAME_TALK = 0.5
_ONE_TALK = timedelta(seconds=130)
"""What was said within about two minutes belongs to one exchange of words."""
_HALF = 0.5

_Held = Mapping[str, float]
"""Stems of the question, and how much of a match each found."""
_Matches = Mapping[str, Sequence[tuple[str, float]]]
"""Stems of sentences, and the stems of the question they stand for."""


class _Told(NamedTuple):
    """What one sentence says of the question's words."""

    sentence: EvidenceSentence
    own: _Held
    others: _Held


class SentenceFit(NamedTuple):
    """One sentence, and which share of the question it says of its subject and of others."""

    sentence: EvidenceSentence
    own: float
    others: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFit:
    """A question, and what was found of it in its evidence."""

    question: AnalysedQuestion
    sentences: tuple[SentenceFit, ...]
    lacking: tuple[str, ...]
    """The telling stems that nothing on the subject holds."""

    @classmethod
    def of(cls, question: str, evidence: Sequence[Evidence]) -> Self:
        """Return how well the sentences of `evidence` that were shown fit a question."""
        asked = AnalysedQuestion.of(question, evidence)
        sentences = [each for row in evidence for each in sentences_of(row) if each.text in row.shown]
        matches = _matches({word.stem for each in sentences for word in each.words}, asked)
        told = [_told(each, asked, matches) for each in sentences]
        telling = [one for one in told if one.own or one.others]
        pool = _most((one.own, 1.0) for one in told)
        return cls(
            question=asked,
            sentences=_sentence_fits(told, telling, asked),
            lacking=tuple(stem for stem in asked.telling if pool.get(stem, 0.0) < _HALF),
        )


def _matches(stems: AbstractSet[str], asked: AnalysedQuestion) -> _Matches:
    """Return, for each of the stems that stands for words of the question, which they are and how well it does."""
    found = ((stem, [(told, credit) for told in asked.telling if (credit := _match(told, stem))]) for stem in stems)
    return {stem: matched for stem, matched in found if matched}


@lru_cache(maxsize=65_536)
def _match(stem: str, other: str) -> float:
    return match_credit(stem, frozenset({other}))


def _told(sentence: EvidenceSentence, asked: AnalysedQuestion, matches: _Matches) -> _Told:
    own: dict[str, float] = {}
    others: dict[str, float] = {}
    if any(word.stem in matches for word in sentence.words):
        whom = repeat(None) if asked.subject is None else persons_spoken_of(sentence, asked.people)
        for word, who in zip(sentence.words, whom, strict=False):
            for stem, credit in matches.get(word.stem, ()):
                for held in _sides(asked.subject, who, own, others):
                    held[stem] = max(held.get(stem, 0.0), credit)
    return _Told(sentence, own, others)


def _sides(
    subject: str | None, who: Persons | None, own: dict[str, float], others: dict[str, float]
) -> tuple[dict[str, float], ...]:
    """Return the sides that a word counts for, by the persons it is about; both if that may be anybody."""
    if subject is None:
        return (own,)
    if who is None:
        return (own, others)
    is_own = subject in who or any(person and subject and same_name(subject, person) for person in who)
    return (own,) if is_own else (others,)


def _sentence_fits(told: Sequence[_Told], telling: Sequence[_Told], asked: AnalysedQuestion) -> tuple[SentenceFit, ...]:
    """Return how each sentence fits: what was said around it is the same for all sentences of its row."""
    rows = {id(one.sentence.row): one.sentence.row for one in told}
    by_row: dict[int, list[_Told]] = {}
    for one in telling:
        by_row.setdefault(id(one.sentence.row), []).append(one)
    held = [
        (rows[key], _most((one.own, 1.0) for one in several), _most((one.others, 1.0) for one in several))
        for key, several in by_row.items()
    ]
    around = {key: _around(row, held) for key, row in rows.items()}
    return tuple(_sentence_fit(one, *around[id(one.sentence.row)], asked) for one in told)


def _around(row: Evidence, held: Sequence[tuple[Evidence, _Held, _Held]]) -> tuple[_Held, _Held]:
    """Return what a row and the rows around it say of the subject and of others, each by what it counts."""
    beside = [(own, others, worth) for other, own, others in held if (worth := _weight_beside(row, other))]
    return _most((own, worth) for own, _, worth in beside), _most((others, worth) for _, others, worth in beside)


def _sentence_fit(one: _Told, own: _Held, others: _Held, asked: AnalysedQuestion) -> SentenceFit:
    own, others = _most([(one.own, 1.0), (own, 1.0)]), _most([(one.others, 1.0), (others, 1.0)])
    return SentenceFit(one.sentence, _share(asked, own), _share(asked, others))


def _weight_beside(row: Evidence, other: Evidence) -> float:
    """Return how much the words of another row count for the sentences of this one; its own are one thought."""
    if row is other or set(row.thought_ids) & set(other.thought_ids):
        return _SAME_THOUGHT
    is_talk = row.speaker and has_date(row.created_at) and abs(row.created_at - other.created_at) <= _ONE_TALK
    return _SAME_TALK if is_talk else 0.0


def _most(several: Iterable[tuple[_Held, float]]) -> dict[str, float]:
    most: dict[str, float] = {}
    for held, worth in several:
        for stem, credit in held.items():
            most[stem] = max(most.get(stem, 0.0), worth * credit)
    return most


def _share(asked: AnalysedQuestion, held: _Held) -> float:
    total = asked.weight
    return sum(asked.telling[stem] * credit for stem, credit in held.items()) / total if total else 0.0
