"""Whether a question can be grounded at all, asked before anything is paid for.

Law: evidence must hold the names the question holds, say something of what it asks about, bring the kind of thing it
asks for, and, when it is about one person, say it of that person (ruling D5): what the best sentence says of the
subject, less most of what the best sentence says of anybody else, less what is told nowhere of the subject, must reach
a line; where nobody else speaks, a short question must reach a lower one. Retrieval scores play no part; they do not
separate answerable from unanswerable questions (DESIGN 5). A refusal says what is missing in words for the person who
asked.

Measured, and how the line was chosen: docs/grounding-measured.md, "Answerability".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from voice.core.grounding.answerability.asked import KIND_WORDS, asked_kinds, asked_measure, brings
from voice.core.grounding.answerability.deeds import lacking_deed
from voice.core.grounding.answerability.fit import Fit, Reading
from voice.core.grounding.answerability.inquiry import Inquiry
from voice.core.grounding.answerability.listed import listed_in
from voice.core.grounding.answerability.passages import MOST_READ, all_passages, speaker_of
from voice.core.grounding.answerability.spoken_of import OWNER
from voice.core.grounding.answerability.support import credit_of, credited_share
from voice.core.grounding.answerability.ties import lacking_tie
from voice.core.grounding.answerability.who import asked_names, same_name
from voice.core.grounding.answerability.whose import lacking_owner
from voice.core.grounding.values import Evidence, GroundingPolicy, RefusalReason, Stance
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key, side_by_side, without_possessive, words

_OF_OTHERS = 0.7
"""What is said of somebody else speaks against the subject by this much."""
_UNTOLD = 0.06
"""So does each unit of weight of the heaviest word that is told nowhere of the subject."""
LINE = 0.3
"""The least that must speak for an answer (`score_of`)…"""
_SHORT = range(2, 5)
"""…and, where nobody else's words can speak against it, the least for a question of so many telling words: each of them
matters there, while one alone may be said in another word, and a long question tells a story before it asks."""
_SHORT_LINE = 0.2
_NAMED = 3
_LEAST_TOPIC = 0.2
"""Below this share of the question's telling words, held by the best sentence, nothing was said about it…"""
_MUCH = 6.0
"""…unless that is as much as two or three rare words of a long question."""
_TELLING = 6.0
"""The least weight of a question's words from which their absence says that the subject is unknown."""
_HELD = 0.5
_DEED_AND_OBJECT = 2
_WHO = word_set("who wer quién quien")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """Whether to go on, and if not, why."""

    ok: bool
    reason: RefusalReason = RefusalReason.NO_SOURCES
    missing: str | None = None
    """What the memory lacks, in words; None when it can be tried."""


def can_be_grounded(
    question: str,
    evidence: Sequence[Evidence],
    policy: GroundingPolicy,
    *,
    entity_names: Sequence[str] = (),
    stance: Stance = Stance.SYNTHESIZE,
) -> Answerability:
    """Return whether `evidence` may ground an answer to `question` (ruling D5).

    Args:
        question: the person's question.
        evidence: the rows that would be shown.
        policy: with fewer distinct rows than it demands, no answer could pass.
        entity_names: names of the graph's entities and their aliases; a lower-case one in the question counts.
        stance: a claim that is to be challenged is grounded in what takes it up, not in what bears it out.
    """
    if stance is Stance.CHALLENGE:
        return _can_be_challenged(question, evidence, policy)
    if not evidence:
        return _no(RefusalReason.NO_SOURCES, "nothing was found that matches this question")
    if (few := _too_few(evidence, policy)) is not None:
        return few
    missing = missing_in(question[:MOST_READ], evidence, entity_names=entity_names)
    return Answerability(ok=True) if missing is None else _no(RefusalReason.NO_SOURCES, missing)


def missing_in(
    question: str, evidence: Sequence[Evidence], *, entity_names: Sequence[str] = (), reading: Reading | None = None
) -> str | None:
    """Return what `evidence` lacks to answer `question`, in words for the person who asked; None when it may do.

    Args:
        question: the person's question.
        evidence: at least one row.
        entity_names: as for `can_be_grounded`.
        reading: the question read over this evidence, where that was done already.
    """
    if listed_in(question, evidence):
        return None
    if name := _missing_name(question, evidence, entity_names):
        return f"no note that was found mentions {name}"
    lacks = (lacking(question, evidence) for lacking in (lacking_tie, lacking_owner, lacking_deed))
    if untied := next(filter(None, lacks), None):
        return untied
    reading = reading or Reading.of(question, evidence)
    asked, fit = reading.asked, reading.fit
    best = fit.best_own
    share = best.own if best else 0.0
    if asked.is_compared and score_of(asked, fit) < LINE:
        return _whose_it_is(asked, fit)
    if fit.lacking and len(asked.telling) in _SHORT and score_of(asked, fit) < _SHORT_LINE:
        return _too_little(asked.words_of(fit.lacking)[:_NAMED])
    if asked.weight >= _TELLING and share < _LEAST_TOPIC and share * asked.weight < _MUCH:
        return "no note that was found speaks of what the question asks about"
    return _lacking_kind(question, fit, evidence) or _deed_of_nobody(question, asked, evidence)


def _lacking_kind(question: str, fit: Fit, evidence: Sequence[Evidence]) -> str | None:
    """Return which kind of thing that is asked for no row on the subject brings, in words."""
    on_topic = _on_topic(fit) or evidence
    for kind in asked_kinds(question):
        if not any(brings(kind, row) for row in on_topic):
            return f"no note that was found says {KIND_WORDS[kind]}"
    measure = asked_measure(question)
    if measure is not None and not any(measure.says(row.text) for row in on_topic):
        return f"no note that was found says {measure.name}"
    return None


def _deed_of_nobody(question: str, asked: Inquiry, evidence: Sequence[Evidence]) -> str | None:
    """Return that a deed is told nowhere of its object, where a question asks for nothing but who did it to what.

    Nobody is said to have painted the shed where nobody speaks of it as painted.
    """
    found = words(question)
    deed = next((verb for who, verb in pairwise(found) if who.key in _WHO and not verb.is_stop), None)
    others = [stem for stem in asked.telling if deed is not None and stem != deed.stem]
    if deed is None or len(others) != 1 or len(asked.telling) != _DEED_AND_OBJECT:
        return None
    held = (frozenset[str]().union(*(passage.stems for passage in all_passages(row))) for row in evidence)
    told = any(_holds(deed.stem, stems) and any(_holds(stem, stems) for stem in others) for stems in held)
    return None if told else _too_little([deed.text])


def _too_little(named: Sequence[str]) -> str:
    """Return which words of the question the notes do not bear out that were found; others may (ruling D5)."""
    return "the notes that were found say too little about " + ", ".join(f"“{word}”" for word in named)


def _holds(stem: str, stems: frozenset[str]) -> bool:
    return credit_of(stem, stems) >= _HELD


def score_of(asked: Inquiry, fit: Fit) -> float:
    """Return how much speaks for an answer about the question's subject: at most 1, and as low as about -1.

    It is what the best sentence says of the subject, less most of what the best sentence says of anybody else, less
    what is told nowhere of the subject.
    """
    own, others = fit.best_own, fit.best_of_others
    untold = max((asked.telling[stem] for stem in fit.lacking), default=0.0)
    return (own.own if own else 0.0) - _OF_OTHERS * (others.others if others else 0.0) - _UNTOLD * untold


def _can_be_challenged(claim: str, evidence: Sequence[Evidence], policy: GroundingPolicy) -> Answerability:
    """Return whether `evidence` may speak against a claim: whether it takes up anything of it at all.

    What speaks against a claim need hold neither its names nor all of its words ("I work at Acme": "I work at Globex").
    """
    silent = "nothing was found in your memory that speaks against this"
    if not evidence:
        return _no(RefusalReason.NO_SOURCES, f"{silent}; no note on it was found")
    if (few := _too_few(evidence, policy)) is not None:
        return few
    told = frozenset[str]().union(*(passage.stems for row in evidence for passage in all_passages(row)))
    telling = [word for word in words(claim) if not word.is_stop]
    if telling and not credited_share(telling, told):
        name = _missing_name(claim, evidence, ())
        return _no(
            RefusalReason.NO_SOURCES,
            f"{silent}; no note that was found mentions {name}" if name else f"{silent} or for it",
        )
    return Answerability(ok=True)


def _too_few(evidence: Sequence[Evidence], policy: GroundingPolicy) -> Answerability | None:
    """Return the refusal where fewer rows were found than the policy demands of any answer."""
    found = len({row.content_hash for row in evidence})
    if found >= policy.min_sources or policy.single_source == "green":
        return None
    return _no(RefusalReason.TOO_FEW_SOURCES, f"fewer than {policy.min_sources} sources were found for this question")


def _whose_it_is(asked: Inquiry, fit: Fit) -> str:
    """Return whom the sentences are about that fit the question, or what none of them tells of its subject."""
    own, others = fit.best_own, fit.best_of_others
    of_whom = "you" if asked.subject == OWNER else asked.name
    if others is not None and others.others > (own.own if own else 0.0):
        of_others = speaker_of(others.passage.row)
        theirs = f"; what is there is {of_others}'s" if of_others and of_others != asked.name else ""
        return f"what the notes that were found say of this is not about {of_whom}{theirs}"
    lacking = ", ".join(word for word in asked.words_of(fit.lacking)[:_NAMED])
    return f"no note that was found says this of {of_whom}" + (f": nothing there is about {lacking}" if lacking else "")


def _no(reason: RefusalReason, missing: str) -> Answerability:
    return Answerability(ok=False, reason=reason, missing=missing)


def _missing_name(question: str, evidence: Sequence[Evidence], entity_names: Sequence[str]) -> str | None:
    """Return the first name of the question of which no row holds any part ("Li Na" is one name)."""
    found = words(question)
    named = asked_names(question, found, ())
    named += [word for word in found if word.is_capital and word not in named and _is_in(entity_names, word)]
    if not named:
        return None
    held = frozenset[str]().union(*(passage.stems for row in evidence for passage in all_passages(row)))
    for name in side_by_side(question, sorted(named, key=lambda word: word.start)):
        if not any(word.stem in held or any(same_name(word.key, stem) for stem in held) for word in name):
            return " ".join(without_possessive(word.text) for word in name)
    return None


def _is_in(entity_names: Sequence[str], word: Word) -> bool:
    """Return whether a word is part of the proper name of an entity; few names are looked at more closely."""
    if word.is_stop:
        return False
    near = (name for name in entity_names if name[:1].isupper() and word.key in fold_key(name))
    return any(other.key == word.key for name in near for other in words(name))


def _on_topic(fit: Fit) -> list[Evidence]:
    return [one.passage.row for one in fit.sentences if one.own >= _LEAST_TOPIC]
