"""Find statements, and edges, that contradict each other.

Law: two statements conflict if they say the same of the same subject at the same time, but for one number, day, name
or denial. Same subject: equal names, and a common speaker, title or enough words; same saying: nearly all content
words. Statements of different days do not conflict, except for lasting states ("born in"); of changing states ("lives
in") the later one replaces the earlier. Words filled in many ways are a list or a log. Pairs come from an index of
rare words, so that the work grows with the rows, not with their pairs.

Edges conflict if a node can have one of their kind at a time, and both hold; an edge without dates always holds. They
are only shown; a person decides (`voice correct`). Claims are compared, so that candidates can be compared with rows.
Source: ruling F; DESIGN 6; S1 6.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Final, Literal, Self

from voice.core.graph.conflicts.statements import Field, Statement
from voice.core.records import Relation
from voice.core.text.compound_quantities import compound_quantities
from voice.core.text.dates import DateMention, stated_dates, supports_date
from voice.core.text.language_data import every_word
from voice.core.text.normalise import norm_v1
from voice.core.text.numbers import Quantity, is_same_measure, same_quantity
from voice.core.text.words import content_words, words

LINE: Final = 0.6
"""Minimum share of common content words of a conflict; chosen by `python -m bench.conflicts`."""
NEAR: Final = 0.35
"""The same for pairs that a verifier is asked about."""
_MIN_SHARED: Final = 2
# Common content words, unless a name, speaker, title or one wording without two titles shows one subject.
_MIN_SHARED_ALONE: Final = 3
_MIN_DENIED: Final = 3  # content words that a denied statement has at least
_MIN_DENIED_ALIKE: Final = 2  # the same where the denial is the only difference
_INDEXED_WORDS: Final = 3  # rarest words of a statement that are indexed
_MAX_POSTINGS: Final = 40  # a word in more statements looks up none: the work grows with the rows
_MAX_VARIANTS: Final = 3  # the same words filled in more ways are a list or a log

Difference = Literal["number", "day", "name", "denial"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpposedStatements:
    """Two statements that cannot both hold, earliest first."""

    one: Statement
    other: Statement
    difference: Difference
    is_change: bool
    """Whether the later one replaces the earlier one's state."""


def opposed(statements: Iterable[Statement], *, line: float = LINE) -> tuple[OpposedStatements, ...]:
    """Return the pairs that cannot both hold, each once, in order; `line` is the least share of common words."""
    compared = list(statements)
    found: dict[tuple[tuple[str, int], tuple[str, int]], OpposedStatements] = {}
    for pair in (*_field_conflicts(compared), *_sentence_conflicts(compared, line)):
        found.setdefault((_place(pair.one), _place(pair.other)), pair)  # as fields, if they conflict as both
    return tuple(found[key] for key in sorted(found))


def _place(statement: Statement) -> tuple[str, int]:
    return statement.row_id, statement.start


def _pair(
    one: Statement, other: Statement, difference: Difference, *, lasting: bool, changing: bool
) -> OpposedStatements | None:
    """Return the conflict or change of two statements; None if they hold at different times."""

    def in_time(each: Statement) -> tuple[bool, str, str, int]:
        # Undated statements last; the place breaks ties, so that the pair does not depend on the order of the rows.
        return each.told is None, each.told.isoformat() if each.told else "", *_place(each)

    if one.day != other.day and not (lasting or changing):
        return None
    first, second = sorted((one, other), key=in_time)
    is_later = first.told is not None and second.told is not None and first.told != second.told
    is_change = not lasting and (is_later or one.day != other.day)
    return OpposedStatements(one=first, other=second, difference=difference, is_change=is_change)


def _field_conflicts(statements: Sequence[Statement]) -> Iterator[OpposedStatements]:
    by_subject: dict[tuple[str, ...], list[tuple[Statement, Field]]] = defaultdict(list)
    for each in statements:
        for value in each.fields:
            subject = _subject(each, value)
            if subject is not None:
                by_subject[subject].append((each, value))
    for group in by_subject.values():
        if len({value.value.casefold() for _, value in group}) > _MAX_VARIANTS:
            continue
        for (one, first), (other, second) in combinations(group, 2):
            difference = _field_difference(one, first, other, second)
            changing = first.is_single and not first.is_lasting
            pair = difference and _pair(one, other, difference, lasting=first.is_lasting, changing=changing)
            if pair:
                yield pair


def _subject(statement: Statement, value: Field) -> tuple[str, ...] | None:
    """Return what a field describes, and whose; None if unknown."""
    if not value.is_state:
        return value.of if statement.title else None  # "Price: 5" of two untitled notes may be of two things
    if statement.is_own:
        return (*value.of, f"by {statement.speaker or ''}")
    return value.of if len(value.of) > 1 else None  # without a subject only the verb is left


def _field_difference(one: Statement, first: Field, other: Statement, second: Field) -> Difference | None:
    is_list = (one.row_id == other.row_id or one.path == other.path) and not first.is_single
    if is_list or one.is_denied or other.is_denied:
        return None
    if _is_one_day_apart(stated_dates(first.value), stated_dates(second.value)):  # first: a date has numbers
        return "day"
    texts = (words(first.value), words(second.value))
    numbers = [compound_quantities(each.value, text) for each, text in zip((first, second), texts, strict=True)]
    if _is_one_number_apart(*numbers):
        return "number"
    if not first.is_single or max(map(len, texts)) > 5:
        return None  # a longer value describes rather than names
    stems = [{word.stem for word in content_words(value)} for value in (first.value, second.value)]
    has_number = any(word.is_number for text in texts for word in text)
    # "Anna" and "Anna Smith" may be one.
    return "name" if all(stems) and not (stems[0] & stems[1]) and not has_number else None


def _sentence_conflicts(statements: Sequence[Statement], line: float) -> Iterator[OpposedStatements]:
    # Labels and cells are compared as fields.
    sentences = [each for each in statements if all(value.is_state for value in each.fields)]
    variants: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for each in sentences:
        variants[each.content, each.day].add(" ".join(one.text.casefold() for one in (*each.numbers, *each.days)))
    for one, other in near(sentences, line):
        difference = _difference(one, other, line)
        if difference is None or max(len(variants[each.content, each.day]) for each in (one, other)) > _MAX_VARIANTS:
            continue
        lasting = one.is_lasting and other.is_lasting
        changing = one.is_changing and other.is_changing
        pair = _pair(one, other, difference, lasting=lasting, changing=changing)
        if pair is not None:
            yield pair


def near(statements: Sequence[Statement], line: float) -> Iterator[tuple[Statement, Statement]]:
    """Yield the pairs of different statements of which at least the share `line` of words is common, each once."""
    counts = Counter(stem for each in statements for stem in each.content)
    postings: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(statements):
        for stem in sorted(each.content, key=lambda stem: (counts[stem], stem))[:_INDEXED_WORDS]:
            postings[stem].append(place)
    pairs: set[tuple[int, int]] = set()
    for places in postings.values():
        if len(places) <= _MAX_POSTINGS:
            pairs.update(combinations(places, 2))
    for first, second in sorted(pairs):
        one, other = statements[first], statements[second]
        if one.said != other.said and _overlap(one, other) >= line:
            yield one, other


def neighbours(
    statements: Sequence[Statement], *, line: float = NEAR, most: int
) -> tuple[tuple[Statement, Statement], ...]:
    """Return at most `most` pairs that may contradict each other in meaning, the nearest first (`line`: see `near`)."""
    found = [
        (one, other)
        for one, other in near(statements, line)
        if one.day == other.day and _may_share_subject(one, other) and _difference(one, other, LINE) is None
    ]
    found.sort(key=lambda pair: (-_overlap(*pair), _place(pair[0]), _place(pair[1])))
    return tuple(found[:most])


def _difference(one: Statement, other: Statement, line: float) -> Difference | None:
    """Return the only difference of two statements; None if there is none, or their subjects differ."""
    if not _share_subject(one, other) or _overlap(one, other) < line:
        return None
    if one.is_denied != other.is_denied:
        is_same = not (one.numbers or other.numbers or one.days or other.days) and one.content == other.content
        least = _MIN_DENIED_ALIKE if _is_alike(one, other) else _MIN_DENIED
        return "denial" if is_same and len(one.content) >= least else None
    # A log tells the same of each event, several times a day.
    is_state = (one.is_lasting and other.is_lasting) or (one.is_changing and other.is_changing)
    if one.is_logged and other.is_logged and one.row_id != other.row_id and not is_state:
        return None
    numbers_agree = len(one.numbers) == len(other.numbers) and not _unmatched(one.numbers, other.numbers)
    if _is_one_day_apart(one.days, other.days) and numbers_agree:
        return "day"
    is_number = _is_one_number_apart(one.numbers, other.numbers) and not _days_differ(one.days, other.days)
    return "number" if is_number else None


def _share_subject(one: Statement, other: Statement) -> bool:
    """Return whether both surely have one subject: by name, speaker, title, or many common words."""
    has_title = one.title == other.title and bool(one.title)
    is_same = one.content == other.content and not (one.title and other.title)
    least = _MIN_SHARED if has_title or one.is_own or one.names or is_same else _MIN_SHARED_ALONE
    is_alike = _is_alike(one, other) and (has_title or is_same)
    return _may_share_subject(one, other) and (is_alike or len(one.content & other.content) >= least)


def _may_share_subject(one: Statement, other: Statement) -> bool:
    if one.names != other.names or one.is_own != other.is_own:
        return False
    is_same_person = not one.is_own or one.speaker == other.speaker
    return is_same_person and (_is_alike(one, other) or len(one.content & other.content) >= _MIN_SHARED)


def _is_alike(one: Statement, other: Statement) -> bool:
    """Return whether nothing but figures or a denial tells two apart, and they say what they are about."""
    # "It costs 5", "I slept 7 hours": of what, or which day's, stands elsewhere.
    is_named = len(one.frame) > 1 and not one.is_own and every_word("follow_ups", "points").isdisjoint(one.frame)
    return one.frame == other.frame and (is_named or len(one.content) >= _MIN_SHARED)


def _overlap(one: Statement, other: Statement) -> float:
    return len(one.content & other.content) / len(one.content | other.content)


def _is_one_number_apart(ones: Sequence[Quantity], others: Sequence[Quantity]) -> bool:
    left, right = _unmatched(ones, others), _unmatched(others, ones)
    if len(left) != 1 or len(right) != 1 or left[0].is_time != right[0].is_time:
        return False
    one, other = left[0], right[0]
    if one.unit is not None or other.unit is not None:
        return one.unit == other.unit or is_same_measure(one, other)
    return one.head == other.head or not (one.head and other.head)  # "3 cats" and "5 dogs" count different things


def _unmatched(some: Sequence[Quantity], others: Sequence[Quantity]) -> list[Quantity]:
    return [each for each in some if not any(same_quantity(each, other) for other in others)]


def _is_one_day_apart(ones: Sequence[DateMention], others: Sequence[DateMention]) -> bool:
    return len(ones) == len(others) == 1 and _days_differ(ones, others)


def _days_differ(ones: Sequence[DateMention], others: Sequence[DateMention]) -> bool:
    """Return whether a day on either side has no match on the other."""
    return any(
        not any(supports_date(each, its) or supports_date(its, each) for its in rest)
        for some, rest in ((ones, others), (others, ones))
        for each in some
    )


ONE_AT_A_TIME: Final = frozenset({
    "based in", "born in", "born on", "died in", "died on", "employed by", "headquartered in", "is at", "is in",
    "lives at", "lives in", "lives with", "located at", "located in", "managed by", "married to", "owned by",
    "reports to", "resides in", "stands in", "works at", "works for",
})  # fmt: skip
"""Kinds of edges of which a node has one at a time, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An edge for comparison; its ends are ids, or names of entities that do not exist yet."""

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
    """Return the sorted pairs of ids of claims that cannot both be true, each once."""
    exclusive: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        kind = norm_v1(claim.rel_type.replace("_", " "))
        if kind in ONE_AT_A_TIME:
            exclusive.setdefault((norm_v1(claim.source), kind), []).append(claim)
    found = {
        (min(one.id, other.id), max(one.id, other.id))
        for group in exclusive.values()
        for one, other in combinations(group, 2)
        if norm_v1(one.target) != norm_v1(other.target)
        and _begins_before_end(one, other)
        and _begins_before_end(other, one)
    }
    return tuple(sorted(found))


def _begins_before_end(one: Claim, other: Claim) -> bool:
    """Compare half-open periods: both hold at some moment if each begins before the other's end."""
    return one.valid_from is None or other.valid_until is None or one.valid_from < other.valid_until
