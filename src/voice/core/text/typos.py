"""Whether two words are one word with a typing mistake.

Law: one edit inside a word of five or more letters, or a swap; first and last letter stay, unless the last is missing.
Inflections, comparatives, opposites, numbers and months are never typos; in doubt it is a change ("million",
"billion").
Source: DESIGN 6 stage 2.
"""

from functools import lru_cache

from rapidfuzz.distance import OSA, Levenshtein

from voice.core.text.language_data import entries
from voice.core.text.lazy import late_pattern
from voice.core.text.numbers import quantities
from voice.core.text.words import fold_key, stem_of

_LEAST = 5  # letters; in shorter words one edit makes another word
_LONG = 8  # letters of a word that may have two too few or too many
_PARTS = sorted(entries("typos", "number_parts"), key=len, reverse=True)
_GERMAN_NUMBER = late_pattern(f"(?:{'|'.join(_PARTS)})+")
_COUNTING = entries("typos", "counting")
_CALENDAR = entries("typos", "calendar")
_REAL_PAIRS = frozenset(frozenset(pair.split("/")) for pair in entries("typos", "pairs"))
_ENDINGS = late_pattern(r"(?:s|es|ed|d|er|r|est|st|ing|ly|y|less|ful|or|ee|e|n|en|t|te|a|o)$")
_MEN = late_pattern(r"m[ae]n$")  # "woman", "women"
_DEGREES = late_pattern(r"(?:ier|iest|er|est|st)$")  # "easier", "easiest"


def is_typo(ours: str, theirs: str) -> bool:
    """Return whether two different folded words differ by a typo."""
    are_words = min(len(ours), len(theirs)) >= _LEAST and not any(map(is_number_or_date_word, (ours, theirs)))
    is_slip = are_words and _is_one_slip(ours, theirs)
    return is_slip and frozenset((ours, theirs)) not in _REAL_PAIRS and not _is_form_of(ours, theirs)


def is_number_or_date_word(key: str) -> bool:
    """Return whether a word is a number, an ordinal, a month or a weekday."""
    if key in _number_and_calendar_words() or _GERMAN_NUMBER.fullmatch(key):
        return True
    return any(map(str.isdigit, key)) or bool(quantities(key))


@lru_cache(maxsize=1)
def _number_and_calendar_words() -> frozenset[str]:
    """Return the number and calendar words, as written and folded; except "março", which folds to the name Marco."""
    return _COUNTING | _CALENDAR | frozenset(map(fold_key, (_COUNTING | _CALENDAR) - {"março"}))


def _is_one_slip(ours: str, theirs: str) -> bool:
    edits, longer = Levenshtein.distance(ours, theirs), len(ours) - len(theirs)
    if edits == 2 and OSA.distance(ours, theirs) == 1:  # two letters swapped
        return True
    if ours[0] != theirs[0]:
        return False
    if edits == 1:
        return ours[-1] == theirs[-1] or longer == -1  # or the last letter is missing
    is_twice_one_kind = edits == 2 == abs(longer)  # two letters too many or too few
    return is_twice_one_kind and ours[-1] == theirs[-1] and min(len(ours), len(theirs)) >= _LONG


def _is_form_of(ours: str, theirs: str) -> bool:
    """Return whether the two are inflections of one word, including comparatives."""
    longer, shorter = (ours, theirs) if len(ours) >= len(theirs) else (theirs, ours)
    if stem_of(ours) == stem_of(theirs):
        return True
    if longer.startswith(shorter) and _ENDINGS.fullmatch(longer[len(shorter) :]):
        return True
    return any(plain.sub("", ours) == plain.sub("", theirs) for plain in (_DEGREES, _MEN))
