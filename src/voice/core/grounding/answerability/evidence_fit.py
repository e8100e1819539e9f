"""How well the evidence fits a question: what is said of its subject, and what is said of others.

Law: a sentence fits by the share of the question's telling words that it holds and speaks of the subject
(`reference_resolution`); what else the same thought says counts less, and what was said around it within minutes less
still. The best sentence counts, never a pool of all: words strewn over a memory are not a statement. The same is
measured of everybody else.

Source: ruling D5; DESIGN 5.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple, Self

from voice.core.grounding.answerability.analysed_question import AnalysedQuestion
from voice.core.grounding.answerability.evidence_sentences import EvidenceSentence, sentences_of
from voice.core.grounding.answerability.person_names import same_name
from voice.core.grounding.answerability.reference_resolution import Persons, persons_spoken_of
from voice.core.grounding.answerability.term_overlap import credit_of
from voice.core.grounding.values import Evidence
from voice.core.text.instants import has_date

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
    return credit_of(stem, frozenset({other}))


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
