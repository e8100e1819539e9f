"""Find numbers, dates, names and identifiers of a sentence that its sources do not give.

Law: given are the cited rows with their dates, speakers and context, the question and the day; nothing else. Equal
values match in any notation, a unit is part of a measure, soft number words ("one of them") need no source. A doubt
shown to a person repeats numbers and dates only.
Source: DESIGN 6 "Guards"; rulings D1, D6, D9.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import chain, combinations, product
from typing import Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from voice.core.grounding.quotable_sentences import quotable_sentences, resolve_markup
from voice.core.grounding.source_labels import said_on
from voice.core.grounding.values import Evidence
from voice.core.messages import asking as messages
from voice.core.text.compound_quantities import compound_quantities, durations, single_measures
from voice.core.text.dates import DateMention, mention_of_day, relative_dates, stated_dates, weekdays, with_year_near
from voice.core.text.language_data import is_common_word
from voice.core.text.lazy import late_pattern
from voice.core.text.numbers import Quantity, same_quantity
from voice.core.text.words import Word, fold_key, forms_in, language_of, words

BEGINNING = 3  # letters that any two inflections share (`_is_inflection`), so that few forms are compared


@dataclass(frozen=True, eq=False)
class GivenContext:
    """What a sentence that cites `rows` may repeat without proof.

    Compared by identity: sentences that cite the same rows share one value, so its properties are computed once.
    """

    rows: tuple[Evidence, ...]
    question: str = ""
    today: date | None = None

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The cited rows with their markup resolved."""
        return tuple(resolve_markup(row.text) for row in self.rows)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The rows' metadata, distinct: context path, conversation, speaker, entities."""
        metadata = (part for row in self.rows for part in (row.context, row.thread, row.speaker, *row.entity_names))
        return tuple(dict.fromkeys(part for part in metadata if part))

    @cached_property
    def days(self) -> tuple[date, ...]:
        """The dates on which the rows were told, and their ends of validity."""
        beginnings = (said_on(row) for row in self.rows)
        ends = (row.valid_until.date() for row in self.rows if row.valid_until)
        return tuple(dict.fromkeys(day for day in (*beginnings, *ends) if day))

    @cached_property
    def forms(self) -> frozenset[str]:
        """Every word of the rows, their metadata and the question, as written and stemmed."""
        return frozenset[str]().union(*map(forms_in, (*self.texts, *self.places, self.question)))

    @cached_property
    def forms_by_beginning(self) -> Mapping[str, Sequence[str]]:
        """The same words by prefix, of 0 to `BEGINNING` letters."""
        found: dict[str, list[str]] = {}
        for form in self.forms:
            for length in range(min(len(form), BEGINNING) + 1):
                found.setdefault(form[:length], []).append(form)
        return found

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The rows, their metadata and the question, casefolded."""
        return tuple(text.casefold() for text in (*self.texts, *self.places, self.question))


Flag = Literal["number", "date", "name", "identifier"]


class Doubt(NamedTuple):
    """A guard's finding; `start:end` are offsets into the sentence."""

    flag: Flag
    start: int
    end: int
    message: str
    """For a person; contains no free word of the draft."""
    is_exact: bool = False
    """Whether no verifier may lift it: an amount in digits, or an identifier."""


_MOST = 24  # each is combined with each other one, so the time grows with the square
_HUNDRED = Decimal(100)


def is_derived(claimed: Quantity, stated: Sequence[Quantity], days: Sequence[date], counted: Sequence[int]) -> bool:
    """Return whether a number can be derived from the given values.

    Args:
        stated: quantities of the cited rows; other units count only for shares.
    """
    value = claimed.value
    if value in counted:
        return True
    fits_any_unit = claimed.unit in (None, "%")  # a share has none of the units that it compares
    comparable = [one.value for one in stated if fits_any_unit or one.unit in (None, claimed.unit)]
    if len(comparable) > 1 and value == sum(comparable, Decimal(0)):  # a total of more than two
        return True
    return any(value == other for other in _derived(comparable[:_MOST], days[:_MOST]))


def _derived(values: Sequence[Decimal], days: Sequence[date]) -> Iterator[Decimal]:
    for first, second in combinations(values, 2):
        yield from (first + second, abs(first - second), first * second)
        yield from (_share(first, second), _share(second, first))
    years = [Decimal(day.year) for day in days]
    for value in values:
        for year in years:
            yield from (abs(year - value), year + value)
    for one, other in combinations(days, 2):
        yield from _between(min(one, other), max(one, other))


def _share(part: Decimal, whole: Decimal) -> Decimal:  # in whole percent; -1: no number of a text
    return (part * _HUNDRED / whole).quantize(Decimal(1)) if whole else Decimal(-1)


def _between(first: date, last: date) -> Iterator[Decimal]:
    """Yield the distance in days, weeks, months and years, rounded down and up."""
    days = (last - first).days
    months = (last.year - first.year) * 12 + last.month - first.month
    # People count both ends ("ten days"), and weeks, months and years that have only begun.
    for count in (days, days + 1, days // 7, -(-days // 7), months, months - 1, months // 12, -(-months // 12)):
        yield Decimal(count)
    yield Decimal(last.year - first.year)


_SMALL = 3  # counts up to this are often idiomatic ("both", "two things"); that many rows suffice


def number_doubts(sentence: str, given: GivenContext, dates: Iterable[DateMention]) -> list[Doubt]:
    """Return a doubt for each number neither given nor derivable; digits of `dates` are skipped."""
    in_dates = {place for mention in dates for place in range(mention.start, mention.end)}
    found = [
        one for one in compound_quantities(sentence, words(sentence)) if not one.is_soft and one.start not in in_dates
    ]
    if not found:
        return []
    own, stated, days, counts = _given_numbers(given)
    return [
        _number_doubt(one)
        for one in found
        if not any(same_quantity(one, other) for other in stated)
        and not (one.value <= _SMALL and one.unit is None and len(given.rows) >= one.value)
        and not is_derived(one, own, days, counts)
        and not (_is_ordinal(one) and one.value in {day.day for day in days})
    ]


@lru_cache(maxsize=8)
def _given_numbers(given: GivenContext) -> tuple[Sequence[Quantity], Sequence[Quantity], Sequence[date], Sequence[int]]:
    """Return the rows' numbers, all given ones, the dates, and counts of rows, days, statements and list parts."""
    own = [one for text in given.texts for one in _all_amounts(text)]
    other = (one for text in (*given.places, given.question) for one in _all_amounts(text))
    # Equal amounts once, wherever they stand: each is compared with each number of the sentence.
    stated = {one._replace(text="", start=0, end=0): one for one in (*own, *other)}
    mentions = (mention for text in given.texts for mention in stated_dates(text))
    named = (date(one.year, one.month or 1, one.day or 1) for one in mentions if one.year)  # of "in 2020" its first day
    days = list(dict.fromkeys(chain(given.days, (given.today,) if given.today else (), named)))
    statements = [len(quotable_sentences(row.text, row.source_type)) for row in given.rows]
    parts = [text.count(",") + 1 + (1 if " and " in text else 0) for text in given.texts]
    counts = [len(given.rows), sum(statements), len(set(given.days)), *statements, *parts]
    return own, tuple(stated.values()), days, counts


def _is_ordinal(one: Quantity) -> bool:
    """Return whether a number is an ordinal, which may be the day of a date."""
    return one.text[:1].isdigit() and one.text.rstrip(".")[-1:].isalpha() and one.unit is None


def _all_amounts(text: str) -> list[Quantity]:
    own = words(text)
    return [*compound_quantities(text, own), *single_measures(text, own), *durations(text)]


def _number_doubt(one: Quantity) -> Doubt:
    message = messages.sources_lack(one.text.strip())
    is_amount = one.unit is not None or one.value > _LONGEST_MONTH  # else it may be the day of a date
    return Doubt("number", one.start, one.end, message, is_exact=is_amount and any(map(str.isdigit, one.text)))


_TOKEN = late_pattern(r"https?://\S+|\w[\w.+/@-]*+")  # words with marks inside: "a@b.org", "GR-45/2"
_ADDRESS = late_pattern(r"https?://.+|[^@]+@[^@]+\.\w+")
_CODE = late_pattern(r"(?=.*\p{Nd})(?=.*\p{Lu})[\w/-]{2,40}")  # "B12", "GR-45"; it has a digit and a capital
_LONGEST = 400  # characters of a token
# Amounts that look like codes: "10K", "3PM", "Q3", "3-Bedroom".
_MEASURE = late_pattern(r"\p{Nd}[\p{Nd}/-]*(?:[KMG]|AM|PM|(?:-\p{L}++)++)|[QH][1-4]")
_OPENS = late_pattern(r"[.!?:;…\n“„\"'‘«(\[–—-][^\S\n]*+[*_]*+$")  # the end of what stands before a word
_NEAR = 8  # characters; looking back to the start from every word would take quadratic time
_CAPITAL_NOUNS = frozenset({"de"})  # languages that capitalise every noun…
_NOUNS_SHARE = 0.2  # …if at least this share of a sentence's words is capitalised
_SHORT_ENDING = 3  # letters that an inflection adds or changes


def name_doubts(sentence: str, given: GivenContext) -> list[Doubt]:
    """Return a doubt for each name or identifier of `sentence` that is not given."""
    doubts = [
        Doubt("identifier", start, end, messages.SOURCES_LACK_A_NUMBER, is_exact=True)
        for start, end in _identifiers(sentence)
        if not any(sentence[start:end].casefold() in text for text in given.folded)
    ]
    own = words(sentence)
    if _writes_nouns_with_capitals(own):  # there a capital does not tell a name
        return doubts
    in_dates = {place for mention in stated_dates(sentence) for place in range(mention.start, mention.end)}
    counts = Counter(word.text for word in own)
    days = {text.casefold() for text in weekdays(sentence).values()}
    for word in own:
        is_name = word.is_capital and not (word.is_stop or word.is_number or word.start in in_dates)
        # A first word that comes again with its capital ("Sol came. Sol left.") is a name.
        is_everyday = _opens(sentence, word) and (is_common_word(word.key) or counts[word.text] == 1)
        if is_name and word.text.casefold() not in days and not is_everyday and not _is_given(word, given):
            doubts.append(Doubt("name", word.start, word.end, messages.SOURCES_LACK_A_NAME))
    return doubts


def _identifiers(sentence: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of addresses and of codes of letters and digits."""
    for found in _TOKEN.finditer(sentence):
        token = found.group().rstrip(".+/@-")
        if len(token) > _LONGEST:
            continue
        if _ADDRESS.fullmatch(token) or (_CODE.fullmatch(token) and not _MEASURE.fullmatch(token)):
            yield found.start(), found.start() + len(token)


def _writes_nouns_with_capitals(own: list[Word]) -> bool:
    inner = [word for word in own[1:] if word.text[:1].isalpha()]
    share = sum(word.is_capital for word in inner) / len(inner) if inner else 0.0
    return language_of(own) in _CAPITAL_NOUNS and share > _NOUNS_SHARE


def _opens(sentence: str, word: Word) -> bool:
    """Return whether a word opens a sentence, quotation or list item, where a capital means little."""
    before = sentence[max(0, word.start - _NEAR) : word.start]
    is_first = word.start <= _NEAR and not any(map(str.isalnum, before))
    return is_first or _OPENS.search(before) is not None


def _is_given(word: Word, given: GivenContext) -> bool:
    forms = given.forms
    if word.key in forms or word.stem in forms:
        return True
    candidates = given.forms_by_beginning.get(fold_key(word.key)[:BEGINNING], ())  # comparing all forms is quadratic
    return any(_is_inflection(word.key, other) for other in candidates)


def _is_inflection(word: str, other: str) -> bool:
    """Return whether the words are inflections of each other ("Jana's", "Janas"; "Portuguese", "Portugal")."""
    shorter, longer = sorted((word, other), key=len)
    if longer.startswith(shorter):
        return len(longer) - len(shorter) <= _SHORT_ENDING + 1 and len(shorter) > _SHORT_ENDING - 1
    shared = len(shorter) - _SHORT_ENDING
    return (
        shared > _SHORT_ENDING
        and longer[:shared] == shorter[:shared]
        and Levenshtein.distance(word, other) <= _SHORT_ENDING
    )


# "01/14" and "14.1."; not "1/2/2024", "12:30" or "3.5.1".
_DAY_AND_MONTH = late_pattern(r"(?<![\d/.,:-])(\d{1,2})[/.](\d{1,2})(?![\d/:-]|[.,]\d)")
_MONTHS = 12
_LONGEST_MONTH = 31

_Parts = tuple[int | None, int | None, int | None]  # year, month and day; None for what is not stated


def date_doubts(sentence: str, given: GivenContext, mentions: Sequence[DateMention]) -> list[Doubt]:
    """Return a doubt for each date of `sentence` that is not given; an ambiguous one once per reading."""
    if not mentions:
        return []
    stated, stated_without_year, years = _given_dates(given)
    readings: dict[int, list[DateMention]] = {}
    for mention in mentions:
        readings.setdefault(mention.start, []).append(mention)
    return [
        _date_doubt(found[0], sentence)
        for found in readings.values()
        if not any(one[:3] in stated or _is_in_parts(one, years, stated_without_year) for one in found)
    ]


@lru_cache(maxsize=8)
def _given_dates(given: GivenContext) -> tuple[AbstractSet[_Parts], AbstractSet[_Parts], AbstractSet[int | None]]:
    """Return the dates that may be repeated, those stated without a year, and the stated years."""
    stated = _stated(given)
    without_year = _partial_forms(one for one in stated if one.year is None)
    return _partial_forms(stated), without_year, {one.year for one in stated}


def _partial_forms(stated: Iterable[DateMention]) -> frozenset[_Parts]:
    """Return every partial form of the dates (`supports_date`): each part kept or omitted."""
    return frozenset(
        parts
        for year, month, day in {one[:3] for one in stated}
        for parts in product((year, None), (month, None), (day, None))
    )


def _stated(given: GivenContext) -> list[DateMention]:
    """Return the given dates, with years where they are certain."""
    found = [mention_of_day(day) for day in (*given.days, *((given.today,) if given.today else ()))]
    for row, text in zip(given.rows, given.texts, strict=True):
        day = said_on(row)
        own = stated_dates(text)
        found += [*own, *(with_year_near(one, day) for one in own if day)]  # "on 5 May" in a row told in 2023
        found += relative_dates(text, day) if day else []
        found += _numeric_dates(text)
    for text in (*given.places, given.question):
        own = stated_dates(text)
        found += [*own, *(with_year_near(one, given.today) for one in own if given.today)]
    return found


def _numeric_dates(text: str) -> Iterator[DateMention]:
    """Yield both readings of a date without a year ("01/14", "14.1.")."""
    for found in _DAY_AND_MONTH.finditer(text):
        first, second = int(found[1]), int(found[2])
        for month, day in ((first, second), (second, first)):
            if 1 <= month <= _MONTHS and 1 <= day <= _LONGEST_MONTH:
                yield DateMention(None, month, day, found[0], found.start(), found.end())


def _is_in_parts(claimed: DateMention, years: AbstractSet[int | None], without_year: AbstractSet[_Parts]) -> bool:
    """Return whether one date gives month and day and another the year."""
    if claimed.year is None or (claimed.month is None and claimed.day is None):
        return False
    return claimed.year in years and (None, claimed.month, claimed.day) in without_year  # "2023" here, "5 May" there


def _date_doubt(mention: DateMention, sentence: str) -> Doubt:
    message = messages.sources_lack_date(mention.text.rstrip(".,"))
    return Doubt("date", mention.start, min(mention.end, len(sentence)), message)


def doubts_of(sentence: str, given: GivenContext) -> tuple[Doubt, ...]:
    """Return what `sentence` adds to the given context, in order of position."""
    mentions = stated_dates(sentence)
    found = [
        *number_doubts(sentence, given, mentions),
        *date_doubts(sentence, given, mentions),
        *name_doubts(sentence, given),
    ]
    return tuple(sorted(found, key=lambda doubt: doubt.start))
