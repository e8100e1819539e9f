"""Where the sentences of a text begin and end, and where a long text may be cut.

Law: spans are half-open code-point offsets, ordered, disjoint, trimmed, and together hold every character that is not
whitespace; so nothing a model writes can fall between two sentences and escape judgement. A boundary that is in doubt
(an abbreviation before a capital, an initial) is decided by the word that follows, and a question mark before a
lower-case letter is none ("My (excited)+? regex line"). A stop inside a quotation or a bracket does not part what is
quoted from who says it. A sentence on one line, cut again, is itself. Linear in the text's length.

A cut is a span of the stored text, never a new string: `text == full[start:end]` (ruling C13). A long text ends at its
last sentence boundary in [600, 800] characters; failing that at whitespace; failing that at the edge of a grapheme
(ruling C12). Never at the first boundary: "Yes. …" must not become "Yes.".

Source: rulings C12, C13, D1; specs inner_voice.retrieve, Sentence-Boundary Capping, retrieval-contract, match context.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

import regex

from voice.core.text.language_data import entries
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import STOPWORDS, word_set
from voice.core.text.word_weights import is_common_word

_BREAK = late_pattern(r"(?:\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|(?<=\S[^\S\r\n])(?=[•‣◦▪●][^\S\r\n]))")
"""The end of a line, and the place before a bullet within one."""
_STOP = late_pattern(r"(?:\.(?: ?\.)+|[.!?…‽]|[。！？｡؟۔।॥։።။]|．(?!\p{Nd}))(?:[.!?…‽。！？｡؟]*)")
_CLOSERS = late_pattern(r"(?:[\"'”“’»›)\]}」』）】〉》*_~`]|\[\^?[\w,; -]{1,12}\]|[⁰¹²³⁴-⁹]|</\w{1,8}>)*")
"""What still belongs to the sentence after its stop: closing marks and the marks of footnotes."""
_ENCLOSED = late_pattern(
    r"“[^“”\n]{1,600}”|„[^„“”\n]{1,600}[“”]|«[^«»\n]{1,600}»|「[^「」\n]{1,600}」|『[^『』\n]{1,600}』"
    r"|(?<![\w.,;:!?…])\"(?=\S)[^\"\n]{1,600}(?<=\S)\"(?!\w)|(?<!\S)\([^()\n]{1,300}\)"
)
"""A quotation or a bracket that is closed on its line."""
_GOES_ON = late_pattern(r"\s*(?:[,;:、，–—-]|\p{Ll}|と|って)")
_SAYS = ("と", "って")
"""After a closed quotation these say that somebody said it."""
_ADDRESS = late_pattern(r"[/@\\=_<>#&]|www\.|^\.")
_RUN_ON = late_pattern(r"(\p{Lu}\p{Ll}*)(?=[\s,'’])")
_RULED = late_pattern(r"\s*(?:\||```|~~~|(?:[-*_=] ?){3,}\s*$)", regex.MULTILINE)
"""The beginning of a line that stands for itself: of a table, of code, a rule."""
_EMOJI_TAIL = late_pattern(r"(?:[^\S\r\n]?[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f])+(?=\s|$)")
_LAST_TOKEN = late_pattern(r"[^\s\"'“”‘’«(\[{]*$")
_NEXT_WORD = late_pattern(r"\s+[\"'“‘«(\[{*_]*([^\s\"'”’»)\]},;:!?]*)")
_MARKER = late_pattern(r"\s*(?:[-*•‣◦▪●–—+]|#{1,6}|>|\(?(?:\d{1,3}|[a-zA-Z])[.)])(?=\s)")
_ENUMERATOR = late_pattern(r"(?:^|[:;]\s+)\(?\d{1,3}$")
_ACRONYM = late_pattern(r"(?:\p{L}\.)*+\p{L}")
_VERSION = late_pattern(r"v?\d++(?:\.\d++){2,}+")
_DAY_AND_MONTH = late_pattern(r"[0-3]?\d\.(?:0?[1-9]|1[0-2])")
"""In "12.9. 06:55" a day as it is written where a full stop makes an ordinal."""
_BEFORE_AN_HOUR = word_set("um ab gegen")
"""German words before an hour, as in "3.6. um 16 Uhr"."""
_GOING_ON = ("…", "..", ". .", "?")
"""Stops after which a lower-case letter goes on: what trails off, and a question mark that is part of a name."""
_UNCASED_STOPS = frozenset("。！？｡؟۔।॥։።။．")

_BEFORE_A_NAME = entries("sentence_ends", "before_a_name")
_NEVER_LAST = entries("sentence_ends", "never_last")
_ORDINAL_LEAD = entries("sentence_ends", "ordinal_lead")
"""German words after which a number with a full stop is an ordinal ("am 1. Mai", "die 2. Stimme")."""
_GERMAN_MONTHS = entries("sentence_ends", "german_months")
_BEFORE_A_NUMBER = entries("sentence_ends", "before_a_number")
_MONTHS = word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
_MAY_END = entries("sentence_ends", "may_end")
_STARTERS = entries("sentence_ends", "starters")
_WRAP_COLUMN = 55
"""A line at least this long that ends without a stop was wrapped by an editor, not ended by its writer."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of the sentences of `text`, in order, trimmed of whitespace (rulings C12, C13).

    Abbreviations, initials, decimals, versions, addresses, ellipses, quotation marks and brackets after the stop, list
    items, blank lines, uncased scripts and emoji are handled. Every non-whitespace character is in exactly one span.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for line_start, line_end in _logical_lines(text):
        start = line_start
        for cut in _cuts(text, line_start, line_end):
            _append_trimmed(spans, text, start, cut)
            start = cut
        _append_trimmed(spans, text, start, line_end)
    return spans


def sentences(text: str) -> list[str]:
    """Return the sentences of `text` as strings; see `sentence_spans`."""
    return [text[start:end] for start, end in sentence_spans(text)]


def _append_trimmed(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        left = start + len(piece) - len(piece.lstrip())
        spans.append((left, left + len(stripped)))


def _logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield stretches of text that no sentence crosses: lines, with editor-wrapped ones joined."""
    start = previous = 0
    for found in _BREAK.finditer(text):
        if _ends_here(text, previous, found.start(), found.end()):
            yield start, found.start()
            start = found.end()
        previous = found.end()
    yield start, len(text)


def _ends_here(text: str, line_start: int, line_end: int, next_start: int) -> bool:
    line = text[line_start:line_end].strip()
    following = _BREAK.search(text, next_start)
    next_line = text[next_start : following.start() if following else len(text)].strip()
    if not line or not next_line or _MARKER.match(text, next_start) or line.startswith("#"):
        return True
    if line[-1] in ".!?…:;。！？" or _RULED.match(text, line_start) or _RULED.match(text, next_start):
        return True
    return not next_line[0].islower() and len(line) < _WRAP_COLUMN


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets inside `text[start:end]` after which a new sentence begins."""
    position = _after_marker(text, start, end)
    enclosed = _ENCLOSED.search(text, start, end)
    while stop := _STOP.search(text, position, end):
        position = stop.end()
        after = _sentence_end(text, position, end)
        if after >= end:
            return
        while enclosed is not None and (enclosed.start() < start or enclosed.end() <= after):
            enclosed = _ENCLOSED.search(text, max(start, enclosed.start() + 1, min(enclosed.end(), after)), end)
        if enclosed is not None and enclosed.start() < after and _belongs(text, start, enclosed.span()):
            continue
        if after > position and text.startswith(_SAYS, after):
            continue
        if stop.group()[-1] in _UNCASED_STOPS or _is_boundary(text, start, stop.start(), stop.end(), after):
            yield after
            start, position = after, _after_marker(text, after, end)


def _after_marker(text: str, start: int, end: int) -> int:
    marker = _MARKER.match(text, start, end)
    return marker.end() if marker else start


def _sentence_end(text: str, stop_end: int, end: int) -> int:
    """Return where a sentence ends that a stop ends: after the closing marks, footnotes and emoji behind it."""
    closed = _CLOSERS.match(text, stop_end, end)
    after = closed.end() if closed else stop_end
    emoji = _EMOJI_TAIL.match(text, after, end)
    return emoji.end() if emoji else after


def _belongs(text: str, sentence: int, enclosed: tuple[int, int]) -> bool:
    """Return whether what is quoted or bracketed is part of a sentence around it: words before it, or going on."""
    before = text[_after_marker(text, sentence, enclosed[0]) : enclosed[0]].rstrip(" \t\"'“‘«(*_")
    if before and before[-1] not in ".!?…。！？" and any(map(str.isalnum, before)):
        return True
    return text[enclosed[1] - 2] == "," or _GOES_ON.match(text, enclosed[1]) is not None


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
    """Return whether a stop between two words ends a sentence whose writer left out the space ("left.She came")."""
    following = _RUN_ON.match(text, after)
    found = _LAST_TOKEN.search(text[max(sentence, stop - 40) : stop])
    token = found.group() if found else ""
    if following is None or _ADDRESS.search(token) or "." in token or len(token) < 2:
        return False
    if token.lower() in _BEFORE_A_NAME:
        return False
    return following.group(1).lower() in _STARTERS or (token.islower() and is_common_word(token))


def _is_full_stop(text: str, sentence: int, stop: int, following: str) -> bool:
    """Decide whether the single `.` at `stop` ends a sentence, by the token before and the word after."""
    window = text[max(sentence, stop - 40) : stop].lstrip()
    found = _LAST_TOKEN.search(window)
    token = found.group().lower().rstrip(".") if found else ""
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
        return True
    if token in _MAY_END or (_ACRONYM.fullmatch(token) and len(token) != 2):
        return following.lower() in _STARTERS and not following[:1].islower()
    return True


def _ends_a_street(window: str, following: str) -> bool:
    """Return whether "St." stands after a name and before a word that begins a sentence ("on Main St. She …")."""
    named, _, last = window.rstrip().rpartition(" ")
    is_street = last.lower() == "st" and named.rpartition(" ")[2][:1].isupper()
    return is_street and following[:1].isupper() and following.lower() in _STARTERS


def _is_ordinal(window: str, token: str, following: str) -> bool:
    """Return whether a number with a full stop is a German ordinal: a month follows, or an article stands before it."""
    if not (token.isdigit() and len(token) <= 2):
        return False
    if following.lower().rstrip(".") in _GERMAN_MONTHS:
        return True
    before = window[: len(window) - len(token)].split()
    is_noun = following[:1].isalpha() and not (following[:1].isupper() and following.lower() in STOPWORDS["de"])
    return is_noun and bool(before) and before[-1].lower() in _ORDINAL_LEAD


CAP_LOWER = 600
CAP_UPPER = 800
_LOOKAHEAD = 200
"""Characters past the limit that decide whether something before it is a boundary."""

_GRAPHEME = late_pattern(r"\X")
_WORD_END = late_pattern(r"\S(?=\s)")
_WORD_START = late_pattern(r"(?<=\s)\S")


def cap_span(text: str, *, lower: int = CAP_LOWER, upper: int = CAP_UPPER) -> tuple[int, int]:
    """Return the half-open span of the part of `text` that is shown; it begins at 0 and is at most `upper` long.

    Args:
        text: the full stored text or rendering.
        lower: the shortest acceptable cut at a sentence or word.
        upper: the hard limit, at least 1.
    """
    if len(text) <= upper:
        return 0, len(text)
    ahead = text[: upper + _LOOKAHEAD]
    ends = (_last_sentence_end(ahead, lower, upper), _last_end(_WORD_END, ahead, lower, upper))
    edge = next((end for end in ends if end is not None), None) or _last_end(_GRAPHEME, ahead, 1, upper)
    return 0, edge or upper


def _last_sentence_end(text: str, lower: int, upper: int) -> int | None:
    ends = [end for _, end in sentence_spans(text) if lower <= end <= upper]
    return ends[-1] if ends else None


def _last_end(pattern: "regex.Pattern[str]", text: str, lower: int, upper: int) -> int | None:
    last = None
    for found in pattern.finditer(text):
        if found.end() > upper:
            break
        last = found.end()
    return last if last is not None and last >= lower else None


def best_match_span(text: str, terms: Iterable[str], *, width: int = 160) -> tuple[int, int] | None:
    """Return the half-open span of at most `width` characters around the best match of `terms`, or None without one.

    The window holds as many different terms as one window can, is the earliest such, and is cut at words where there
    are words. Case does not matter; a term matches at the start of a word, or anywhere in a script without words.
    It is what recall shows as `match_context` (ruling G.2); its work grows with the text, not with its square.
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
