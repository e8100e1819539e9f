"""Whether a question can be grounded at all, asked before anything is paid for.

Law: evidence must hold the names the question holds, say something of what it asks about, bring the kind of thing it
asks for, and, when it names one person, be by or about that person (ruling D5). The rule is made to be right when it
refuses: in doubt the turn goes on, and the draft is judged afterwards. Retrieval scores play no part; they do not
separate answerable from unanswerable questions (DESIGN 5).

Measured: docs/grounding.md, "Answerability".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from voice.core.grounding.asked import AskedKind, asked_kinds, brings
from voice.core.grounding.passages import Passage, all_passages
from voice.core.grounding.values import Evidence, GroundingPolicy, RefusalReason
from voice.core.grounding.who import asked_names, is_of_person, only_person, people_of, same_name
from voice.core.text.background import weight_of
from voice.core.text.synonyms import synonyms_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_SUBJECT_SURE = 0.5
"""A row that holds this share of what is asked about is taken to be what the question means."""
_SUBJECT_OWN = 0.7
"""Rows by or about the named person that hold this share of the best row's are evidence of their own."""
_LEAST_TOPIC = 0.2
"""Below this share of the question's telling words, held by the best row, nothing was said about it."""
_TELLING = 6.0
"""The least weight of a question's words from which their absence says that the subject is unknown."""
_ASKING = word_set(
    "kind type sort name date day month year time reason way thing place person people many often old long tell "
    "describe mention say said know think feel likely might would could happen happened"
)
_KIND_WORDS: dict[AskedKind, str] = {
    "time": "when",
    "number": "how many",
    "money": "how much",
    "person": "who",
    "place": "where",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """Whether to go on, and if not, why."""

    ok: bool
    reason: RefusalReason = RefusalReason.NO_SOURCES
    missing: str | None = None
    """What the memory lacks, in words; None when it can be tried."""


class _Row(NamedTuple):
    row: Evidence
    passages: tuple[Passage, ...]
    stems: frozenset[str]
    share: float
    """The share of the question's telling words that it holds, itself or by synonyms."""


def can_be_grounded(
    question: str, evidence: Sequence[Evidence], policy: GroundingPolicy, *, entity_names: Sequence[str] = ()
) -> Answerability:
    """Return whether `evidence` may ground an answer to `question` (ruling D5).

    Args:
        question: the person's question.
        evidence: the rows that would be shown.
        policy: with fewer distinct rows than it demands, no answer could pass.
        entity_names: names of the graph's entities and their aliases; a lower-case one in the question counts.
    """
    if not evidence:
        return _no(RefusalReason.NO_SOURCES, "the memory holds nothing that matches this question")
    if len({row.content_hash for row in evidence}) < policy.min_sources and policy.single_source == "off":
        return _no(RefusalReason.TOO_FEW_SOURCES, f"fewer than {policy.min_sources} sources match this question")
    asked = words(question)
    names = _names(question, asked, entity_names)
    topics = _topics(asked, names)
    rows = [_look(row, topics) for row in evidence]
    if name := _missing_name(names, rows):
        return _no(RefusalReason.NO_SOURCES, f"no source mentions {_bare(name)}")
    if sum(topics.values()) >= _TELLING and max(row.share for row in rows) < _LEAST_TOPIC:
        return _no(RefusalReason.NO_SOURCES, "no source speaks of what the question asks about")
    if (person := only_person(names, people_of(evidence))) and _is_about_another(person, rows, topics):
        return _no(RefusalReason.NO_SOURCES, f"what the sources say of this is not about {_bare(person)}")
    on_topic = [row for row in rows if row.share >= _LEAST_TOPIC] or rows
    for kind in asked_kinds(question):
        if not any(brings(kind, row.row) for row in on_topic):
            return _no(RefusalReason.NO_SOURCES, f"no source on this says {_KIND_WORDS[kind]}")
    return Answerability(ok=True)


def _no(reason: RefusalReason, missing: str) -> Answerability:
    return Answerability(ok=False, reason=reason, missing=missing)


def _bare(name: Word) -> str:
    """Return the name as the question writes it, without a possessive ending."""
    return name.text.removesuffix("'s").removesuffix("’s")


def _names(question: str, asked: Sequence[Word], entity_names: Sequence[str]) -> list[Word]:
    known = {word.key for name in entity_names if name[:1].isupper() for word in words(name) if not word.is_stop}
    named = asked_names(question, asked, ())
    return named + [word for word in asked if word not in named and word.key in known and word.is_capital]


def _topics(asked: Sequence[Word], names: Sequence[Word]) -> dict[str, float]:
    own = {name.stem for name in names}
    return {
        word.stem: weight_of(word.stem)
        for word in asked
        if not word.is_stop and word.stem not in own and word.key not in _ASKING
    }


def _look(row: Evidence, topics: dict[str, float]) -> _Row:
    passages = tuple(all_passages(row))
    stems = frozenset[str]().union(*(passage.stems for passage in passages))
    total = sum(topics.values())
    held = sum(weight for stem, weight in topics.items() if stem in stems or synonyms_of(stem) & stems)
    return _Row(row, passages, stems, held / total if total else 0.0)


def _missing_name(names: Sequence[Word], rows: Sequence[_Row]) -> Word | None:
    for name in names:
        if not any(name.stem in row.stems or any(same_name(name.key, stem) for stem in row.stems) for row in rows):
            return name
    return None


def _is_about_another(person: Word, rows: Sequence[_Row], topics: dict[str, float]) -> bool:
    """Return whether what the question means was said by or of somebody else, and little like it of `person`."""
    own = max((row.share for row in rows if _is_of(person, row, topics)), default=0.0)
    others = max((row.share for row in rows if not _is_of(person, row, topics)), default=0.0)
    return others >= _SUBJECT_SURE and own < _SUBJECT_OWN * others


def _is_of(person: Word, row: _Row, topics: dict[str, float]) -> bool:
    """Return whether a sentence of the row on the subject is by the person, about them or to them."""
    on_topic = [passage for passage in row.passages if passage.stems & topics.keys()] or row.passages
    return any(is_of_person(person.key, passage) for passage in on_topic)
