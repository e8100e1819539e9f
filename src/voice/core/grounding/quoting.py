"""Which sentences of the evidence speak to a question, and how strongly.

Law: only whole sentences that the prompt showed, that claim something, and that speak to the question count; a sentence
that talks to a machine instead of remembering is never among them (ruling D22). The order is total, so the same
evidence always gives the same choice (promise 8). A sentence about somebody else than the person named says nothing
(ruling D5), however alike its words are.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import regex

from voice.core.grounding.asked import AskedKind, asked_kinds, brings
from voice.core.grounding.kinds import kind_of
from voice.core.grounding.passages import Passage, all_passages
from voice.core.grounding.support import support_of
from voice.core.grounding.values import Evidence
from voice.core.grounding.who import People, about_subject, people_of, proper_names, same_name
from voice.core.text.normalise import norm_v1
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, content_words, words

MIN_OVERLAP = 0.3
"""A sentence holds at least this share of the question's telling words, by weight."""
_KIND_BONUS = 0.15
_RANK_BONUS = 0.2
_NAME_BONUS = 0.2
_SUPERSEDED = 0.5
_MIN_CONTENT = 2
_FIRST = word_set(
    "i i'm i've i'd i'll im ive me my mine we we're we've our ours us ich wir mein meine mir mich unser uns yo mi"
)
_SECOND = word_set("you you're you've you'd your yours du dir dich dein deine ihr euch tu tus te")
_TO_A_MACHINE = regex.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|rule|prompt|above|previous|earlier|source)"
    r"|\b(?:coverage_?ratio|self_?reported|source_id|system (?:prompt|message)|as an? (?:ai|assistant|llm))\b"
    r"|\b(?:report|claim|set|state|output|return)\b.{0,30}\b(?:coverage|confidence|refused)\b"
    r"|</?(?:source|system|assistant|user|instructions?)\b",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as the choice of sentences sees it."""

    text: str
    content: tuple[Word, ...]
    topic: tuple[Word, ...]
    """The content words that are no names; the names where there is nothing else."""
    names: tuple[Word, ...]
    kinds: tuple[AskedKind, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the question read from `text`."""
        found = content_words(text)
        names = tuple(proper_names(text, words(text)))
        topic = tuple(word for word in found if word not in names)
        return cls(text=text, content=tuple(found), topic=topic or names, names=names, kinds=asked_kinds(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One sentence of the evidence that speaks to the question."""

    passage: Passage
    overlap: float
    """The share of the question's telling words that the sentence holds, by weight."""
    score: float

    @property
    def text(self) -> str:
        """The sentence, word for word."""
        return self.passage.text

    def is_of_another_source(self, other: "Quote") -> bool:
        """Return whether the two count as two sources: other rows, no thought in common, other words (ruling D2)."""
        ours, theirs = self.passage.row, other.passage.row
        shared = set(ours.thought_ids) & set(theirs.thought_ids)
        return ours.row_id != theirs.row_id and not shared and not self.repeats(other)

    def repeats(self, other: "Quote") -> bool:
        """Return whether the two sentences say the same in all but their smallest words."""
        ours, theirs = _content(self.passage), _content(other.passage)
        return norm_v1(self.text) == norm_v1(other.text) or len(ours & theirs) >= 0.8 * len(ours | theirs)


def rank_quotes(question: Question, evidence: Sequence[Evidence]) -> list[Quote]:
    """Return the sentences that speak to `question`, best first, each text once.

    Ties go to the later row, then to the lower alias and place.
    """
    best_rank = max((row.relevance for row in evidence), default=0.0)
    quotes = [_weigh(passage, question, best_rank) for row in evidence for passage in _speaking(row)]
    people = people_of(evidence)
    spoken = [
        quote
        for quote in quotes
        if quote.overlap >= MIN_OVERLAP and _is_about_them(quote.passage, question.names, people)
    ]
    spoken.sort(key=_order)
    seen: set[str] = set()
    return [quote for quote in spoken if (key := norm_v1(quote.text)) not in seen and not seen.add(key)]


def _order(quote: Quote) -> tuple[float, float, int, str, int]:
    row = quote.passage.row
    return -round(quote.score, 6), -row.created_at.timestamp(), len(row.alias), row.alias, quote.passage.start


def _speaking(row: Evidence) -> Iterator[Passage]:
    """Yield the sentences of `row` that were shown and that claim something in the person's own voice."""
    if _TO_A_MACHINE.search(row.text):
        return
    for passage in all_passages(row):
        claims = kind_of(passage.text) in ("claim", "quotation")
        if claims and passage.text in row.shown and len(_content(passage)) >= _MIN_CONTENT:
            yield passage


def _weigh(passage: Passage, question: Question, best_rank: float) -> Quote:
    row = passage.row
    overlap = 1.0 - support_of(question.topic, [passage]).features.lacking if question.topic else 0.0
    score = (
        overlap
        + _NAME_BONUS * _share_of_names(passage, question.names)
        + (_RANK_BONUS * row.relevance / best_rank if best_rank > 0 else 0.0)
    )
    if any(brings(kind, replace(row, text=passage.text)) for kind in question.kinds):
        score += _KIND_BONUS
    return Quote(passage=passage, overlap=overlap, score=score if row.valid_until is None else score * _SUPERSEDED)


def _is_about_them(passage: Passage, names: Sequence[Word], people: People) -> bool:
    """Return whether a sentence may be about those named: one names it, or it is by or about the only one."""
    if names and not _share_of_names(passage, names):
        return False
    if len(names) != 1 or not people.find(names[0].key):
        return True
    return not _is_said_to_another(passage) and bool(about_subject(names[0].text, names, [passage], people))


def _is_said_to_another(passage: Passage) -> bool:
    """Return whether the speaker talks about the one spoken to ("your store looks great") and not of themselves."""
    keys = {word.key for word in passage.words}
    return passage.speaker is not None and bool(keys & _SECOND) and not keys & _FIRST


def _share_of_names(passage: Passage, names: Sequence[Word]) -> float:
    held = passage.stems | {word.key for word in passage.words}
    named = [name for name in names if {name.stem, name.key} & held or _is_alike(name, held)]
    return len(named) / len(names) if names else 0.0


def _is_alike(name: Word, held: Iterable[str]) -> bool:
    return any(same_name(name.key, key) for key in held)


def _content(passage: Passage) -> frozenset[str]:
    return frozenset(word.stem for word in passage.words if not word.is_stop)
