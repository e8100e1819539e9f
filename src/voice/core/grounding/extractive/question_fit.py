"""Question analysis, and how well evidence fits a question.

Law: a sentence scores by the weighted share of the question's content words that it says about the subject; other
sentences of the same thought, then of the same talk, count less. The best sentence counts, never a pool of all.
The subject is the one speaker a question names, or the owner for "I" or "my"; otherwise there is none.
Source: ruling D5; DESIGN 5; ruling E (words of mood or kind rank, they never exclude).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, lru_cache
from itertools import dropwhile, pairwise, repeat, takewhile
from typing import Literal, NamedTuple, Self, cast

import regex

from voice.core.grounding.extractive.evidence_sentences import (
    OWNER,
    EvidenceSentence,
    People,
    Persons,
    asked_names,
    is_owner,
    match_credit,
    people_of,
    persons_spoken_of,
    same_name,
    sentences_of,
    synonyms_of,
)
from voice.core.grounding.values import Evidence
from voice.core.text.instants import has_date
from voice.core.text.language_data import (
    entries,
    every_phrase,
    every_word,
    language_tables,
    phrase_pattern,
    word_weight,
)
from voice.core.text.numbers import quantities
from voice.core.text.words import Word, stems_in, words

_CATEGORY = 0.4
"""Weight of the noun that names the wanted category ("what spice"): an answer need not repeat it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedQuestion:
    """A question, analysed for comparison with evidence."""

    subject: str | None
    """A known first name, `OWNER`, or None if it is not about one person."""
    telling: Mapping[str, float]
    """Content stems with their weights."""
    people: People
    persons: frozenset[str]
    """Those of `people` whom it names."""

    @classmethod
    def of(cls, question: str, evidence: Sequence[Evidence]) -> Self:
        """Analyse `question` with the speakers of `evidence`."""
        found = words(question)
        people = people_of([row for row in evidence if row.speaker])
        named = [word for word in asked_names(question, found, evidence) if people.find(word.key)]
        persons = {name for word in named if (name := people.find(word.key)) and not is_owner(name)}
        subject = None
        if len(persons) == 1:
            subject = next(iter(persons))
        elif not persons and _is_about_the_asker(found):
            subject = OWNER
        categories, silent = {word.stem for word in _category_words(found)}, words_of_no_topic()
        content = [w for w in found if not (w.is_stop or w.is_number or w in named or w.key in silent)]
        telling = {w.stem: word_weight(w.stem) * (_CATEGORY if w.stem in categories else 1.0) for w in content}
        return cls(subject=subject, telling=telling, people=people, persons=frozenset(persons))

    @property
    def weight(self) -> float:
        """Sum of the weights."""
        return sum(self.telling.values())

    @property
    def is_compared(self) -> bool:
        """Whether others speak too, so that statements on the subject can be compared with theirs."""
        return (
            self.subject is not None
            and bool(self.telling)
            and any(not is_owner(name) if self.subject == OWNER else name != self.subject for name in self.people.names)
        )

    @property
    def is_of_who_speaks(self) -> bool:
        """Whether it is about a speaker, or about the owner among other speakers."""
        return bool(self.persons) or self.is_compared


def _is_about_the_asker(found: Sequence[Word]) -> bool:
    """Return whether a question is about "I" or "my"; "what did I write about …" and "tell me" only ask."""
    pairs = pairwise((*(word.key for word in found), ""))
    own, asking = every_word("persons", "first_singular"), every_word("questions", "asking", "rows")
    return any(key in own and after not in asking for key, after in pairs)


def words_of_no_topic() -> frozenset[str]:
    """Return the words that carry no topic: question words, times, categories, manners."""
    return every_word("questions", "asking", "rows", "light") | every_word("names", "not_names")


def _category_words(found: Sequence[Word]) -> Iterator[Word]:
    which = every_word("questions", "which")
    rest = list(dropwhile(lambda word: word.key not in which, found))[1:]
    has_verb = bool(rest) and rest[0].key in every_word("questions", "being")  # "which are the …"
    rest = list(dropwhile(lambda word: word.is_stop, rest)) if has_verb else rest
    connecting = every_word("questions", "goes_on")
    return takewhile(lambda word: not word.is_stop or word.key in connecting, rest)


_FAR = 400
"""Maximum characters between the opening of a question for money and its deciding word."""
Amount = Literal["number", "money"]
AnswerType = Literal["time"] | Amount


def answer_types(question: str) -> tuple[AnswerType, ...]:
    """Return the answer types asked for, in order; none for "what", "why"; money admits no other number."""
    time: tuple[AnswerType, ...] = ("time",) if _phrase("time").search(question) else ()
    if _asks_for_money(question):
        return (*time, "money")
    return (*time, "number") if _phrase("number").search(question) else time


def may_ask_for_money(question: str) -> bool:
    """Return whether a question asks for money, or for an amount that may be one: "How much is the rent?"."""
    return _asks_for_money(question) or bool(_phrase("perhaps_price").search(question))


def holds_amount(kind: Amount, text: str) -> bool:
    """Return whether a text contains such an amount; lenient, so that False is certain."""
    if kind == "number":
        return bool(quantities(text)) or bool(_phrase("amounts").search(text))
    is_money = any(map(text.__contains__, entries("answer_types", "signs"))) or bool(_phrase("currencies").search(text))
    return is_money or (bool(_phrase("paid").search(text)) and bool(quantities(text)))


class PlacedLine(NamedTuple):
    """A sentence or line with the path it is under."""

    text: str
    path: str


def holds_price(wanted: Collection[str], lines: Iterable[PlacedLine]) -> bool:
    """Return whether one of consecutive lines states money for the wanted topic words.

    The line must contain a topic word or be under one, or directly follow such a line and name nothing else before its
    amount: "The kiln came in May. It cost 900 euros."
    """
    topic, lines = set(wanted) - _money_stems(), list(lines)
    tells_price = any(_tells_price(f"{line.path}\n{line.text}") for line in lines)
    follows_topic = False
    for line in lines:
        stems = stems_in(f"{line.path}\n{line.text}")
        is_on_topic = not topic or any(match_credit(stem, stems) >= _HALF for stem in topic)
        # Any number in a table row may be money, where something near it speaks of money.
        is_price = tells_price and line.text.startswith("|") and bool(quantities(line.text))
        is_money = holds_amount("money", line.text) or is_price
        if is_money and (is_on_topic or (follows_topic and _names_only(topic, line.text))):
            return True
        follows_topic = is_on_topic
    return False


def _tells_price(text: str) -> bool:
    """Return whether a text speaks of money, or is the head of a column of it."""
    is_signed = any(map(text.__contains__, entries("answer_types", "signs")))
    return is_signed or any(_phrase(key).search(text) for key in ("columns", "paid", "currencies"))


def words_of_payment() -> frozenset[str]:
    """Return the stems of the words beside which a number is money: a price tells what was paid."""
    return stems_in(" ".join(entries("answer_types", "paid")))


def _names_only(topic: Collection[str], line: str) -> bool:
    """Return whether a line names nothing but the topic before its amount."""
    known = {*topic, *_money_stems()}
    until = min((each.start for each in quantities(line)), default=len(line))
    return all(word.is_stop or word.is_number or word.stem in known for word in words(line[:until]))


def with_words_of_money(stems: frozenset[str]) -> frozenset[str]:
    """Return the stems of a text with the synonyms of its words for money: a column "price" tells what things cost."""
    return stems.union(*(synonyms_of(stem) for stem in stems & _money_stems()))


@cache
def _money_stems() -> frozenset[str]:
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
    """Return the openings of two-part questions for money with their second words."""
    tables = language_tables("answer_types").values()
    return [pair for table in tables for pair in cast("list[Mapping[str, list[str]]]", table.get("money", []))]


_SAME_THOUGHT = 0.6
_SAME_TALK = 0.5
_ONE_TALK = timedelta(seconds=130)
"""Maximum distance between rows of one exchange."""
_HALF = 0.5

_Credits = Mapping[str, float]
"""Stems of the question, with their match credit, 0-1."""
_Matches = Mapping[str, Sequence[tuple[str, float]]]
"""Stems of sentences, with the question stems they match and the credit."""


class _SentenceCredits(NamedTuple):
    """Match credits of one sentence, for the subject and for others."""

    sentence: EvidenceSentence
    own: _Credits
    others: _Credits


class SentenceFit(NamedTuple):
    """One sentence with the share of the question it says of the subject and of others."""

    sentence: EvidenceSentence
    own: float
    others: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFit:
    """A question and its matches in the evidence."""

    question: AnalysedQuestion
    sentences: tuple[SentenceFit, ...]
    lacking: tuple[str, ...]
    """The question stems not matched by anything on the subject."""

    @classmethod
    def of(cls, question: str, evidence: Sequence[Evidence]) -> Self:
        """Score the shown sentences of `evidence` against a question."""
        asked = AnalysedQuestion.of(question, evidence)
        sentences = [each for row in evidence for each in sentences_of(row) if each.text in row.shown]
        found = (
            (stem, [(other, credit) for other in asked.telling if (credit := _match(other, stem))])
            for stem in {word.stem for each in sentences for word in each.words}
        )
        matches: _Matches = {stem: matched for stem, matched in found if matched}
        scores = [_credits(each, asked, matches) for each in sentences]
        pool = _most((one.own, 1.0) for one in scores)
        return cls(
            question=asked,
            sentences=_sentence_fits(scores, asked),
            lacking=tuple(stem for stem in asked.telling if pool.get(stem, 0.0) < _HALF),
        )


@lru_cache(maxsize=65_536)
def _match(stem: str, other: str) -> float:
    return match_credit(stem, frozenset({other}))


def _credits(sentence: EvidenceSentence, asked: AnalysedQuestion, matches: _Matches) -> _SentenceCredits:
    own: dict[str, float] = {}
    others: dict[str, float] = {}
    if any(word.stem in matches for word in sentence.words):
        whom = repeat(None) if asked.subject is None else persons_spoken_of(sentence, asked.people)
        for word, who in zip(sentence.words, whom, strict=False):
            for stem, credit in matches.get(word.stem, ()):
                for side in _sides(asked.subject, who, own, others):
                    side[stem] = max(side.get(stem, 0.0), credit)
    return _SentenceCredits(sentence, own, others)


def _sides(
    subject: str | None, who: Persons | None, own: dict[str, float], others: dict[str, float]
) -> tuple[dict[str, float], ...]:
    """Return the sides that a word counts for; both if it may be about anyone."""
    if subject is None:
        return (own,)
    if who is None:
        return (own, others)
    is_own = subject in who or any(person and subject and same_name(subject, person) for person in who)
    return (own,) if is_own else (others,)


def _sentence_fits(scores: Sequence[_SentenceCredits], asked: AnalysedQuestion) -> tuple[SentenceFit, ...]:
    """Score each sentence; context is computed once per row."""
    rows = {id(one.sentence.row): one.sentence.row for one in scores}
    by_row: dict[int, list[_SentenceCredits]] = {}
    for one in scores:
        if one.own or one.others:
            by_row.setdefault(id(one.sentence.row), []).append(one)
    row_credits = [
        (rows[key], _most((one.own, 1.0) for one in several), _most((one.others, 1.0) for one in several))
        for key, several in by_row.items()
    ]
    around = {key: _credits_around(row, row_credits) for key, row in rows.items()}
    fits: list[SentenceFit] = []
    for one in scores:
        own, others = around[id(one.sentence.row)]
        own, others = _most([(one.own, 1.0), (own, 1.0)]), _most([(one.others, 1.0), (others, 1.0)])
        fits.append(SentenceFit(one.sentence, _share(asked, own), _share(asked, others)))
    return tuple(fits)


def _credits_around(
    row: Evidence, rows: Sequence[tuple[Evidence, _Credits, _Credits]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the weighted matches of a row and its neighbours, for the subject and for others."""
    near = [(own, others, weight) for other, own, others in rows if (weight := _neighbour_weight(row, other))]
    return _most((own, weight) for own, _, weight in near), _most((others, weight) for _, others, weight in near)


def _neighbour_weight(row: Evidence, other: Evidence) -> float:
    """Return the weight of another row's words: same thought, same talk, or 0."""
    if row is other or set(row.thought_ids) & set(other.thought_ids):
        return _SAME_THOUGHT
    is_talk = row.speaker and has_date(row.created_at) and abs(row.created_at - other.created_at) <= _ONE_TALK
    return _SAME_TALK if is_talk else 0.0


def _most(several: Iterable[tuple[_Credits, float]]) -> dict[str, float]:
    most: dict[str, float] = {}
    for scores, weight in several:
        for stem, credit in scores.items():
            most[stem] = max(most.get(stem, 0.0), weight * credit)
    return most


def _share(asked: AnalysedQuestion, scores: _Credits) -> float:
    return sum(asked.telling[stem] * credit for stem, credit in scores.items()) / (asked.weight or 1.0)
