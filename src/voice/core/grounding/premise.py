"""What a question takes for granted although the sources it is answered from say otherwise.

Law: "Did I buy 20 planks?", answered by "I bought 12 planks", is not simply answered: the answer says that the question
has 20 and the source 12. Only what belongs to a kind in which one value stands for another is compared (a number, a
date, a name, a colour, a relation, a denial), only in a sentence that holds everything else the question tells, in the
same place of it, and only where no sentence of the evidence has what the question says together with anything else of
it. Whatever is not certain is left alone: a false alarm on a right premise costs more than a missed one. Only the cited
sentences are compared; all others are read once for each thing that is found different.

Source: ruling D5; DESIGN 6 stage 4 (the same hard checks, asked of the question).
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import regex

from voice.core.grounding.apart import are_two_people, is_colour, joined, kinds_of
from voice.core.grounding.claims import Judged
from voice.core.grounding.dating import passage_dates
from voice.core.grounding.figures import figure_findings
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage, all_passages
from voice.core.grounding.polarity import polarity_findings
from voice.core.grounding.support import credit_of, support_of
from voice.core.grounding.taken import LONGEST, Asked, asked_of
from voice.core.grounding.values import Evidence
from voice.core.grounding.who import proper_names, same_name
from voice.core.text.amounts import amounts
from voice.core.text.dates import DateMention, bears_out, stated_dates, weekday_of, weekdays
from voice.core.text.negation import has_negation, negated
from voice.core.text.numbers import Quantity, is_same_measure, same_quantity
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, side_by_side, without_possessive

_HELD = 0.5
_LACKING = 6
"""More telling words than this are never one value."""
_OF_DEEDS = word_set("not never cannot nicht nie niemals nunca jamás pas ni")
_NUMBERS = 8
"""Only so many numbers of a question are compared."""
_GROUPED = late_pattern(r"(?<!\d)\d{1,3}(?:[.,'’]\d{3})+(?![\d.,]\d)")
_DIGITS = late_pattern(r"\d+")
_BETWEEN_DIGITS = late_pattern(r"(?<=\d)[.,'’ ](?=\d)")
_BEFORE = 3
"""So many sentences before it may name what a pronoun means."""
_NOUNS = 3
"""Words behind a number among which stands what is counted: "12 oak planks"."""
_YES = late_pattern(
    r"^\W*(?:(?:oh|well|so|and|but|na|also)\b\W*)?(?:yes|yeah|yep|yup|correct|right|exactly|indeed|absolutely|of course"
    r"|sure|surely|certainly|definitely|true|affirmative|(?:that|it|this)(?:['’]s| is| was) (?:right|correct|true|so)"
    r"|you (?:did|are right|were right|have)|you['’]re right|ja|jawohl|doch|genau|richtig|stimmt|das stimmt"
    r"|das ist (?:richtig|wahr)|natürlich|klar|sicher|selbstverständlich|sí|si|claro|correcto|exacto)\b",
    regex.IGNORECASE,
)
_PLACES = word_set("in at to from with for near on aus nach mit bei von für")
_BETWEEN = word_set("is was are were be called named the a an now still my our his her their ist war der die das")
_HEDGED = late_pattern(
    r"\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|more than|less than|at least|at most|up to"
    r"|below|above|only|another|etwa|ungefähr|rund|fast|über|unter|mindestens|höchstens|unos|casi)\s{1,3}\W?$",
    regex.IGNORECASE,
)
_HEDGE = 24
"""No hedge is longer."""
_SAYS = late_pattern(r"^the source says (?P<theirs>.+), the answer says (?P<ours>.+)$")
_LIMITED = word_set(
    "until till before unless without except but only because since if when while after than yet just even also alone "
    "on at by in for during today yesterday tomorrow again anymore either instead hardly barely scarcely rather should "
    "shouldn't must mustn't would wouldn't may might need needn't bis bevor vor außer sondern ohne weil nur wenn als "
    "noch am im an um durch wegen heute gestern soll sollte muss darf würde"
)
"""What makes a denial one of a circumstance ("not before May", "not by train"), unless the question has it, too."""
_CLAUSE_END = late_pattern(r"[.;:!?,()—–\n]| - ")
_PRONOUNS = word_set(
    "he she it they him her them his its their there this that these those er sie es ihn ihm ihr ihnen dort da"
)
_SPELLED = late_pattern(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|\p{L}+ty|half|quarter|pair|couple"
    r"|dozens?|hundred|thousand|million|both|single|noon|midnight|hours?|minutes?|mins?|weeks?|days?|months?|years?)\b"
    r"|[:h]\d|\d\s?(?:am|pm|h|k|m)\b|\P{ASCII}",
    regex.IGNORECASE,
)
"""What may say a number in other digits than the question has it in."""
_DATED = late_pattern(
    r"\d[./-]\d|\b(?:19|20)\d\d\b"
    r"|\b(?:today|tomorrow|yesterday|tonight|ago|next|last|heute|morgen|gestern|jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep"
    r"|o[ck]t|nov|de[cz])",
    regex.IGNORECASE,
)


class _Difference(NamedTuple):
    """Something a question tells that a sentence tells otherwise; the words it takes, and what to say of it."""

    ours: frozenset[int]
    """Where its words begin."""
    text: str
    is_told: Callable[[Passage], bool]
    """Whether a sentence has what the question says."""
    apart: "regex.Pattern[str] | None" = None
    """What some sentence has to hold for the two to be surely two things; None when they are by themselves."""


def premise_notes(question: str, cited: Sequence[Passage], sent: Sequence[Evidence]) -> tuple[str, ...]:
    """Return what `question` takes for granted against the sentences it is answered from, in words for who asked.

    Args:
        question: the question; what it leans on may follow in a line of its own.
        cited: the sentences that the answer rests on.
        sent: all rows of the prompt; a sentence of any of them bears a premise out.

    Returns:
        human sentences without a capital and a full stop; nothing where the premise is right, or nothing is certain.
    """
    asked = asked_of(question.partition("\n")[0].strip())
    if asked is None:
        return ()
    wrong: dict[frozenset[int], _Difference] = {}
    for passage in cited:
        for one in _wrong(asked, passage):
            wrong.setdefault(one.ours, one)
    if not wrong:
        return ()
    every = [all_passages(row) for row in sent]
    return tuple(one.text for one in wrong.values() if _is_apart(one, every) and not _is_borne_out(one, asked, every))


def without_yes(texts: Sequence[str], judged: Sequence[Judged], notes: Sequence[str]) -> list[Judged]:
    """Return the outcomes of an answer's sentences where a premise is wrong: a "Yes, …" is then not supported.

    Args:
        texts: the sentences.
        judged: their outcomes, in the same order.
        notes: what `premise_notes` found.
    """
    if not notes:
        return list(judged)
    finding = Finding(flag="premise", text=f"the answer says yes, but {notes[0]}", effect="unsupported")
    return [
        replace(one, verdict="unsupported", findings=(*one.findings, finding))
        if one.verdict == "supported" and _YES.match(text)
        else one
        for text, one in zip(texts, judged, strict=True)
    ]


def _wrong(asked: Asked, passage: Passage) -> Iterator[_Difference]:
    """Yield what a sentence tells otherwise that holds everything else the question tells."""
    lacking = frozenset(word.start for word in asked.told if credit_of(word.stem, passage.stems) < _HELD)
    if len(lacking) > _LACKING or len(lacking) == len(asked.told) or len(passage.words) > LONGEST:
        return
    for one in _differences(asked, passage):
        if lacking <= one.ours and any(word.start not in one.ours for word in asked.told):
            yield one


def _is_apart(one: _Difference, every: Sequence[Sequence[Passage]]) -> bool:
    return one.apart is None or any(one.apart.search(passage.text) for passages in every for passage in passages)


def _is_borne_out(one: _Difference, asked: Asked, every: Sequence[Sequence[Passage]]) -> bool:
    """Return whether any sentence has what the question says, together with anything else that the question tells."""
    rest = [word for word in asked.told if word.start not in one.ours]
    return any(
        one.is_told(passage) and _is_of(rest, passages, place)
        for passages in every
        for place, passage in enumerate(passages)
    )


def _is_of(rest: Sequence[Word], passages: Sequence[Passage], place: int) -> bool:
    """Return whether a sentence holds any of some words, or a pronoun after a sentence that does."""
    here = passages[place]
    is_open = any(word.key in _PRONOUNS for word in here.words)
    near = passages[max(0, place - _BEFORE) : place + 1] if is_open else [here]
    return any(credit_of(word.stem, passage.stems) >= _HELD for passage in near for word in rest)


def _differences(asked: Asked, passage: Passage) -> Iterator[_Difference]:
    yield from _numbers(asked.claim, asked.found, passage)
    yield from _dates(asked.claim, asked.found, passage)
    yield from _names(asked.claim, asked.found, passage)
    yield from _of_a_kind(asked.found, passage)
    if asked.is_taken:
        yield from _denials(asked, passage)


def _numbers(claim: str, found: Sequence[Word], passage: Passage) -> Iterator[_Difference]:
    """Yield each number of the question in whose place the sentence has one other number of the same thing."""
    dates = [(mention.start, mention.end) for mention in stated_dates(claim)]
    stated = amounts(passage.text, passage.words)
    for ours in amounts(claim, found)[:_NUMBERS] if stated else ():
        if _is_hedged(claim, ours) or any(start <= ours.start < end for start, end in dates):
            continue
        if any(_is_equal(ours, other) for other in stated):
            continue
        rivals = [other for other in stated if _is_rival(ours, found, other, passage)]
        if rivals and len({other.value for other in rivals}) == 1:
            said = _said(ours.text, rivals[0].text)
            yield _Difference(_within(found, ours.start, ours.end), said, partial(_has_number, ours))


def _is_equal(ours: Quantity, other: Quantity) -> bool:
    """Return whether two numbers are one: also "1.200" and "1200", whichever way thousands are written."""
    plain = _plain(ours.text)
    return same_quantity(ours, other) or other.value == ours.value or bool(plain and plain == _plain(other.text))


def _plain(text: str) -> str:
    return "".join(_DIGITS.findall(_GROUPED.sub(lambda match: "".join(_DIGITS.findall(match[0])), text)[:_HEDGE])[:2])


def _has_number(ours: Quantity, passage: Passage) -> bool:
    """Return whether a sentence has a number; only one that may spell it is read."""
    digits = "" if ours.is_time else "".join(_DIGITS.findall(f"{ours.value:.6f}")).strip("0")
    if digits not in _BETWEEN_DIGITS.sub("", passage.text) and _SPELLED.search(passage.text) is None:
        return False
    return any(_is_equal(ours, other) for other in amounts(passage.text, passage.words))


def _is_hedged(text: str, number: Quantity) -> bool:
    before = max(0, number.start - _HEDGE)
    return number.is_soft or _HEDGED.search(text, before, number.start) is not None


def _is_rival(ours: Quantity, found: Sequence[Word], other: Quantity, passage: Passage) -> bool:
    if _is_hedged(passage.text, other) or ours.is_time is not other.is_time:
        return False
    if ours.is_time or is_same_measure(ours, other):
        return True
    return ours.unit is None and other.unit is None and bool(_counted(found, ours) & _counted(passage.words, other))


def _counted(found: Sequence[Word], number: Quantity) -> frozenset[str]:
    """Return the stems of what may be counted by a number: the next words up to a small one."""
    stems: list[str] = []
    first = bisect_left(found, number.end, key=lambda word: word.start)
    for word in found[first : first + _NOUNS]:
        if word.is_stop or word.is_number:
            break
        stems.append(word.stem)
    return frozenset(stems)


def _dates(claim: str, found: Sequence[Word], passage: Passage) -> Iterator[_Difference]:
    for finding in figure_findings(claim, found, [passage], 1.0):
        said = _SAYS.match(finding.text) if finding.flag == "date" and finding.effect == "contradicted" else None
        start = claim.find(said["ours"]) if said else -1
        if said and start >= 0:
            ours = _within(found, start, start + len(said["ours"]))
            readings = [mention for mention in stated_dates(claim) if mention.start == start]
            stems = frozenset(word.stem for word in found if word.start in ours)
            is_told = partial(_has_date, stems, readings, weekdays(said["ours"]).keys())
            yield _Difference(ours, _said(said["ours"], said["theirs"]), is_told)


def _has_date(stems: frozenset[str], readings: Sequence[DateMention], days: AbstractSet[int], passage: Passage) -> bool:
    """Return whether a sentence has a date or a weekday; only one that may date anything is read."""
    if stems <= passage.stems:
        return True
    dates = passage_dates(passage) if _DATED.search(passage.text) else []
    return any(weekday_of(other) in days or any(bears_out(one, other) for one in readings) for other in dates)


def _names(claim: str, found: Sequence[Word], passage: Passage) -> Iterator[_Difference]:
    """Yield each name of the question in whose place the sentence has another one."""
    theirs = _names_in(passage.text, passage.words)
    for ours in _names_in(claim, found) if theirs else ():
        if _has_name(ours, passage):
            continue
        places = _places(found, ours)
        rival = next((run for run in theirs if places & _places(passage.words, run)), None)
        if rival is not None:
            one, other = _text(claim, ours), _text(passage.text, rival)
            apart = None if are_two_people(ours, rival) else joined(one, other)
            begins = frozenset(word.start for word in ours)
            yield _Difference(begins, _said(one, other), partial(_has_name, ours), apart)


def _has_name(run: Sequence[Word], passage: Passage) -> bool:
    held = passage.stems
    return any(
        word.stem in held or any(key[:3] == word.key[:3] and same_name(word.key, key) for key in held) for word in run
    )


def _names_in(text: str, found: Sequence[Word]) -> list[list[Word]]:
    return side_by_side(text, proper_names(text, found))


def _text(text: str, run: Sequence[Word]) -> str:
    return without_possessive(text[run[0].start : run[-1].end])


def _places(found: Sequence[Word], run: Sequence[Word]) -> frozenset[tuple[str, str]]:
    """Return beside which words a name stands: a telling word on either side, or "in", "to", "with" before it."""
    before = next((w for w in reversed(found) if w.end <= run[0].start and w.key not in _BETWEEN), None)
    after = next((w for w in found if w.start >= run[-1].end and w.key not in _BETWEEN), None)
    places: set[tuple[str, str]] = set()
    if before is not None and (not before.is_stop or before.key in _PLACES):
        places.add(("before", before.stem))
    if after is not None and not after.is_stop:
        places.add(("after", after.stem))
    return frozenset(places)


def _of_a_kind(found: Sequence[Word], passage: Passage) -> Iterator[_Difference]:
    """Yield each colour or relation of the question where the sentence has another of the same thing or person."""
    for index, word in enumerate(found):
        if not kinds_of(word.key) or _has_kind(word, passage):
            continue
        beside = _thing(found, index)
        others = [
            other
            for place, other in enumerate(passage.words)
            if _is_other(word, other) and beside & _thing(passage.words, place)
        ]
        if len({other.key for other in others}) == 1:
            text = _said(word.text, others[0].text)
            yield _Difference(frozenset({word.start}), text, partial(_has_kind, word))


def _has_kind(word: Word, passage: Passage) -> bool:
    kinds = kinds_of(word.key)
    return word.stem in passage.stems or any(kinds & kinds_of(stem) for stem in passage.stems)


def _is_other(word: Word, other: Word) -> bool:
    """Return whether both are colours, or both are relations in the same case: "my mother's sister" is no mother."""
    if not kinds_of(other.key) or is_colour(word) is not is_colour(other):
        return False
    return word.text.endswith(("'s", "’s")) is other.text.endswith(("'s", "’s"))


def _thing(found: Sequence[Word], index: int) -> frozenset[str]:
    """Return what a colour colours, and whose a relation is and which name it has: the words beside it."""
    if is_colour(found[index]):
        return frozenset(word.stem for word in found[index + 1 : index + 3] if not word.is_stop)
    return frozenset(f"{word.key} " for word in found[max(0, index - 1) : index])


def _denials(asked: Asked, passage: Passage) -> Iterator[_Difference]:
    """Yield that the sentence denies what the question takes for granted ("Why did Jonas cancel?")."""
    if not has_negation(asked.claim, asked.found) and _is_denied(asked, passage):
        yield _Difference(
            frozenset(), "your question takes for granted what the source denies", partial(_affirms, asked)
        )


def _affirms(asked: Asked, passage: Passage) -> bool:
    holds = all(credit_of(word.stem, passage.stems) >= _HELD for word in asked.told)
    return holds and not _is_denied(asked, passage)


def _is_denied(asked: Asked, passage: Passage) -> bool:
    """Return whether a sentence of one clause denies the very deed, and not a circumstance of it."""
    keys = {word.key for word in asked.found}
    told = passage.text.rstrip(" .!")
    if _CLAUSE_END.search(told) or any(word.key in _LIMITED and word.key not in keys for word in passage.words):
        return False
    deeds = {word.stem for word in asked.told if not word.is_capital}
    scopes = [scope for scope in negated(passage.text, passage.words) if len(scope) > 1]
    if scopes:
        return any(_is_of_deed(passage.words[scope[0]]) and passage.words[scope[1]].stem in deeds for scope in scopes)
    findings = polarity_findings(asked.claim, asked.found, support_of(asked.found, [passage]))
    return any(one.text == "the answer affirms what the source denies" for one in findings)


def _is_of_deed(negator: Word) -> bool:
    """Return whether a negation is one of what is done, and not of a thing ("no money", "nobody")."""
    return negator.key in _OF_DEEDS or negator.key.endswith("nt") or negator.key.endswith("n't")


def _within(found: Sequence[Word], start: int, end: int) -> frozenset[int]:
    return frozenset(word.start for word in found if start <= word.start < end)


def _said(ours: str, theirs: str) -> str:
    return f"your question says {ours}; the source says {theirs}"
