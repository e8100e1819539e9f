"""Names and identifiers that nothing cited gives.

Law: a word that is written as a name (a capital inside a sentence, letters mixed with digits, an address) stands in
what is cited, beside it or in the question, or it is doubted. Where a language writes all its nouns with a capital, and
at the beginning of a sentence, a capital says nothing. Endings are forgiven, letters are not.

Source: DESIGN 6 "Guards"; ruling D1.
"""

from collections import Counter
from collections.abc import Iterator

from rapidfuzz.distance import Levenshtein

from voice.core.grounding.guards.doubt import Doubt
from voice.core.grounding.guards.given import BEGINNING, Given
from voice.core.text.dates import stated_dates, weekdays
from voice.core.text.lazy import late_pattern
from voice.core.text.word_weights import is_common_word
from voice.core.text.words import Word, fold_key, language_of, words

_TOKEN = late_pattern(r"https?://\S+|\w[\w.+/@-]*+")
_ADDRESS = late_pattern(r"https?://.+|[^@]+@[^@]+\.\w+")
_CODE = late_pattern(r"(?=.*\p{Nd})(?=.*\p{Lu})[\w/-]{2,40}")
_LONGEST = 400
_MEASURE = late_pattern(
    r"\p{Nd}[\p{Nd}.,:/-]*(?:\p{Ll}+|[KMG]|AM|PM|(?:-\p{L}++)++)|\p{Ll}+-\p{Nd}+s?|[QH][1-4]|\p{L}{1,2}?\p{Sc}\p{Nd}+"
)
_OPENS = late_pattern(r"[.!?:;…\n“„\"'‘«(\[–—-][^\S\n]*+[*_]*+$")
_NEAR = 8
_CAPITAL_NOUNS = frozenset({"de"})
"""Languages that write every noun with a capital…"""
_NOUNS_SHARE = 0.2
"""…where at least this share of a sentence's words has one."""
_SHORT = 3


def name_doubts(sentence: str, given: Given) -> list[Doubt]:
    """Return a doubt for each name or identifier of `sentence` that nothing given holds."""
    doubts = [_identifier(start, end) for start, end in _identifiers(sentence) if _is_new(sentence[start:end], given)]
    own = words(sentence)
    if _writes_nouns_with_capitals(own):
        return doubts
    taken = {place for mention in stated_dates(sentence) for place in range(mention.start, mention.end)}
    told = Counter(word.text for word in own)
    days = {text.casefold() for text in weekdays(sentence).values()}
    for word in own:
        is_name = word.is_capital and not (word.is_stop or word.is_number or word.start in taken)
        everyday = _opens(sentence, word) and (is_common_word(word.key) or told[word.text] == 1)
        if is_name and word.text.casefold() not in days and not everyday and not _is_given(word, given):
            doubts.append(Doubt("name", word.start, word.end, _TOLD, (word.key, word.stem)))
    return doubts


_TOLD = "the cited sources do not name one who, or what, the answer names"


def _identifiers(sentence: str) -> Iterator[tuple[int, int]]:
    """Yield where addresses and codes of letters and digits stand; a token longer than any of them is none."""
    for found in _TOKEN.finditer(sentence):
        token = found.group().rstrip(".+/@-")
        if len(token) > _LONGEST:
            continue
        if _ADDRESS.fullmatch(token) or (_CODE.fullmatch(token) and not _MEASURE.fullmatch(token)):
            yield found.start(), found.start() + len(token)


def _is_new(token: str, given: Given) -> bool:
    plain = token.casefold()
    return not any(plain in text for text in given.folded)


def _identifier(start: int, end: int) -> Doubt:
    return Doubt("identifier", start, end, "the cited sources do not give a number, code or address of the answer", ())


def _writes_nouns_with_capitals(own: list[Word]) -> bool:
    inner = [word for word in own[1:] if word.text[:1].isalpha()]
    share = sum(word.is_capital for word in inner) / len(inner) if inner else 0.0
    return language_of(own) in _CAPITAL_NOUNS and share > _NOUNS_SHARE


def _opens(sentence: str, word: Word) -> bool:
    """Return whether a sentence, or a quotation or list in it, begins with a word: then a capital says little."""
    before = sentence[max(0, word.start - _NEAR) : word.start]
    is_first = word.start <= _NEAR and not any(map(str.isalnum, before))
    return is_first or _OPENS.search(before) is not None


def _is_given(word: Word, given: Given) -> bool:
    forms = given.forms
    if word.key in forms or word.stem in forms:
        return True
    return any(_is_form(word.key, other) for other in given.forms_by_beginning.get(fold_key(word.key)[:BEGINNING], ()))


def _is_form(ours: str, theirs: str) -> bool:
    """Return whether one is the other with an ending ("Jana's", "Janas", "Portuguese" and "Portugal")."""
    shorter, longer = sorted((ours, theirs), key=len)
    if longer.startswith(shorter):
        return len(longer) - len(shorter) <= _SHORT + 1 and len(shorter) > _SHORT - 1
    shared = len(shorter) - _SHORT
    return shared > _SHORT and longer[:shared] == shorter[:shared] and Levenshtein.distance(ours, theirs) <= _SHORT
