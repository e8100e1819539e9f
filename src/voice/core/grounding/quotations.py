"""Match a sentence of an answer with whole sentences of its rows, and count what it cites.

Law: verbatim except for deixis and the row's own date; every token and pause must match, in order, without fuzziness;
sentences in one sentence of an answer stay apart and in their row's order, in quotation marks side by side too. A count
is right if it equals the number of cited spans and each row is under the heading or mentions the word. Completeness is
not checked here, so a count proves nothing.
Source: DESIGN 6 (quoted); rulings D1 ("the row's own date"), D5 ("a statement is literally true").
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple

from voice.core.grounding.quotable_sentences import (
    JOIN,
    MAX_TOKENS,
    PAUSE,
    QuotableSentence,
    Tokens,
    has_quotation,
    pauses,
    quotable_sentences,
    resolve_markup,
    tokens_in,
    tokens_of,
    with_boxes,
)
from voice.core.grounding.source_labels import is_dated, is_day_or_speaker_of, path_labels, short_labels
from voice.core.grounding.values import Evidence
from voice.core.text.dates import stated_dates
from voice.core.text.display import counted
from voice.core.text.instants import has_date
from voice.core.text.language_data import Table, language_tables, listed_words, word_pairs
from voice.core.text.lazy import late_pattern
from voice.core.text.note_context import page_name
from voice.core.text.prompt_injection import find_instruction
from voice.core.text.sentences import is_within, sentence_spans, speech_spans
from voice.core.text.words import stems_in

_LONGEST_NAME: Final = 20  # tokens; a longer text is not a name
_BETWEEN: Final = (PAUSE, JOIN)  # stand among a wording's tokens
_MOST_COLONS: Final = 8  # in a label


def _retellings(tokens: Sequence[str], speaker: str | None) -> Iterator[tuple[str, ...]]:
    """Yield a sentence with its first person, if it has one, as "you" (the owner's) or as the speaker's name."""
    for table in language_tables("deixis").values():
        contractions = word_pairs(table, "split")
        parts = [part for token in tokens for part in contractions.get(token, token).split()]
        # "I told you" is not retold: whose "you" it is would be lost.
        if not word_pairs(table, "told").keys().isdisjoint(parts) and listed_words(table, "second").isdisjoint(parts):
            if speaker is None:
                yield tuple(_in_second_person(parts, table))
            elif len(name := tokens_of(speaker)) <= _LONGEST_NAME:
                yield tuple(_with_name(parts, table, name))


def in_parts(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return tokens with pronoun contractions split ("you're": "you", "are")."""
    parts = _contractions()
    return tuple(part for token in tokens for part in parts.get(token, token).split())


@cache
def _contractions() -> Mapping[str, str]:
    tables = language_tables("deixis").values()
    return {word: parts for table in tables for word, parts in word_pairs(table, "split").items()}


def _in_second_person(tokens: Sequence[str], table: Table) -> Iterator[str]:
    words = [token for token in tokens if token not in _BETWEEN]
    told, agrees = word_pairs(table, "told"), word_pairs(table, "agrees")
    at = -1
    for token in tokens:
        at += token not in _BETWEEN  # the place among the words alone
        beside = {*words[max(0, at - 2) : at], *words[at + 1 : at + 2]}  # "I was", "was I", "I never was"
        is_changed = token in agrees and not told.keys().isdisjoint(beside)
        yield agrees[token] if is_changed else told.get(token, token)


def _with_name(tokens: Sequence[str], table: Table, name: Sequence[str]) -> Iterator[str]:
    genitive = (*name[:-1], f"{name[-1]}'s") if name else ()  # "Ann Lee's"
    for token in tokens:
        replacement = word_pairs(table, "named").get(token, token)
        if replacement in ("@", "@s"):
            yield from name if replacement == "@" else genitive
        else:
            yield replacement


# What may give day or speaker before a sentence: "On 5 May 2024: …", "(Ana, yesterday) — …".
_HEAD = late_pattern(r"^\s*+[(\[]?(?P<head>[^:,;()\[\]—–]{1,48}(?:,[^:,;()\[\]—–]{1,32}){0,2})[)\]]?\s{0,8}[:,—–]\s*+")
# The same behind it: "… (5 May 2024)."
_TAIL = late_pattern(r"(?:(?<!\s)\s++)?[(\[](?P<tail>[^()\[\]]{4,48})[)\]]\s*+(?:[.!。]\s*+)?$")
_MARKER = late_pattern(r"^\s*(?:[-*+•‣◦>]|#{1,6}|\(?\d{1,2}[.)])[ \t]+(?=\S)")


class CitedSpan(NamedTuple):
    """A span of a row that a sentence cites, or a whole sentence of it that it repeats."""

    row: Evidence
    start: int
    end: int


class _Form(NamedTuple):
    """One form of quoting a statement."""

    start: int
    end: int
    tokens: Tokens
    pauses: frozenset[int]  # before which tokens it pauses
    joins: frozenset[int]  # before which tokens it may pause or not
    of_list: Tokens  # wording of its list's introduction or heading
    follows: bool  # whether it may only follow another item of the same list
    is_speech: bool  # whether it may only be quoted in quotation marks


class _Path(NamedTuple):
    quoted: tuple[CitedSpan, ...]
    last: tuple[str, Tokens] | None  # row and list of the last quotation


_STOP = late_pattern(r"[.!?…;。！？；|•]")


class _Said(NamedTuple):
    """The tokens of a sentence of an answer, and before which of them something stands."""

    tokens: Tokens
    pauses: frozenset[int]
    stops: frozenset[int]
    inside: frozenset[int]  # those within quotation marks, with the one before
    is_quotation: bool


def _said_in(text: str) -> _Said:
    starts, speech = [start for start, _ in sentence_spans(text)], speech_spans(text)
    tokens: list[str] = []
    paused, stopped, inside = set[int](), set[int](), set[int]()
    last = 0
    for one in tokens_in(text):
        begins = bisect_left(starts, last) < bisect_right(starts, one.start)  # a sentence starts between
        at = {len(tokens)}
        paused |= at if pauses(text, last, one.start) else set()
        stopped |= at if begins or _STOP.search(text, last, one.start) else set()
        inside |= at if is_within(speech, last) and is_within(speech, one.start) else set()
        tokens += in_parts((one.said,))
        last = one.end
    return _Said(tuple(tokens), frozenset(paused), frozenset(stopped), frozenset(inside), has_quotation(text))


def quotations_in(sentence: str, rows: Sequence[Evidence]) -> tuple[CitedSpan, ...]:
    """Split `sentence` into whole sentences of `rows`; empty unless all matches. Without a speaker: the owner's."""
    # The plainest reading first: a date or label is left out only where the whole does not match.
    for text, own in (*_without_date(sentence, rows), *_without_place(sentence, rows)):
        if found := _cover(_said_in(text), own):
            return found
    return ()


def _without_date(sentence: str, rows: Sequence[Evidence]) -> Iterator[tuple[str, Sequence[Evidence]]]:
    """Yield the sentence, and variants without a date or speaker that belong to a row, with those rows."""
    text = resolve_markup(sentence, of=[row.text for row in rows])
    marker = _MARKER.match(text)
    if marker is not None:
        yield text, rows
        text = text[marker.end() :]
    yield text, rows
    yield with_boxes(text), rows
    head, tail = _HEAD.match(text), _TAIL.search(text)
    if head and (dated := [row for row in rows if is_day_or_speaker_of(row, head["head"])]):
        yield text[head.end() :], dated
    if tail and (dated := [row for row in rows if is_day_or_speaker_of(row, tail["tail"])]):
        yield text[: tail.start()], dated


def _without_place(sentence: str, rows: Sequence[Evidence]) -> Iterator[tuple[str, Sequence[Evidence]]]:
    """Yield the sentence without a leading path or label of a row."""
    said = sentence.strip()
    for row in rows:
        for head in (*path_labels(row), *short_labels(row)):
            if said.startswith(f"{head}: "):
                yield resolve_markup(said[len(head) + 2 :], of=[row.text]), [row]


def without_former_place(sentence: str, rows: Sequence[Evidence]) -> Iterator[str]:
    """Yield the sentence without each lead that may be a former label of a row; dates in the lead must be the row's."""
    parts = sentence.split(": ", _MOST_COLONS)
    for at in range(1, len(parts)):  # a label may hold colons itself
        mentions = stated_dates(": ".join(parts[:at]))
        if any(row.context and (not mentions or is_dated(row, mentions)) for row in rows):
            yield ": ".join(parts[at:])


def reads_as_instruction(row: Evidence) -> bool:
    """Return whether a row gives the model instructions; it cannot prove anything alone (ruling D22)."""
    return find_instruction(row.text) is not None


def _cover(said: _Said, rows: Sequence[Evidence]) -> tuple[CitedSpan, ...]:
    """Return quotations that cover all tokens, the first found for each prefix; empty if none do."""
    tokens = said.tokens
    if not tokens or len(tokens) > MAX_TOKENS:  # no form is longer
        return ()
    forms = [(row, _forms_by_token(row.text, row.source_type, row.speaker)) for row in rows]
    reached: dict[int, _Path] = {0: _Path((), None)}  # one path a place: there are exponentially many ways
    for at in range(len(tokens)):
        if (path := reached.get(at)) is None:
            continue
        for row, by_token in forms:
            for form in by_token.get(tokens[at], ()):
                end = at + len(form.tokens)
                if end not in reached and _is_said(form, said, at) and _may_follow(path, row, form, said, at):
                    quoted = CitedSpan(row, form.start, form.end)
                    reached[end] = _Path((*path.quoted, quoted), (row.alias, form.of_list))
    return reached[len(tokens)].quoted if len(tokens) in reached else ()


def _is_said(form: _Form, said: _Said, at: int) -> bool:
    """Return whether a form's tokens stand in an answer from `at` on, with its pauses."""
    inner = range(1, len(form.tokens))
    return (
        said.tokens[at : at + len(form.tokens)] == form.tokens
        and (said.is_quotation or not form.is_speech)  # what somebody says there is not the row's own word
        and all((at + place in said.pauses) is (place in form.pauses) for place in inner if place not in form.joins)
    )


def _may_follow(path: _Path, row: Evidence, form: _Form, said: _Said, at: int) -> bool:
    """Return whether a statement of `row` may stand behind those of a path, in one sentence of an answer."""
    is_in_list = path.last == (row.alias, form.of_list) and bool(form.of_list)
    if not path.quoted or (form.follows and not is_in_list):
        return not form.follows  # a later item needs the first one and its lead-in
    last = path.quoted[-1]
    if last.row.speaker != row.speaker:  # whose "I" it is would be lost
        return False
    if at not in said.stops and not (is_in_list and at in said.pauses):
        return False  # one sentence would run on into the other
    if at in said.inside and (last.row != row or tokens_of(row.text[last.end : form.start])):
        return False  # a quotation in marks leaves nothing out
    # In another order, or twice, the row would tell another story.
    return all(each.start < form.start for each in path.quoted if each.row == row)


@lru_cache(maxsize=256)
def _forms_by_token(text: str, source_type: str, speaker: str | None) -> Mapping[str, tuple[_Form, ...]]:
    """Return the forms of quoting a row's statements by first token; duplicates once."""
    found: dict[str, dict[tuple[object, ...], _Form]] = {}
    # What reads like an instruction proves nothing, not even word for word (ruling D22).
    for form in () if find_instruction(text) is not None else _forms(text, source_type, speaker):
        found.setdefault(form.tokens[0], {}).setdefault(form[2:], form)  # equal but for their offsets: the first
    return {first: tuple(forms.values()) for first, forms in found.items()}


def _forms(text: str, source_type: str, speaker: str | None) -> Iterator[_Form]:
    for one in quotable_sentences(text, source_type):
        for wording in _wordings(one, speaker):
            if one.lead and len(one.lead) + len(wording) <= MAX_TOKENS:
                yield _form(one, (*in_parts(one.lead), *wording), one.lead)
            yield _form(one, wording, one.lead or one.heading, follows=bool(one.lead))
            if one.heading and len(one.heading) + len(wording) <= MAX_TOKENS:
                yield _form(one, (*in_parts(one.heading), JOIN, *wording), one.heading)


def _form(one: QuotableSentence, wording: Tokens, of_list: Tokens, *, follows: bool = False) -> _Form:
    tokens: list[str] = []
    marked: dict[str, set[int]] = {PAUSE: set(), JOIN: set()}
    for token in wording:
        if token in _BETWEEN:
            marked[token].add(len(tokens))
        else:
            tokens.append(token)
    places = {mark: frozenset(found) for mark, found in marked.items()}
    return _Form(one.start, one.end, tuple(tokens), places[PAUSE], places[JOIN], of_list, follows, one.is_speech)


def _wordings(statement: QuotableSentence, speaker: str | None) -> Iterator[Tokens]:
    for reading in statement.readings:
        yield in_parts(reading)  # as it stands
        if not statement.is_reported:  # else "I" may be someone else
            yield from _retellings(reading, speaker)


Unit = Literal["item", "day", "note"]
# As `CountOf.told` writes it: "3 items under “Boats” in “Harbour”:", "2 days that mention “gate”:".
_SAID = late_pattern(
    r"\s*(?P<number>\d{1,3}) (?P<unit>item|day|note)s?"
    r"(?:(?: under “(?P<head>[^“”\n]{1,200})”)?(?: in “(?P<title>[^“”\n]{1,200})”)?"
    r"(?: with “(?P<part>[^“”\n]{1,200})”)?(?<=”)"
    r"| that mentions? (?:“(?P<word>[^“”\n]{1,200})”|(?P<words>[^“”:\n]{1,200}))):\s*"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOf:
    """What is counted, and under which heading or word."""

    unit: Unit
    head: str = ""
    """The heading or line above the items."""
    title: str = ""
    """The note that contains them, if it is not its own heading."""
    word: str = ""
    """The word that days or notes mention."""
    part: str = ""
    """Words that each of the items holds, if not all items under the heading are counted."""

    def told(self, cited: Sequence[CitedSpan]) -> str:
        """Return the sentence that states the count; words are in quotation marks only if each row says them so."""
        number = self.number(cited)
        if self.word:
            mention = "mentions" if number == 1 else "mention"
            said = tokens_of(self.word)
            is_said = all(_follow(said, tokens_of(each.row.text)) for each in cited)
            what = f"“{self.word}”" if is_said else ", ".join(self.word.split())
            return f"{counted(number, self.unit)} that {mention} {what}:"
        under = f" under “{self.head}”" if self.head else ""
        within = f" in “{self.title}”" if self.title else ""
        holding = f" with “{self.part}”" if self.part else ""
        return f"{counted(number, self.unit)}{under}{within}{holding}:"

    def number(self, cited: Sequence[CitedSpan]) -> int:
        """Count the cited spans by unit; undated rows are no days."""
        if self.unit == "item":
            return len(set(cited))
        if self.unit == "note":
            return len({each.row.thought_ids for each in cited})
        return len({each.row.created_at.date() for each in cited if has_date(each.row.created_at)})

    def holds(self, row: Evidence) -> bool:
        """Return whether a row is under the heading, or mentions the word."""
        place = row.context or ""
        if self.word:
            return stems_in(self.word) <= stems_in(f"{row.text}\n{place}")
        steps = place.split(" › ")
        is_titled = not self.title or self.title in (steps[0], page_name(steps[0]))
        return is_titled and (self.head in steps or any(self.head in line for line in row.text.split("\n")))


def _follow(said: Sequence[str], tokens: Sequence[str]) -> bool:
    """Return whether tokens follow one another in a text."""
    return any(tuple(tokens[at : at + len(said)]) == tuple(said) for at in range(len(tokens)))


def is_correct_count(sentence: str, cited: Sequence[CitedSpan], *, is_renamed: bool = False) -> bool:
    """Return whether a sentence states the right count of its spans, perhaps under a note's former title."""
    found = _SAID.fullmatch(sentence)
    if found is None or not cited:
        return False
    unit: Unit = "item" if found["unit"] == "item" else "day" if found["unit"] == "day" else "note"
    title, word = "" if is_renamed else found["title"] or "", found["word"] or found["words"] or ""
    of = CountOf(unit=unit, head=found["head"] or "", title=title, word=word, part=found["part"] or "")
    part = stems_in(of.part)
    is_held = all(of.holds(each.row) and part <= stems_in(each.row.text[each.start : each.end]) for each in cited)
    return int(found["number"]) == of.number(cited) and is_held
