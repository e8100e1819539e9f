"""Which sentences of the evidence speak to a question, and how strongly.

Law: only whole sentences that the prompt showed, that claim something, and that speak to the question count; a sentence
that talks to a machine instead of remembering is never among them (ruling D22). The order is total, so the same
evidence always gives the same choice (promise 8). A sentence about somebody else than the person named says nothing
(ruling D5), however alike its words are; one without a sum of money does not say what a thing cost. A question that
asks only what was at a time is about everything of that time, the most telling first (ruling E).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self

import regex

from voice.core.grounding.answerability.asked import ASKING, PRICING, AskedKind, asked_kinds, says
from voice.core.grounding.answerability.clauses import is_finite
from voice.core.grounding.answerability.fit import Reading
from voice.core.grounding.answerability.headings import is_title
from voice.core.grounding.answerability.inquiry import Inquiry
from voice.core.grounding.answerability.kinds import kind_of
from voice.core.grounding.answerability.passages import MOST_READ, Passage, all_passages
from voice.core.grounding.answerability.support import credited_share
from voice.core.grounding.answerability.who import asked_names, proper_names, same_name
from voice.core.grounding.answerability.word_use import asked_use, is_used_otherwise
from voice.core.grounding.conflicts import has_ended
from voice.core.grounding.values import Evidence
from voice.core.text.instructions import instruction_in
from voice.core.text.normalise import norm_v1
from voice.core.text.numbers import quantities
from voice.core.text.patterns import late_pattern
from voice.core.text.stems import stem_of
from voice.core.text.tables import is_header
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

MIN_FIT = 0.35
"""The best sentence holds at least this share of the question's telling words, by weight…"""
_MUCH = 6.0
"""…or, of a long question, which tells a story before it asks, as much as two rare words."""
NEARLY = 0.45
"""What speaks to a question, too, fits it by this share of what the best sentence does."""
_FIT = 0.5
_OF_OTHERS = 0.3
_KIND_BONUS = 0.3
_RANK_BONUS = 0.5
_NAME_BONUS = 0.2
_CONTEXT_CREDIT = 0.5
"""What a question's word counts that stands in another sentence of the same thought…"""
_ALONE = 0.35
_WHOLE = 0.9
"""…when the sentence itself holds this share of the question's words."""
_NAME_STEM = 3
_MOST_NAMES = 40
"""Names of a question that are looked for; nobody asks about more at once."""
"""A shorter stem of a name is another word: "Ines" is not "in"."""
_NEAR_BEST = 0.65
"""A row with this share of the best row's retrieval score is near it."""
_ENDED = 0.5
_OF_THE_GRAPH = 0.9
"""An entity or a described relation beside a sentence: it says the same and reads worse…"""
_BARE_EDGE = 0.5
"""…and a relation without a description says little more than that two things have to do with each other."""
_DOING = word_set("give gave given leave left get got take took taken make made keep kept come came go went")
"""Verbs too common to search by, which yet say what is asked: what somebody gave is not what they made."""
_GOING = word_set("go goes going went gone been be fahren gefahren fuhr ging gegangen ir fui fuimos")
"""Whoever asks whether one went to a named place is answered by any way of having been there."""
_MIN_CONTENT = 2
_IS_NOW = late_pattern(
    r"\b(?:is|are|am|do|does|has|have|now|currently|ist|sind|bin|hat|habe|jetzt|derzeit|aktuell|es|son|soy|está|están"
    r"|estoy|tiene|tengo|ahora)\b|\b(?:who|what|where|how)['’]s\b",
    regex.IGNORECASE,
)
_WAS = late_pattern(
    r"\b(?:did|was|were|had|been|used to|first|originally|formerly|previous\w*|before|ago|ever|war|waren|wurden?"
    r"|hatten?|früher|zuerst|fue|era|fueron|antes)\b",
    regex.IGNORECASE,
)
_BEFORE = late_pattern(
    r"\b(?:first|originally|formerly|former|previous\w*|before|used to|früher\w*|zuerst|vorher|antes)\b",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as the choice of sentences sees it."""

    text: str
    content: tuple[Word, ...]
    topic: tuple[Word, ...]
    """The content words that are no names and do not merely ask; the names where there is nothing else."""
    names: tuple[Word, ...]
    kinds: tuple[AskedKind, ...]
    now: datetime | None = None
    """When it is asked; None is not known."""

    @classmethod
    def of(cls, text: str, evidence: Sequence[Evidence] = (), *, now: datetime | None = None) -> Self:
        """Return the question read from `text`.

        Args:
            text: the question.
            evidence: rows whose names are known; German tells names from nouns by nothing else.
            now: when it is asked, if that is known.
        """
        text = text[:MOST_READ]
        found = words(text)
        content = tuple(word for word in found if not word.is_stop)
        names = tuple(asked_names(text, found, evidence))
        told = (word._replace(stem=stem_of(word.key)) for word in found if not word.is_stop or word.key in _DOING)
        within = {name.start for name in names} | {word.start for word in _particles(found, names)}
        light = ASKING | _GOING if names else ASKING
        topic = tuple(word for word in told if word.start not in within and word.key not in light)
        return cls(text=text, content=content, topic=topic or names, names=names, kinds=asked_kinds(text), now=now)

    @property
    def is_open(self) -> bool:
        """Whether it names nothing that it is about: "What happened?"."""
        return not self.topic

    @property
    def is_of_now(self) -> bool:
        """Whether it asks what is, and not what was: "Who is my manager?"."""
        return _IS_NOW.search(self.text) is not None and not self.is_of_past

    @property
    def is_of_past(self) -> bool:
        """Whether it asks what was: "Where did we stay?"."""
        return _WAS.search(self.text) is not None

    @property
    def is_of_before(self) -> bool:
        """Whether it asks what was at first, or before something else: "Who was my first manager?"."""
        return _BEFORE.search(self.text) is not None


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
        ours, theirs = content_of(self.passage), content_of(other.passage)
        return norm_v1(self.text) == norm_v1(other.text) or len(ours & theirs) >= 0.8 * len(ours | theirs)


def rank_quotes(
    question: Question, quotes: Sequence[Quote], reading: Reading, *, nearly: float = NEARLY
) -> list[Quote]:
    """Return the sentences that speak to `question`, best first, each text once; all of them when it is open.

    They are those that fit it nearly as well as the best one (`fit`) and say no more of somebody else than of whom it
    asks about. Ties go to the later row, then to the lower alias and place.

    Args:
        question: the question.
        quotes: what `weigh_quotes` made of the rows of the prompt.
        reading: the question read over the same rows.
        nearly: the share of the best sentence's fit that is nearly as well.
    """
    spoken = list(quotes) if question.is_open else _fitting(quotes, reading, nearly)
    if "money" in question.kinds:
        priced = [word for word in question.topic if word.key not in PRICING]
        spoken = [
            quote
            for quote in spoken
            if _states("money", quote.passage, question) and is_of_the_thing(quote.passage, priced)
        ]
    spoken = _not_of_another(spoken, question.names)
    spoken.sort(key=_order)
    use = asked_use(question.text)
    if use is not None:
        word, kind = use
        spoken = [quote for quote in spoken if not is_used_otherwise(stem_of(word), kind, quote.passage.words)]
    seen: set[str] = set()
    return [quote for quote in spoken if (key := norm_v1(quote.text)) not in seen and not seen.add(key)]


def _not_of_another(quotes: list[Quote], names: Sequence[Word]) -> list[Quote]:
    """Return the sentences without those of somebody else, where one of whom was asked about holds all that is asked.

    Whom a memory knows stands in no table: "Piet works …" is of Piet because a name begins it and a verb follows.
    """
    if not any(quote.overlap >= _WHOLE and names_all([quote.passage], names) for quote in quotes):
        return quotes
    return [quote for quote in quotes if names_all([quote.passage], names) or not _is_of_another(quote.passage, names)]


def _is_of_another(passage: Passage, names: Sequence[Word]) -> bool:
    """Return whether a sentence begins with the name of somebody who was not asked about."""
    found = passage.words
    if len(found) < 2 or not (is_finite(found[1]) or found[1].text.endswith(("'s", "’s"))):
        return False
    first = found[0]
    is_asked = any(first.stem == name.stem or same_name(first.key, name.key) for name in names)
    return not is_asked and first in proper_names(passage.text, found)


def _fitting(quotes: Sequence[Quote], reading: Reading, nearly: float) -> list[Quote]:
    """Return the sentences that fit the question, weighed by it and by whom they speak of."""
    asked = reading.asked
    fits = {(one.passage.row.alias, one.passage.start): one for one in reading.fit.sentences}
    weighed = [(quote, fits[quote.passage.row.alias, quote.passage.start]) for quote in quotes if quote.overlap]
    best = max((fit.own for fit in fits.values()), default=0.0)
    if not _is_enough(best, asked):
        return []
    return [
        replace(quote, score=quote.score + _FIT * (fit.own - quote.overlap) - _OF_OTHERS * fit.others)
        for quote, fit in weighed
        if fit.own >= nearly * best and (fit.own >= fit.others or asked.subject is None)
    ]


def _is_enough(share: float, asked: Inquiry) -> bool:
    """Return whether the best sentence holds enough of a question: a share of it, or much of a long one."""
    return share >= MIN_FIT or share * asked.weight >= _MUCH


def weigh_quotes(question: Question, evidence: Sequence[Evidence]) -> list[Quote]:
    """Return every sentence of `evidence` that claims something, in its order, weighed by `question`."""
    best_rank = max((row.relevance for row in evidence), default=0.0)
    context = _contexts(evidence)
    return [
        _weigh(passage, question, best_rank, frozenset[str]().union(*(context[thought] for thought in row.thought_ids)))
        for row in evidence
        for passage in _speaking(row)
    ]


def beside(question: Question, quotes: Sequence[Quote], *, within_time: bool) -> list[Quote]:
    """Return sentences that may stand beside one that answers: of what retrieval put near the best of its rows.

    They hold everything that was named and the kind of thing asked for, or are of the time that was asked about.
    """
    best = max((quote.passage.row.relevance for quote in quotes), default=0.0)
    near = [
        quote
        for quote in quotes
        if quote.passage.row.relevance >= _NEAR_BEST * best > 0
        and quote.passage.row.source_type == "kg_observation"
        and (_answers_alike(quote.passage, question) if question.names else within_time)
    ]
    return sorted(near, key=_order)


def _particles(found: Sequence[Word], names: Sequence[Word]) -> list[Word]:
    """Return the small words between the parts of a name: "Campo de Ourique"."""
    inside = zip(found, found[1:], found[2:], strict=False)
    return [word for before, word, after in inside if before in names and after in names and word not in names]


def _answers_alike(passage: Passage, question: Question) -> bool:
    told = any(_states(kind, passage, question) for kind in question.kinds if kind != "number")
    return told and names_all([passage], question.names)


def _held(passage: Passage) -> frozenset[str]:
    """Return every stem the sentence stands for, those of its commonest verbs included."""
    return passage.stems | {stem_of(word.key) for word in passage.words if word.key in _DOING}


def _contexts(evidence: Sequence[Evidence]) -> dict[str, frozenset[str]]:
    """Return, by thought, the stems of all that the evidence holds of it."""
    held: dict[str, frozenset[str]] = {}
    for row in evidence:
        stems = frozenset(word.stem for word in words(row.text))
        for thought in row.thought_ids:
            held[thought] = held.get(thought, frozenset()) | stems
    return held


def _order(quote: Quote) -> tuple[float, float, int, str, int]:
    row = quote.passage.row
    return -round(quote.score, 6), -row.created_at.timestamp(), len(row.alias), row.alias, quote.passage.start


def _speaking(row: Evidence, least: int = _MIN_CONTENT) -> Iterator[Passage]:
    """Yield the sentences of `row` that were shown and that claim something in the person's own voice."""
    if instruction_in(row.text):
        return
    for passage in all_passages(row):
        claims = kind_of(passage.text) in ("claim", "quotation")
        claims = claims and not is_header(row.text, passage.end) and not is_title(passage.text)
        if claims and passage.text in row.shown and len(content_of(passage)) >= least:
            yield passage


def _weigh(passage: Passage, question: Question, best_rank: float, context: frozenset[str]) -> Quote:
    row = passage.row
    overlap = 1.0 if question.is_open else _overlap(question.topic, _held(passage), context)
    score = (
        overlap
        + _NAME_BONUS * _share_of_names(passage, question.names)
        + (_RANK_BONUS * row.relevance / best_rank if best_rank > 0 else 0.0)
    )
    if any(_states(kind, passage, question) for kind in question.kinds):
        score += _KIND_BONUS
    if question.is_open:
        score += _KIND_BONUS * credited_share(question.content, _held(passage))
    return Quote(passage=passage, overlap=overlap, score=score * _worth(row, question.now))


def _overlap(topic: Sequence[Word], held: frozenset[str], context: frozenset[str]) -> float:
    alone = credited_share(topic, held)
    if alone < _ALONE:
        return alone
    return alone + _CONTEXT_CREDIT * (credited_share(topic, held | context) - alone)


def _worth(row: Evidence, now: datetime | None) -> float:
    """Return the factor for what a row is: sentences before graph, what holds before what has ended."""
    held = _ENDED if has_ended(row, now) else 1.0
    if row.source_type == "kg_observation":
        return held
    return held * (_BARE_EDGE if row.source_type == "kg_relation" and ": " not in row.text else _OF_THE_GRAPH)


def is_of_the_thing(passage: Passage, telling: Sequence[Word]) -> bool:
    """Return whether a sentence or its note holds anything of what is priced; true where nothing is named.

    Args:
        passage: the sentence.
        telling: the words of a question or claim that say what it is of.
    """
    held = _held(passage) | frozenset(word.stem for word in words(passage.row.text))
    return not telling or credited_share(telling, held) > 0


def _states(kind: AskedKind, passage: Passage, question: Question) -> bool:
    """Return whether the sentence itself says it, whatever is known of its row; a person is not one already named."""
    if kind == "number":
        return bool(quantities(passage.text, passage.words))
    if kind == "person":
        asked = {word.key for word in question.names}
        return any(word.key not in asked for word in proper_names(passage.text, passage.words))
    return says(kind, " ".join((passage.text, *passage.header)))


def names_all(passages: Sequence[Passage], names: Sequence[Word]) -> bool:
    """Return whether the sentences together hold every name of a question, in their words, speakers and entities."""
    return all(any(_holds(passage, name) for passage in passages) for name in names[:_MOST_NAMES])


def _share_of_names(passage: Passage, names: Sequence[Word]) -> float:
    first = names[:_MOST_NAMES]
    return sum(_holds(passage, name) for name in first) / len(first) if first else 0.0


def _holds(passage: Passage, name: Word) -> bool:
    held = passage.stems | {word.key for word in passage.words}
    called = {name.key} if len(name.stem) < _NAME_STEM else {name.stem, name.key}
    return bool(called & held) or any(same_name(name.key, key) for key in held)


def content_of(passage: Passage) -> frozenset[str]:
    """Return the stems of the sentence's own content words."""
    return frozenset(word.stem for word in passage.words if not word.is_stop)
