"""What a sentence excepts, doubts, denies, calls false or tells as past holds its words and does not state them.

Law: a cue that stands before the deed in its clause ("has yet to pay", "denied stealing", "everyone except Ben") takes
it out of what is stated. A claim nearly all of whose words such a sentence holds, that neither denies anything nor
keeps a cue, says what the sentence does not. It is decided only where no other sentence states the same plainly.

Source: DESIGN 6 stage 4; ruling D1.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

import regex

from voice.core.grounding.findings import Finding
from voice.core.grounding.german_deeds import core_of, keeps_the_will, undone_deeds
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import are_opposite
from voice.core.grounding.support import Support, credit_of
from voice.core.text.denials import denies
from voice.core.text.patterns import late_pattern
from voice.core.text.words import Word

_HELD = 0.5
_MOST = 0.6
"""Share of a claim's telling words that the sentence must hold for the claim to be its deed."""
_NOT = r"(?<!\b(?:no|not|never|without|without a|beyond|cannot|\w+n['’]t) )"
_EXCEPTED = late_pattern(
    r"\b(?:except(?: for)?|with the exception of|apart from|außer|ausgenommen)\b(?![^.;]*\b(?:also|too|auch)\b)"
    r"(?<!\b(?:nobody|no one|none|nothing|never|niemand|keiner|nichts)\b[^.;]{1,200})",
    regex.IGNORECASE,
)
"""Whom a "nobody except" excepts is stated."""
_UNDONE = late_pattern(
    rf"{_NOT}\b(?:doubt(?:s|ed)?\b(?! about)|den(?:y|ies|ied) (?=that\b|having\b|\w+ing\b|any\b)"
    r"|(?:has|have|had|is|are) yet to|(?:is|are|was|were|seems?) (?:very |highly |rather )?unlikely to"
    r"|anything but|far from(?! (?:the|an?|my|our|his|her|their|your|here|home|town|work)\b)(?! (?-i:\p{Lu}))"
    r"|rul(?:es?|ed|ing) out)\b",
    regex.IGNORECASE,
)
_FALSE = late_pattern(
    r",? (?:which|that|but (?:that|this|it)) (?:is|was|turned out to be) "
    r"(?:false|untrue|wrong|not true|a lie|nonsense)\b"
    r"|\bbut (?:\w+ )?(?:lied|was lying|is lying|were lying)\b|, was (?:falsch|gelogen|nicht wahr) (?:ist|war|wäre)\b"
    r"|\baber (?:er|sie|das) (?:hat gelogen|log|war gelogen|stimmt nicht)\b",
    regex.IGNORECASE,
)
_ONCE = late_pattern(
    r"(?<!\b(?:is|are|am|was|were|be|been|get|gets|got|getting|'s|'m|'re) )\bused to\b", regex.IGNORECASE
)
_MOVED = late_pattern(
    r"\b(?:moved|postponed|rescheduled|shifted|switched|brought forward|changed)\b[^.;,]*?\bfrom (?P<old>[^.;,]+?) to\b"
    r"|\bvo[nm] (?P<alt>[^.;,]+?) auf\b[^.;,]*\b(?:verschoben|verlegt|vorverlegt)\b",
    regex.IGNORECASE,
)
_SAID_TO = late_pattern(r"\bsoll(?:en)?\b[^.;,]*?(?P<deed>\p{Ll}+) (?:haben|sein)\b", regex.IGNORECASE)
_KEPT = late_pattern(
    r"\b(?:except\w*|exception|apart|außer|ausgenommen|doubt\w*|den(?:y|ies|ied|ying|ial)|yet|unlikely|anything but"
    r"|far from|rul\w+ out|false\w*|untrue|wrong\w*|lie[sd]?|lying|claim\w*|alleg\w*|suppos\w*|said|says|told|according"
    r"|accus\w*|rumou?r\w*|used to|former\w*|once|previous\w*|originally|was|were|had|did|moved|postponed|rescheduled"
    r"|changed|shifted|switched|from|left|until|forgot\w*|refus\w*|fail\w*|may|might|could|whether|if|planned"
    r"|soll\w*|angeblich|laut|vermutlich|wohl|ob|verg[ae]\w*|versäum\w*|verschoben|verlegt|behaupte\w*|bezweif\w*"
    r"|war|waren|früher|ehemal\w*|falsch|gelogen|statt|weiger\w*|ablehn\w*|abgelehnt)\b|\?",
    regex.IGNORECASE,
)
"""Signs that a claim keeps the doubt, the denial or the past."""
_CLAUSE_END = late_pattern(r"[.;:!?,()—–\n]| - ")


def unstated_findings(text: str, found: Sequence[Word], support: Support, passages: Sequence[Passage]) -> list[Finding]:
    """Return a finding when the claim `text` states what its best sentence excepts, doubts, denies or tells as past.

    Args:
        text: the claim.
        found: its words.
        support: what holds it.
        passages: all evidence; what another sentence states plainly is stated.
    """
    best = support.best
    if best is None or _KEPT.search(text) or any(denies(word) for word in found):
        return []
    telling = [word for word in found if not word.is_stop]
    if not _says_what_is_unstated(found, best) or not _tells_of(telling, best):
        return []
    if any(_tells_of(telling, one) and not any(_unstated(one)) and one.text != best.text for one in passages):
        return []
    reason = "the answer states what the source excepts, doubts, denies or tells as past"
    return [Finding(flag="modality", text=reason, effect="unsupported")]


def _tells_of(telling: Sequence[Word], passage: Passage) -> bool:
    """Return whether a sentence holds nearly all telling words of a claim, and no opposite of another."""
    cores = {core_of(word.key) for word in passage.words}
    held = [credit_of(word.stem, passage.stems) >= _HELD or core_of(word.key) in cores for word in telling]
    strange = (word for word, is_held in zip(telling, held, strict=True) if not is_held)
    if any(are_opposite(word, other) for word in strange for other in passage.words):
        return False
    return sum(held) >= _MOST * len(held)


_How = Literal["not", "once", "german", "whole"]


class _Unstated(NamedTuple):
    """A word that a sentence holds without stating it."""

    key: str
    stem: str
    how: _How


def _unstated(passage: Passage) -> Iterator[_Unstated]:
    """Yield what a sentence does not state although it holds the words."""
    text = passage.text
    if _FALSE.search(text):
        yield _Unstated("", "", "whole")
    cues: tuple[tuple[regex.Pattern[str], _How], ...] = ((_EXCEPTED, "not"), (_UNDONE, "not"), (_ONCE, "once"))
    for pattern, how in cues:
        for match in pattern.finditer(text):
            target = _next(passage, match.end(), is_name=pattern is _EXCEPTED)
            yield from (_Unstated(word.key, word.stem, how) for word in target)
    for match in _MOVED.finditer(text):
        start, end = match.span("old") if match["old"] else match.span("alt")
        old = [word for word in passage.words if start <= word.start < end and not word.is_stop]
        yield from (_Unstated(word.key, word.stem, "not") for word in old[-1:])
    for deed in undone_deeds(text):
        yield _Unstated(deed, "", "german")
    for match in _SAID_TO.finditer(text):
        yield _Unstated(core_of(match["deed"]), "", "german")


def _next(passage: Passage, start: int, *, is_name: bool) -> Iterator[Word]:
    """Yield the first telling word from `start` on in the same clause; a name only where names are meant.

    Where the sentence has that word again ("used to live in Ulm, now I live in Trier"), what follows tells which.
    """
    following = (word for word in passage.words if word.start >= start)
    clause = takewhile(lambda word: not _CLAUSE_END.search(passage.text[start : word.start]), following)
    telling = [word for word in clause if not word.is_stop]
    first = next((word for word in telling if is_name or not word.is_capital), None)
    if first is None:
        return
    times = Counter(word.stem for word in passage.words)
    yield from [first] if times[first.stem] == 1 else (word for word in telling if times[word.stem] == 1)


def _says_what_is_unstated(found: Sequence[Word], passage: Passage) -> bool:
    return any(one.how == "whole" or any(_is_stated(word, one, found) for word in found) for one in _unstated(passage))


def _is_stated(word: Word, one: _Unstated, found: Sequence[Word]) -> bool:
    """Return whether a word of the claim states what the source does not; of what once was, in the present."""
    if one.how == "german":
        return not any(keeps_the_will(other.key) for other in found) and _is_verb(word, one.key, found)
    if one.how == "once":
        is_now = any(other.key in ("is", "are", "am", "now", "still", "currently") for other in found)
        return word.key in (f"{one.key}s", f"{one.key}es") or (word.key == one.key and (is_now or _is_bare(found)))
    return word.stem == one.stem or credit_of(word.stem, frozenset({one.stem})) >= _HELD


def _is_verb(word: Word, verb: str, found: Sequence[Word]) -> bool:
    """Return whether a word is a form of a verb, its particle before it or at the end: "angerufen", "rief … an"."""
    core = core_of(word.key)
    return core == verb or any(f"{other.key}{core}" == verb for other in found)


def _is_bare(found: Sequence[Word]) -> bool:
    return found[0].key in ("i", "you", "we", "they")
