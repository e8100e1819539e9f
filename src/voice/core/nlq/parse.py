"""Parse a question into a `ParsedQuery`.

Law: an explicit `when` overrides the question and must parse completely. Nothing is guessed: an unclear `when` is an
error, an unclear time in a question gives no window and a notice (ruling E).
Source: spec nlq 3, 10; ruling E; DESIGN 3.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast
from zoneinfo import ZoneInfo

from voice.core.errors import InvalidParams
from voice.core.graph.entity_names import Mention, Named, NameIndex
from voice.core.messages import asking as messages
from voice.core.nlq.calendar import MIDNIGHT, ONE_DAY, Calendar, Expression, Widening, in_earlier_years, zone
from voice.core.nlq.intent import answer_kind, limit_asked, order_asked, persons_named
from voice.core.nlq.intervals import names_no_year
from voice.core.nlq.parsed_query import NlqSettings, Notice, ParsedQuery, TimePhrase
from voice.core.nlq.phrase_matching import quoted, tokenise
from voice.core.nlq.phrase_tables.reading import phrase_table
from voice.core.nlq.phrase_tables.table import PhraseTable
from voice.core.nlq.points import Ago, Weekday
from voice.core.nlq.relative_times import find_event, from_today, future_window
from voice.core.nlq.time_finder import MOST_READ, FoundTime, TimeFinder
from voice.core.records import require_utc
from voice.core.retrieval.values import Window
from voice.core.text.language_data import entries, language_tables, listed_words
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import STOPWORDS, Language, fold_word, guess_language, is_stopword

# Words with marks inside ("login.py", "auth-bug", "O’Neil") and "C++", "C#".
_TERM = late_pattern(r"[\p{L}\p{M}\p{N}_](?:[\p{L}\p{M}\p{N}_'’ʼ‘`´＇./@:&-]*[\p{L}\p{M}\p{N}_])?[+#]*")


def terms(text: str, *, language: Language, left_out: Sequence[tuple[int, int]], most: int) -> tuple[str, ...]:
    """Return the distinct content words of `text` outside `left_out` (half-open), folded, in order, at most `most`."""
    found: dict[str, None] = {}
    commands, polite = listed_words(language_tables("intent")[language], "commands"), entries("intent", "polite")
    opens = True
    for match in _TERM.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in left_out):
            continue
        word = fold_word(match.group())
        asks = opens and word in commands
        opens = opens and word in polite
        if not asks and not is_stopword(word, language):
            found.setdefault(word.removesuffix("'s"))
    return tuple(found)[:most]


def phrases(text: str) -> tuple[str, ...]:
    """Return the distinct quoted phrases, as written, in order."""
    return tuple(dict.fromkeys(inside for _, _, inside in quoted(text)))


_WORD = late_pattern(r"[\p{L}\p{M}]++(?:['’][\p{L}\p{M}]++)*+")
_SHORT = 4  # words; a text up to this length may not reveal its language
_LONGEST_BREAK = 30  # maximum characters between a time and its correction


def parse_query(
    text: str,
    *,
    now: datetime,
    timezone: str | ZoneInfo,
    settings: NlqSettings = NlqSettings(),  # noqa: B008 - a frozen value
    entities: Iterable[Named] | NameIndex = (),
    when: str | None = None,
) -> ParsedQuery:
    """Parse a question.

    Args:
        entities: names to recognise; pass a `NameIndex` for many questions.
        when: a time phrase that overrides the question's.

    Raises InvalidParams: `when` cannot be parsed, or `now` is naive; ConfigurationError: unknown zone.
    """
    calendar = _calendar(now, timezone, settings)
    names = entities if isinstance(entities, NameIndex) else NameIndex.of(entities)
    mentions = names.mentions(text)
    reading = _read(text, calendar, settings, mentions)
    time = explicit_time(when, calendar, settings) if when is not None else reading.time
    return _assembled(text, reading, names, mentions, settings, time, from_when=when is not None)


def time_asked(text: str, *, now: datetime, timezone: str | ZoneInfo, settings: NlqSettings) -> ParsedQuery:
    """Parse only the time of `text`, without known names; see `parse_query`."""
    reading = _read(text, _calendar(now, timezone, settings), settings, ())
    return ParsedQuery(question=text, time=reading.time, language=reading.language, notices=reading.notices)


def explicit_time(when: str, calendar: Calendar, settings: NlqSettings) -> TimePhrase:
    """Parse `when` in any supported language. Raises InvalidParams: not parsed completely, or no such time."""
    is_time = False
    for table in map(phrase_table, _in_order(settings.language)):
        match = TimeFinder.of(when, table, settings.date_order, ()).whole()
        if match is None:
            continue
        is_time = True  # a time, but perhaps one that never was: 30 February
        expression, span = cast("Expression", match.value), (0, len(when))
        phrase = _meaning(expression, when.strip(), span, calendar)
        if phrase is not None:
            window = future_window(expression, when, span, table.language, calendar)
            return replace(phrase, window=window, note=_note(phrase.text, window, calendar)) if window else phrase
    raise InvalidParams(messages.WHEN_IMPOSSIBLE if is_time else messages.WHEN_UNREADABLE)


def _calendar(now: datetime, timezone: str | ZoneInfo, settings: NlqSettings) -> Calendar:
    return Calendar(
        now=require_utc(now, "now"),
        zone=zone(timezone) if isinstance(timezone, str) else timezone,
        week_start=settings.week_start,
        hemisphere=settings.hemisphere,
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one language's table read in a question."""

    language: Language
    time: TimePhrase | None
    chosen: FoundTime | None
    notices: tuple[Notice, ...]


def _read(text: str, calendar: Calendar, settings: NlqSettings, mentions: Sequence[Mention]) -> _Reading:
    """Read in the detected language; if uncertain, in the first language that finds a time."""
    found = _WORD.findall(text)
    language = guess_language(found, settings.language)
    first = _read_in(phrase_table(language), text, calendar, settings, mentions)
    if first.chosen:
        return first
    counts = {each: sum(is_stopword(word, each) for word in found) for each in STOPWORDS}
    if len(found) <= _SHORT and language == settings.language and counts[language]:  # its own stop word confirms it
        return first
    # "Was lief letztes Quartal schief?": its only stop word belongs to two languages.
    others = (
        _read_in(phrase_table(other), text, calendar, settings, mentions)
        for other in _in_order(settings.language)
        if other != language and (len(found) <= _SHORT or counts[other] >= counts[language] > 0)
    )
    return next((reading for reading in others if reading.time), first)


def _read_in(
    table: PhraseTable, text: str, calendar: Calendar, settings: NlqSettings, mentions: Sequence[Mention]
) -> _Reading:
    finder = TimeFinder.of(text, table, settings.date_order, mentions)
    found = _without_corrected(finder.phrases(), text, table)
    notices: list[Notice] = []
    time: TimePhrase | None = None
    # Of several times the first that is certain: "March's" or "may" may be no time at all.
    chosen = min(found, key=lambda phrase: (phrase.is_possessive, phrase.match.weak), default=None)
    if chosen is not None:
        said = text[chosen.start : chosen.end]
        time = _meaning(cast("Expression", chosen.match.value), said, (chosen.start, chosen.end), calendar)
        if time is None:
            notices.append(Notice(code="window_empty", detail=messages.no_such_time(said)))
        else:
            time = _moved_ahead(replace(time, names=chosen.names), chosen, text, table.language, calendar)
        others = [text[phrase.start : phrase.end] for phrase in found if phrase is not chosen]
        if others:
            notices.append(Notice(code="several_phrases", detail=messages.one_time_of_several(said, ", ".join(others))))
    elif vague := finder.vague() or _event(text):
        notices.append(Notice(code="when_unparsed", detail=messages.time_not_understood(vague)))
    return _Reading(table.language, time, chosen, tuple(notices))


def _without_corrected(found: Sequence[FoundTime], text: str, table: PhraseTable) -> tuple[FoundTime, ...]:
    """Drop corrected phrases: of "in May, I mean in June" the first."""
    for at in range(len(found) - 1, 0, -1):  # the last correction counts
        between = fold_word(text[found[at - 1].end : found[at].start])
        if len(between) <= _LONGEST_BREAK and any(word in between for word in table.corrections):
            return tuple(found[at:])
    return tuple(found)


def _assembled(  # noqa: PLR0913 - one place where the parts of a question come together
    text: str,
    reading: _Reading,
    names: NameIndex,
    mentions: tuple[Mention, ...],
    settings: NlqSettings,
    time: TimePhrase | None,
    *,
    from_when: bool,
) -> ParsedQuery:
    table = phrase_table(reading.language)
    spans = [(reading.chosen.start, reading.chosen.end)] if reading.chosen else []
    tokens = tokenise(text[:MOST_READ], table.date_order)
    outside = [token for token in tokens if not any(start <= token.start < end for start, end in spans)]
    kind = answer_kind(text, table.language)
    limit = limit_asked(tokens, table, kind, spans)
    silent = [*spans, (limit.start, limit.end)] if limit else spans
    ambiguous = tuple(
        Notice(code="entity_ambiguous", detail=text[mention.start : mention.end])
        for mention in mentions
        if len(mention.ids) > 1
    )
    return ParsedQuery(
        question=text,
        time=time,
        time_from_when=from_when,
        terms=terms(text, language=table.language, left_out=silent, most=settings.max_keywords),
        phrases=phrases(text),
        mentions=mentions,
        persons=persons_named(text, outside, mentions, names, table),
        asked_for=kind,
        limit=min(limit.count, settings.max_limit) if limit else None,
        order=order_asked(text, table.language),
        language=table.language,
        notices=(() if from_when else reading.notices) + ambiguous,
    )


def _moved_ahead(time: TimePhrase, chosen: FoundTime, text: str, language: Language, calendar: Calendar) -> TimePhrase:
    """Move the time to the future if the question looks ahead (ruling I3)."""
    expression, span = cast("Expression", chosen.match.value), (chosen.start, chosen.end)
    window = future_window(expression, text, span, language, calendar) or time.window
    window = from_today(window, expression, text, language, calendar)
    if window == time.window:
        return time
    return replace(time, window=window, note=_note(time.text, window, calendar), widenings=(Window(),))


def _meaning(expression: Expression, said: str, span: tuple[int, int], calendar: Calendar) -> TimePhrase | None:
    """Return the time phrase; None if there is no such time."""
    try:
        window = expression.bounds(calendar)
        widenings = expression.widened(calendar) if isinstance(expression, Widening) else ()
        if names_no_year(expression):
            earlier = dict.fromkeys(in_earlier_years(expression, calendar))
            widenings = tuple(each for each in earlier if each != window)
    except (ValueError, OverflowError):
        return None
    if window.start is not None and window.end is not None and window.start >= window.end:  # "since tomorrow"
        return None
    # Rows that speak of a time to come may name no date in it.
    if not widenings and window.start is not None and window.start >= calendar.now:
        widenings = (Window(),)
    is_loose = isinstance(expression, Ago) or (isinstance(expression, Weekday) and expression.which == "bare")
    note = _note(said, window, calendar)
    return TimePhrase(
        window=window, text=said, start=span[0], end=span[1], note=note, is_loose=is_loose, widenings=widenings
    )


def _note(said: str, window: Window, calendar: Calendar) -> str:
    """Return what a phrase means in local dates: "last month: 2025-02-01 to 2025-03-01 (America/Chicago)"."""
    start, end = (None if at is None else at.astimezone(calendar.zone) for at in (window.start, window.end))
    is_one_day = (
        start is not None
        and end is not None
        and not any((start.hour, start.minute, end.hour, end.minute))
        and end.date() - start.date() == ONE_DAY
    )
    meaning = _shown(start) if is_one_day else f"{_shown(start)} to {_shown(end)}"
    return f"{' '.join(said.split())}: {meaning} ({calendar.zone.key})"


def _shown(local: datetime | None) -> str:
    if local is None:
        return "…"
    return f"{local:%Y-%m-%d}" if local.time() == MIDNIGHT else f"{local:%Y-%m-%d %H:%M}"


def _event(text: str) -> str | None:
    event = find_event(text[:MOST_READ])
    return event and text[event.start : event.end]


def _in_order(first: Language) -> list[Language]:
    return sorted(STOPWORDS, key=lambda language: language != first)  # False sorts first
