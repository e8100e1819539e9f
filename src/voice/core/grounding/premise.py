"""What a question takes for granted although the sources it is answered from say otherwise.

Law: "Did I buy 20 planks?", answered by "I bought 12 planks", is not simply answered: the answer says that the question
has 20 and the source 12. Only what belongs to a kind in which one value stands for another is compared (a number, a
date, a name, a colour, a relation, a denial), only in a sentence that holds everything else the question tells, in the
same place of it, and only where no sentence of the evidence bears the question out. Whatever is not certain is left
alone: a false alarm on a right premise costs more than a missed one.

Source: ruling D5; DESIGN 6 stage 4 (the same hard checks, asked of the question).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import regex

from voice.core.grounding.asked import ASKING
from voice.core.grounding.claims import Judged
from voice.core.grounding.figures import figure_findings
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage, all_passages
from voice.core.grounding.polarity import polarity_findings
from voice.core.grounding.support import credit_of, support_of
from voice.core.grounding.values import Evidence
from voice.core.grounding.who import proper_names, same_name
from voice.core.text.amounts import amounts
from voice.core.text.dates import stated_dates
from voice.core.text.facts import fact_of
from voice.core.text.negation import has_negation, negated
from voice.core.text.numbers import Quantity, is_same_measure, same_quantity
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key, words

_HELD = 0.5
_FOCUS = 2
"""Telling words behind a negation that it denies for sure."""
_NOUNS = 3
"""Words behind a number among which stands what is counted: "12 oak planks"."""
_FACT = regex.compile(
    r"^\W*(?:and|but|so)?\s*(?:(?P<why>why|how come|when|where|who|whom|whose|what|which|how)(?:\s+\p{L}+){0,4}?\s+)??"
    r"(?P<aux>did|do|does|is|are|was|were|has|have|had|am)\b\s*(?P<claim>.+)$",
    regex.IGNORECASE | regex.DOTALL,
)
_GERMAN = regex.compile(
    r"^\W*(?:und|aber)?\s*(?:(?P<why>warum|wieso|wann|wo|wer|wen|wem|was|welche[rsnm]?|wie)(?:\s+\p{L}+){0,3}?\s+)??"
    r"(?P<aux>hat|habe|hatte|haben|ist|sind|war|waren|bin|wurde|wurden)\b\s*(?P<claim>.+)$",
    regex.IGNORECASE | regex.DOTALL,
)
_SUPPOSED = regex.compile(
    r"\b(?:if|would|could|should|might|may|likely|or|wenn|oder|falls|vielleicht)\b", regex.IGNORECASE
)
_COLOURS = word_set(
    "red blue green yellow black white brown grey gray orange purple pink violet beige turquoise golden silver "
    "rot rote roten roter rotes blau blaue blauen blauer blaues grün grüne grünen gelb gelbe gelben schwarz schwarze "
    "weiß weiße braun braune grau graue"
)
_YES = frozenset(map(fold_key, word_set("yes yeah yep correct right exactly indeed ja genau richtig sí")))
_PLACES = word_set("in at to from with for near on aus nach mit bei von für")
_BETWEEN = word_set("is was are were be called named the a an now still my our his her their ist war der die das")
_HEDGED = regex.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|more than|less than|at least|at most|up to"
    r"|below|above|only|another|etwa|ungefähr|rund|fast|über|unter|mindestens|höchstens|unos|casi)\s+\W?$",
    regex.IGNORECASE,
)
_SAYS = regex.compile(r"^the source says (?P<theirs>.+), the answer says (?P<ours>.+)$")


class _Difference(NamedTuple):
    """Something a question tells that a sentence tells otherwise; the words it takes, and what to say of it."""

    ours: frozenset[int]
    """Where its words begin."""
    text: str


def premise_notes(question: str, cited: Sequence[Passage], sent: Sequence[Evidence]) -> tuple[str, ...]:
    """Return what `question` takes for granted against the sentences it is answered from, in words for who asked.

    Args:
        question: the question; what it leans on may follow in a line of its own.
        cited: the sentences that the answer rests on.
        sent: all rows of the prompt; a sentence of any of them bears a premise out.

    Returns:
        human sentences without a capital and a full stop; nothing where the premise is right, or nothing is certain.
    """
    told = question.partition("\n")[0]
    match = _FACT.match(told) or _GERMAN.match(told)
    if match is None or _SUPPOSED.search(told):
        return ()
    claim = match["claim"]
    found = words(claim)
    is_taken = match["why"] is not None
    wrong = [one for passage in cited for one in _wrong(claim, found, passage, is_taken=is_taken)]
    if not wrong:
        return ()
    every = [passage for row in sent for passage in all_passages(row)]
    borne = [one.text for one in wrong if not _is_borne_out(one, claim, found, every, is_taken=is_taken)]
    return tuple(dict.fromkeys(borne))


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
        if one.verdict == "supported" and words(text)[:1] and words(text)[0].key in _YES
        else one
        for text, one in zip(texts, judged, strict=True)
    ]


def _wrong(claim: str, found: Sequence[Word], passage: Passage, *, is_taken: bool) -> Iterator[_Difference]:
    """Yield what a sentence tells otherwise that holds everything else the question tells."""
    for one in _differences(claim, found, passage, is_taken=is_taken):
        rest = _rest(one, found)
        if rest and _holds_all(rest, passage):
            yield one


def _rest(one: _Difference, found: Sequence[Word]) -> list[Word]:
    return [word for word in found if _tells(word) and word.start not in one.ours]


def _is_borne_out(
    one: _Difference, claim: str, found: Sequence[Word], every: Sequence[Passage], *, is_taken: bool
) -> bool:
    """Return whether any sentence that holds everything else tells it as the question does."""
    rest = _rest(one, found)
    alike = (passage for passage in every if _holds_all(rest, passage))
    told = (_differences(claim, found, passage, is_taken=is_taken) for passage in alike)
    return any(one.ours not in {other.ours for other in differences} for differences in told)


def _tells(word: Word) -> bool:
    return not word.is_stop and (word.key not in ASKING or word.is_number)


def _holds_all(rest: Sequence[Word], passage: Passage) -> bool:
    return all(credit_of(word.stem, passage.stems) >= _HELD for word in rest)


def _differences(claim: str, found: Sequence[Word], passage: Passage, *, is_taken: bool) -> Iterator[_Difference]:
    yield from _numbers(claim, found, passage)
    yield from _dates(claim, found, passage)
    yield from _names(claim, found, passage)
    yield from _of_a_kind(found, passage)
    if is_taken:
        yield from _denials(claim, found, passage)


def _numbers(claim: str, found: Sequence[Word], passage: Passage) -> Iterator[_Difference]:
    """Yield each number of the question in whose place the sentence has one other number of the same thing."""
    dates = [(mention.start, mention.end) for mention in stated_dates(claim)]
    stated = amounts(passage.text, passage.words)
    for ours in amounts(claim, found):
        if _is_hedged(claim, ours) or any(start <= ours.start < end for start, end in dates):
            continue
        if any(same_quantity(ours, other) or other.value == ours.value for other in stated):
            continue
        rivals = [other for other in stated if _is_rival(ours, found, other, passage)]
        if rivals and len({other.value for other in rivals}) == 1:
            yield _Difference(_within(found, ours.start, ours.end), _said(ours.text, rivals[0].text))


def _is_hedged(text: str, number: Quantity) -> bool:
    return number.is_soft or _HEDGED.search(text[: number.start]) is not None


def _is_rival(ours: Quantity, found: Sequence[Word], other: Quantity, passage: Passage) -> bool:
    if _is_hedged(passage.text, other) or ours.is_time is not other.is_time:
        return False
    if ours.is_time or is_same_measure(ours, other):
        return True
    return ours.unit is None and other.unit is None and bool(_counted(found, ours) & _counted(passage.words, other))


def _counted(found: Sequence[Word], number: Quantity) -> frozenset[str]:
    """Return the stems of what may be counted by a number: the next words up to a small one."""
    stems: list[str] = []
    for word in [word for word in found if word.start >= number.end][:_NOUNS]:
        if word.is_stop or word.is_number:
            break
        stems.append(word.stem)
    return frozenset(stems)


def _dates(claim: str, found: Sequence[Word], passage: Passage) -> Iterator[_Difference]:
    for finding in figure_findings(claim, found, [passage], 1.0):
        said = _SAYS.match(finding.text) if finding.flag == "date" and finding.effect == "contradicted" else None
        start = claim.find(said["ours"]) if said else -1
        if said and start >= 0:
            yield _Difference(_within(found, start, start + len(said["ours"])), _said(said["ours"], said["theirs"]))


def _names(claim: str, found: Sequence[Word], passage: Passage) -> Iterator[_Difference]:
    """Yield each name of the question in whose place the sentence has another one."""
    theirs = _runs(passage.text, passage.words)
    held = passage.stems | {word.key for word in passage.words}
    for ours in _runs(claim, found):
        if any(word.stem in held or any(same_name(word.key, key) for key in held) for word in ours):
            continue
        places = _places(found, ours)
        rival = next((run for run in theirs if places & _places(passage.words, run)), None)
        if rival is not None:
            text = _said(_text(claim, ours), _text(passage.text, rival))
            yield _Difference(frozenset(word.start for word in ours), text)


def _runs(text: str, found: Sequence[Word]) -> list[list[Word]]:
    """Return the names of a sentence, the words of one name together."""
    runs: list[list[Word]] = []
    for word in proper_names(text, found):
        if runs and not text[runs[-1][-1].end : word.start].strip():
            runs[-1].append(word)
        else:
            runs.append([word])
    return runs


def _text(text: str, run: Sequence[Word]) -> str:
    return text[run[0].start : run[-1].end].removesuffix("'s").removesuffix("’s")


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
        kind = _kind_of(word)
        if kind is None or word.stem in passage.stems:
            continue
        beside = _thing(found, index)
        others = [
            other
            for place, other in enumerate(passage.words)
            if _kind_of(other) == kind and beside & _thing(passage.words, place)
        ]
        if beside and len({other.key for other in others}) == 1:
            yield _Difference(frozenset({word.start}), _said(word.text, others[0].text))


def _kind_of(word: Word) -> str | None:
    if word.key in _COLOURS:
        return "colour"
    fact = fact_of(word)
    return "kin" if fact is not None and fact.kind == "kin" else None


def _thing(found: Sequence[Word], index: int) -> frozenset[str]:
    """Return what a colour colours, and whose a relation is and which name it has: the words beside it."""
    if found[index].key in _COLOURS:
        behind = found[index + 1 : index + 1 + _NOUNS]
        return frozenset(word.stem for word in behind[:2] if not word.is_stop)
    return frozenset(f"{word.key} " for word in found[max(0, index - 1) : index])


def _denials(claim: str, found: Sequence[Word], passage: Passage) -> Iterator[_Difference]:
    """Yield that the sentence denies what the question takes for granted ("Why did Jonas cancel?")."""
    if has_negation(claim, found):
        return
    told = {word.stem for word in found if _tells(word)}
    scopes = negated(passage.text, passage.words)
    denied = {passage.words[index].stem for scope in scopes for index in scope[1 : 1 + _FOCUS]}
    findings = polarity_findings(claim, found, support_of(found, [passage]))
    if told & denied or any(one.text == "the answer affirms what the source denies" for one in findings):
        yield _Difference(frozenset(), "your question takes for granted what the source denies")


def _within(found: Sequence[Word], start: int, end: int) -> frozenset[int]:
    return frozenset(word.start for word in found if start <= word.start < end)


def _said(ours: str, theirs: str) -> str:
    return f"your question says {ours}; the source says {theirs}"
