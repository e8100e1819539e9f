"""Which sentences of the evidence speak against a claim, by structure.

Law: what took the place of the claim's like comes first, with what it was before; then sentences of the same matter
that give another number, date or name, or deny what the claim affirms. A claim that no sentence speaks against has
none, however many are about it. Whether two sentences in other words exclude each other is a model's to say. A sentence
that talks to a machine instead of remembering is never among them (ruling D22).

Source: spec stateful-design-v2, stances ("challenge"); rulings D1, D5, J5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from voice.core.grounding.answerability.evidence_sentences import EvidenceSentence, sentences_of
from voice.core.grounding.answerability.person_names import first_person
from voice.core.grounding.answerability.term_overlap import credited_share
from voice.core.grounding.conflicts import has_ended
from voice.core.grounding.guards.doubts import doubts_of
from voice.core.grounding.guards.given import given_to
from voice.core.grounding.values import Evidence
from voice.core.text.markdown import is_header
from voice.core.text.negation import has_negation
from voice.core.text.normalise import norm_v1
from voice.core.text.prompt_injection.detection import find_instruction
from voice.core.text.words import Word, words

_QUESTION_MARKS = ("?", "？", "؟")
_CLOSERS = " \t\n\"'”’»)]}*_`"
_LIKE_BEST = 0.7
"""A sentence is like the claim when it holds this share of what the sentence holds that is most like it…"""
_LEAST = 0.2
"""…and this share of the claim's telling words."""
_SAME_MATTER = 0.5
"""A sentence is of the claim's matter when it holds this share of the claim's telling words, figures left out."""
_READ = 100
"""Sentences that are held against a claim, of the best rows…"""
_NEAREST = 20
"""…and of these, those that are read for another value."""
_SAME = 0.8
"""Two sentences say the same where they share so many of their words."""


class _Like(NamedTuple):
    """A sentence, and the share of the claim's telling words that it holds, by weight."""

    sentence: EvidenceSentence
    share: float


def against(claim: str, evidence: Sequence[Evidence], now: datetime | None) -> list[EvidenceSentence]:
    """Return what speaks against a claim, each once, what is most like it first.

    Args:
        claim: the person's.
        evidence: the rows of the prompt, the best first.
        now: when it is asked; without it every row that has an end counts as ended.
    """
    content = [word for word in words(claim) if not word.is_stop]
    like = [_Like(each, credited_share(content, each.stems)) for each in islice(_stated(evidence), _READ)]
    like = sorted((each for each in like if each.share >= _LEAST), key=lambda each: -each.share)
    found = _replaced(like, evidence) or [
        each.sentence for each in like[:_NEAREST] if _speaks_against(claim, content, each.sentence, now)
    ]
    return _distinct(found)


def _stated(evidence: Sequence[Evidence]) -> Iterator[EvidenceSentence]:
    """Yield the sentences that were shown and that claim something in the person's own voice."""
    for row in evidence:
        if find_instruction(row.text):
            continue
        for sentence in sentences_of(row):
            asks = sentence.text.rstrip(_CLOSERS).endswith(_QUESTION_MARKS)
            if not asks and not is_header(row.text, sentence.end) and sentence.text in row.shown:
                yield sentence


def _replaced(like: Sequence[_Like], evidence: Sequence[Evidence]) -> list[EvidenceSentence]:
    """Return the statements most like the claim that no longer hold, each with the statement that took its place."""
    replaced = [each for each in like if each.sentence.row.superseded_by not in (None, each.sentence.row.row_id)]
    found: list[EvidenceSentence] = []
    for sentence, share in replaced:
        if share >= _LIKE_BEST * replaced[0].share:
            successors = [row for row in evidence if row.row_id == sentence.row.superseded_by]
            found += [sentence, *(each for row in successors for each in sentences_of(row)[:1])]
    return found


def _speaks_against(claim: str, content: Sequence[Word], sentence: EvidenceSentence, now: datetime | None) -> bool:
    """Return whether a current sentence of the claim's matter gives another value, or denies what the claim affirms."""
    if has_ended(sentence.row, now) or _is_of_another_teller(claim, sentence):
        return False
    today = now.date() if now else None
    ours = doubts_of(claim, given_to((sentence.row,), today=today))
    theirs = doubts_of(sentence.text, given_to((replace(sentence.row, text=claim),), today=today))
    new = {word.stem for doubt in ours for word in words(claim[doubt.start : doubt.end])}
    matter = {word.stem for word in content if not word.is_number} - new
    if not matter or len(matter & _own(sentence)) < _SAME_MATTER * len(matter):
        return False
    if {doubt.flag for doubt in ours} & {doubt.flag for doubt in theirs}:
        return True
    return not ours and has_negation(claim, words(claim)) != has_negation(sentence.text, sentence.words)


def _is_of_another_teller(claim: str, sentence: EvidenceSentence) -> bool:
    """Return whether who claims something of themselves would be answered by what another says of themselves."""
    return sentence.speaker is not None and any(word.key in first_person() for word in words(claim))


def _distinct(sentences: Sequence[EvidenceSentence]) -> list[EvidenceSentence]:
    chosen: list[EvidenceSentence] = []
    for sentence in sentences:
        if not any(_repeats(sentence, other) for other in chosen):
            chosen.append(sentence)
    return chosen


def _repeats(sentence: EvidenceSentence, other: EvidenceSentence) -> bool:
    """Return whether two sentences say the same in all but their smallest words."""
    ours, theirs = _own(sentence), _own(other)
    return norm_v1(sentence.text) == norm_v1(other.text) or len(ours & theirs) >= _SAME * len(ours | theirs)


def _own(sentence: EvidenceSentence) -> frozenset[str]:
    """Return the stems of the sentence's own telling words."""
    return frozenset(word.stem for word in sentence.words if not word.is_stop)
