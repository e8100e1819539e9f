"""Words of a text: comparable forms, stems, stop words, negations and the words they reach.

Law: case, Unicode form, diacritics, invisible characters, possessives and look-alikes do not matter; digits, negations
and names do. Numbers stay whole, apart from a glued unit ("150mg"). Unspaced scripts give overlapping character pairs.
The stemmer joins inflections, not opposites ("hope", "hopeless"); the index stores its hashes, so changing it changes
the index format. It is 50 times faster than Snowball in pure Python and knows irregular verbs.

A negation reaches to the end of its clause; idioms ("can't wait", "not only") do not count.
Source: rulings A10, C13, D1; DESIGN 6.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from voice.core.text.lazy import Memo, late_pattern
from voice.core.text.word_lists import STOPWORDS, Language, language_file, word_set

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = r"[\p{L}\p{M}]"
# Units that may follow a number without a space: two letters or more, g, h, l, "a.m.".
_GLUED = r"(?:[ghl]|[ap]\.m|{letter}{{2,}}+)(?!{letter}|\d)"
_WORD = late_pattern(
    rf"(?P<number>\p{{Nd}}++(?:[.,:]\p{{Nd}}++)*+(?:(?:st|nd|rd|th|s|k|m|bn)?+(?!(?![{_UNSPACED}])\p{{L}})"
    rf"|(?={_GLUED.format(letter=_LETTER)})))"
    rf"|(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<word>(?:(?![{_UNSPACED}])[\p{{L}}\p{{M}}\p{{Nd}}\p{{Cf}}])++"
    rf"(?:['’ʼ＇](?:(?![{_UNSPACED}])[\p{{L}}\p{{M}}])++)*+)",
    re.IGNORECASE,
)
_UNCOUNTED = late_pattern(r"\p{Cf}|'s$")  # what `spelling_key` drops
# The same for ASCII text, which is most text; much faster.
_ASCII_WORD = re.compile(
    rf"(\d++(?:[.,:]\d++)*+(?:(?:st|nd|rd|th|s|k|m|bn)?+(?![a-z])|(?={_GLUED.format(letter='[a-z]')})))"
    r"|[a-z0-9]++(?:'[a-z]++)*+",
    re.IGNORECASE | re.ASCII,
)
# The same without the number group.
_ASCII_TOKEN = re.compile(_ASCII_WORD.pattern.replace("(\\d", "(?:\\d", 1), _ASCII_WORD.flags)
_DIGIT = re.compile("[0-9]")
# Blanks what ends a word in ASCII text…
_SPACES = bytes(char if chr(char).isalnum() or chr(char) in "'.,:" else 32 for char in range(128)) + bytes(128)
# …and stops, commas and colons too, if it has no digits.
_SPACES_WITHOUT_NUMBERS = _SPACES.translate(bytes.maketrans(b".,:", b"   "))
_ENGLISH_SHARE = 0.25  # with a smaller share of English stop words, a text counts as another language for diacritics
_COMBINING = late_pattern(r"[\u0300-\u036f\p{Cf}]")
_LATIN = late_pattern(r"\p{Latin}")
_POSSESSIVE = late_pattern(r"(?:'s|s')$")
_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝвкмнтгпзбԍӏ" + "αοινρτυχκηωϲεγ", "aeopcyxijshdqwbkmhtrnz6gl" + "aoivptuxknwcey"
)
_EXTRA_STOPS = word_set(
    "im ive id youre theyre thats theres hes shes its dont didnt gonna gotta wanna yeah yep hey wow hi hello aw lol "
    "uh um hmm btw able lot lots bit kind sort u ur"
)


class Word(NamedTuple):
    """One word with its offsets; `key` is its comparable form."""

    text: str
    start: int
    end: int
    key: str
    stem: str
    is_stop: bool
    is_number: bool

    @property
    def is_capital(self) -> bool:
        """Whether it starts with an upper-case letter."""
        return self.text[:1].isupper()


# Constructor from a complete tuple, twice as fast as the class.
_word = cast("Callable[[type[Word], tuple[object, ...]], Word]", tuple.__new__)  # pyright: ignore[reportUnknownMemberType]


def words(text: str) -> list[Word]:
    """Return the words of `text` in order, with half-open offsets."""
    return list(_words(text))


@lru_cache(maxsize=512)  # each check of a claim asks for its words
def _words(text: str) -> tuple[Word, ...]:
    found = _find_words(text)
    language = language_of(found)
    if language == "en":
        return tuple(found)
    idle = _foreign_stops()[language]
    return tuple(word._replace(is_stop=True) if word.key in idle else word for word in found)


def stems_in(text: str) -> frozenset[str]:
    """Return the stems of `words(text)`, several times faster because without offsets."""
    if not text.isascii():
        return frozenset(word.stem for word in words(text))
    return frozenset(" ".join(map(_STEMS_OF.__getitem__, _split_ascii(text))).split())


def forms_in(text: str) -> frozenset[str]:
    """Return the comparable forms and stems of `words(text)`."""
    if not text.isascii():
        return frozenset(form for word in words(text) for form in (word.key, word.stem))
    return frozenset(" ".join(map(_FORMS_OF.__getitem__, _split_ascii(text))).split())


def _split_ascii(text: str) -> list[str]:
    spaces = _SPACES if _DIGIT.search(text) else _SPACES_WITHOUT_NUMBERS
    return text.encode("ascii").translate(spaces).decode("ascii").split()


def language_of(found: Sequence[Word]) -> Language:
    """Return the language with the most stop words; English unless another has strictly more."""
    keys = [word.key for word in found]
    most = sum(map(STOPWORDS["en"].__contains__, keys))
    if sum(map(_every_foreign_stop().__contains__, keys)) <= most:  # as in most texts; else each language is counted
        return "en"
    counts: dict[Language, int] = {name: sum(map(idle.__contains__, keys)) for name, idle in _foreign_stops().items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > most else "en"


@lru_cache(maxsize=1)
def _foreign_stops() -> dict[Language, frozenset[str]]:
    return {name: frozenset(map(fold_key, table)) for name, table in STOPWORDS.items() if name != "en"}


@lru_cache(maxsize=1)
def _every_foreign_stop() -> frozenset[str]:
    return frozenset[str]().union(*_foreign_stops().values())


def _find_words(text: str) -> list[Word]:
    if text.isascii():
        return [
            _word(Word, (token := match.group(), *match.span(), *_FORMS[token], match.lastindex == 1))
            for match in _ASCII_WORD.finditer(text)
        ]
    found: list[Word] = []
    for match in _WORD.finditer(text):
        if match.lastgroup == "unspaced":
            found.extend(_pairs(match.group(), match.start()))
            continue
        key, stem, is_stop = _FORMS[match.group()]
        if key:  # marks alone fold to ""
            found.append(
                Word(match.group(), match.start(), match.end(), key, stem, is_stop, match.lastgroup == "number")
            )
    return found


def strip_possessive(text: str) -> str:
    """Strip a possessive ending: "Anna's" to "Anna"."""
    return text.removesuffix("'s").removesuffix("’s")


def adjacent_words(text: str, chosen: Sequence[Word]) -> list[list[Word]]:
    """Group adjacent words of `text`: "Li Na" is one name."""
    runs: list[list[Word]] = []
    for word in chosen:
        if runs and not text[runs[-1][-1].end : word.start].strip():
            runs[-1].append(word)
        else:
            runs.append([word])
    return runs


def marks_matter(found: Sequence[Word]) -> bool:
    """Return whether diacritics distinguish words ("wurde", "würde"): in any language but English."""
    stops = sum(word.is_stop for word in found)
    return language_of(found) != "en" or stops < _ENGLISH_SHARE * len(found)


def spelling_key(word: Word, *, marks_matter: bool) -> str:
    """Return a word's comparable form, with diacritics if they matter."""
    if not marks_matter or word.text.isascii():
        return word.key
    return _UNCOUNTED.sub("", unicodedata.normalize("NFKC", word.text).casefold())


def content_words(text: str) -> list[Word]:
    """Return the words of `text` that are not stop words."""
    return [word for word in words(text) if not word.is_stop]


def _pairs(run: str, start: int) -> list[Word]:
    pairs = [run[at : at + 2] for at in range(max(1, len(run) - 1))]  # one for a single character
    return [Word(pair, at, at + len(pair), pair, pair, False, False) for at, pair in enumerate(pairs, start)]


def _forms(token: str) -> tuple[str, str, bool]:
    """Return key, stem and whether it is a stop word."""
    key = fold_key(token)
    bare = _POSSESSIVE.sub("", key) if "'" in key else key
    if key in STOPWORDS["en"] or bare in STOPWORDS["en"] or bare in _EXTRA_STOPS:
        return key, bare, True
    return bare, stem_of(bare), len(bare) == 1 and not bare.isdigit() and bare.isascii()


def fold_key(token: str) -> str:
    """Fold a token: NFKC, casefold, no marks, look-alikes to Latin."""
    if token.isascii():
        return token.lower()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", token).casefold())
    folded = _COMBINING.sub("", folded).translate(_APOSTROPHES)
    if _LATIN.search(folded):  # a word all in Cyrillic or Greek keeps its letters
        folded = folded.translate(_LOOK_ALIKES)
    return unicodedata.normalize("NFC", folded)


_APOSTROPHES = str.maketrans("’ʼ＇‘", "''''")


def _stems_of(piece: str) -> str:
    if piece.isalpha():
        return _FORMS[piece][1]
    return " ".join([_FORMS[token][1] for token in _ASCII_TOKEN.findall(piece)])


def _forms_of(piece: str) -> str:
    return " ".join([form for token in _ASCII_TOKEN.findall(piece) for form in _FORMS[token][:2]])


_FORMS = Memo(_forms, 65_536)
_STEMS_OF = Memo(_stems_of, 65_536)
_FORMS_OF = Memo(_forms_of, 65_536)


_IRREGULAR = {
    form: forms.split()[0] for forms in language_file("irregular.en.txt").split(";") for form in forms.split()
}
_KEEP = word_set("news always series species business this his its bus gas yes us christmas perhaps paris texas")
# Derivational endings, as they look after `_without_ending` (e dropped, y as i); the longest first.
_DERIVATIONS = (
    "fulness", "iveness", "ational", "ization", "isation", "ation", "ator", "ativ", "ment", "ness", "ingli", "fulli",
    "abl", "ibl", "ical", "alli", "anc", "enc", "ion", "iti", "iv", "iz", "is", "at", "ous", "ist", "ful", "ant", "ent",
    "er", "or", "li", "al", "ic",
)  # fmt: skip
_SHORT_OK = frozenset({"ness", "ful", "fulness", "fulli"})  # three letters may be left before these: "joyful"
_VOWEL = late_pattern("[aeiouy]")
_LONG_ENOUGH = 5  # letters of an irregular form that takes endings: "found", but not "rang" in "ranging"


@lru_cache(maxsize=65_536)
def stem_of(key: str) -> str:
    """Return the stem of a folded word; non-ASCII or with digits, the word itself."""
    if len(key) < 3 or not key.isascii() or not key.isalpha() or key in _KEEP:
        return _IRREGULAR.get(key, key)
    return _derived(_without_ending(_IRREGULAR.get(key, key)))


def _without_ending(key: str) -> str:
    """Strip plural, past and progressive endings, and doubled or silent last letters."""
    if key.endswith(("ies", "ied")) and len(key) > 4:  # "tries" is "tri", as "try" is
        return key[:-2]
    if key.endswith("s") and not key.endswith(("ss", "us", "is")):
        key = key[:-2] if key.endswith(("sses", "shes", "ches", "xes", "zzes")) else key[:-1]
        key = _IRREGULAR.get(key, key)  # "dads" meets "father", as "dad" does
    for suffix in ("ing", "ed"):
        rest = key.removesuffix(suffix)
        if rest != key and len(rest) >= 3 and _VOWEL.search(rest):
            key = _IRREGULAR.get(rest, rest) if len(rest) >= _LONG_ENOUGH else rest
            break
    return _without_redundant_letter(key)


def _derived(stem: str) -> str:
    if not stem.endswith(_DERIVATIONS):
        return stem
    for suffix in _DERIVATIONS:
        # Enough of the word must be left: "joyful" meets "joy", "awful" is not "aw".
        if stem.endswith(suffix) and len(stem) - len(suffix) >= (3 if suffix in _SHORT_OK else 4):
            return _without_redundant_letter(stem[: len(stem) - len(suffix)])
    return stem


def _without_redundant_letter(stem: str) -> str:
    """Strip a doubled or silent last letter, so that "run" and "running", "hope" and "hoping" meet."""
    # "pass" and "call" end so themselves; "controlled" is "control".
    if len(stem) > 3 and stem[-1] == stem[-2] and (stem[-1] not in "aeiouls" or (stem[-1] == "l" and len(stem) > 5)):
        stem = stem[:-1]
    if len(stem) > 2 and stem.endswith("e"):
        return stem[:-1]
    return stem[:-1] + "i" if len(stem) > 2 and stem.endswith("y") else stem


NEGATORS = word_set(
    "not no never none nobody nothing neither nor without cannot nowhere hardly scarcely barely unable cant wont dont "
    "didnt doesnt isnt arent wasnt werent hasnt havent hadnt couldnt wouldnt shouldnt nicht kein keine keinen nie "
    "niemals nunca jamás sin ni pas jamais"
)
"""Negating words, in English and neighbouring languages."""
_IDIOMS = late_pattern(
    r"\b(?:can(?:'t|not) (?:wait|help|believe|get enough|stress enough|thank)|couldn't (?:be|agree|have|ask|wait|help)"
    r"|not only|not just|not to mention|no (?:doubt|wonder|matter|problem|worries|biggie|kidding)|why not|if not"
    r"|nothing (?:but|beats|better|like|short)|never (?:forget|gets? old|fails? to)|no one else|not bad|or not"
    r"|(?:no|not) (?:more|less|fewer|later|earlier|longer) than|nicht (?:mehr|weniger) als"
    r"|whether or not|wouldn't (?:trade|miss|have it)|don't worry|no way)\b"
)
_CLAUSE_END = late_pattern(r"[.;:!?,()—–\n]| - ")
_CLAUSE_WORDS = word_set("but although though however because while whereas except instead and so when which who")
_REACH = 6  # words


def is_negator(word: Word) -> bool:
    """Return whether `word` negates what follows."""
    return word.key in NEGATORS or word.key.endswith("n't")


def has_negation(text: str, found: Sequence[Word]) -> bool:
    """Return whether the words `found` of `text` contain a real negation."""
    return bool(negated(text, found))


def negated(text: str, found: Sequence[Word]) -> list[tuple[int, ...]]:
    """Return for each real negation the indexes into `found` of the negator, then the content words it reaches."""
    if not any(map(is_negator, found)):
        return []
    idioms = _idiom_spans(text)
    return [
        (index, *_scope(text, found, index))
        for index, word in enumerate(found)
        if is_negator(word) and not any(start <= word.start < end for start, end in idioms)
    ]


def _idiom_spans(text: str) -> list[tuple[int, int]]:
    flat = text.lower().replace("’", "'")
    # Some letters have no lower case of one character: offsets would no longer hold.
    return [match.span() for match in _IDIOMS.finditer(flat)] if len(flat) == len(text) else []


def _scope(text: str, found: Sequence[Word], negator: int) -> list[int]:
    reached: list[int] = []
    for index in range(negator + 1, min(len(found), negator + 1 + _REACH)):
        gap = text[found[index - 1].end : found[index].start]
        if _CLAUSE_END.search(gap) or found[index].key in _CLAUSE_WORDS:
            break
        if not found[index].is_stop:
            reached.append(index)
    return reached
