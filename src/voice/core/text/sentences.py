"""Sentence boundaries, and where a long text may be cut.

Law: spans are half-open code points, ordered, disjoint, trimmed, and cover all non-whitespace, so nothing escapes
judgement between sentences. The following word decides doubtful stops; links, quotations, brackets and table rows are
not split. Cuts are spans of the stored text (ruling C13): last sentence end in [600, 800], else word, else
grapheme (ruling C12). Linear time.
Source: rulings C12, C13, D1; specs inner_voice.retrieve, Sentence-Boundary Capping, retrieval-contract, match context.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

import regex

from voice.core.text.language_data import entries, is_common_word
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import STOPWORDS, word_set

# A line end, or the place before an inline bullet.
_BREAK = late_pattern(r"(?:\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|(?<=\S[^\S\r\n])(?=[•‣◦▪●][^\S\r\n]))")
# "．" is also the point of a full-width decimal.
_STOP = late_pattern(r"(?:\.(?: ?\.)+|[.!?…‽]|[。！？｡؟۔।॥։።။]|．(?!\p{Nd}))(?:[.!?…‽。！？｡؟]*)")
# Closing marks and footnote marks that belong to the sentence.
_CLOSERS = late_pattern(r"(?:[\"'”“’‘»«›‹)\]}」』）】〉》*_~`]|\[\^?[\w,; -]{1,12}\]|[⁰¹²³⁴-⁹]|</\w{1,8}>)*")
# A bracket or link closed on its line.
_ENCLOSED = late_pattern(
    r"(?<!\S)\([^()\n]{1,300}\)|\[\[[^\[\]\n]{1,300}+\]\]|\[[^\[\]\n]{1,300}+\]\([^()\s]{1,600}+\)"
)
_LED = r"(?<=[:,]\s)"  # speech led in: 'she said, "…'
_STRAIGHT = r"(?<![\w.,;:!?…])\"(?=\S)"  # a straight mark that opens
# Anything else, or an apostrophe; one at the end of a line or before a stop is a closing mark.
_IN_SINGLE_MARKS = r"(?:[^'‘’\n]|(?<=\w)['’](?![.!?,;:]|[^\S\n]*+(?:\n|\Z)))"
_SINGLE_CLOSED = r"['’](?!\w)|(?=\n\s*+['‘]\p{Lu})"  # or before the speech on the next line
_LINE_ENDS = r"(?=\n|\Z)"
# Of each kind of quotation: what opens it, each character between, what closes it. The first that fits counts.
# What closes without a mark ends a paragraph whose speech the next one continues.
_SPOKEN = (
    ("“", "[^“”]", "”"),
    ("„", "[^„“”]", "[“”]"),
    ("«", "[^«»]", "»"),
    (r"»(?=\S)", r"[^«»\n]", r"(?<=\S)«"),  # German books: »so«
    ("‹", r"[^‹›\n]", "›"),
    ("「", "[^「」]", "」"),
    ("『", "[^『』]", "』"),
    (r"‚(?=\S)", r"[^‚‘\n]", "‘"),  # German, single: ‚so‘
    (_STRAIGHT, r"[^\"\n]", r"(?<=\S)\"(?!\w)"),
    (_STRAIGHT, r"[^\"]", r"(?<=[.!?…,])\"(?!\w)"),
    (r"[“„«](?=\S)", r"[^“”„«»\n]", _LINE_ENDS),
    (r"(?<!\S)\"(?=\S)", r"[^\"\n]", r"(?=\n[\s>]*+\"\S)"),
    (rf"(?:{_LED}|^)\"(?=\S)", r"[^\"\n]", _LINE_ENDS),
    (rf"(?:{_LED}|\A)['‘](?=\w)", _IN_SINGLE_MARKS, f"(?:{_SINGLE_CLOSED}|{_LINE_ENDS})"),
    (r"(?:‘(?=\S)|(?<![^\s(\[—–-])'(?=\p{L}))", _IN_SINGLE_MARKS, f"(?:{_SINGLE_CLOSED})"),
)
# Unbounded, each of many marks that are never closed would read on to the end of the text: quadratic time.
_SPEECH = late_pattern(
    "|".join(f"{opens}{inside}{{1,2000}}+{ends}" for opens, inside, ends in _SPOKEN), regex.MULTILINE
)
_SPEECH_MARKS = frozenset("\"'“„«»‹‘‚「『")
EXCLAIMED = late_pattern(r"[!！]\s?[?？؟]\W{0,8}$")
"""The end of a sentence that states something with a question mark: "She left!?"."""
ASKED = late_pattern(r"(?:[?？؟\u037e]|[\p{Greek}\p{M}]{2};)\Z")
"""The end of a question; behind Greek words ";" asks, as U+037E does."""
_SAYS = ("と", "って")  # Japanese: after a closed quotation these attribute it
_ADDRESS = late_pattern(r"[/@\\=_<>#&]|www\.|^\.")  # a token with these is an address, a path or code
_RUN_ON = late_pattern(r"(\p{Lu}\p{Ll}*)(?=[\s,'’])")  # "left.She came"
# Table, code, rule: starts a line that stands alone.
_RULED = late_pattern(r"\s*(?:\||```|~~~|(?:[-*_=] ?+){3,}+\s*$)", regex.MULTILINE)
_EMOJI_TAIL = late_pattern(r"(?:[^\S\r\n]?[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f])+(?=\s|$)")
_LAST_TOKEN = late_pattern(r"[^\s\"'“”‘’«(\[{]*$")
_NEXT_WORD = late_pattern(r"\s+[\"'“‘«(\[{*_]*([^\s\"'”’»)\]},;:!?]*)")
_MARKER = late_pattern(r"\s*(?:[-*•‣◦▪●–—+]|#{1,6}|>|\(?(?:\d{1,3}|[a-zA-Z])[.)])(?=\s)")
_ENUMERATOR = late_pattern(r"(?:^|[:;]\s+)\(?\d{1,3}$")  # "1. Start; 2. stop."
_ACRONYM = late_pattern(r"(?:\p{L}\.)*+\p{L}")  # "e.g", "U.S" before the last stop
_VERSION = late_pattern(r"v?\d++(?:\.\d++){2,}+")  # "v1.2.3"
_DAY_AND_MONTH = late_pattern(r"[0-3]?\d\.(?:0?[1-9]|1[0-2])")  # "12.9." before "06:55"
_BEFORE_AN_HOUR = word_set("um ab gegen")  # German, as in "3.6. um 16 Uhr"
_GOING_ON = ("…", "..", ". .", "?")  # stops that may continue before a lower-case letter
_UNCASED_STOPS = frozenset("。！？｡؟۔।॥։።။．")  # not used in abbreviations: they always end a sentence

_BEFORE_A_NAME = entries("sentence_ends", "before_a_name")
_NEVER_LAST = entries("sentence_ends", "never_last")
_ORDINAL_LEAD = entries("sentence_ends", "ordinal_lead")  # German: "am 1. Mai", "die 2. Stimme"
_GERMAN_MONTHS = entries("sentence_ends", "german_months")
_BEFORE_A_NUMBER = entries("sentence_ends", "before_a_number")
_MONTHS = word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
_MAY_END = entries("sentence_ends", "may_end")
_STARTERS = entries("sentence_ends", "starters")
_FACTS = 3  # lines that a paragraph of facts has at least
_STOPPED = late_pattern(r"[.!?…。！？](?=\s|$)|[:;,]$")
_LINKING = entries("sentence_ends", "goes_on")  # at either end of a line these join it to the other one…
_LEADING_ON = _LINKING | entries("sentence_ends", "leads_on")  # …and these at its end alone
_WRAP_COLUMN = 55  # characters; a line this long without a stop was wrapped by an editor


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the trimmed half-open sentence spans, in order; each visible character is in one (rulings C12, C13)."""
    spans: list[tuple[int, int]] = []
    speech = speech_spans(text)
    for line_start, line_end in _logical_lines(text):
        start = line_start
        line = text[line_start:line_end].strip()
        is_table_row = line.startswith("|") and line.endswith("|")
        for cut in () if is_table_row else _sentence_breaks(text, line_start, line_end, speech):
            _append_trimmed(spans, text, start, cut)
            start = cut
        _append_trimmed(spans, text, start, line_end)
    return spans


def sentences(text: str) -> list[str]:
    """Return the sentences of `text` as strings."""
    return [text[start:end] for start, end in sentence_spans(text)]


def speech_spans(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of `text` in quotation marks, each with its marks, in order."""
    return [] if _SPEECH_MARKS.isdisjoint(text) else [found.span() for found in _SPEECH.finditer(text)]


def span_at(spans: Sequence[tuple[int, int]], offset: int) -> tuple[int, int] | None:
    """Return the one of the ordered, disjoint spans that holds an offset; None if none does."""
    at = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return spans[at] if at >= 0 and offset < spans[at][1] else None


def is_within(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """Return whether an offset is inside one of the ordered spans, at neither end."""
    span = span_at(spans, offset)
    return span is not None and span[0] < offset


def _append_trimmed(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if stripped := piece.strip():
        left = start + len(piece) - len(piece.lstrip())
        spans.append((left, left + len(stripped)))


def _logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield stretches that no sentence crosses: lines, with wrapped ones joined."""
    start = previous = 0
    breaks = list(_BREAK.finditer(text))
    facts = _ends_of_facts(text, breaks) if len(breaks) > 1 else frozenset[int]()
    for found in breaks:
        if found.start() in facts or _ends_here(text, previous, found.start(), found.end()):
            yield start, found.start()
            start = found.end()
        previous = found.end()
    yield start, len(text)


def _ends_of_facts(text: str, breaks: "Sequence[regex.Match[str]]") -> frozenset[int]:
    """Return the ends of lines in paragraphs of one fact a line: without stops, and not wrapped by an editor."""
    ends: list[int] = []
    for paragraph in _paragraphs(text, breaks):
        lines = [text[start:end].strip() for start, end in paragraph]
        if len(lines) < _FACTS or any(map(_STOPPED.search, lines)):
            continue
        widest, firsts = max(map(len, lines)), [line.split(maxsplit=1)[0] for line in lines[1:]]
        pairs = list(zip(lines, firsts, strict=False))
        # Wrapped by an editor: none of the next words would have fitted in.
        is_wrapped = widest >= _WRAP_COLUMN and all(len(line) + 1 + len(first) > widest for line, first in pairs)
        if not is_wrapped:
            goes_on = (first.lower() in _LINKING or line.split()[-1].lower() in _LEADING_ON for line, first in pairs)
            ends += [end for (_, end), is_part in zip(paragraph, goes_on, strict=False) if not is_part]
    return frozenset(ends)


def _paragraphs(text: str, breaks: "Sequence[regex.Match[str]]") -> Iterator[list[tuple[int, int]]]:
    """Yield the lines of each paragraph; what is marked, ruled or blank is in none."""
    lines: list[tuple[int, int]] = []
    for start, end in zip(
        (0, *(each.end() for each in breaks)), (*(each.start() for each in breaks), len(text)), strict=True
    ):
        is_plain = text[start:end].strip() and not any(each.match(text, start, end) for each in (_MARKER, _RULED))
        if is_plain:
            lines.append((start, end))
        if lines and not is_plain:
            yield lines
            lines = []
    yield lines


def _ends_here(text: str, line_start: int, line_end: int, next_start: int) -> bool:
    line = text[line_start:line_end].strip()
    following = _BREAK.search(text, next_start)
    next_line = text[next_start : following.start() if following else len(text)].strip()
    if not line or not next_line or _MARKER.match(text, next_start) or line.startswith("#"):
        return True
    if line[-1] in ".!?…:;。！？" or _RULED.match(text, line_start) or _RULED.match(text, next_start):
        return True
    return not next_line[0].islower() and len(line) < _WRAP_COLUMN  # a lower-case start or a long line goes on


def _sentence_breaks(text: str, start: int, end: int, speech: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the offsets after which a new sentence begins."""
    position = _past(_MARKER, text, start, end)
    enclosed = _ENCLOSED.search(text, start, end)
    while stop := _STOP.search(text, position, end):
        position = stop.end()
        after = _past(_EMOJI_TAIL, text, _past(_CLOSERS, text, position, end), end)
        if after >= end:
            return
        if is_within(speech, after):
            continue
        # The bracket that may hold this stop. Never searched from the start again: linear time.
        while enclosed is not None and (enclosed.start() < start or enclosed.end() <= after):
            enclosed = _ENCLOSED.search(text, max(start, enclosed.start() + 1, min(enclosed.end(), after)), end)
        if enclosed is not None and enclosed.start() < after and _is_part_of_sentence(text, start, enclosed.span()):
            continue
        if after > position and text.startswith(_SAYS, after):
            continue
        if stop.group()[-1] in _UNCASED_STOPS or _is_boundary(text, start, stop.start(), stop.end(), after):
            yield after
            start, position = after, _past(_MARKER, text, after, end)


def _past(pattern: "regex.Pattern[str]", text: str, start: int, end: int) -> int:
    """Return where what stands at `start` ends; `start` if the pattern does not match there."""
    found = pattern.match(text, start, end)
    return found.end() if found else start


def _is_part_of_sentence(text: str, sentence: int, enclosed: tuple[int, int]) -> bool:
    """Return whether a link or bracket is part of a surrounding sentence."""
    before = text[_past(_MARKER, text, sentence, enclosed[0]) : enclosed[0]].rstrip(" \t\"'“‘«(*_")
    return text[enclosed[0]] == "[" or (before[-1:] not in ".!?…。！？" and any(map(str.isalnum, before)))


def _is_boundary(text: str, sentence: int, stop: int, stop_end: int, after: int) -> bool:
    if not text[after].isspace():
        return after == stop_end and stop_end - stop == 1 and _lacks_space(text, sentence, stop, after)
    found = _NEXT_WORD.match(text, after)
    following = found.group(1) if found else ""
    starts_lower = following[:1].islower()
    closed = after > stop_end and text[stop_end] in "\"'”’»›)]}」』"
    if starts_lower and closed:
        return False
    run = text[stop:stop_end]
    if run != ".":
        return not (starts_lower and any(mark in run for mark in _GOING_ON))
    return _is_full_stop(text, sentence, stop, following)


def _lacks_space(text: str, sentence: int, stop: int, after: int) -> bool:
    """Return whether a stop without a following space ends a sentence ("left.She came")."""
    following = _RUN_ON.match(text, after)
    found = _LAST_TOKEN.search(text[max(sentence, stop - 40) : stop])
    token = found.group() if found else ""
    if following is None or _ADDRESS.search(token) or "." in token or len(token) < 2:
        return False
    if token.lower() in _BEFORE_A_NAME:
        return False
    return following.group(1).lower() in _STARTERS or (token.islower() and is_common_word(token))


def _is_full_stop(text: str, sentence: int, stop: int, following: str) -> bool:
    """Return whether a single `.` ends a sentence, by the tokens around it."""
    window = text[max(sentence, stop - 40) : stop].lstrip()  # bounded: linear time
    found = _LAST_TOKEN.search(window)
    token = found.group().lower().rstrip(".").lstrip("*_~") if found else ""
    if _ends_a_street(window, following):
        return True
    if token in _BEFORE_A_NAME or token in _NEVER_LAST or _ENUMERATOR.search(window):
        return False
    is_day = _DAY_AND_MONTH.fullmatch(token) is not None
    if ((token in _BEFORE_A_NUMBER or is_day) and following[:1].isdigit()) or (is_day and following in _BEFORE_AN_HOUR):
        return False
    if following[:1].islower() and (token in _MONTHS or _VERSION.fullmatch(token)):
        return False
    if _is_ordinal(window, token, following):
        return False
    if window[: len(window) - len(token)].endswith(("'", "’")) and len(token) == 1:
        return True  # "It's Anna's." ends, the initial "S." does not
    if token in _MAY_END or _ACRONYM.fullmatch(token):
        return following.lower() in _STARTERS and not following[:1].islower()
    return True


def _ends_a_street(window: str, following: str) -> bool:
    """Return whether "St." is a street before a new sentence ("on Main St. She …")."""
    named, _, last = window.rstrip().rpartition(" ")
    is_street = last.lower() == "st" and named.rpartition(" ")[2][:1].isupper()
    return is_street and following[:1].isupper() and following.lower() in _STARTERS


def _is_ordinal(window: str, token: str, following: str) -> bool:
    """Return whether a number with a full stop is a German ordinal."""
    if not (token.isdigit() and len(token) <= 2):
        return False
    if following.lower().rstrip(".") in _GERMAN_MONTHS:
        return True
    before = window[: len(window) - len(token)].split()
    is_noun = following[:1].isalpha() and not (following[:1].isupper() and following.lower() in STOPWORDS["de"])
    return is_noun and bool(before) and before[-1].lower() in _ORDINAL_LEAD


CAP_LOWER = 600
CAP_UPPER = 800
_LOOKAHEAD = 200  # characters beyond the limit read to decide a boundary

_GRAPHEME = late_pattern(r"\X")
_WORD_END = late_pattern(r"\S(?=\s)")
_WORD_START = late_pattern(r"(?<=\s)\S")


def cap_span(text: str, *, lower: int = CAP_LOWER, upper: int = CAP_UPPER) -> tuple[int, int]:
    """Return the half-open span of `text` to show: from 0, at most `upper` long, at least `lower` if cut at a word."""
    if len(text) <= upper:
        return 0, len(text)
    ahead = text[: upper + _LOOKAHEAD]
    at_sentence = max((end for _, end in sentence_spans(ahead) if lower <= end <= upper), default=None)
    edge = at_sentence or _last_end(_WORD_END, ahead, lower, upper) or _last_end(_GRAPHEME, ahead, 1, upper)
    return 0, edge or upper  # one grapheme longer than the limit


def _last_end(pattern: "regex.Pattern[str]", text: str, lower: int, upper: int) -> int | None:
    return max((found.end() for found in pattern.finditer(text) if lower <= found.end() <= upper), default=None)


def best_match_span(text: str, terms: Iterable[str], *, width: int = 160) -> tuple[int, int] | None:
    """Return the span around the best match of `terms`, at most `width` characters; None without a match.

    The window with the most distinct terms, earliest first, cut at words; case-insensitive, at word starts. Recall's
    `match_context` (ruling G.2). Linear in the text.
    """
    places = _places(text, terms)
    if not places:
        return None
    starts = [place[0] for place in places]
    first = max(places, key=lambda place: (_terms_within(places, starts, place[0], width), -place[0]))
    inside = [place for place in places if first[0] <= place[0] and place[1] <= first[0] + width]
    start, end = first[0], max((place[1] for place in inside), default=min(first[1], first[0] + width))
    slack = width - (end - start)
    left = max(0, min(start - slack // 2, len(text) - width))
    right = min(len(text), max(left + width, end))
    return _at_words(text, (left, right), keep=(start, end))


def _places(text: str, terms: Iterable[str]) -> list[tuple[int, int, str]]:
    folded = text.casefold()
    wanted = sorted({term for term in terms if term.strip() and term.casefold() in folded})
    # A term begins a word; scripts without spaces have no word starts.
    return sorted(
        (found.start(), found.end(), term)
        for term in wanted
        for found in regex.finditer(
            rf"(?:(?<![\p{{L}}\p{{N}}])|(?<=\p{{Lo}})){regex.escape(term)}", text, regex.IGNORECASE
        )
    )


def _terms_within(places: list[tuple[int, int, str]], starts: list[int], start: int, width: int) -> int:
    near = places[bisect_left(starts, start) : bisect_right(starts, start + width)]
    return len({term for _, right, term in near if right <= start + width})


def _at_words(text: str, window: tuple[int, int], *, keep: tuple[int, int]) -> tuple[int, int]:
    left, right = window
    if left > 0 and (word := _WORD_START.search(text, left, keep[0] + 1)) is not None:
        left = word.start()
    if right < len(text) and (end := _last_end(_WORD_END, text[: right + 1], keep[1], right)) is not None:
        right = end
    return left, right
