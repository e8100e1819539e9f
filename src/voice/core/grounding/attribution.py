"""Of whom the evidence speaks, word by word: the speaker, the one spoken to, or somebody else.

Law: a claim about one person whose words the evidence holds of another leans the wrong way: how far is the share of
its weight that the other person's side holds better than its own. Nothing is decided without a speaker, and the
leaning is a mark on the sentence, no refusal: a report puts its own words into everybody's mouth.

To whom a word belongs is read by `spoken_of`, which decides what a question may rest on; here "you" and "they" are
weights, for a claim is compared word by word with what each of two people said.

Source: DESIGN 5 ("names one person while the evidence is by another"), DESIGN 6 stage 4; rulings D1, D5.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage
from voice.core.grounding.spoken_of import Holder, owners_of
from voice.core.grounding.support import weights_of
from voice.core.grounding.who import People
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_UNCERTAIN = 0.05
_STEEPNESS = 8.0
_MOST = 2.7
_AGENT = word_set("by per")
"""What the doer is named behind: "Ann is praised by Ben", "as per Ben's advice"."""
_BOTH_NAMED = 0.5
"""What is said of two people is said by either in the other's words: it tells half as much."""


class _Credit(NamedTuple):
    """What a word counts for the person a claim is about, by whom it belongs to where it was said."""

    own: Mapping[Holder, float]
    """In that person's own words."""
    other: Mapping[Holder, float]
    """In the words of the other."""


_ALONE = _Credit({"i": 1.0, "you": 0.4, "they": 0.8, "none": 1.0}, {"i": 0.4, "you": 0.6, "they": 0.6, "none": 0.5})
"""A claim that names one person: what they say of themselves, and what is said to them."""
_DOING = _Credit({"i": 0.8, "you": 1.0, "they": 1.0, "none": 1.0}, {"i": 0.3, "you": 0.3, "they": 0.0, "none": 0.0})
"""The part of "Gina encourages Jon to dance" before the other's name: what Gina says, mostly to Jon."""
_DONE_TO = _Credit({"i": 0.3, "you": 1.0, "they": 1.0, "none": 0.8}, {"i": 0.6, "you": 0.0, "they": 0.0, "none": 0.2})
"""The part from the other's name on: what Gina says to Jon, or Jon of himself."""


class _Said(NamedTuple):
    """One stem as one speaker used it."""

    stem: str
    speaker: str
    holder: Holder


def leaning_findings(found: Sequence[Word], passages: Sequence[Passage], people: People) -> list[Finding]:
    """Return a note when the evidence speaks of another than the person a claim is about; its weight grows with it."""
    content = [word for word in found if not word.is_stop]
    lean = leaning(found, weights_of(content, passages), passages, people) if people.names else 0.0
    if lean <= _UNCERTAIN:
        return []
    weight = min(_MOST, _STEEPNESS * (lean - _UNCERTAIN))
    return [Finding(flag="person", text="the sources say this rather of somebody else", effect="note", weight=weight)]


def leaning(found: Sequence[Word], weights: Mapping[str, float], passages: Sequence[Passage], people: People) -> float:
    """Return how much more the evidence speaks of another than of the person a claim is about, -1 to 1.

    Args:
        found: the claim's words; its subject is the first known person it names.
        weights: how telling each of its stems is.
        passages: all evidence.
        people: the people who are known to speak in it.

    Returns:
        the share of the claim's weight that the other's side holds minus the share that its own side holds; with
        several others, of the nearest; half of it when the claim names both, seen from whom it makes the doer. 0 when
        the claim names nobody known, or nobody else speaks.
    """
    named = [(word, person) for word in people.named_in(found) if (person := people.find(word.key))]
    if not named:
        return 0.0
    subject = named[0][1]
    beside = next(((word, person) for word, person in named if person != subject), None)
    names = {word.stem for word, _ in named}
    content = [word for word in found if not word.is_stop and word.stem not in names]
    total = sum(weights[word.stem] for word in content)
    if not total:
        return 0.0
    stems = {word.stem for word in content}
    likely = (passage for passage in passages if not stems.isdisjoint(passage.own_stems))
    said = [one for passage in likely for one in _said(passage, people)]
    rivals = [beside[1]] if beside else sorted(people.names - {subject})
    cut = beside[0].start if beside else None
    if beside and _is_doer(beside[0], found):
        subject, rivals, cut = beside[1], [subject], found[-1].end
    lean = max((_lean(content, weights, said, subject, rival, cut) / total for rival in rivals), default=0.0)
    return _BOTH_NAMED * lean if beside else lean


def _is_doer(name: Word, found: Sequence[Word]) -> bool:
    """Return whether one who is named second does what the sentence tells: "is praised by Ben"."""
    index = found.index(name)
    return index > 0 and found[index - 1].key in _AGENT


def _lean(
    content: Sequence[Word],
    weights: Mapping[str, float],
    said: Sequence[_Said],
    subject: str,
    rival: str,
    cut: int | None,
) -> float:
    lean = 0.0
    for word in content:
        uses: set[tuple[str, Holder]] = {(one.speaker, one.holder) for one in said if one.stem == word.stem}
        if uses:
            credit = _ALONE if cut is None else _DOING if word.start < cut else _DONE_TO
            lean += weights[word.stem] * (_best(uses, rival, subject, credit) - _best(uses, subject, rival, credit))
    return lean


def _best(uses: set[tuple[str, Holder]], subject: str, rival: str, credit: _Credit) -> float:
    """Return the most that any use of a word counts for `subject` against `rival`; others' words count nothing."""
    return max(
        (
            credit.own[holder] if speaker == subject else credit.other[holder]
            for speaker, holder in uses
            if speaker in (subject, rival)
        ),
        default=0.0,
    )


def _said(passage: Passage, people: People) -> list[_Said]:
    spoken = words(passage.speaker)[:1] if passage.speaker else []
    speaker = people.find(spoken[0].key) if spoken else None
    if speaker is None:
        return []
    return [
        _Said(word.stem, owner.name or speaker, owner.holder)
        for word, owner in zip(passage.words, owners_of(passage, people), strict=True)
    ]
