"""Hard checks on what is denied, reversed or widened: negation, opposites, quantifiers and comparatives.

Law: a word that the claim denies and the source affirms (or the other way round) is a contradiction only where the best
evidence sentence covers at least half of the claim; on loosely matching text the same sign is a note that adds to the
score, because natural paraphrase negates freely (GROUNDING, "The negation rule does not carry over").

Source: DESIGN 6 stage 4 (negation, comparatives); ruling D1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import regex

from voice.core.grounding.findings import Finding
from voice.core.grounding.limits import says_it_turned
from voice.core.grounding.opposites import OPPOSITE, OR_ELSE
from voice.core.grounding.passages import Passage
from voice.core.grounding.relations import tells_the_same_relation
from voice.core.grounding.sides import OF_ANOTHER, told_from
from voice.core.grounding.support import Support
from voice.core.text.facts import fact_of
from voice.core.text.negation import is_negator, negated
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_SURE = 0.5
_SAME = 0.75
"""From this recall of the best sentence on, it is the same statement, and "all" of what was "some" is false."""
_REACH_BACK = 6
_FOCUS = 2
"""How many content words after a negation are what it denies; the rest of its reach may only be mentioned."""
_DENYING = word_set(
    "lack lacks lacked lacking fail fails failed refuse refuses refused deny denies denied stop stopped quit avoid "
    "avoids avoided unable impossible absent missing miss missed skip skipped cancel cancelled canceled decline "
    "declined reject rejected prevent prevented forgot forgotten rarely seldom few less lost except unless hate hates "
    "dislike dislikes doubt doubts doubted vergessen vergass versaumt versaumte unterlassen"
)
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "dys")


_WIDE = word_set("all every always everyone everybody everything entire entirely each completely")
_NARROW = word_set(
    "some few several sometimes occasionally often usually mostly most partly partially many almost nearly half only"
)


def polarity_findings(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    """Return the signs that the claim `text` denies, reverses or widens what its evidence says."""
    if not support.used:
        return []
    return [*_negation(text, found, support), *_opposite(text, found, support), *_quantifier(found, support)]


_UNDONE = late_pattern(
    r"\b(?:(?:fail(?:s|ed)?|refus(?:es?|ed)|declin(?:es?|ed)|forgot|forgets|unable|neglect(?:s|ed)?) to"
    r"|(?:stop(?:s|ped)?|quit|gave up|given up|avoid(?:s|ed)?)(?= \w+ing\b))\s+",
    regex.IGNORECASE,
)
"""What is said not to be done although no "not" says so; "never fails to" is its own negation."""


class _Denial(NamedTuple):
    """What a sentence denies."""

    focus: frozenset[str]
    """Stems that it denies for sure."""
    reach: frozenset[str]
    """All stems that its negations may reach."""
    affirmed: frozenset[str]
    """Stems that stand in it outside of any negation."""


def _denial_of(text: str, found: Sequence[Word]) -> _Denial:
    scopes = [*negated(text, found), *_undone(text, found)]
    reached = {index for scope in scopes for index in scope[1:]}
    return _Denial(
        frozenset(found[index].stem for scope in scopes for index in scope[1 : 1 + _FOCUS]),
        frozenset(found[index].stem for index in reached),
        frozenset(word.stem for index, word in enumerate(found) if index not in reached),
    )


def _undone(text: str, found: Sequence[Word]) -> list[tuple[int, int]]:
    """Return where a verb says that something is not done: the verb's index and that of what is not done."""
    scopes: list[tuple[int, int]] = []
    for match in _UNDONE.finditer(text):
        verb = next((index for index, word in enumerate(found) if word.end > match.start()), None)
        deed = next((index for index, word in enumerate(found) if word.start >= match.end()), None)
        if verb is not None and deed is not None and not found[deed].is_stop:
            scopes.append((verb, deed))
    return scopes


class Opposites(NamedTuple):
    """ "Not expensive" and "cheap": what the one sentence denies, and what the other says in its place."""

    denied: Word
    said: Word


def by_the_opposite(text: str, found: Sequence[Word], source: Passage) -> Opposites | None:
    """Return how a claim says by the opposite what its source says by a "not", or the other way round; None if neither.

    Whatever is so is not its opposite; what is denied is the opposite only where nothing lies between the two.
    """
    ours, theirs = _first_denied(text, found), _first_denied(source.text, source.words)
    if len(ours) + len(theirs) != 1:
        return None
    denied, plain, there = (ours[0], source.words, found) if ours else (theirs[0], found, source.words)
    keys, stems = {word.key for word in there}, {word.stem for word in plain}
    for word in (one for one in denied if one.stem not in stems):
        others = _opposites_of(word) if ours else _in_table(OR_ELSE, word.stem, word.key) | _affixed(word.key)
        said = next((one for one in plain if {one.stem, one.key} & others and one.key not in keys), None)
        if said is not None and word.key not in _WIDE | _NARROW:
            return Opposites(word, said)
    return None


def _first_denied(text: str, found: Sequence[Word]) -> list[list[Word]]:
    """Return what each negation of a sentence denies for sure."""
    return [[found[index] for index in scope[1 : 1 + _FOCUS]] for scope in negated(text, found)]


def _negation(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    if by_the_opposite(text, found, support.used[0]) or says_it_turned(text, support.used[0].text):
        return []
    ours = _denial_of(text, found)
    theirs = [_denial_of(passage.text, passage.words) for passage in support.used]
    if any(_is_denied_alone(stem, support.used, theirs) for stem in ours.focus):
        return [_finding(support, "the answer denies what the source affirms", 1.8)]
    if ours.focus and not any(one.reach for one in theirs) and not any(_denies(p.words) for p in support.used):
        return [_note("the answer denies something; the cited sentences deny nothing", 1.35)]
    if ours.reach or _denies(found) or support.used[0].text.rstrip().endswith("?"):
        return []
    present = {word.stem for word in found if not word.is_stop}
    affirmed = frozenset[str]().union(*(one.affirmed for one in theirs))
    if theirs[0].focus & present - affirmed:
        return [_finding(support, "the answer affirms what the source denies", 1.8)]
    return []


def _is_denied_alone(stem: str, used: Sequence[Passage], theirs: Sequence[_Denial]) -> bool:
    """Return whether a stem that the claim denies stands in the evidence and is denied nowhere in it."""
    holders = [(passage, denial) for passage, denial in zip(used, theirs, strict=True) if stem in passage.stems]
    return bool(holders) and not any(
        stem in denial.reach or _denied_otherwise(stem, passage) for passage, denial in holders
    )


def _denies(found: Sequence[Word]) -> bool:
    return any(word.key in _DENYING or word.key.startswith(("un", "dis")) for word in found)


def _denied_otherwise(stem: str, passage: Passage) -> bool:
    """Return whether a denying word ("refused to", "unable to") stands shortly before the word in the passage."""
    return any(
        word.stem == stem and _denies(passage.words[max(0, index - _REACH_BACK) : index])
        for index, word in enumerate(passage.words)
    )


def _opposite(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    if says_the_same_turned(found, support.used[0].words):
        return []
    ours = {word.stem for word in found} | {word.key for word in found}
    pool = frozenset[str]().union(*(passage.stems for passage in support.used))
    for word in found:
        others = _opposites_of(word)
        if word.stem in pool or not ours.isdisjoint(others):
            continue
        hit = next((other for other in support.used[0].words if other.stem in others or other.key in others), None)
        if hit and _is_kin(word) and tells_the_same_relation(text, found, support.used):
            continue
        if hit and (side := told_from(word, found, hit, support.used[0].words)) != "the same":
            return [OF_ANOTHER] if side == "nowhere" else []
        if hit and not _denies_one(text, found, word, hit, support.used[0]):
            finding = _finding(support, f"the source says “{hit.text}”, the answer says the opposite", 0.8)
            return [replace(finding, flag="antonym")]
    return []


def _is_kin(word: Word) -> bool:
    fact = fact_of(word)
    return fact is not None and fact.kind == "kin"


def _denies_one(text: str, found: Sequence[Word], word: Word, hit: Word, source: Passage) -> bool:
    """Return whether just one of two opposites is denied: "not happy" is "unhappy"."""
    if is_negator(hit) or is_negator(word):
        return bool(negated(text, found)) and bool(negated(source.text, source.words))
    is_denied = word.stem in _denial_of(text, found).focus
    return is_denied is not (hit.stem in _denial_of(source.text, source.words).focus)


class Comparison(NamedTuple):
    """ "The kitchen is bigger than the bedroom": what is compared, how, with what."""

    left: str
    degree: Word
    right: str


def comparison_of(found: Sequence[Word]) -> Comparison | None:
    """Return what stands on both sides of a sentence's only "than"; None when there is none, or more."""
    places = [index for index, word in enumerate(found) if word.key == "than"]
    if len(places) != 1 or places[0] == 0:
        return None
    degree = found[places[0] - 1]
    left = [word.stem for word in found[: places[0] - 1] if not (word.is_stop or word.is_number or _is_unit(word))]
    right = [word.stem for word in found[places[0] + 1 :] if not word.is_stop]
    return Comparison(left[-1], degree, right[0]) if left and right else None


def _is_unit(word: Word) -> bool:
    """Return whether a word only measures the difference: "two years older"."""
    fact = fact_of(word)
    return fact is not None and fact.kind in ("unit", "number")


def says_the_same_turned(found: Sequence[Word], source: Sequence[Word]) -> bool:
    """Return whether a claim says the source's comparison from the other side ("B is younger than A")."""
    ours, theirs = comparison_of(found), comparison_of(source)
    if ours is None or theirs is None or ours.left == ours.right:
        return False
    if (ours.left, ours.right) != (theirs.right, theirs.left):
        return False
    return are_opposite(ours.degree, theirs.degree)


def are_opposite(ours: Word, theirs: Word) -> bool:
    """Return whether two words are opposites ("older", "younger")."""
    others = _opposites_of(ours)
    return theirs.stem in others or theirs.key in others


def _opposites_of(word: Word) -> frozenset[str]:
    return _opposites(word.stem, word.key)


@lru_cache(maxsize=8192)  # each word of a claim is held against each of its source
def _opposites(stem: str, key: str) -> frozenset[str]:
    return _in_table(OPPOSITE, stem, key) | _affixed(key)


def _in_table(table: Mapping[str, frozenset[str]], stem: str, key: str) -> frozenset[str]:
    return table.get(stem, frozenset[str]()) | table.get(key, frozenset[str]())


def _affixed(key: str) -> frozenset[str]:
    """Return the words that differ from `key` by a denying prefix or ending."""
    if len(key) < 4:
        return frozenset()
    taken = {key.removeprefix(prefix) for prefix in _PREFIXES if key.startswith(prefix) and len(key) > len(prefix) + 3}
    put = {prefix + key for prefix in _PREFIXES}
    if key.endswith("less"):
        put.add(key.removesuffix("less") + "ful")
    if key.endswith("ful"):
        put.add(key.removesuffix("ful") + "less")
    return frozenset(taken | put)


def _quantifier(found: Sequence[Word], support: Support) -> list[Finding]:
    ours = {word.key for word in found}
    there = {word.key for word in support.used[0].words}
    for wide, narrow in ((ours & _WIDE, there & _NARROW), (ours & _NARROW, there & _WIDE)):
        if not (wide and narrow) or ours & narrow or there & wide:
            continue
        said = min(there & (_WIDE | _NARROW))
        reason = f"the source says “{said}”, the answer says more or less than that"
        if ours & _WIDE and support.best_recall >= _SAME:
            return [Finding(flag="quantifier", text=reason, effect="contradicted")]
        return [_note(reason, 0.7, "quantifier")]
    return []


def _finding(support: Support, text: str, weight: float) -> Finding:
    if support.best_recall >= _SURE:
        return Finding(flag="polarity", text=text, effect="contradicted", weight=weight)
    return _note(text, weight)


def _note(text: str, weight: float, flag: str = "polarity") -> Finding:
    return Finding(flag="quantifier" if flag == "quantifier" else "polarity", text=text, effect="note", weight=weight)
