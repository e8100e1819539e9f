"""Find a quoted span in the text it claims to come from.

Law: what is found is a stretch of the source, in the source's own offsets (ruling C13); the quote itself is never kept.
A quote may differ from the source in form (case, Unicode form, quotation marks, dashes, spaces, invisible characters),
may leave out a middle, may hold a typo; it may never differ in a number, a negation, a name, a unit, a comparative or
any content word. Without that guard a fuzzy match accepts 99 % of altered numbers (DESIGN 6).

Source: DESIGN 6 stage 2; rulings C13, D1.
"""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import regex
from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio_alignment

from voice.core.text.background import is_known_word
from voice.core.text.negation import is_negator
from voice.core.text.sentences import sentence_spans
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_CLUSTER = regex.compile(r"[\s\S][\p{M}\p{Cf}]*")
_INVISIBLE = frozenset({"Cc", "Cf"})
_FOLDS = str.maketrans(
    dict.fromkeys("‘’‚‛′‵`´ʼ＇", "'")
    | dict.fromkeys("“”„‟″«»‹›〝〞「」『』", '"')
    | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
    | {"…": "..."}
)
_EDGE = " \t\n\"'.,;:!?()[]{}*_`~-–—…<>|"
_ELLIPSIS = regex.compile(r"\s*(?:\[\s*(?:\.\s?){3,}\s*\]|\(\s*(?:\.\s?){3,}\s*\)|(?:\.\s?){3,})\s*")
_MIN_PIECE = 8
_FUZZY_CUTOFF = 80
_MAX_HARMLESS = 2
_SLACK = 3
_HARMLESS = word_set("a an the this that these of and so just then also too really very oh well in on at for by as")
"""Words whose coming or going changes nothing that was said."""
_ARTICLES = word_set("a an the this that these those")

SpanMatch = Literal["exact", "normalised", "elided", "fuzzy"]


class Located(NamedTuple):
    """Where a quote lies in its source; `start == end` and a reason when it does not."""

    status: SpanMatch | None
    start: int = 0
    end: int = 0
    reason: str | None = None


class Normalised(NamedTuple):
    """A text in comparable form; `starts[i]` and `ends[i]` are the original offsets of its i-th character."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def locate(quote: str, source: str) -> Located:
    """Return where `quote` stands in `source`, trying the strictest reading first.

    Returns:
        The status of the first reading that holds, with half-open offsets into `source`; or no status and a human
        reason that holds no word of the quote.
    """
    wanted = quote.strip()
    if wanted and (at := _find_whole(source, wanted, 0)) >= 0:
        return Located("exact", at, at + len(wanted))
    haystack, needle = normalised(source), normalised(wanted).text.strip(_EDGE)
    if not needle:
        return Located(None, reason="the quotation is empty")
    if (at := _find_whole(haystack.text, needle, 0)) >= 0:
        return Located("normalised", haystack.starts[at], haystack.ends[at + len(needle) - 1])
    if _ELLIPSIS.search(needle):
        return _locate_elided(needle, haystack, source)
    return _locate_fuzzy(needle, haystack, source)


def normalised(text: str) -> Normalised:
    """Return `text` in `norm_v1`'s form with quotation marks and dashes folded, and the way back to its offsets."""
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTER.finditer(text):
        for char in _fold(match.group()):
            if char == " " and (not chars or chars[-1] == " "):
                continue
            chars.append(char)
            starts.append(match.start())
            ends.append(match.end())
    while chars and chars[-1] == " ":
        del chars[-1], starts[-1], ends[-1]
    return Normalised("".join(chars), starts, ends)


def _fold(cluster: str) -> str:
    """Return one base character with its marks in comparable form; whitespace is one space."""
    if cluster.isascii():
        return " " if cluster.isspace() else cluster.lower() if cluster.isprintable() else ""
    folded = unicodedata.normalize(
        "NFKC", unicodedata.normalize("NFKC", _visible(cluster).translate(_FOLDS)).casefold()
    )
    return "".join(" " if char.isspace() else char for char in _visible(folded))


def _visible(text: str) -> str:
    return "".join(char for char in text if char.isspace() or unicodedata.category(char) not in _INVISIBLE)


def _find_whole(haystack: str, needle: str, start: int) -> int:
    """Return the offset of `needle` where it does not begin or end inside a word or a number, or -1."""
    at = haystack.find(needle, start)
    while at >= 0:
        end = at + len(needle)
        if not _splits(haystack, at) and not _splits(haystack, end):
            return at
        at = haystack.find(needle, at + 1)
    return -1


def _splits(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left.isdigit() and right in ".,:" and text[at + 1 : at + 2].isdigit():
        return True
    if right.isdigit() and left in ".,:" and text[at - 2 : at - 1].isdigit():
        return True
    return left.isalnum() and right.isalnum() and (left.isascii() and right.isascii())


def _locate_elided(needle: str, haystack: Normalised, source: str) -> Located:
    """Return where the pieces of a quotation with a left-out middle stand, in order (status `elided`)."""
    pieces = [piece.strip(_EDGE) for piece in _ELLIPSIS.split(needle)]
    pieces = [piece for piece in pieces if piece]
    if not pieces or any(len(piece) < _MIN_PIECE for piece in pieces):
        return Located(None, reason="the parts of the shortened quotation are too short to be found safely")
    position, bounds = 0, list[tuple[int, int]]()
    for piece in pieces:
        at = _find_whole(haystack.text, piece, position)
        if at < 0:
            return Located(None, reason="a part of the shortened quotation is not in the source, or not in this order")
        position = at + len(piece)
        bounds.append((haystack.starts[at], haystack.ends[position - 1]))
    if any(_hides_negation(source, left, right) for (_, left), (right, _) in pairwise(bounds)):
        return Located(None, reason="the words left out of the quotation change its meaning")
    return Located("elided", bounds[0][0], bounds[-1][1])


_WEIGHTY = word_set(
    "only unless except almost nearly if might maybe perhaps supposedly allegedly was used tried refused"
)


def _hides_negation(source: str, left: int, right: int) -> bool:
    """Return whether the gap holds, in a sentence that the quotation touches, a word that reverses or limits it."""
    for start, end in sentence_spans(source):
        if start < left < end or start < right < end:
            gap = source[max(start, left) : min(end, right)]
            if any(is_negator(word) or word.key in _WEIGHTY for word in words(gap)):
                return True
    return False


def _locate_fuzzy(needle: str, haystack: Normalised, source: str) -> Located:
    """Return where the quotation stands with nothing but typos and harmless words changed (status `fuzzy`)."""
    if len(needle) < _MIN_PIECE or not haystack.text:
        return Located(None, reason="the quotation is not in the source")
    found = partial_ratio_alignment(needle, haystack.text, score_cutoff=_FUZZY_CUTOFF)
    if found is None or found.dest_end <= found.dest_start:
        return Located(None, reason="the quotation is not in the source")
    low, high = haystack.starts[found.dest_start], haystack.ends[found.dest_end - 1]
    wanted, there = words(needle), words(source)
    near = _window(there, low, high)
    trimmed = _aligned(wanted, near)
    if not wanted or not trimmed:
        return Located(None, reason="the quotation is not in the source")
    if reason := _difference(wanted, trimmed):
        return Located(None, reason=reason)
    return Located("fuzzy", trimmed[0].start, trimmed[-1].end)


def _window(there: Sequence[Word], low: int, high: int) -> Sequence[Word]:
    inside = [index for index, word in enumerate(there) if word.end > low and word.start < high]
    if not inside:
        return ()
    return there[max(0, inside[0] - _SLACK) : inside[-1] + 1 + _SLACK]


def _aligned(wanted: Sequence[Word], near: Sequence[Word]) -> Sequence[Word]:
    """Return the stretch of `near` whose letters are nearest to the quotation's."""
    quote = " ".join(word.key for word in wanted)
    reach = min(len(near), 2 * _SLACK + _MAX_HARMLESS + 1)
    stretches = [
        near[first:last] for first in range(reach) for last in range(max(first + 1, len(near) - reach), len(near) + 1)
    ]
    return min(stretches, key=lambda part: Levenshtein.distance(quote, " ".join(word.key for word in part)), default=())


def _difference(wanted: Sequence[Word], there: Sequence[Word]) -> str | None:
    """Return what the quotation changed, in words that repeat none of it; None when nothing that matters."""
    edits = Levenshtein.opcodes([word.key for word in wanted], [word.key for word in there])
    harmless = 0
    for edit in edits:
        ours, theirs = wanted[edit.src_start : edit.src_end], there[edit.dest_start : edit.dest_end]
        if edit.tag == "equal":
            continue
        if edit.tag == "replace" and len(ours) == len(theirs):
            if reason := next((why for pair in zip(ours, theirs, strict=True) if (why := _replaced(*pair))), None):
                return reason
            continue
        if reason := next((why for word in (*ours, *theirs) if (why := _moved(word))), None):
            return reason
        harmless += len(ours) + len(theirs)
    return "the quotation adds or leaves out too many words" if harmless > _MAX_HARMLESS else None


def _moved(word: Word) -> str | None:
    """Return why a word may not be added or left out; None when it may."""
    if is_negator(word):
        return "the quotation adds or leaves out a negation"
    if word.is_number:
        return "the quotation adds or leaves out a number"
    return None if word.key in _HARMLESS else "the quotation adds or leaves out a word that matters"


def _replaced(ours: Word, theirs: Word) -> str | None:
    """Return why one word may not stand for the other; None for a typo or an article."""
    if ours.is_number or theirs.is_number or any(char.isdigit() for char in ours.key + theirs.key):
        return "a number in the quotation differs from the source"
    if is_negator(ours) or is_negator(theirs):
        return "a negation in the quotation differs from the source"
    if ours.key in _ARTICLES and theirs.key in _ARTICLES:
        return None
    if theirs.is_capital and not theirs.is_stop and not is_known_word(theirs.key):
        return "a name in the quotation differs from the source"
    if ours.is_stop or is_known_word(ours.key) or not is_typo(ours.key, theirs.key):
        return "a word in the quotation differs from the source"
    return None


_REAL_PAIRS = frozenset(
    frozenset(pair.split("/"))
    for pair in [
        "increase/decrease",
        "include/exclude",
        "import/export",
        "employer/employee",
        "interest/interests",
        "inside/outside",
        "hundred/hundreds",
        "accept/except",
        "adopt/adapt",
        "affect/effect",
        "gain/pain",
        "morning/mourning",
        "winning/wining",
        "warmer/farmer",
        "happier/happiest",
        "younger/youngest",
        "older/oldest",
        "higher/highest",
        "lower/lowest",
        "faster/fastest",
    ]
)


def is_typo(ours: str, theirs: str) -> bool:
    """Return whether two different words are one word with a slip of the finger.

    One edit, two from eight letters; never in a word shorter than three letters, never where the edit makes an
    inflection, a comparative or an opposite of it (`un-`, `-er`, `-est`, `-ed`, `-s`).
    """
    shortest = min(len(ours), len(theirs))
    allowed = 2 if shortest >= 8 else 1
    if shortest < 3 or frozenset((ours, theirs)) in _REAL_PAIRS:
        return False
    if abs(len(ours) - len(theirs)) > allowed or Levenshtein.distance(ours, theirs) > _slips(ours, theirs, allowed):
        return False
    return not _is_form_of(ours, theirs)


def _slips(ours: str, theirs: str, allowed: int) -> int:
    """Return the edits allowed: two neighbouring letters swapped count as one slip."""
    swapped = len(ours) == len(theirs) and sorted(ours) == sorted(theirs)
    return 2 if swapped else allowed


_ENDINGS = regex.compile(r"(?:s|es|ed|d|er|r|est|st|ing|ly|y|less|ful|or|ee)$")
_PREFIXES = ("un", "in", "im", "ir", "dis", "non", "re", "de", "a")


def _is_form_of(ours: str, theirs: str) -> bool:
    longer, shorter = (ours, theirs) if len(ours) >= len(theirs) else (theirs, ours)
    if any(longer == prefix + shorter for prefix in _PREFIXES):
        return True
    return longer != shorter and longer.startswith(shorter) and bool(_ENDINGS.fullmatch(longer[len(shorter) :]))
