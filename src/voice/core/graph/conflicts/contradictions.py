"""Which statements, and which edges, contradict each other.

Law: two statements speak against each other when they say the same of the same, but for one number, day or name, or
but for a denial, and hold at one time. Which say the same is decided by their words: the names in them are the same,
they speak of one speaker or else stand in notes that share a name or a title, and nearly all other words of content
are. What is of another day is no conflict, but for states that last ("born in"); of states that change ("lives in")
what is told later is so now, and the earlier one is to be ended. Values that fill the same words in many ways are a
list or a log, and none speaks against another. Candidates come from an index of rare words, so that the work grows with
the rows and not with their pairs.

Edges that cannot both be true. A thing lives, works, stands or is born in one place at a time: two edges of such a kind
that leave one node for two others contradict each other while both hold. They are shown side by side; which is true is
for a person to say (`voice correct`), and nothing is taken back on account of it. An edge without a time holds always.
What is compared are plain claims, so that what is staged can be held against what is known before either is a row.

Source: ruling F; DESIGN 6; S1 6.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Final, Literal, Self

from voice.core.graph.conflicts.statements import Field, Statement
from voice.core.records import Relation
from voice.core.text.compound_quantities import compound_quantities
from voice.core.text.dates import DateMention, stated_dates, supports_date
from voice.core.text.normalise import norm_v1
from voice.core.text.numbers import Quantity, is_same_measure, same_quantity
from voice.core.text.words import content_words, words

LINE: Final = 0.6
"""The share of two statements' words of content that they have in common; chosen by `python -m bench.conflicts`."""
NEAR: Final = 0.35
"""The same, of statements that a verifier is asked about."""
_SHARED: Final = 2
_AFAR: Final = 3
"""Words of content in common, where nothing but these says that the statements speak of one thing."""
_DENIED: Final = 3
"""Words of content of a statement that another denies."""
_RARE: Final = 3
"""The words of a statement under which it is looked up."""
_COMMON: Final = 40
"""A word that more statements have than these is looked up under no longer."""
_MANY: Final = 3
"""A frame that is filled in more ways is a list or a log."""

Difference = Literal["number", "day", "name", "denial"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpposedStatements:
    """Two statements that cannot both hold; `one` was told first, or stands first."""

    one: Statement
    other: Statement
    difference: Difference
    is_change: bool
    """Whether the later one tells what became of the earlier one's state."""


def opposed(statements: Iterable[Statement], *, line: float = LINE) -> tuple[OpposedStatements, ...]:
    """Return the pairs of statements that cannot both hold, each once.

    Args:
        statements: all that are compared.
        line: the share of words that two statements must have in common.
    """
    every = list(statements)
    found: dict[tuple[tuple[str, int], tuple[str, int]], OpposedStatements] = {}
    for pair in (*_of_fields(every), *_of_sentences(every, line)):
        found.setdefault((_place(pair.one), _place(pair.other)), pair)
    return tuple(found[key] for key in sorted(found))


def _place(each: Statement) -> tuple[str, int]:
    return each.row_id, each.start


def _pair(
    one: Statement, other: Statement, difference: Difference, *, lasting: bool, changing: bool
) -> OpposedStatements | None:
    """Return two statements as a conflict or a change; None where they hold at two times."""
    first, second = sorted((one, other), key=_in_time)
    is_later = first.told is not None and second.told is not None and first.told != second.told
    if one.day == other.day or lasting:
        is_change = is_later and not lasting
    elif changing:
        is_change = True
    else:
        return None
    return OpposedStatements(one=first, other=second, difference=difference, is_change=is_change)


def _in_time(each: Statement) -> tuple[bool, str, str, int]:
    return each.told is None, each.told.isoformat() if each.told else "", each.row_id, each.start


def _of_fields(every: Sequence[Statement]) -> Iterator[OpposedStatements]:
    held: dict[tuple[str, ...], list[tuple[Statement, Field]]] = defaultdict(list)
    for each in every:
        for one in each.fields:
            key = _key(each, one)
            if key is not None:
                held[key].append((each, one))
    for group in held.values():
        if len({one.value.casefold() for _, one in group}) <= _MANY:
            for ours, theirs in combinations(group, 2):
                pair = _field_pair(*ours, *theirs)
                if pair is not None:
                    yield pair


def _field_pair(one: Statement, ours: Field, other: Statement, theirs: Field) -> OpposedStatements | None:
    difference = _field_difference(one, ours, other, theirs)
    if difference is None:
        return None
    changing = ours.is_single and not ours.is_lasting
    return _pair(one, other, difference, lasting=ours.is_lasting, changing=changing)


def _key(each: Statement, one: Field) -> tuple[str, ...] | None:
    """Return of what a field is a value, and whose; None where that is not said."""
    if not one.is_state:
        return one.of if each.title else None
    if each.is_own:
        return (*one.of, f"by {each.speaker or ''}")
    return one.of if len(one.of) > 1 else None


def _field_difference(one: Statement, ours: Field, other: Statement, theirs: Field) -> Difference | None:
    is_list = (one.row_id == other.row_id or one.path == other.path) and not ours.is_single
    if is_list or one.is_denied or other.is_denied:
        return None
    mine, its = words(ours.value), words(theirs.value)
    days = _differing_day(stated_dates(ours.value), stated_dates(theirs.value))
    if days:
        return "day"
    if _differing_number(compound_quantities(ours.value, mine), compound_quantities(theirs.value, its)):
        return "number"
    if not ours.is_single or max(len(mine), len(its)) > 5:
        return None
    stems = [{word.stem for word in content_words(value)} for value in (ours.value, theirs.value)]
    is_told = all(stems) and not (stems[0] & stems[1]) and not any(word.is_number for word in (*mine, *its))
    return "name" if is_told else None


def _of_sentences(every: Sequence[Statement], line: float) -> Iterator[OpposedStatements]:
    told = [each for each in every if all(one.is_state for one in each.fields)]
    how_many = _ways(told)
    for one, other in near(told, line):
        difference = _difference(one, other, line)
        if difference is None or max(how_many[_frame(one)], how_many[_frame(other)]) > _MANY:
            continue
        lasting = one.is_lasting and other.is_lasting
        changing = one.is_changing and other.is_changing
        pair = _pair(one, other, difference, lasting=lasting, changing=changing)
        if pair is not None:
            yield pair


def _frame(each: Statement) -> tuple[object, ...]:
    return each.content, each.day


def _ways(every: Iterable[Statement]) -> Mapping[tuple[object, ...], int]:
    """Return in how many ways each frame of words is filled."""
    filled: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for each in every:
        filled[_frame(each)].add(" ".join(one.text.casefold() for one in (*each.numbers, *each.days)))
    return {frame: len(ways) for frame, ways in filled.items()}


def near(every: Sequence[Statement], line: float) -> Iterator[tuple[Statement, Statement]]:
    """Yield the pairs that say something else in mostly the same words, each once.

    Args:
        every: all that are compared.
        line: the share of words that two statements must have in common.
    """
    for one, other in _sharing(every):
        if one.said != other.said and _shared(one, other) >= line:
            yield one, other


def neighbours(every: Sequence[Statement], *, line: float = NEAR, most: int) -> tuple[tuple[Statement, Statement], ...]:
    """Return pairs that may speak of one thing at one time and contradict each other in meaning, the nearest first.

    Args:
        every: all that are compared.
        line: see `near`.
        most: how many pairs at most.
    """
    found = [
        (one, other)
        for one, other in near(every, line)
        if one.day == other.day and _may_be_of_one(one, other) and _difference(one, other, LINE) is None
    ]
    found.sort(key=lambda pair: (-_shared(*pair), _place(pair[0]), _place(pair[1])))
    return tuple(found[:most])


def _sharing(every: Sequence[Statement]) -> Iterator[tuple[Statement, Statement]]:
    """Yield the pairs that share one of their rarest words, each once."""
    counts = Counter(stem for each in every for stem in each.content)
    held: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(every):
        for stem in sorted(each.content, key=lambda stem: (counts[stem], stem))[:_RARE]:
            held[stem].append(place)
    seen: set[tuple[int, int]] = set()
    for places in held.values():
        if len(places) <= _COMMON:
            seen.update(combinations(places, 2))
    for first, second in sorted(seen):
        yield every[first], every[second]


def _difference(one: Statement, other: Statement, line: float) -> Difference | None:
    """Return in what alone two statements differ; None where they say the same, or speak of two things."""
    if not _are_of_one(one, other) or _shared(one, other) < line:
        return None
    if one.is_denied != other.is_denied:
        is_same = not (one.numbers or other.numbers or one.days or other.days) and one.content == other.content
        return "denial" if is_same and len(one.content) >= _DENIED else None
    if _may_be_two_events(one, other):
        return None
    day, number = _differing_day(one.days, other.days), _differing_number(one.numbers, other.numbers)
    if day and _are_borne_out(one.numbers, other.numbers):
        return "day"
    return "number" if number and not _other_days(one.days, other.days) else None


def _may_be_two_events(one: Statement, other: Statement) -> bool:
    """Return whether both are of a log, in which the same is told of whatever happens, several times a day."""
    is_state = (one.is_lasting and other.is_lasting) or (one.is_changing and other.is_changing)
    return one.is_logged and other.is_logged and one.row_id != other.row_id and not is_state


def _are_of_one(one: Statement, other: Statement) -> bool:
    """Return whether both surely speak of one thing: by a name, a speaker, a note, or many words that they share."""
    is_near = one.title == other.title and bool(one.title)
    is_known = is_near or one.is_own or bool(one.names)
    return _may_be_of_one(one, other) and len(one.content & other.content) >= (_SHARED if is_known else _AFAR)


def _may_be_of_one(one: Statement, other: Statement) -> bool:
    if one.names != other.names or one.is_own != other.is_own:
        return False
    is_theirs = one.is_own and one.speaker != other.speaker
    return not is_theirs and len(one.content & other.content) >= _SHARED


def _shared(one: Statement, other: Statement) -> float:
    return len(one.content & other.content) / len(one.content | other.content)


def _differing_number(ours: Sequence[Quantity], theirs: Sequence[Quantity]) -> bool:
    """Return whether one number of the one has the place of another of the other, and all else is the same."""
    mine = [each for each in ours if not any(same_quantity(each, its) for its in theirs)]
    its = [each for each in theirs if not any(same_quantity(each, own) for own in ours)]
    if len(mine) != 1 or len(its) != 1:
        return False
    return _may_stand_for(mine[0], its[0])


def _may_stand_for(one: Quantity, other: Quantity) -> bool:
    if one.is_time != other.is_time:
        return False
    if one.unit is not None or other.unit is not None:
        return one.unit == other.unit or is_same_measure(one, other)
    return one.head == other.head or not (one.head and other.head)


def _are_borne_out(ours: Sequence[Quantity], theirs: Sequence[Quantity]) -> bool:
    return all(any(same_quantity(each, its) for its in theirs) for each in ours) and len(ours) == len(theirs)


def _differing_day(ours: Sequence[DateMention], theirs: Sequence[DateMention]) -> bool:
    return len(ours) == len(theirs) == 1 and _other_days(ours, theirs)


def _other_days(ours: Sequence[DateMention], theirs: Sequence[DateMention]) -> bool:
    """Return whether a day of the one is not borne out by any of the other."""
    return any(
        not any(supports_date(each, its) or supports_date(its, each) for its in others)
        for some, others in ((ours, theirs), (theirs, ours))
        for each in some
    )


ONE_AT_A_TIME: Final = frozenset(
    {
        "based in",
        "born in",
        "born on",
        "died in",
        "died on",
        "employed by",
        "headquartered in",
        "is at",
        "is in",
        "lives at",
        "lives in",
        "lives with",
        "located at",
        "located in",
        "managed by",
        "married to",
        "owned by",
        "reports to",
        "resides in",
        "stands in",
        "works at",
        "works for",
    }
)
"""Kinds of edges of which a node has one at a time, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One edge as far as contradicting goes; its ends are ids, or names where there are none yet."""

    id: str
    source: str
    rel_type: str
    target: str
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    @classmethod
    def of(cls, relation: Relation) -> Self:
        """Return what a relation claims."""
        return cls(
            id=relation.id,
            source=relation.source_id,
            rel_type=relation.rel_type,
            target=relation.target_id,
            valid_from=relation.valid_from,
            valid_until=relation.valid_until,
        )


def contradictions(claims: Iterable[Claim]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of claims that cannot both be true, by their ids, each pair once and in order."""
    exclusive: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        kind = norm_v1(claim.rel_type.replace("_", " "))
        if kind in ONE_AT_A_TIME:
            exclusive.setdefault((norm_v1(claim.source), kind), []).append(claim)
    found = {
        (min(one.id, other.id), max(one.id, other.id))
        for group in exclusive.values()
        for one, other in combinations(group, 2)
        if norm_v1(one.target) != norm_v1(other.target) and _overlap(one, other)
    }
    return tuple(sorted(found))


def _overlap(one: Claim, other: Claim) -> bool:
    """Return whether there is a moment at which both hold; their times are half-open."""
    return _begins_before_end(one, other) and _begins_before_end(other, one)


def _begins_before_end(one: Claim, other: Claim) -> bool:
    return one.valid_from is None or other.valid_until is None or one.valid_from < other.valid_until
