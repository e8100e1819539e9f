"""What a sentence says of a thing: what it costs, when it opens, what it is called.

Law: a thing is told apart by whose it is, by where it is, or by a noun phrase that names one thing ("the bike"); any
"amount" or "ticket" is told apart by nothing. Two sentences are of one respect only where thing, predicate and
circumstance are the same: an hour on Sundays says nothing of Mondays, a price by the night nothing of one by the month.
What is hedged ("about 300", "300 or 350") excludes nothing and is not told at all.

Source: DESIGN 2 promise 1; S2 "Where sources disagree, give both with their dates".
"""

from collections.abc import Iterator
from typing import NamedTuple

import regex

from voice.core.text.dates import stated_dates
from voice.core.text.numbers import Quantity, quantities
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import without_possessive, words

_FIGURES = (
    r"rents?|price|fees?|deposit|salary|wages?|budget|costs?|capacity|height|weight|length|width|depth|size|distance"
    r"|population|limit|code|pin|number|allowance|dose|dosage"
)
_DAYS = r"deadline|birthday|anniversary|wedding|exam|start\s+date|end\s+date|release\s+date|expiry\s+date"
_THING = late_pattern(
    r"(?:^|(?<=[,;:.!?]\s))(?P<owner>[Mm]y|[Oo]ur|[Tt]he|\p{Lu}[\p{L}-]+['’]s)?(?(owner)\s+)"
    r"(?P<thing>\p{L}[\p{L}'’-]*(?:\s\p{Ll}[\p{L}'’-]*){0,3}?)"
    r"(?P<where>\s(?:in|at|of|on|for)\s(?:\p{Lu}[\p{L}-]+|(?:the|my|our)\s\p{Ll}[\p{L}-]+))?"
    r"\s+(?P<verb>is|are|costs?|weighs?|lasts?|(?:starts?|begins?|opens?|closes?|ends?)\s+(?:at|on))"
    r"(?:\s+(?:now|currently|still|also|just|actually|already|really|always))*"
    r"\s+(?P<value>(?:[^.,;:!?()\n—–]|[.,:](?=\d))+)(?P<after>[^.;!?\n]*)"
)
THING_FORM = _THING.pattern
"""How a text says something of a thing."""
_FIGURE = late_pattern(rf"(?:.*\s)?(?:{_FIGURES})", regex.IGNORECASE)
_DAY = late_pattern(rf"(?:.*\s)?(?:{_DAYS})", regex.IGNORECASE)
_NAMED = word_set("name nickname address birthday job employer boss landlord doctor dentist email hometown surname")
_ANY = word_set(
    "amount total sum whole rest other one ones thing things it item order bill meal dinner lunch breakfast drink trip "
    "ticket tickets ride game match this that these those there here what which who all both some most"
)
"""Nouns of which each sentence may mean another one, and words that begin no noun phrase."""
_HEDGED = late_pattern(
    r"^(?:not|no|never|n['’]t|about|around|roughly|nearly|almost|approximately|some|over|under|below|above|up\s+to"
    r"|at\s+(?:least|most)|less|more|between|from|maybe|perhaps|probably|either|only\s+if)\b"
    r"|\b(?:or|to|and)\s+(?:\p{Nd}|a\s+half\b)|\p{Nd}\s*[-–]\s*\p{Nd}|\b(?:more|less|extra|off|cheaper|dearer|plus)\b",
    regex.IGNORECASE,
)
_CIRCUMSTANCE = late_pattern(
    r"\b(?:on|in|for|with|without|if|when|while|until|till|from|after|before|during|except|including"
    r"|by|plus|last|next|every|at|unless|back|was|were|used|then|today|tomorrow|tonight|yesterday)\b.*",
    regex.IGNORECASE,
)
_RATE = late_pattern(
    r"\b(?:per|an?|each|every)\s+(?P<unit>day|night|week|month|year|hour|minute|person|head|piece|kilo|kg|litre|liter|metre"
    r"|meter|lesson|class|session|visit|half|quarter)\b",
    regex.IGNORECASE,
)
_ASIDE = late_pattern(r"\s+(?:and|but|because|since|so|which|who|again|now|these|this)\b.*", regex.IGNORECASE)
_MONTHLY = word_set("rent rents salary wage wages")
_MONEY = frozenset({"usd", "eur", "gbp", "yen", "crown", "krona", "rupee", "franc", "cent"})


class ThingSaid(NamedTuple):
    """What one sentence says of one thing in one respect."""

    owner: str
    """Whose it is: "my", "our" or a name; empty when nobody's in particular."""
    respect: str
    value: str
    needs_a_name: bool
    """Whether only the entities of its row tell which thing is meant."""


def things_told(text: str) -> Iterator[ThingSaid]:
    """Yield what a sentence says of a thing in a respect that holds one value at a time."""
    found = _THING.search(text)
    if found is None or _is_vague(found):
        return
    owner, value = found["owner"] or "", found["value"].strip()
    thing = key_of(found["thing"] + (found["where"] or ""))
    if owner.lower() not in ("", "the") and _is_called(found["thing"], found["verb"]):
        yield ThingSaid(_whose(owner), thing, value, needs_a_name=False)
    elif _has_figure(value) and (days_of(value) == frozenset() or _tells_a_day(found)):
        respect = " ".join((thing, *_act(found["verb"]), *_around(text[: found.start()], found)))
        yield ThingSaid(_whose(owner), respect, value, needs_a_name=not _is_told_apart(found, owner))


def days_of(value: str) -> frozenset[tuple[int | None, int, int]]:
    """Return the days that a value states as year, month and day; none where it states no day."""
    return frozenset((day.year, day.month, day.day) for day in stated_dates(value) if day.month and day.day)


def key_of(text: str) -> str:
    """Return the words of a text in the form in which they are compared, without articles."""
    return " ".join(word.key for word in words(text) if word.key not in ("the", "a", "an"))


def _is_vague(found: "regex.Match[str]") -> bool:
    """Return whether a value is hedged, or a past tense ("the bike cost 300") was read as a plural's present."""
    verb = found["verb"].split()[0]
    is_bare = verb not in ("is", "are") and not verb.endswith("s") and not found["thing"].endswith("s")
    return is_bare or _HEDGED.search(found["value"]) is not None


def _is_called(thing: str, verb: str) -> bool:
    key = thing.lower()
    is_name = key.rsplit(" ", 1)[-1] in _NAMED or key.startswith(("favorite", "favourite"))
    return is_name and verb in ("is", "are") and _DAY.fullmatch(thing) is None


def _tells_a_day(found: "regex.Match[str]") -> bool:
    return found["verb"].endswith("on") or _DAY.fullmatch(found["thing"]) is not None


def _is_told_apart(found: "regex.Match[str]", owner: str) -> bool:
    """Return whether the words alone say which thing is meant, and that one figure of it is spoken of."""
    if owner.lower() not in ("", "the") or found["where"]:
        return True
    thing, first = found["thing"], found["thing"].lower().split()[0]
    if first in _ANY or thing.lower().split()[-1] in _ANY:
        return False
    if _FIGURE.fullmatch(thing) or _DAY.fullmatch(thing):
        return True
    is_price = any(figure.unit in _MONEY for figure in _figures(found["value"]))
    return owner != "" and (found["verb"] not in ("is", "are") or is_price)


def _whose(owner: str) -> str:
    return "" if owner.lower() == "the" else without_possessive(owner)


def _act(verb: str) -> tuple[str, ...]:
    """Return what tells the verb from others of the same thing: it opens at one hour and closes at another."""
    first = verb.split(maxsplit=1)[0].removesuffix("s")
    return () if first in ("i", "are", "cost") else (f"{first}s",)


def _around(before: str, found: "regex.Match[str]") -> Iterator[str]:
    """Yield under what circumstances it is so, and by what it is counted; a rent goes by the month."""
    after = _ASIDE.sub("", found["value"].removeprefix("on ") + found["after"])
    for text in (before, after):
        if (told := _CIRCUMSTANCE.search(text)) is not None:
            yield key_of(told[0])
    rate = _RATE.search(after)
    is_monthly = found["thing"].lower().rsplit(" ", 1)[-1] in _MONTHLY
    if rate is not None and not (is_monthly and rate["unit"].lower() == "month"):
        yield f"per {rate['unit'].lower()}"


def _has_figure(value: str) -> bool:
    return bool(_figures(value))


def _figures(value: str) -> list[Quantity]:
    return [figure for figure in quantities(value, words(value)) if not figure.is_soft]
