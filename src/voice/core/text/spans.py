"""Find a quoted span in its source text.

Law: results are offsets into the source (ruling C13). A quote may differ in form, omit a middle or have a typo, but
never differ in a number, negation, name, unit, comparative or content word: without this guard fuzzy matching accepts
99 % of altered numbers. Quotes never start or end inside a word or number, or where the cut changes the meaning ("-5",
"C++", "3-5 km", "non-smoking", "n't").
Source: DESIGN 6 stage 2; rulings C13, D1.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import regex
from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio_alignment

from voice.core.messages import asking as messages
from voice.core.text.language_data import every_word, is_common_word
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import ComparableText, comparable_text
from voice.core.text.sentences import sentence_spans
from voice.core.text.typos import is_number_or_date_word, is_typo
from voice.core.text.word_lists import word_set
from voice.core.text.words import Word, is_negator, marks_matter, spelling_key, words

_DENYING = every_word("quotations", "denying")
_LIMITING = every_word("quotations", "limiting")
_UNSPACED = late_pattern(
    r"[不没沒未无無勿莫]|别(?=[去来来说做买卖])|非(?!常)|拒绝|拒絕|否认|否認|如果|除非|几乎|幾乎"
    r"|ない|なかった|なく|ません|ずに|もし|안\s|못|않|없|아니"
)


def reverses_meaning(text: str) -> bool:
    """Return whether `text` contains anything that reverses or limits what is next to it."""
    return bool(_UNSPACED.search(text)) or any(denies(word) or word.key in _LIMITING for word in words(text))


def denies(word: Word) -> bool:
    """Return whether a word negates, in any listed language; "Mai" is a month, not Italian "never"."""
    return is_negator(word) or (word.key in _DENYING and word.text != "Mai")


_ELLIPSIS = late_pattern(r"\[\s*+(?:\.\s?+){3,}+\s*+\]|\(\s*+(?:\.\s?+){3,}+\s*+\)|(?:\.\s?+){3,}+")
# Signs with meaning: money, percent, comparison, minus, fraction, tick, flag, grade.
_SIGNS = late_pattern(
    r"[\p{Sc}\p{Sm}--~|]|[%‰^✓✔✗✘✅❌👍👎☐☑☒★☆♀♂▲▼△▽]|[\U0001F1E6-\U0001F1FF\U0001F3FB-\U0001F3FF]"
    r"|~(?=\s?\p{Nd})|(?<!\p{L})[-/](?=\s?\p{Nd})|(?<![\w.])\.(?=\p{Nd})|(?<=\p{L})#|(?<=(?<!\w)\p{L})-(?!\w)"
    r"|\[[x ]\]",
    regex.VERSION1,
)
_FIGURES = late_pattern(r"\p{N}+")
_PICTURES = late_pattern(r"\p{Extended_Pictographic}")  # a quotation may omit these, not exchange them
# German words that "ss" turns into others; elsewhere it is a spelling of "ß".
_MASS_OR_MASZ = late_pattern(r"\b(?:ma|bu|flo|scho)(?:ss|ß)(?:e|en)?\b", regex.IGNORECASE)
_MIN_PIECE = 8  # characters; shorter pieces stand in any text by chance
_FUZZY_CUTOFF = 80  # only says where to look: `_difference_reason` decides, word by word
_MAX_HARMLESS = 2  # words
_SLACK = 3  # words; the alignment is one of letters, and its ends may be some words off
_MOST_PLACES = 100  # occurrences tried; with more the text is not prose
# Words that may be added or dropped unless next to a negation or number.
_HARMLESS = word_set("a an the this that these of and so then also really very oh well in on at for by as")
_ARTICLES = word_set("a an the this that these those")
_FEW = word_set("few little")  # "a few friends" are some, "few friends" hardly any

SpanMatch = Literal["exact", "normalised", "elided", "fuzzy"]


class LocatedSpan(NamedTuple):
    """A quote's span in its source; on failure `status` is None, with a reason."""

    status: SpanMatch | None
    start: int = 0
    end: int = 0
    reason: str | None = None


def locate(quote: str, source: str) -> LocatedSpan:
    """Locate `quote`, strictest match first, in half-open offsets; a reason for failing has no word of it."""
    wanted = quote.strip()
    if wanted and trim_quote(wanted) and (at := _find_whole(source, wanted, 0)) >= 0:
        return LocatedSpan("exact", at, at + len(wanted))
    haystack, needle = comparable_text(source), trim_quote(comparable_text(wanted).text)
    if not needle:
        return LocatedSpan(None, reason=messages.QUOTATION_EMPTY)
    if (at := _find_whole(haystack.text, needle, 0)) >= 0:
        start, end = haystack.starts[at], haystack.ends[at + len(needle) - 1]
        # In capitals "SS" also spells "ß".
        is_changed = not wanted.isupper() and _eszett_forms(wanted) != _eszett_forms(source[start:end])
        return LocatedSpan(None, reason=messages.OTHER_WORD) if is_changed else LocatedSpan("normalised", start, end)
    elided = _locate_elided(needle, haystack, source) if _ELLIPSIS.search(needle) else None
    if elided and elided.reason != messages.PART_NOT_IN_SOURCE:  # else a typo may hide it
        return elided
    fuzzy = _locate_fuzzy(needle, haystack, source)
    return fuzzy if fuzzy.status or elided is None else elided


def _eszett_forms(text: str) -> Sequence[bool]:
    """Return which of "Maß" and "Masse" each occurrence is."""
    return ["ß" in word for word in _MASS_OR_MASZ.findall(text)]


def _find_whole(haystack: str, needle: str, start: int) -> int:
    """Return the first offset of `needle` whose edges do not cut a word or meaning, or -1."""
    at = haystack.find(needle, start)
    for _ in range(_MOST_PLACES):
        if at < 0 or not (splits_word(haystack, at) or splits_word(haystack, at + len(needle))):
            return at
        at = haystack.find(needle, at + 1)
    return -1


def _locate_elided(needle: str, haystack: ComparableText, source: str) -> LocatedSpan:
    """Locate a quotation with an omitted middle, piece by piece in order."""
    pieces = [piece for part in _ELLIPSIS.split(needle) if (piece := trim_quote(part))]
    if not pieces or any(len(piece) < _MIN_PIECE for piece in pieces):
        return LocatedSpan(None, reason=messages.PARTS_TOO_SHORT)
    position, bounds = 0, list[tuple[int, int]]()
    for piece in pieces:
        at = _find_whole(haystack.text, piece, position)
        if at < 0:
            return LocatedSpan(None, reason=messages.PART_NOT_IN_SOURCE)
        position = at + len(piece)
        bounds.append((haystack.starts[at], haystack.ends[position - 1]))
    if any(_hides_negation(source, left, right) for (_, left), (right, _) in pairwise(bounds)):
        return LocatedSpan(None, reason=messages.LEFT_OUT_CHANGES)
    return LocatedSpan("elided", bounds[0][0], bounds[-1][1])


def _hides_negation(source: str, left: int, right: int) -> bool:
    """Return whether the omitted part contains a word that reverses or limits the quotation's sentences."""
    touched = [(start, end) for start, end in sentence_spans(source) if start < left < end or start < right < end]
    return any(reverses_meaning(source[max(start, left) : min(end, right)]) for start, end in touched)


def _locate_fuzzy(needle: str, haystack: ComparableText, source: str) -> LocatedSpan:
    """Locate a quotation with only typos and harmless words changed."""
    if len(needle) < _MIN_PIECE or not haystack.text:
        return LocatedSpan(None, reason=messages.NOT_IN_SOURCE)
    found = partial_ratio_alignment(needle, haystack.text, score_cutoff=_FUZZY_CUTOFF)
    if found is None or found.dest_end <= found.dest_start:
        return LocatedSpan(None, reason=messages.NOT_IN_SOURCE)
    low, high = haystack.starts[found.dest_start], haystack.ends[found.dest_end - 1]
    wanted, there = words(needle), words(source)
    near = _closest_stretch(wanted, _window(there, low, high))
    if not wanted or not near or splits_word(source, near[0].start) or splits_word(source, near[-1].end):
        return LocatedSpan(None, reason=messages.NOT_IN_SOURCE)
    start, end = near[0].start, near[-1].end
    if reason := _difference_reason(wanted, near, marks_matter(there)) or _sign_reason(
        needle, wanted, source[start:end]
    ):
        return LocatedSpan(None, reason=reason)
    return LocatedSpan("fuzzy", start, end)


def _window(there: Sequence[Word], low: int, high: int) -> Sequence[Word]:
    inside = [index for index, word in enumerate(there) if word.end > low and word.start < high]
    return there[max(0, inside[0] - _SLACK) : inside[-1] + 1 + _SLACK] if inside else ()


def _closest_stretch(wanted: Sequence[Word], near: Sequence[Word]) -> Sequence[Word]:
    """Return the stretch of `near` with the smallest edit distance to the quotation."""
    quote = " ".join(word.key for word in wanted)
    reach = min(len(near), 2 * _SLACK + _MAX_HARMLESS + 1)  # how far off each end may be
    stretches = [
        near[first:last] for first in range(reach) for last in range(max(first + 1, len(near) - reach), len(near) + 1)
    ]
    return min(stretches, key=lambda part: Levenshtein.distance(quote, " ".join(word.key for word in part)), default=())


def _sign_reason(needle: str, wanted: Sequence[Word], stretch: str) -> str | None:
    """Return a reason if signs differ between the words or at the ends."""
    between, there = needle[wanted[0].start : wanted[-1].end], comparable_text(stretch).text
    outside = needle[: wanted[0].start] + needle[wanted[-1].end :]
    is_changed = any(kind.findall(between) != kind.findall(there) for kind in (_SIGNS, _FIGURES))
    is_beside = _SIGNS.search(outside + "0")  # a digit, so that a minus before a number counts
    pictures = iter(_PICTURES.findall(there))  # each `in` consumes up to its match, so order counts
    has_all = all(picture in pictures for picture in _PICTURES.findall(needle))
    return messages.OTHER_SIGN if is_changed or is_beside or not has_all else None


def _difference_reason(wanted: Sequence[Word], there: Sequence[Word], marks: bool) -> str | None:  # noqa: FBT001
    """Return what differs, without quoting it; None if nothing that matters."""
    ours_spelt, theirs_spelt = ([spelling_key(word, marks_matter=marks) for word in each] for each in (wanted, there))
    harmless = 0
    for edit in Levenshtein.opcodes(ours_spelt, theirs_spelt):
        ours, theirs = wanted[edit.src_start : edit.src_end], there[edit.dest_start : edit.dest_end]
        if edit.tag == "equal":
            continue
        if edit.tag == "replace" and len(ours) == len(theirs):
            reasons = list(map(_replacement_reason, ours, theirs))
        else:
            beside = (*_around(wanted, edit.src_start, edit.src_end), *_around(there, edit.dest_start, edit.dest_end))
            reasons = [_insertion_reason(word, beside) for word in (*ours, *theirs)]
            harmless += len(ours) + len(theirs)
        if reason := next(filter(None, reasons), None):
            return reason
    return messages.WORDS_MOVED if harmless > _MAX_HARMLESS else None


def _around(found: Sequence[Word], start: int, end: int) -> Sequence[Word]:
    return (*found[max(0, start - 1) : start], *found[end : end + 1])


def _insertion_reason(word: Word, beside: Sequence[Word]) -> str | None:
    """Return why a word must not be added or omitted next to `beside`; None if it may."""
    if denies(word):
        return messages.NEGATION_MOVED
    if word.is_number:
        return messages.NUMBER_MOVED
    if word.key not in _HARMLESS:
        return messages.WORD_MOVED
    if word.key in _ARTICLES:
        return messages.WORD_MOVED if any(other.key in _FEW for other in beside) else None
    return messages.WORD_MOVED if any(denies(other) or is_number_or_date_word(other.key) for other in beside) else None


def _replacement_reason(ours: Word, theirs: Word) -> str | None:
    """Return why a word must not replace the other; None for a typo or article."""
    if is_number_or_date_word(ours.key) or is_number_or_date_word(theirs.key):
        return messages.OTHER_NUMBER
    if denies(ours) or denies(theirs):
        return messages.OTHER_NEGATION
    if ours.key in _ARTICLES and theirs.key in _ARTICLES:
        return None
    # A text's first word has its capital anyway.
    if theirs.is_capital and not theirs.is_stop and not (theirs.start == 0 and is_common_word(theirs.key)):
        return messages.OTHER_NAME
    is_slip = is_typo(ours.key, theirs.key) or (
        theirs.key in _ARTICLES and len(ours.key) == len(theirs.key) and Levenshtein.distance(ours.key, theirs.key) == 1
    )
    return messages.OTHER_WORD if ours.is_stop or is_common_word(ours.key) or not is_slip else None


_EDGE = " \t\n\"'.,;:!?()[]{}*_`~-–—…<>|"
_SIGNED = late_pattern(r"(?<![\w.])[-.<>](?=\p{Nd})")
_UNSEEN = late_pattern(r"[\p{Cf}\p{Default_Ignorable_Code_Point}]")
_WORDLIKE = late_pattern(r"[\p{L}\p{M}\p{N}]")
_UNSPACED_SCRIPTS = late_pattern(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]")
_HAN_NUMERALS = frozenset("〇零一二三四五六七八九十百千万萬亿億两兩半")
_HAN_NOT = frozenset("不没沒未无無勿")
_THAI_NOT = "ไม่"
# Negations of the word before them.
_NOT_AFTER = late_pattern(r"(?:では|じゃ)?(?:ない|なか|なく|ません|ありません)|不[了到起着得]")
_SEPARATORS = ".,:/'’-‐‑‒–−\u00a0\u202f\u2009·_×*٫٬"
_DASHES = "-‐‑"
_APOSTROPHES = "'’ʼ＇"
# Glued to a digit behind it: "3,|5", "-|5", "≥ |5"; or the first group of "10 |000".
_BEFORE = late_pattern(
    r"(?P<glued>\p{Nd}[.,:/'’\-‐‑‒–−]|(?<![\w.])[-−<>≤≥±.,]|[<>≤≥±]\s?)$|(?<!\p{Nd})\p{Nd}{1,3}[ \u00a0\u202f\u2009]$"
)
_PREFIX = late_pattern(
    r"\b(?:non|ex|un|anti|pre|post|half|semi|quasi|pseudo|mid|vice|step|counter|nicht|nie|in|dis|mis)[-‐‑]$", regex.I
)
_CLITIC = late_pattern(r"(?<=\p{L})['’ʼ＇](?:t|d|m|ll|re|ve)\b", regex.I)
_CLITIC_BODY = late_pattern(r"(?:t|d|m|s|ll|re|ve)\b", regex.I)
_NOT_BEFORE = late_pattern(r"(?:^|[^\p{L}])n['’ʼ]$", regex.I)  # French "n'est"
_SUFFIX = late_pattern(r"[-‐‑](?:free|less|proof|frei|los)\b", regex.I)  # "sugar-free"
_GROUP = late_pattern(r"\p{Nd}{3}(?!\p{Nd})")  # three digits of a grouped number
_GROUPED = late_pattern(r"(?<!\p{Nd})\p{Nd}{1,3}$")
_GRADE = late_pattern(r"(?<![\p{L}\p{M}\p{N}])\p{L}$")  # "B-"
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_SCALES = (
    "hundred|thousand|million|billion|trillion|dozen|percent|per cent|mio|mrd|mln|tausend|millionen|milliarden|prozent"
    "|mil|millones|por ciento|χιλιάδες|εκατομμύρια|τοις εκατό"
)
# A number in several words, cut at the NUL.
_SPELT = late_pattern(
    rf"\b(?:{_TENS})[ -]?\0[ -]?(?:{_ONES})\b|(?:\b(?:{_ONES}|{_TENS}|{_TEENS})|\p{{Nd}})[ -]?\0[ -]?(?:{_SCALES})\b"
    rf"|\b(?:hundred|thousand|million)[ -]?(?:and )?\0[ -]?(?:and )?(?:{_ONES}|{_TENS}|{_TEENS})\b"
    r"|\bminus[ ]\0\p{Nd}",
    regex.IGNORECASE,
)
_CONTEXT = 16  # characters: the longest number word of `_SPELT`, with its "and"


def trim_quote(quote: str) -> str:
    """Strip the marks around a comparable quotation, keeping the sign of a leading number."""
    bare = quote.strip(_EDGE)
    at = len(quote) - len(quote.lstrip(_EDGE))
    return quote[at - 1] + bare if at and bare and _SIGNED.match(quote, at - 1) else bare


def splits_word(text: str, at: int) -> bool:
    """Return whether an edge at `at` would cut a word, a number, or a part that changes the meaning."""
    if not 0 < at < len(text):
        return False
    before = _UNSEEN.sub("", text[max(0, at - _CONTEXT) : at])
    after = _UNSEEN.sub("", text[at : at + _CONTEXT])
    if not before or not after:
        return False
    if _SPELT.search(f"{before}\0{after}"):
        return True
    if before[-1].isspace() and not after[0].isnumeric():  # behind a blank only a number goes on
        return False
    return _inside_word(before, after) or _inside_number(before, after) or _beside_particle(before, after)


def _inside_word(before: str, after: str) -> bool:
    left, right = before[-1], after[0]
    if not _WORDLIKE.match(left) or not _WORDLIKE.match(right):
        return False
    if left in _HAN_NUMERALS and right in _HAN_NUMERALS:  # 二十 is one number
        return True
    if _UNSPACED_SCRIPTS.match(left) or _UNSPACED_SCRIPTS.match(right):
        return left in _HAN_NOT or before.endswith(_THAI_NOT) or _NOT_AFTER.match(after) is not None
    return True


def _inside_number(before: str, after: str) -> bool:
    if after[0].isnumeric():
        found = _BEFORE.search(before)
        return found is not None and (found["glued"] is not None or _GROUP.match(after) is not None)
    if not before[-1].isnumeric():
        return False
    if after[0] == " " and _GROUPED.search(before):
        return _GROUP.match(after, 1) is not None
    return after[0] in "%‰^" or (after[0] in _SEPARATORS and after[1:2].isnumeric())


def _beside_particle(before: str, after: str) -> bool:
    if after[0] in "+#" and before[-1].isalnum():  # "C++", "C#"
        return True
    # "B-" is a grade, "B-flat" goes on.
    if after[0] in "-−" and _GRADE.search(before) and not after[1:2].isalnum():
        return True
    if after[0] in _APOSTROPHES + _DASHES:
        return bool(_CLITIC.match(before[-1] + after, 1) or (before[-1].isalpha() and _SUFFIX.match(after)))
    if before[-1] in _APOSTROPHES and before[-2:-1].isalpha():
        return bool(_CLITIC_BODY.match(after) or _NOT_BEFORE.search(before))
    return after[0].isalpha() and bool(_PREFIX.search(before))
