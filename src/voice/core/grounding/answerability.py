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
from voice.core.grounding.passages import speaker_of
from voice.core.grounding.values import Evidence, GroundingPolicy, RefusalReason
from voice.core.grounding.who import proper_names, same_name
from voice.core.text.background import weight_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_SUBJECT_SURE = 0.6
"""A row that holds this share of what is asked about is taken to be what the question means."""
_SUBJECT_OWN = 0.5
"""Rows of the named person that hold at least this share of the best row's are evidence of their own."""
_LEAST_TOPIC = 0.2
"""Below this share of the question's telling words, held by the best row, nothing was said about it."""
_ASKING = word_set(
    "kind type sort name date day month year time reason way thing place person people many often old long tell "
    "describe mention say said know think feel likely might would could happen happened"
)
_KIND_WORDS: dict[AskedKind, str] = {"time": "when", "number": "how many", "person": "who", "place": "where"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """Whether to go on, and if not, why."""

    ok: bool
    reason: RefusalReason = RefusalReason.NO_SOURCES
    missing: str | None = None
    """What the memory lacks, in words; None when it can be tried."""


class _Row(NamedTuple):
    row: Evidence
    stems: frozenset[str]
    keys: frozenset[str]
    share: float
    """The share of the question's telling words that it holds."""


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
    if topics and max(row.share for row in rows) < _LEAST_TOPIC:
        return _no(RefusalReason.NO_SOURCES, "no source speaks of what the question asks about")
    if (person := _only_person(names, evidence)) and _is_about_another(person, rows):
        return _no(RefusalReason.NO_SOURCES, f"what the sources say of this is not about {_bare(person)}")
    for kind in asked_kinds(question):
        if not any(brings(kind, row.row) for row in rows if row.share >= _LEAST_TOPIC or not topics):
            return _no(RefusalReason.NO_SOURCES, f"no source on this says {_KIND_WORDS[kind]}")
    return Answerability(ok=True)


def _no(reason: RefusalReason, missing: str) -> Answerability:
    return Answerability(ok=False, reason=reason, missing=missing)


def _bare(name: Word) -> str:
    """Return the name as the question writes it, without a possessive ending."""
    return name.text.removesuffix("'s").removesuffix("’s")


def _names(question: str, asked: Sequence[Word], entity_names: Sequence[str]) -> list[Word]:
    known = {word.key for name in entity_names if name[:1].isupper() for word in words(name) if not word.is_stop}
    named = proper_names(question, asked)
    return named + [word for word in asked if word not in named and word.key in known and word.is_capital]


def _topics(asked: Sequence[Word], names: Sequence[Word]) -> dict[str, float]:
    own = {name.stem for name in names}
    return {
        word.stem: weight_of(word.stem)
        for word in asked
        if not word.is_stop and word.stem not in own and word.key not in _ASKING
    }


def _look(row: Evidence, topics: dict[str, float]) -> _Row:
    said = words(" ".join((row.text, speaker_of(row) or "", *row.entity_names)))
    stems = frozenset(word.stem for word in said)
    total = sum(topics.values())
    share = sum(weight for stem, weight in topics.items() if stem in stems) / total if total else 0.0
    return _Row(row, stems, frozenset(word.key for word in said), share)


def _missing_name(names: Sequence[Word], rows: Sequence[_Row]) -> Word | None:
    for name in names:
        if not any(name.stem in row.stems or _holds(name.key, row) for row in rows):
            return name
    return None


def _holds(key: str, row: _Row) -> bool:
    return key in row.keys or any(same_name(key, other) for other in row.keys if other[:3] == key[:3])


def _only_person(names: Sequence[Word], evidence: Sequence[Evidence]) -> Word | None:
    """Return the one speaker of the evidence that the question names; None when it names none or several."""
    speakers = {words(name)[0].key for row in evidence if (name := speaker_of(row)) and words(name)}
    people = {name.key: name for name in names if any(same_name(name.key, speaker) for speaker in speakers)}
    return next(iter(people.values())) if len(people) == 1 else None


def _is_about_another(person: Word, rows: Sequence[_Row]) -> bool:
    """Return whether what the question means was said by somebody else, and nothing like it of `person`."""
    best = max(rows, key=lambda row: row.share)
    if best.share < _SUBJECT_SURE or _is_of(person, best):
        return False
    return max((row.share for row in rows if _is_of(person, row)), default=0.0) < _SUBJECT_OWN * best.share


def _is_of(person: Word, row: _Row) -> bool:
    """Return whether a row is by the person or names them."""
    return _holds(person.key, row)
