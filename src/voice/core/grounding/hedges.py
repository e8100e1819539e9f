"""A number or a share that the source hedges, and how far and when: "at least 30", "half of the money", "by 40 euros".

Law: a claim that drops the hedge before a number, makes a bound of a plain number ("84" is not "more than 84"), turns a
lower bound into an upper one, tells of the whole what is told of a share, changes "by" into "to" before a number or
names another relative day or week says what its source does not. A hedge of the same direction in other words is the
same hedge.

Source: DESIGN 6 stage 4; ruling D1.
"""

from collections.abc import Callable, Mapping

import regex

from voice.core.text.patterns import late_pattern
from voice.core.text.stems import stem_of

_LOWER = r"at least|more than|over|no (?:less|fewer) than|a minimum of|mindestens|mehr als|über|exceed\p{L}*"
_UPPER = r"at most|up to|less than|fewer than|under|no more than|a maximum of|höchstens|maximal|weniger als|bis zu"
_NEAR = (
    r"about|around|roughly|approximately|approx\.?|circa|ca\.?|some|nearly|almost|close to|or so|estimated|~|etwa"
    r"|ungefähr|rund|knapp|fast|more or less"
)
_NUMBER = r"(?:[€$£]\s?)?(?P<number>\p{Nd}[\p{Nd}.,:]*(?<=\p{Nd}))"
_HEDGED = late_pattern(
    rf"\b(?:(?P<lower>{_LOWER})|(?P<upper>{_UPPER})|(?P<near>{_NEAR}))\s+{_NUMBER}", regex.IGNORECASE
)
_SIDES: Mapping[str, regex.Pattern[str]] = {
    "lower": late_pattern(rf"\b(?:{_LOWER}|or more|minimum|{_NEAR})(?!\p{{L}})|\+", regex.IGNORECASE),
    "upper": late_pattern(rf"\b(?:{_UPPER}|or less|or fewer|maximum|{_NEAR})(?!\p{{L}})", regex.IGNORECASE),
    "near": late_pattern(rf"\b(?:{_LOWER}|{_UPPER}|{_NEAR}|between|range)(?!\p{{L}})", regex.IGNORECASE),
}
"""What a claim keeps of a hedge: a vague number is as good for a bound."""
_PART = (
    r"(?:most|half|part|much|the (?:majority|bulk)|a (?:third|quarter|part|fraction)|(?:two|three) (?:thirds|quarters)"
    r"|(?:nearly|almost|not) all|hardly any|\p{Nd}+ ?(?:%|percent|per cent)|die Hälfte|ein Teil|(?:fast|nicht) alle)"
)
_SHARE = late_pattern(
    rf"\b{_PART}(?: of)? (?:the|my|our|his|her|their|this|that|des|der|meine[rsn]?|unsere[rsn]?) (?P<things>\p{{L}}+)",
    regex.IGNORECASE,
)
_PARTIAL = late_pattern(
    r"\b(?:some|most|mostly|many|half|halves|parts?|partly|several|few|thirds?|quarters?|almost|nearly|majority|bulk"
    r"|percent|per cent|share|fraction|hardly|not|one|of|much|largely|hälfte|teil|fast|\p{Nd}+|meiste[nr]?)\b|%",
    regex.IGNORECASE,
)
_ALL = late_pattern(r"\b(?:all|every|whole|entire|alle|ganze[nrs]?)\b(?: of)?", regex.IGNORECASE)
_SPARED = late_pattern(r"\b(?:nearly|almost|not|hardly|fast|nicht|some|most|half)\b", regex.IGNORECASE)
_COUNTS = {
    word: str(count)
    for count, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1
    )
}
_COUNT = rf"\p{{Nd}}+|{'|'.join(_COUNTS)}"
_OUT_OF = late_pattern(
    rf"\b(?P<part>{_COUNT}) (?:out )?of (?:(?:the|my|our|his|her|their) )?(?P<total>{_COUNT})\b", regex.IGNORECASE
)
_BY_OR_TO = late_pattern(rf"\b(?P<how>by|to|um|auf) {_NUMBER}", regex.IGNORECASE)
_TURNED = {"by": "to", "to": "by", "um": "auf", "auf": "um"}
_CHANGE = late_pattern(
    r"\b(?:go(?:es)?|went|gone|ris\p{L}+|rose|f[ae]ll\p{L}*|drop\p{L}*|increas\p{L}+|decreas\p{L}+|rais\p{L}+"
    r"|cut|cuts|reduc\p{L}+|grew|grow\p{L}*|climb\p{L}*|sank|up|down|steig\p{L}*|stieg\p{L}*|sink\p{L}*|erhöh\p{L}*)\b",
    regex.IGNORECASE,
)
_DAYS = {
    **dict.fromkeys(("today", "tonight", "this morning", "this afternoon", "this evening", "heute"), "day 0"),
    **dict.fromkeys(("tomorrow", "morgen"), "day 1"),
    **dict.fromkeys(("yesterday", "last night", "gestern"), "day -1"),
}
_SPAN = r"week|weekend|month|year|summer|winter|spring|autumn|\p{L}{3,6}day"
_MOMENT = late_pattern(
    rf"(?<!\b(?:the|every|each|of|am|jeden) )\b(?:(?P<day>{'|'.join(_DAYS)})"
    rf"|(?P<which>next|last|this|coming) (?P<span>{_SPAN})"
    r"|(?P<welche>nächste|letzte|diese|kommende)[nrs]? (?P<spanne>Woche|Monat|Jahr|Wochenende|Sommer|Winter))\b",
    regex.IGNORECASE,
)
_ALIKE = {"coming": "next", "kommende": "nächste"}


_STRICT = late_pattern(
    r"(?<!\b(?:no|not|nicht) )\b(?:more than|over|above|less than|fewer than|under|below"
    rf"|mehr als|über|weniger als|unter)\s+{_NUMBER}",
    regex.IGNORECASE,
)
"""What a number is not that is given as it is."""
_BOUND = late_pattern(
    rf"\b(?:{_LOWER}|{_UPPER}|{_NEAR}|above|below|beyond|older|younger|bigger|smaller|longer|shorter|higher|between|from"
    r"|or more|or less|or fewer|plus|minimum|maximum|limit|unter|zwischen|von)(?!\p{L})|[+<>≤≥–-]\s?\p{Nd}|\p{Nd}\+",
    regex.IGNORECASE,
)
"""What may stand for a bound in the source; where any does, nobody is sure that there is none."""
_LOOSE = late_pattern(r"over|more than|über|mehr als|exceed\p{L}*|some|close to", regex.IGNORECASE)
"""Bounds that everybody rounds away: a claim leaves them only where it says that the number is exact or a limit."""
_EXACT = late_pattern(rf"\b(?:exactly|precisely|only|just|genau|{_UPPER})\b", regex.IGNORECASE)


def drops_a_bound(claim: str, said: str) -> bool:
    """Return whether a claim tells a number without the hedge that the source puts before each of its mentions."""
    for match in _HEDGED.finditer(said):
        number = regex.escape(match["number"])
        mention = late_pattern(rf"(?<![\p{{Nd}}.,:]){number}(?![.,:]?\p{{Nd}})")
        side = next(name for name in _SIDES if match[name])
        if _LOOSE.fullmatch(match[side]) and not _EXACT.search(claim):
            continue
        if len(mention.findall(said)) == 1 and mention.search(claim) and not _SIDES[side].search(claim):
            return True
    return False


def makes_a_bound(claim: str, said: str) -> bool:
    """Return whether a claim says "more than" or "less than" before a number that the source gives without a bound."""
    for match in _STRICT.finditer(claim):
        number = regex.escape(match["number"])
        mentions = list(regex.finditer(rf"(?<![\p{{Nd}}.,:]){number}(?![.,:]?\p{{Nd}})", said))
        if mentions and not _BOUND.search(said) and not _CHANGE.search(said):
            return True
    return False


def tells_the_whole(claim: str, said: str) -> bool:
    """Return whether a claim tells of the whole what the source tells of a share of it."""
    for match in _SHARE.finditer(said):
        things = rf"\b{regex.escape(match['things'][:4])}\p{{L}}*"
        bare = not _PARTIAL.search(claim) or (_ALL.search(claim) and not _SPARED.search(claim))
        if bare and len(regex.findall(things, said, regex.I)) == 1 and _names(claim, match["things"]):
            return True
    for match in _OUT_OF.finditer(said):
        part, total = _count(match["part"]), _count(match["total"])
        counts = {_count(one) for one in regex.findall(rf"\b(?:{_COUNT})\b", claim, regex.I)}
        if total in counts and part not in counts and part != total:
            return not _PARTIAL.search(regex.sub(r"\p{Nd}+", "", claim))
    return False


def _names(claim: str, things: str) -> bool:
    return stem_of(things.lower()) in {stem_of(word.lower()) for word in regex.findall(r"\p{L}+", claim)}


def _count(written: str) -> str:
    return _COUNTS.get(written.lower(), written)


def turns_how_far(claim: str, said: str) -> bool:
    """Return whether a claim makes "to 40" of the "by 40" of a change, or the other way round."""
    if not _CHANGE.search(said):
        return False
    theirs = {(match["how"].lower(), match["number"]) for match in _BY_OR_TO.finditer(said)}
    ours = {(match["how"].lower(), match["number"]) for match in _BY_OR_TO.finditer(claim)}
    return any(one not in theirs and (_TURNED[one[0]], one[1]) in theirs for one in ours)


def names_another_day(claim: str, said: str) -> bool:
    """Return whether a claim and its source each name relative days or weeks, and none in common."""
    ours, theirs = _moments(claim), _moments(said)
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def _moments(text: str) -> frozenset[str]:
    found: set[str] = set()
    for match in _MOMENT.finditer(text):
        which = (match["which"] or match["welche"] or "").lower()
        span = (match["span"] or match["spanne"] or "").lower()
        found.add(_DAYS[match["day"].lower()] if match["day"] else f"{_ALIKE.get(which, which)} {span}")
    return frozenset(found)


HEDGES: tuple[tuple[Callable[[str, str], bool], str], ...] = (
    (drops_a_bound, "the answer tells a number without the bound that the source puts before it"),
    (makes_a_bound, "the source gives the number itself, the answer more or less than it"),
    (tells_the_whole, "the source says this of a part of them, the answer of all"),
    (turns_how_far, "the answer changes how far into where to, or the other way round"),
    (names_another_day, "the answer names another day than the source"),
)
"""How a claim may leave the hedges of one sentence, each with what is said of it."""
