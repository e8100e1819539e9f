"""Where the sentences of a text begin and end.

Law: spans are half-open code-point offsets, ordered, disjoint, trimmed, and together hold every character that is not
whitespace; so nothing a model writes can fall between two sentences and escape judgement. A boundary that is in doubt
(an abbreviation before a capital, an initial) is decided by the word that follows. Linear in the text's length.

Source: rulings C12, C13, D1.
"""

from collections.abc import Iterator

import regex

from voice.core.text.stopwords import STOPWORDS
from voice.core.text.wordlists import word_set

_BREAK = regex.compile(r"(?:\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])")
_STOP = regex.compile(r"(?:\.(?: ?\.)+|[.!?…‽]|[。！？｡؟۔।॥։።])(?:[.!?…‽。！？｡؟]*)")
_CLOSERS = regex.compile(r"[\"'”’»›)\]}」』）】〉》*_~`]*")
_EMOJI_TAIL = regex.compile(r"(?:[^\S\r\n]?[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f])+(?=\s|$)")
_LAST_TOKEN = regex.compile(r"[^\s\"'“”‘’«(\[{]*$")
_NEXT_WORD = regex.compile(r"\s+[\"'“‘«(\[{*_]*([^\s\"'”’»)\]},;:!?]*)")
_MARKER = regex.compile(r"\s*(?:[-*•‣◦–—+]|#{1,6}|>|\(?(?:\d{1,3}|[a-zA-Z])[.)])(?=\s)")
_ENUMERATOR = regex.compile(r"(?:^|[:;]\s+)\(?\d{1,3}$")
_ACRONYM = regex.compile(r"(?:\p{L}\.)*\p{L}")
_UNCASED_STOPS = frozenset("。！？｡؟۔।॥։።")

_BEFORE_A_NAME = word_set(
    "dr mr mrs ms mx prof st rev gen col capt cpt lt sgt hon gov sen rep pres messrs mme mlle fr",
    "dra sra srta hr hrn frl eng dipl mag",
)
_NEVER_LAST = word_set(
    "e.g i.e eg ie vs v cf approx ca al viz resp incl excl esp z.b d.h u.a bzw vgl ggf inkl zzgl evtl sog bspw p.ej"
)
_ORDINAL_LEAD = word_set(
    "am der die das dem den des im zum zur vom bis ab seit beim ins jeder jede jedes jeden jedem sein seine seinen "
    "ihr ihre ihren ihrem mein meine meinen meinem unser unsere"
)
"""German words after which a number with a full stop is an ordinal ("am 1. Mai", "die 2. Stimme")."""
_GERMAN_MONTHS = word_set(
    "januar jänner februar märz april mai juni juli august september oktober november dezember jan feb mär apr jun jul "
    "aug sep sept okt nov dez"
)
_BEFORE_A_NUMBER = word_set(
    "no nos nr fig figs vol p pp ch sec art eq op app tab jan feb mar apr jun jul aug sep sept oct nov dec"
)
_MAY_END = word_set("inc ltd co corp bros jr sr etc dept est ave blvd rd mt ft assn univ ph.d phd b.a m.a min max tel")
_STARTERS = word_set(
    "the a an this that these those it its he she we they you i my our your his her their there here in on at by for "
    "from with to and but or so then when while after before since if as although because however also yet now what "
    "who why how where not no yes all some many most each every one two both"
)
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
    if line[-1] in ".!?…:;。！？":
        return True
    return not next_line[0].islower() and len(line) < _WRAP_COLUMN


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets inside `text[start:end]` after which a new sentence begins."""
    marker = _MARKER.match(text, start, end)
    position = marker.end() if marker else start
    while stop := _STOP.search(text, position, end):
        position = stop.end()
        closed = _CLOSERS.match(text, position, end)
        after = closed.end() if closed else position
        if emoji := _EMOJI_TAIL.match(text, after, end):
            after = emoji.end()
        if after >= end:
            return
        if stop.group()[-1] in _UNCASED_STOPS or _is_boundary(text, start, stop.start(), stop.end(), after):
            yield after
            start = position = after


def _is_boundary(text: str, sentence: int, stop: int, stop_end: int, after: int) -> bool:
    if not text[after].isspace():
        return False
    found = _NEXT_WORD.match(text, after)
    following = found.group(1) if found else ""
    starts_lower = following[:1].islower()
    closed = after > stop_end and text[stop_end] in "\"'”’»›)]}」』"
    if starts_lower and closed:
        return False
    run = text[stop:stop_end]
    if run != ".":
        return not (starts_lower and ("…" in run or ".." in run or ". ." in run))
    return _is_full_stop(text, sentence, stop, following)


def _is_full_stop(text: str, sentence: int, stop: int, following: str) -> bool:
    """Decide whether the single `.` at `stop` ends a sentence, by the token before and the word after."""
    window = text[max(sentence, stop - 40) : stop].lstrip()
    found = _LAST_TOKEN.search(window)
    token = found.group().lower().rstrip(".") if found else ""
    if token in _BEFORE_A_NAME or token in _NEVER_LAST or _ENUMERATOR.search(window):
        return False
    if token in _BEFORE_A_NUMBER and following[:1].isdigit():
        return False
    if _is_ordinal(window, token, following):
        return False
    if window[: len(window) - len(token)].endswith(("'", "’")) and len(token) == 1:
        return True
    if token in _MAY_END or (_ACRONYM.fullmatch(token) and len(token) != 2):
        return following.lower() in _STARTERS and not following[:1].islower()
    return True


def _is_ordinal(window: str, token: str, following: str) -> bool:
    """Return whether a number with a full stop is a German ordinal: a month follows, or an article stands before it."""
    if not (token.isdigit() and len(token) <= 2):
        return False
    if following.lower().rstrip(".") in _GERMAN_MONTHS:
        return True
    before = window[: len(window) - len(token)].split()
    is_noun = following[:1].isalpha() and not (following[:1].isupper() and following.lower() in STOPWORDS["de"])
    return is_noun and bool(before) and before[-1].lower() in _ORDINAL_LEAD
