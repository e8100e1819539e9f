"""Find a quoted span in the text it claims to come from.

Law: what is found is a stretch of the source, in the source's own offsets (ruling C13); the quote itself is never kept.
A quote may differ from the source in form (case, Unicode form, quotation marks, dashes, spaces, invisible characters),
may leave out a middle, may hold a typo; it may never differ in a number, a negation, a name, a unit, a comparative or
any content word. Without that guard a fuzzy match accepts 99 % of altered numbers (DESIGN 6).

Source: DESIGN 6 stage 2; rulings C13, D1.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import regex
from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio_alignment

from voice.core.text.background import is_known_word
from voice.core.text.comparable import Comparable, comparable
from voice.core.text.edges import cuts, trimmed
from voice.core.text.negation import is_negator
from voice.core.text.patterns import late_pattern
from voice.core.text.sentences import sentence_spans
from voice.core.text.slips import counts, is_slip
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key, marks_matter, spelt, words

_DENYING = frozenset(
    map(
        fold_key,
        word_set(
            "kein keine keinen keinem keiner keines nicht nichts nie niemals niemand niemanden niemandem nirgends "
            "nirgendwo weder kaum ohne keinesfalls keineswegs mitnichten ungern "
            "no nunca jamás nada nadie ninguno ninguna ningún tampoco sin ni apenas "
            "ne pas jamais rien aucun aucune personne sans guère nulle "
            "non mai niente nulla nessuno nessuna senza neanche nemmeno "
            "não nunca nenhum nenhuma ninguém sem nem niet geen nooit niets niemand zonder "
            "δεν δε μην μη όχι ποτέ κανείς κανένας καμία τίποτα χωρίς ούτε "
            "не нет ни никогда ничего никто нельзя без nie nigdy nikt nic bez żaden ingen inte aldrig ikke aldri"
        ),
    )
)
_LIMITING = frozenset(
    map(
        fold_key,
        word_set(
            "only unless except almost nearly if might maybe perhaps supposedly allegedly was used tried refused "
            "denied doubted doubt failed forgot pretended stopped quit instead until avoid avoided wished wanted "
            "nur außer fast beinahe vielleicht angeblich falls wenn ob wäre würde hätte weigerte leugnete versuchte "
            "solo casi quizás excepto salvo si quizá seulement presque sauf peut-être "
            "μόνο σχεδόν ίσως εκτός αν только почти если кроме"
        ),
    )
)
_UNSPACED = late_pattern(
    r"[不没沒未无無勿莫]|别(?=[去来来说做买卖])|非(?!常)|拒绝|拒絕|否认|否認|如果|除非|几乎|幾乎"
    r"|ない|なかった|なく|ません|ずに|もし|안\s|못|않|없|아니"
)


def turns_around(text: str) -> bool:
    """Return whether `text` holds anything that reverses or limits what stands beside it."""
    return bool(_UNSPACED.search(text)) or any(denies(word) or word.key in _LIMITING for word in words(text))


def denies(word: Word) -> bool:
    """Return whether a word denies, in any language there is a table for; "Mai" is a month and no Italian "never"."""
    return is_negator(word) or (word.key in _DENYING and word.text != "Mai")


_ELLIPSIS = late_pattern(r"\[\s*+(?:\.\s?+){3,}+\s*+\]|\(\s*+(?:\.\s?+){3,}+\s*+\)|(?:\.\s?+){3,}+")
_SIGNS = late_pattern(
    r"[\p{Sc}\p{Sm}--~|]|[%‰^✓✔✗✘✅❌👍👎☐☑☒★☆♀♂▲▼△▽]|[\U0001F1E6-\U0001F1FF\U0001F3FB-\U0001F3FF]"
    r"|~(?=\s?\p{Nd})|(?<!\p{L})[-/](?=\s?\p{Nd})|(?<![\w.])\.(?=\p{Nd})|(?<=\p{L})#|(?<=(?<!\w)\p{L})-(?!\w)"
    r"|\[[x ]\]",
    regex.VERSION1,
)
"""What is no word and yet says something: money, percent, comparisons, minus, fractions, a tick, a flag, a grade."""
_FIGURES = late_pattern(r"\p{N}+")
_PICTURES = late_pattern(r"\p{Extended_Pictographic}")
"""What a quotation may leave out and may not exchange."""
_MASS_OR_MASZ = late_pattern(r"\b(?:ma|bu|flo|scho)(?:ss|ß)(?:e|en)?\b", regex.IGNORECASE)
"""German words that "ss" makes others of; elsewhere it is a way of writing "ß"."""
_OTHER_WORD = "a word in the quotation differs from the source"
_MIN_PIECE = 8
_FUZZY_CUTOFF = 80
_MAX_HARMLESS = 2
_SLACK = 3
_MOST_PLACES = 100
"""Places that a quotation is tried at; a text that repeats it more often than this inside words is no prose."""
_HARMLESS = word_set("a an the this that these of and so then also really very oh well in on at for by as")
"""Words whose coming or going changes nothing that was said, unless a negation or a number stands beside it."""
_ARTICLES = word_set("a an the this that these those")
_FEW = word_set("few little")
"""Before these "a" is no article: a few friends are some, few friends are next to none."""

SpanMatch = Literal["exact", "normalised", "elided", "fuzzy"]


class Located(NamedTuple):
    """Where a quote lies in its source; `start == end` and a reason when it does not."""

    status: SpanMatch | None
    start: int = 0
    end: int = 0
    reason: str | None = None


def locate(quote: str, source: str) -> Located:
    """Return where `quote` stands in `source`, trying the strictest reading first.

    Returns:
        The status of the first reading that holds, with half-open offsets into `source`; or no status and a human
        reason that holds no word of the quote.
    """
    wanted = quote.strip()
    if wanted and trimmed(wanted) and (at := _find_whole(source, wanted, 0)) >= 0:
        return Located("exact", at, at + len(wanted))
    haystack, needle = comparable(source), trimmed(comparable(wanted).text)
    if not needle:
        return Located(None, reason="the quotation is empty")
    if (at := _find_whole(haystack.text, needle, 0)) >= 0:
        start, end = haystack.starts[at], haystack.ends[at + len(needle) - 1]
        is_changed = not wanted.isupper() and _measures(wanted) != _measures(source[start:end])
        return Located(None, reason=_OTHER_WORD) if is_changed else Located("normalised", start, end)
    elided = _locate_elided(needle, haystack, source) if _ELLIPSIS.search(needle) else None
    if elided and elided.reason != _NOT_IN_ORDER:
        return elided
    fuzzy = _locate_fuzzy(needle, haystack, source)
    return fuzzy if fuzzy.status or elided is None else elided


def _measures(text: str) -> Sequence[bool]:
    """Return for each "Maß" and "Masse" of a text which of the two it is."""
    return ["ß" in word for word in _MASS_OR_MASZ.findall(text)]


def _find_whole(haystack: str, needle: str, start: int) -> int:
    """Return the offset of `needle` where neither of its edges cuts what was said, or -1."""
    at = haystack.find(needle, start)
    for _ in range(_MOST_PLACES):
        if at < 0 or not (cuts(haystack, at) or cuts(haystack, at + len(needle))):
            return at
        at = haystack.find(needle, at + 1)
    return -1


_NOT_IN_ORDER = "a part of the shortened quotation is not in the source, or not in this order"


def _locate_elided(needle: str, haystack: Comparable, source: str) -> Located:
    """Return where the pieces of a quotation with a left-out middle stand, in order (status `elided`)."""
    pieces = [piece for part in _ELLIPSIS.split(needle) if (piece := trimmed(part))]
    if not pieces or any(len(piece) < _MIN_PIECE for piece in pieces):
        return Located(None, reason="the parts of the shortened quotation are too short to be found safely")
    position, bounds = 0, list[tuple[int, int]]()
    for piece in pieces:
        at = _find_whole(haystack.text, piece, position)
        if at < 0:
            return Located(None, reason=_NOT_IN_ORDER)
        position = at + len(piece)
        bounds.append((haystack.starts[at], haystack.ends[position - 1]))
    if any(_hides_negation(source, left, right) for (_, left), (right, _) in pairwise(bounds)):
        return Located(None, reason="the words left out of the quotation change its meaning")
    return Located("elided", bounds[0][0], bounds[-1][1])


def _hides_negation(source: str, left: int, right: int) -> bool:
    """Return whether the gap holds, in a sentence that the quotation touches, a word that reverses or limits it."""
    touched = [(start, end) for start, end in sentence_spans(source) if start < left < end or start < right < end]
    return any(turns_around(source[max(start, left) : min(end, right)]) for start, end in touched)


_NOT_THERE = "the quotation is not in the source"


def _locate_fuzzy(needle: str, haystack: Comparable, source: str) -> Located:
    """Return where the quotation stands with nothing but typos and harmless words changed (status `fuzzy`)."""
    if len(needle) < _MIN_PIECE or not haystack.text:
        return Located(None, reason=_NOT_THERE)
    found = partial_ratio_alignment(needle, haystack.text, score_cutoff=_FUZZY_CUTOFF)
    if found is None or found.dest_end <= found.dest_start:
        return Located(None, reason=_NOT_THERE)
    low, high = haystack.starts[found.dest_start], haystack.ends[found.dest_end - 1]
    wanted, there = words(needle), words(source)
    near = _aligned(wanted, _window(there, low, high))
    if not wanted or not near:
        return Located(None, reason=_NOT_THERE)
    start, end = near[0].start, near[-1].end
    if cuts(source, start) or cuts(source, end):
        return Located(None, reason=_NOT_THERE)
    if reason := _difference(wanted, near, marks_matter(there)) or _sign_changed(needle, wanted, source[start:end]):
        return Located(None, reason=reason)
    return Located("fuzzy", start, end)


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


def _sign_changed(needle: str, wanted: Sequence[Word], stretch: str) -> str | None:
    """Return a reason when the quotation has other signs between its words, or beside its ends, than the source."""
    between, there = needle[wanted[0].start : wanted[-1].end], comparable(stretch).text
    outside = needle[: wanted[0].start] + needle[wanted[-1].end :]
    changed = any(kind.findall(between) != kind.findall(there) for kind in (_SIGNS, _FIGURES))
    if changed or _SIGNS.search(outside + "0") or not _in_order(_PICTURES.findall(needle), _PICTURES.findall(there)):
        return "a sign in the quotation differs from the source"
    return None


def _in_order(some: Sequence[str], all_of_them: Sequence[str]) -> bool:
    """Return whether `some` stand among the others, in their order."""
    rest = iter(all_of_them)
    return all(one in rest for one in some)


def _difference(wanted: Sequence[Word], there: Sequence[Word], marks: bool) -> str | None:  # noqa: FBT001
    """Return what the quotation changed, in words that repeat none of it; None when nothing that matters."""
    ours_spelt, theirs_spelt = ([spelt(word, marks_matter=marks) for word in each] for each in (wanted, there))
    harmless = 0
    for edit in Levenshtein.opcodes(ours_spelt, theirs_spelt):
        ours, theirs = wanted[edit.src_start : edit.src_end], there[edit.dest_start : edit.dest_end]
        if edit.tag == "equal":
            continue
        if edit.tag == "replace" and len(ours) == len(theirs):
            if reason := next((why for pair in zip(ours, theirs, strict=True) if (why := _replaced(*pair))), None):
                return reason
            continue
        beside = (*_around(wanted, edit.src_start, edit.src_end), *_around(there, edit.dest_start, edit.dest_end))
        if reason := next((why for word in (*ours, *theirs) if (why := _moved(word, beside))), None):
            return reason
        harmless += len(ours) + len(theirs)
    return "the quotation adds or leaves out too many words" if harmless > _MAX_HARMLESS else None


def _around(found: Sequence[Word], start: int, end: int) -> Sequence[Word]:
    return (*found[max(0, start - 1) : start], *found[end : end + 1])


def _moved(word: Word, beside: Sequence[Word]) -> str | None:
    """Return why a word may not be added or left out next to `beside`; None when it may."""
    if denies(word):
        return "the quotation adds or leaves out a negation"
    if word.is_number:
        return "the quotation adds or leaves out a number"
    if word.key not in _HARMLESS:
        return _WORD_MOVED
    if word.key in _ARTICLES:
        return _WORD_MOVED if any(other.key in _FEW for other in beside) else None
    return _WORD_MOVED if any(denies(other) or counts(other.key) for other in beside) else None


_WORD_MOVED = "the quotation adds or leaves out a word that matters"


def _replaced(ours: Word, theirs: Word) -> str | None:
    """Return why one word may not stand for the other; None for a typo or an article."""
    if counts(ours.key) or counts(theirs.key):
        return "a number in the quotation differs from the source"
    if denies(ours) or denies(theirs):
        return "a negation in the quotation differs from the source"
    if ours.key in _ARTICLES and theirs.key in _ARTICLES:
        return None
    if theirs.is_capital and not theirs.is_stop and not (theirs.start == 0 and is_known_word(theirs.key)):
        return "a name in the quotation differs from the source"
    if (
        ours.is_stop
        or is_known_word(ours.key)
        or not (is_slip(ours.key, theirs.key) or _is_slip_of_article(ours, theirs))
    ):
        return _OTHER_WORD
    return None


def _is_slip_of_article(ours: Word, theirs: Word) -> bool:
    return (
        theirs.key in _ARTICLES and len(ours.key) == len(theirs.key) and Levenshtein.distance(ours.key, theirs.key) == 1
    )
