"""Where the evidence disagrees with itself.

Law: two rows disagree when they say two things of one subject in one respect that cannot both be so at one time: where
somebody works, lives or studies, whom they are married to, how old they are, what a thing costs or is called, whether
something is liked. Only respects in which one value excludes another are looked at, only plain statements in the
present count, and a value that merely tells more ("Oslo", "Oslo, Norway") excludes nothing: better silent than wrong.
A disagreement is settled when one of the rows has ended or was replaced; otherwise both sides stand, with their days.

Source: DESIGN 2 promise 1; S2 "Where sources disagree, give both with their dates"; ruling F (a correction supersedes).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

import regex

from voice.core.grounding.endings import BOND_FORMS, END_FORM, bond_told, end_told, may_tell_an_end
from voice.core.grounding.passages import Passage, all_passages
from voice.core.grounding.things import THING_FORM, days_of, key_of, things_told
from voice.core.grounding.values import Evidence
from voice.core.text.numbers import Quantity, quantities, same_quantity
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key, words

_NOW = r"(?:\s+(?:now|currently|still|also|just|actually|already|really|always))*"
_SUBJECT = (
    r"(?P<subject>I|[Ww]e|[Mm]y\s\p{Ll}[\p{L}-]+(?:,?\s\p{Lu}[\p{L}-]+,?)?|\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+)?)"
)
_IS = r"(?:['’](?:m|re|s)|\s+(?:am|are|is))"
_VALUE = r"\s+(?P<value>(?:[^.,;:!?()\n—–]|[.,:](?=\d))+)"
_STATES: tuple[tuple[str, str], ...] = (
    ("work", rf"(?:{_NOW}\s+works?|{_IS}{_NOW}\s+(?:working|employed))\s+(?:at|for)"),
    ("home", rf"(?:{_NOW}\s+lives?|{_IS}{_NOW}\s+(?:living|based))\s+(?:in|at)"),
    ("study", rf"(?:{_NOW}\s+stud(?:y|ies)|{_IS}{_NOW}\s+(?:studying|enrolled))\s+(?:at)"),
    ("spouse", rf"{_IS}{_NOW}\s+(?:married|engaged)\s+to"),
    ("partner", rf"(?:{_IS}{_NOW}\s+dating)"),
    ("birthplace", rf"(?:{_IS}|\s+was|\s+were)\s+born\s+in"),
    ("age", rf"{_IS}{_NOW}(?=\s+\d+\s+years?\s+old)"),
)
_BEGINS = r"(?:^|(?<=[,;:.!?]\s))"
_STATED = tuple((name, late_pattern(rf"{_BEGINS}{_SUBJECT}{verb}{_VALUE}")) for name, verb in _STATES)
_MOVED = late_pattern(
    rf"{_BEGINS}{_SUBJECT}(?:['’]ve|\s+ha(?:ve|s))?(?:\s+(?:just|now|recently|finally|already))*"
    rf"\s+moved\s+to{_VALUE}(?P<rest>.*)"
)
"""Where somebody lives from then on. Of two moves neither speaks against the other."""
_MOVED_BY_THE_OWNER = late_pattern(rf"^(?:Just\s+)?[Mm]oved\s+to{_VALUE}(?P<rest>.*)")
_DATED = late_pattern(r"\d|\b(?:ago|last|then|when|before|back|once|used|as\s+a)\b", regex.IGNORECASE)
_LIKING = late_pattern(
    rf"{_BEGINS}{_SUBJECT}(?P<denied>\s+(?:do(?:es)?n['’]t|do(?:es)?\s+not|never))?{_NOW}"
    rf"\s+(?P<verb>likes?|loves?|enjoys?|hates?|dislikes?|eats?|drinks?|smokes?|owns?){_VALUE}"
)
_TELLS_ANYTHING = late_pattern(
    "|".join(
        (
            *(pattern.pattern for _, pattern in _STATED),
            *(pattern.pattern for pattern in (_LIKING, _MOVED, _MOVED_BY_THE_OWNER)),
            *(THING_FORM, END_FORM, *BOND_FORMS),
        )
    )
)
"""Every form that is looked for, in one: most rows hold none and cost this one search."""
_AGAINST = word_set("hate hates dislike dislikes")
_EDGE = late_pattern(r"^(?P<subject>.+?)\s*—(?P<kind>[^→—]+)→\s*(?P<value>[^;:→]+)")
_LISTED = late_pattern(r"[:;]\s*(?P<kind>[\w ]+?)\s*→\s*(?P<value>[^;→]+)")
_TYPED = late_pattern(r"\s\([\w ]+\):")
_ONE_AT_A_TIME = {
    **dict.fromkeys(("works at", "works for", "employed by", "employed at"), "work"),
    **dict.fromkeys(("lives in", "lives at", "resides in", "located in", "based in"), "home"),
    **dict.fromkeys(("studies at", "enrolled at"), "study"),
    **dict.fromkeys(("married to", "spouse of", "engaged to"), "spouse"),
    "born in": "birthplace",
}
_BONDS = frozenset({"spouse", "partner"})
_LASTING = frozenset({"birthplace", "name", "birthday"})
"""What no later day changes: of two values one was wrong from the start."""
_ENDS_VALUE = late_pattern(
    r"\s+(?:and|but|or|with|because|since|so|when|while|as|to|for|from|until|after|before|now|again|which|who|where|these"
    r"|this|every|on|yesterday|today|tomorrow|tonight)\b"
)
_FIRST = word_set("i we my our")
_YEAR = 365.25
"""Days."""


class Statement(NamedTuple):
    """What one sentence says of one subject in one respect."""

    passage: Passage
    subject: str
    respect: str
    value: str
    is_denied: bool
    is_move: bool = False
    """Whether it tells of a change, after which others may have come."""
    is_end: bool = False
    """Whether it tells that something has ended; what was said later began again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Two rows that cannot both hold at one time; the earlier first."""

    earlier: Statement
    later: Statement

    def is_settled(self, now: datetime | None) -> bool:
        """Return whether one side is known to have ended by `now`, or to have been replaced."""
        return any(has_ended(side.passage.row, now) for side in (self.earlier, self.later))

    @property
    def may_change(self) -> bool:
        """Whether the later side may be so because things changed, not because one of them was wrong."""
        return self.earlier.respect not in _LASTING

    def sides(self) -> tuple[Statement, Statement]:
        """Return both sides, the earlier first."""
        return self.earlier, self.later


def has_ended(row: Evidence, now: datetime | None) -> bool:
    """Return whether a row is known to hold no longer: it was replaced, or has an end that lies behind `now`.

    Args:
        row: the row.
        now: when it is asked; where that is not known, every end counts.
    """
    is_over = row.valid_until is not None and (now is None or row.valid_until <= now)
    return row.superseded_by is not None or is_over


def disagreements(
    rows: Sequence[Evidence], concerns: Callable[[Passage], bool] = lambda _: True
) -> tuple[Disagreement, ...]:
    """Return each pair of rows that disagree, in the order of `rows`, one pair for one respect of one subject.

    Args:
        rows: the rows.
        concerns: which sentences matter; a pair neither side of which does is left out, and is never compared.
    """
    told: dict[tuple[str, str], list[Statement]] = {}
    telling = [row for row in rows if row.source_type != "kg_observation" or _TELLS_ANYTHING.search(row.text)]
    for row in telling:
        for passage in all_passages(row):
            for statement in statements_of(passage):
                told.setdefault((statement.subject, statement.respect), []).append(statement)
    pairs = (pair for own in told.values() for pair in _pairs(own, concerns))
    return tuple(
        _in_time(one, other)
        for one, other in (*pairs, *_ended(telling, rows, concerns))
        if one.passage.row.row_id != other.passage.row.row_id and excludes(one, other)
    )


def _ended(
    telling: Sequence[Evidence], rows: Sequence[Evidence], concerns: Callable[[Passage], bool]
) -> Iterator[tuple[Statement, Statement]]:
    """Yield what a sentence of `telling` says is no longer so, each beside a sentence of `rows` that said it."""
    ending = [passage for row in telling if may_tell_an_end(row.text) for passage in all_passages(row)]
    ends = [end for passage in ending if (end := end_told(passage)) is not None]
    if not ends:
        return
    said = [passage for row in rows for passage in all_passages(row)]
    chosen = list(filter(concerns, said))
    for end in ends:
        over = Statement(end.passage, "", "still", "", is_denied=True, is_end=True)
        among = said if concerns(end.passage) else chosen
        yield from ((Statement(one, "", "still", "", is_denied=False), over) for one in among if end.ends(one))


def _pairs(told: Sequence[Statement], concerns: Callable[[Passage], bool]) -> Iterator[tuple[Statement, Statement]]:
    """Yield the pairs of statements one of which matters, each in the order of the rows."""
    chosen = [place for place, statement in enumerate(told) if concerns(statement.passage)]
    among = frozenset(chosen)
    for place in chosen:
        yield from ((told[other], told[place]) for other in range(place) if other not in among)
        yield from ((told[place], other) for other in told[place + 1 :])


def statements_of(passage: Passage) -> Iterator[Statement]:
    """Yield what a sentence states of a subject in a respect that holds one value at a time."""
    text = passage.text
    if text.rstrip().endswith("?"):
        return
    if passage.row.source_type != "kg_observation":
        yield from _edges(passage)
        return
    for respect, pattern in _STATED:
        if (found := pattern.search(text)) is not None:
            yield _statement(passage, found["subject"], respect, found["value"])
            if respect in _BONDS:
                yield _statement(passage, found["subject"], f"with {key_of(_value(found['value']))}", found["value"])
    if (found := _LIKING.search(text)) is not None:
        against = found["verb"].lower() in _AGAINST
        denied = (found["denied"] is not None) is not against
        verb = "likes" if against else found["verb"].rstrip("s") + "s"
        value = _value(found["value"])
        respect = f"{'likes' if verb in ('loves', 'enjoys') else verb} {key_of(value)}"
        yield _statement(passage, found["subject"], respect, found["value"], is_denied=denied)
    yield from _home_after_a_move(passage)
    yield from _of_a_bond(passage)
    yield from _of_things(passage)


def _of_things(passage: Passage) -> Iterator[Statement]:
    for said in things_told(passage.text):
        who = passage.speaker or "" if said.owner.lower() in _FIRST else said.owner
        names = " ".join(sorted(passage.row.entity_names)) if said.needs_a_name else ""
        if names or not said.needs_a_name:
            yield Statement(passage, fold_key(who or names), said.respect, _value(said.value), is_denied=False)


def _of_a_bond(passage: Passage) -> Iterator[Statement]:
    """Yield with whom somebody is together, or is no more."""
    bond = bond_told(passage.text)
    if bond is not None:
        respect = f"with {key_of(bond.other)}"
        told = _statement(passage, bond.subject, respect, bond.other, is_denied=bond.is_over)
        yield told._replace(is_end=bond.is_over)


def _home_after_a_move(passage: Passage) -> Iterator[Statement]:
    """Yield where somebody lives who is said to have moved there, unless the move lies in a time of its own."""
    found = _MOVED.search(passage.text) or _MOVED_BY_THE_OWNER.search(passage.text)
    if found is not None and _DATED.search(found["value"] + found["rest"]) is None:
        subject = found.groupdict().get("subject", "I")
        yield _statement(passage, subject, "home", found["value"])._replace(is_move=True)


def _edges(passage: Passage) -> Iterator[Statement]:
    """Yield what a rendering of the graph states: one relation, or those listed with an entity."""
    typed = _TYPED.search(passage.text)
    edges = _LISTED.finditer(passage.text) if typed else _EDGE.finditer(passage.text)
    for edge in edges:
        respect = _ONE_AT_A_TIME.get(edge["kind"].strip().lower())
        if respect is not None:
            subject = passage.text[: typed.start()] if typed else edge["subject"]
            yield _statement(passage, subject, respect, edge["value"])


def _statement(passage: Passage, subject: str, respect: str, value: str, *, is_denied: bool = False) -> Statement:
    first, _, rest = subject.partition(" ")
    name = rest.rstrip(",").rpartition(" ")[2]
    if first.lower() not in _FIRST:
        who = first
    else:
        who = name if name[:1].isupper() else f"{passage.speaker or ''} {rest}".strip()
    return Statement(passage, fold_key(who), respect, _value(value), is_denied)


def _value(text: str) -> str:
    """Return a value without what follows it: "Acme" of "Acme and likes it"."""
    ends = _ENDS_VALUE.search(text)
    return (text[: ends.start()] if ends else text).strip()


def excludes(one: Statement, other: Statement) -> bool:
    """Return whether two statements of one subject in one respect cannot both hold."""
    if one.is_denied is not other.is_denied:
        end, rest = (one, other) if one.is_denied else (other, one)
        return not end.is_end or end.passage.row.created_at >= rest.passage.row.created_at
    if (one.is_move and other.is_move) or (one.respect == "age" and _grew_older(one, other)):
        return False
    ours, theirs = _read(one.value), _read(other.value)
    if ours.has_days or theirs.has_days:
        return _other_day(one, other)
    if ours.numbers and theirs.numbers:
        return _other_figure(ours.numbers, theirs.numbers)
    if ours.numbers or theirs.numbers:
        return False
    told = bool(ours.telling and theirs.telling)
    return told and not ours.telling & theirs.telling and ours.is_name is theirs.is_name


class _Value(NamedTuple):
    """A value of a statement as it is compared with others."""

    has_days: bool
    numbers: tuple[Quantity, ...]
    telling: frozenset[str]
    is_name: bool


@lru_cache(maxsize=1024)
def _read(value: str) -> _Value:
    """Return what a value holds; it is compared with that of each other row."""
    found = words(value)
    telling = frozenset(word.stem for word in found if not word.is_stop)
    return _Value(bool(days_of(value)), tuple(_hard(value, found)), telling, _is_name(found))


def _grew_older(one: Statement, other: Statement) -> bool:
    """Return whether the days of two rows lie as many years apart as the ages they give."""
    ages = [next((quantity.value for quantity in _read(side.value).numbers), 0) for side in (one, other)]
    years = abs((one.passage.row.created_at - other.passage.row.created_at).days) / _YEAR
    return abs(abs(float(ages[0]) - float(ages[1])) - years) <= 1 and ages[0] != ages[1] and years > 0


def _other_day(one: Statement, other: Statement) -> bool:
    """Return whether two days are told of one year; what comes round each year has no other one than its own."""
    days, others = (_days_in_their_year(side) for side in (one, other))
    is_one_year = one.respect in _LASTING or {year for year, _, _ in days} & {year for year, _, _ in others}
    dates, other_dates = ({day[1:] for day in told} for told in (days, others))
    return bool(days and others and is_one_year) and not dates & other_dates


def _days_in_their_year(side: Statement) -> set[tuple[int, int, int]]:
    told = side.passage.row.created_at.year
    return {(year or told, month, day) for year, month, day in days_of(side.value)}


def _hard(text: str, found: Sequence[Word]) -> list[Quantity]:
    return [quantity for quantity in quantities(text, found) if not quantity.is_soft]


def _other_figure(ours: Sequence[Quantity], theirs: Sequence[Quantity]) -> bool:
    first, second = ours[0], theirs[0]
    comparable = first.unit == second.unit and first.is_time == second.is_time
    return comparable and not any(same_quantity(one, other) for one in ours for other in theirs)


def _is_name(found: Sequence[Word]) -> bool:
    return any(word.is_capital for word in found if not word.is_stop)


def _in_time(one: Statement, other: Statement) -> Disagreement:
    turned = other.passage.row.created_at < one.passage.row.created_at
    return Disagreement(earlier=other, later=one) if turned else Disagreement(earlier=one, later=other)
