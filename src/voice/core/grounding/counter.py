"""What speaks against a claim, sentence by sentence.

Law: a sentence speaks against a claim when the claim, judged as if it rested on that sentence alone, contradicts it;
when it tells another value of what holds one value at a time; when it tells that what is claimed was changed into
something else; when it states a thing of the claim's subject that excludes what is claimed; or when it tells something
where the claim says that there is nothing. It must speak of the claim's subject: what is said of somebody or something
else speaks neither for it nor against it.

Source: spec stateful-design-v2, stances ("challenge"); DESIGN 6 stage 4; rulings D1, D5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple, Self

import regex

from voice.core.grounding.claims import Grounds, judge_sentence
from voice.core.grounding.contraries import excludes_in_plain_words, is_of_another_thing
from voice.core.grounding.disagreement import Statement, excludes, has_ended, statements_of
from voice.core.grounding.opposed import NOTHING, State, opposed, shared_state, states_of
from voice.core.grounding.passages import Passage
from voice.core.grounding.support import credited_share
from voice.core.grounding.turned import is_turned
from voice.core.grounding.values import Evidence, GroundingPolicy
from voice.core.grounding.who import FIRST_PLURAL, FIRST_SINGULAR, SECOND, People, people_of, proper_names, same_name
from voice.core.records import TrustTier
from voice.core.text.negation import has_negation
from voice.core.text.numbers import quantities
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_TAKES_UP = 0.3
"""A sentence that holds less of the claim than this cannot contradict it."""
_SAME_THING = 0.5
"""A sentence is of the claim's subject when it holds this share of what the claim says beside its state."""
_SAME_DEED = 0.9
"""Where nobody is said to have done a thing, one who did something like it speaks against nothing."""
_CHANGES = late_pattern(
    r"\b(?:mov(?:e|es|ed|ing)|shift(?:s|ed)?|chang(?:e|es|ed)|postpon(?:e|es|ed)|reschedul(?:e|es|ed)|push(?:es|ed)"
    r"|brought|delay(?:s|ed)?|extend(?:s|ed)?|rais(?:e|es|ed)|rose|r(?:i|o)se[ns]?|increas(?:e|es|ed)|grew|went|goes|gone"
    r"|dropp?(?:s|ed)?|fell|fallen|lower(?:s|ed)?|reduc(?:e|es|ed)|cut|switch(?:es|ed)?|transfer(?:s|red)?|renam(?:e|es|ed)"
    r"|correct(?:s|ed)?|verschoben|verlegt|geändert|cambi(?:ó|ado)|aplaz(?:ó|ado))\b[^.;!?\n]*?"
    r"\b(?:from|vom?|de(?:l)?)\s+(?P<old>[^.;!?\n]{1,60}?)\s+(?:to|auf|nach|zum?|a(?:l)?)\s+(?P<new>[^;!?\n]{1,60})"
    r"|\b(?:replac(?:e|es|ed)|swapp?(?:s|ed)?|exchang(?:e|es|ed)|trad(?:e|es|ed))\s+(?P<old>[^.;!?\n]{1,60}?)"
    r"\s+(?:with|by|for)\s+(?P<new>[^;!?\n]{1,60})",
    regex.IGNORECASE,
)
_CHANGED_TO = late_pattern(
    r"\b(?:moved|shifted|changed|postponed|rescheduled|pushed|brought forward|delayed|put off|raised|increased|lowered"
    r"|reduced|cut|verschoben|verlegt|geändert|erhöht|gesenkt|cambiad[oa]|aplazad[oa])\s+(?:from [^.;!?\n]{1,40}? )?"
    r"(?:to|until|auf|al?|hasta)\s+(?P<new>[^.,;!?\n]{1,40})",
    regex.IGNORECASE,
)
_CHOICE = late_pattern(
    r"(?:^|(?<=[,;:.!?]\s))(?P<who>I|[Ww]e|\p{Lu}[\p{L}'’-]+)\s+(?P<verb>prefer|chose|choose|pick)(?:s|ed)?\s+"
    r"(?P<value>[^.,;:!?()\n—–]+)"
)
_OVER = late_pattern(r"\b(?:over|rather than|instead of|to (?=\p{L}+$))\b", regex.IGNORECASE)
_FOR_WHAT = late_pattern(
    r"\b(?:for|in|at|on|with|without|when|while|if|as|during|after|before|to|because|since|and|but)\b", regex.IGNORECASE
)
_RELATION = word_set(
    "mother mum mom father dad parents sister brother son daughter child children kid kids wife husband partner friend "
    "girlfriend boyfriend dog cat boss manager colleague neighbour neighbor aunt uncle cousin grandmother grandfather "
    "grandma grandpa niece nephew teacher doctor he she they his their"
)
_OWN = word_set("he she they his their")
"""After a name these mean its bearer."""
_WHERE = word_set("in at from to near into on von aus nach en de")
_OF_MINE = late_pattern(r"\b[Mm]y\s+(?P<relation>\p{Ll}+),?\s+(?P<name>\p{Lu}[\p{L}-]+)")
_OF_STATES = frozenset({"antonym"})
"""What the comparison of states tells more finely: whose state it is."""
_UNKNOWN = datetime(1, 1, 1, tzinfo=UTC)
_POSSESSIVE = late_pattern(r"['’]s?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim as the search for what speaks against it sees it."""

    text: str
    found: tuple[Word, ...]
    names: tuple[Word, ...]
    states: tuple[State, ...]
    statements: tuple[Statement, ...]
    people: People

    @classmethod
    def of(cls, text: str, evidence: Sequence[Evidence], now: datetime | None) -> Self:
        """Return the claim `text` read beside `evidence`; days without a year are of the year of `now`."""
        found = words(text)
        said = Evidence(
            alias="",
            row_id="",
            source_type="kg_observation",
            text=text,
            shown=text,
            content_hash="",
            trust=TrustTier.RED,
            created_at=now or _UNKNOWN,
        )
        return cls(
            text=text,
            found=tuple(found),
            names=tuple(proper_names(text, found)),
            states=tuple(states_of(text)),
            statements=tuple(_statements(Passage(said, 0, len(text)), evidence)),
            people=people_of(evidence),
        )

    @property
    def content(self) -> tuple[Word, ...]:
        """The telling words."""
        return tuple(word for word in self.found if not word.is_stop)


def speaks_against(claim: Claim, passage: Passage, now: datetime | None) -> bool:
    """Return whether a sentence of the memory speaks against a claim.

    Args:
        claim: the claim.
        passage: the sentence.
        now: when it is asked; without it every row that has an end counts as ended.
    """
    if passage.text.rstrip().endswith("?"):
        return False
    return (
        (not has_ended(passage.row, now) and _tells_another_value(claim, passage))
        or _tells_of_a_change(claim, passage)
        or _chooses_otherwise(claim, passage)
        or (not tells_of_another_thing(claim, passage) and _tells_what_excludes_it(claim, passage))
    )


def tells_of_another_thing(claim: Claim, passage: Passage) -> bool:
    """Return whether a sentence tells of another subject, object or time than the claim."""
    return is_of_another_thing(claim.text, claim.found, passage)


def _tells_what_excludes_it(claim: Claim, passage: Passage) -> bool:
    return (
        states_the_opposite(claim, passage)
        or _tells_of_something(claim, passage)
        or excludes_in_plain_words(claim.text, claim.found, passage)
        or is_turned(claim.text, passage)
        or _contradicts(claim, passage)
    )


def states_the_same(claim: Claim, passage: Passage) -> bool:
    """Return whether a sentence tells the claim's own state, which is nothing against it however it is told."""
    return shared_state(claim.states, passage.text)


def telling_of(claim: Claim) -> list[Word]:
    """Return the claim's telling words, figures and their units left out."""
    counted = [(one.start, one.end) for one in quantities(claim.text, claim.found)]
    return [
        word
        for word in claim.content
        if not word.is_number and not any(start <= word.start < end for start, end in counted)
    ]


def takes_up(claim: Claim, passage: Passage) -> float:
    """Return which share of the claim's telling words a sentence holds, figures and their units left out."""
    telling = telling_of(claim)
    return credited_share(telling, passage.stems) if telling else 0.0


def _statements(said: Passage, evidence: Sequence[Evidence]) -> list[Statement]:
    """Return what a claim states of a subject; of "my sister" also under her name, where the memory knows one alone."""
    stated = list(statements_of(said))
    named: dict[str, set[str]] = {}
    for match in (match for row in evidence for match in _OF_MINE.finditer(row.text)):
        named.setdefault(match["relation"].lower(), set()).add(match["name"].casefold())
    known = [(one, named.get(one.subject, set())) for one in stated]
    return stated + [one._replace(subject=next(iter(names))) for one, names in known if len(names) == 1]


def _tells_another_value(claim: Claim, passage: Passage) -> bool:
    told = list(statements_of(passage)) if claim.statements else []
    return any(
        (ours.subject, ours.respect) == (theirs.subject, theirs.respect) and excludes(ours, theirs)
        for ours in claim.statements
        for theirs in told
    )


def _tells_of_a_change(claim: Claim, passage: Passage) -> bool:
    """Return whether a sentence tells that something went from what is claimed to something else."""
    match = _CHANGES.search(passage.text)
    if match is None:
        return False
    old, new = (_telling_keys(match[side]) for side in ("old", "new"))
    claimed = {word.key for word in claim.content}
    rest = [word for word in claim.content if word.key not in old]
    is_same = not rest or credited_share(rest, passage.stems) >= _SAME_THING
    return bool(old) and old <= claimed and bool(new - old) and not new - old <= claimed and is_same


def tells_a_change_to(claim: Claim, passage: Passage) -> bool:
    """Return whether a sentence tells that something of the claim's was changed to the very value that it claims."""
    match = _CHANGED_TO.search(passage.text)
    if match is None or passage.text.rstrip().endswith("?") or has_negation(passage.text, passage.words):
        return False
    new = _telling_keys(match["new"])
    claimed = {word.key for word in claim.content}
    rest = [word for word in claim.content if word.key not in new]
    return bool(new) and new <= claimed and bool(rest) and credited_share(rest, passage.stems) >= _SAME_THING


def _telling_keys(text: str) -> set[str]:
    return {word.key for word in words(text) if not word.is_stop}


def states_the_opposite(claim: Claim, passage: Passage) -> bool:
    """Return whether a sentence tells, of the claim's subject, a state that excludes the claim's."""
    state = opposed(claim.states, passage.text)
    if state is None:
        return False
    spans = [range(one.start, one.end) for one in claim.states if one.pair == state.pair]
    rest = [
        word
        for word in claim.content
        if word not in claim.names and not word.is_number and not any(word.start in span for span in spans)
    ]
    if rest and credited_share(rest, passage.stems) < _SAME_THING:
        return False
    if claim.names:
        return _is_of_the_named(claim, passage, state)
    return bool(rest) or _is_of_the_asker(claim, passage, state)


def _is_of_the_named(claim: Claim, passage: Passage, state: State) -> bool:
    """Return whether a state is told of whom the claim names, and not of somebody between the two."""
    bearers = [
        word
        for word in passage.words
        if word.end <= state.start and any(same_name(word.key, name.key) for name in claim.names)
    ]
    if not bearers:
        return False
    between = [word for word in passage.words if bearers[-1].end <= word.start and word.end <= state.start]
    if _POSSESSIVE.search(bearers[-1].text) and len(between) > 1:
        return False
    others = _bearers(passage)
    return not any(word in others or (word.key in _RELATION and word.key not in _OWN) for word in between)


def _bearers(passage: Passage) -> list[Word]:
    """Return the names of a sentence that may bear a state: not those of where something is."""
    led = {after.start for before, after in pairwise(passage.words) if before.key in _WHERE}
    return [word for word in proper_names(passage.text, passage.words) if word.start not in led]


def _is_of_the_asker(claim: Claim, passage: Passage, state: State) -> bool:
    """Return whether a state is told of whoever claims something of themselves: "I", or a note without a subject.

    To the owner an answer says "you".
    """
    first = FIRST_SINGULAR | FIRST_PLURAL | SECOND
    if not any(word.key in first for word in claim.found) or passage.speaker is not None:
        return False
    before = [word for word in passage.words if word.end <= state.start]
    others = _bearers(passage)
    return not any(word in others or word.key in _RELATION for word in before)


def _tells_of_something(claim: Claim, passage: Passage) -> bool:
    """Return whether the claim says "nothing" or "nobody" of what the sentence tells something of."""
    if not _says_nothing(claim) or has_negation(passage.text, passage.words):
        return False
    rest = [word for word in claim.content if word.key not in NOTHING]
    return bool(rest) and credited_share(rest, passage.stems) >= _SAME_DEED


def _chooses_otherwise(claim: Claim, passage: Passage) -> bool:
    ours, theirs = _CHOICE.search(claim.text), _CHOICE.search(passage.text)
    if ours is None or theirs is None:
        return False
    is_same = all(ours[part].casefold() == theirs[part].casefold() for part in ("who", "verb"))
    return is_same and _is_another_choice(_Choice.of(ours["value"]), _Choice.of(theirs["value"]))


class _Choice(NamedTuple):
    """What is chosen, by its telling words in order, and what it is chosen over."""

    taken: tuple[str, ...]
    left: frozenset[str]
    is_bare: bool
    """Whether nothing is said of when, where or what for."""

    @classmethod
    def of(cls, value: str) -> Self:
        taken, *left = _OVER.split(value, maxsplit=1)
        thing, *more = _FOR_WHAT.split(taken, maxsplit=1)
        keys = tuple(word.key for word in words(thing) if not word.is_stop)
        return cls(keys, frozenset(_telling_keys(" ".join(left))), not more)


def _is_another_choice(ours: _Choice, theirs: _Choice) -> bool:
    """Return whether one chooses against the other: two things of one kind, or one that was left for the other."""
    if set(ours.taken) & theirs.left or set(theirs.taken) & ours.left:
        return True
    if not ours.taken or not theirs.taken:
        return False
    if ours.taken[-1] == theirs.taken[-1]:
        return bool(set(ours.taken) - set(theirs.taken)) and bool(set(theirs.taken) - set(ours.taken))
    bare = ours.is_bare and theirs.is_bare and len(ours.taken) == len(theirs.taken) == 1
    return bare and not set(ours.taken) & set(theirs.taken)


def _says_nothing(claim: Claim) -> bool:
    return any(word.key in NOTHING for word in claim.found)


def _contradicts(claim: Claim, passage: Passage) -> bool:
    """Return whether the claim, held against the words of the sentence alone, is judged to contradict them.

    Against a claim that there is nothing only something is told. The day it was said on is left out: what was written
    in 2026 does not bear out "in 2026".
    """
    if credited_share(claim.content, passage.stems) < _TAKES_UP or _says_nothing(claim):
        return False
    undated = Passage(replace(passage.row, created_at=_UNKNOWN), passage.start, passage.end)
    grounds = Grounds(rows=(undated.row,), passages=(undated,), people=claim.people)
    judged = judge_sentence(claim.text, grounds, GroundingPolicy().support_threshold)
    against = {finding.flag for finding in judged.findings if finding.effect == "contradicted"}
    is_same = states_the_same(claim, passage) and not _states_in_the_same_words(claim, passage)
    told = _OF_STATES | {"polarity"} if is_same else _OF_STATES
    return judged.verdict == "contradicted" and not (claim.states and against <= told)


def _states_in_the_same_words(claim: Claim, passage: Passage) -> bool:
    """Return whether claim and sentence name a state alike: then a "never" of one of the two tells them apart."""
    ours = {claim.text[state.start : state.end].lower() for state in claim.states}
    return any(passage.text[state.start : state.end].lower() in ours for state in states_of(passage.text))
