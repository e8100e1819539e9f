"""Cut a note into sentences and words, find where names may stand in them, and tell by words what a name stands for.

Law: offsets are the note's own (ruling C13). A list mark belongs to no sentence; a possessive ending to no word. A word
opens when a capital says nothing there: at the start of a sentence or item, after a colon, inside an opening quotation.

Where names may stand in a sentence. A name is a run of words with capitals, parted by nothing but single spaces, "&",
"of", "de" or "the" between two capitals. A word that opens its sentence is a name only when nothing else explains its
capital. Stop words, months, languages, list marks and jottings never begin or end a name, and alone are none (ruling
F.1). A role behind a first name belongs to it ("Beth the customer"): it tells apart two who share the name.

Law: a table only ever names a kind; whether a stretch is a name at all is decided in its sentence. No table holds what
belongs to one person's life. Everything is folded (`fold_word`), and stands in `voice/data/language/entity_words.toml`.

Source: rulings C13, F.1 ("capitalised stop words, list markers and fragments never become entities"); rag-organize 2.
"""

from dataclasses import dataclass
from itertools import takewhile
from typing import Final

import regex

from voice.core.graph.thoughts.sentence_kinds import list_mark_length
from voice.core.text.language_data import entries
from voice.core.text.lazy import late_pattern
from voice.core.text.sentences import sentence_spans
from voice.core.text.word_lists import MEN, STOPWORDS, WOMEN, Language, fold_word, guess_language, word_set
from voice.core.text.word_weights import is_common_word

_WORDS: Final = "entity_words"

MORE_WOMEN: Final = entries(_WORDS, "women")
MORE_MEN: Final = entries(_WORDS, "men")
PERSON_NAMES: Final = WOMEN | MEN | MORE_WOMEN | MORE_MEN
FEMALE: Final = WOMEN | MORE_WOMEN
MALE: Final = MEN | MORE_MEN
ALSO_WORDS: Final = entries(_WORDS, "also_words")
"""First names that are words or places, too: as the first word of a sentence they count only before a deed."""

KIN: Final = entries(_WORDS, "kin")
TITLES: Final = entries(_WORDS, "titles")

SEASONS: Final = entries(_WORDS, "seasons")
"""Surnames, too: "Marta Sommer"."""

_CALENDAR = entries(_WORDS, "calendar")
_SPEECH = entries(_WORDS, "speech")
_JOTTINGS = entries(_WORDS, "jottings")
NEVER: Final = _CALENDAR | SEASONS | _SPEECH | _JOTTINGS | frozenset[str]().union(*STOPWORDS.values())
"""Words that alone are no name of a thing, however they are written."""

PLACES: Final = entries(_WORDS, "places")
TOOLS: Final = entries(_WORDS, "tools")
LOWER_TOOLS: Final = entries(_WORDS, "lower_tools")
"""Tools that are often written small and are no other word."""
COMPANIES: Final = entries(_WORDS, "companies")
ORG_SUFFIX: Final = entries(_WORDS, "org_suffix")
ORG_PREFIX: Final = entries(_WORDS, "org_prefix")
WEAK_SUFFIX: Final = entries(_WORDS, "weak_suffix")
"""They make a name of an organisation only with a word that is not everyday language, or three words and more."""
PLACE_SUFFIX: Final = entries(_WORDS, "place_suffix")
PLACE_PREFIX: Final = entries(_WORDS, "place_prefix")
EVENT_SUFFIX: Final = entries(_WORDS, "event_suffix")
PROJECT_WORD: Final = entries(_WORDS, "project_word")
ALONE_KIN: Final = entries(_WORDS, "alone_kin")
"""Kin called by it as by a name."""
KIN_WORDS: Final = entries(_WORDS, "kin_words")
ROLES: Final = entries(_WORDS, "roles")
METHOD: Final = entries(_WORDS, "method")


_TOKEN = late_pattern(
    r"[\p{L}\p{M}\p{N}]++(?:[&.+#_-](?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}]++|['’](?!s\b)[\p{L}\p{M}]++)*+(?:[+#]++|['’]s\b)?",
    regex.IGNORECASE,
)
_POSSESSIVE = late_pattern(r"['’]s$", regex.IGNORECASE)
_OPENING = late_pattern(r"(?:[:;.!?]\s|[\"“„«(\[]|[-–—*]\s)$")
_NEAR = 2
_CODE = late_pattern(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|www\.\S+|(?<!\S)[^\s@]{1,64}@[^\s@]{1,250}", regex.DOTALL
)
_WORD = late_pattern(r"[\p{L}\p{M}]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a note."""

    text: str
    """As written, without a possessive ending."""
    start: int
    end: int
    """Without the possessive ending."""
    key: str
    opens: bool
    is_possessive: bool
    is_parted: bool
    """A mark stands between it and the word before it."""

    @property
    def is_capital(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[0].isupper()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a note."""

    start: int
    end: int
    tokens: tuple[Token, ...]
    is_question: bool
    is_titled: bool
    """All its longer words have capitals, so that they say nothing: a heading."""


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """A note, ready to be searched."""

    text: str
    language: Language
    sentences: tuple[Sentence, ...]


def read(text: str) -> ParsedNote:
    """Return the sentences of `text` with their words; code and addresses hold none."""
    language = guess_language(_WORD.findall(text))
    silent = [match.span() for match in _CODE.finditer(text)]
    sentences = (_sentence(text, start, end, silent) for start, end in sentence_spans(text))
    return ParsedNote(text, language, tuple(sentence for sentence in sentences if sentence.tokens))


def _sentence(text: str, start: int, end: int, silent: list[tuple[int, int]]) -> Sentence:
    start += list_mark_length(text[start:end])
    found: list[Token] = []
    for match in _TOKEN.finditer(text, start, end):
        if any(left <= match.start() < right for left, right in silent):
            continue
        ending = _POSSESSIVE.search(match.group())
        written = match.group()[: ending.start()] if ending else match.group()
        opens = not found or _OPENING.search(text[max(start, match.start() - _NEAR) : match.start()]) is not None
        stop = match.start() + len(written)
        gap = text[found[-1].end if found else start : match.start()]
        parted = not found or gap.strip(" '’s") != ""
        found.append(Token(written, match.start(), stop, fold_word(written), opens, ending is not None, parted))
    long = [token for token in found if len(token.text) > 3]
    return Sentence(
        start,
        end,
        tuple(found),
        text[start:end].rstrip("\"'”’) ").endswith("?"),
        len(long) > 1 and all(token.is_capital for token in long) and text[end - 1] not in ".!?",
    )


_BRIDGES = frozenset({"of", "de", "del", "sans", "van", "von", "der", "da", "di", "la", "for"})
_LISTED = PERSON_NAMES | TOOLS | KIN | TITLES | PROJECT_WORD | frozenset(n.split(" ")[0] for n in PLACES | COMPANIES)
_SHORTEST_CODE = 2
_NEAR_NAMES = 6
_HUMP = late_pattern(r"\p{Ll}(?=\p{Lu})")
_MOST_HUMPS = 2
"""Capitals inside a name: "SubEthaEdit" has two."""
_BEHIND_A_PERSON = word_set("and is was has had will does did says und y ist hat the from")
_VERB_ENDINGS = ("ed", "ing", "ieren")


@dataclass(frozen=True, slots=True)
class Name:
    """A stretch that may name something: the words `first` to `last` (exclusive) of its sentence."""

    sentence: Sentence
    first: int
    last: int
    role: str | None = None
    """The role that belongs to the name, as its last word."""

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Its words."""
        return self.sentence.tokens[self.first : self.last]

    @property
    def start(self) -> int:
        """Where it starts in the note."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Where it ends in the note."""
        return self.tokens[-1].end

    @property
    def key(self) -> str:
        """Its words, folded."""
        return " ".join(token.key for token in self.tokens)

    @property
    def before(self) -> tuple[str, ...]:
        """The few words right before it, folded, as far back as no mark parts them."""
        first = self.first
        while first > max(0, self.first - _NEAR_NAMES) and not self.sentence.tokens[first].is_parted:
            first -= 1
        return tuple(token.key for token in self.sentence.tokens[first : self.first])

    @property
    def after(self) -> tuple[str, ...]:
        """The few words right behind it, folded, as far as no mark parts them."""
        following = self.sentence.tokens[self.last : self.last + _NEAR_NAMES]
        return tuple(token.key for token in takewhile(lambda token: not token.is_parted, following))


def names_in(reading: ParsedNote) -> tuple[Name, ...]:
    """Return the stretches of a note that may be names, in order, disjoint."""
    return tuple(name for sentence in reading.sentences for name in _of_sentence(reading, sentence))


def _of_sentence(reading: ParsedNote, sentence: Sentence) -> list[Name]:
    found: list[Name] = []
    at = 0
    while at < len(sentence.tokens):
        last = at if _is_tag(reading.text, sentence.tokens[at]) else _run_end(reading.text, sentence, at)
        if last == at:
            at += 1
            continue
        found.extend(_trimmed(sentence, at, last))
        at = last
    return [_with_role(reading.text, name) for name in found]


def _is_tag(text: str, token: Token) -> bool:
    """Return whether a word is a tag ("#ToRead") or words run together, as pages leave them where they are copied."""
    return text[token.start - 1 : token.start] == "#" or len(_HUMP.findall(token.text)) > _MOST_HUMPS


def _run_end(text: str, sentence: Sentence, at: int) -> int:
    """Return where a run of capitals that begins at `at` ends; `at` when none begins there."""
    tokens = sentence.tokens
    if tokens[at].key in LOWER_TOOLS and not tokens[at].is_capital:
        return at + 1
    if not tokens[at].is_capital:
        return at
    last = at + 1
    while last < len(tokens) and not tokens[last - 1].is_possessive:
        gap = text[tokens[last - 1].end : tokens[last].start]
        if _is_tag(text, tokens[last]):
            break
        if tokens[last].is_capital and gap in {" ", ". ", " & ", " (", ") "} and _goes_on(tokens, at, last, gap):
            last += 1
        elif _bridges(text, tokens, last):
            last += 2
        else:
            break
    return last


def _goes_on(tokens: tuple[Token, ...], at: int, last: int, gap: str) -> bool:
    """A stop joins after a title or an initial only; a bracket only around a nickname ("Robert (Bob) Miller")."""
    if gap == ". ":
        return tokens[last - 1].key in TITLES or len(tokens[last - 1].text) == 1
    if gap == " (":
        return tokens[last].key in PERSON_NAMES and tokens[at].key in PERSON_NAMES
    return True


def _bridges(text: str, tokens: tuple[Token, ...], last: int) -> bool:
    if last + 1 >= len(tokens) or tokens[last].key not in _BRIDGES or not tokens[last + 1].is_capital:
        return False
    if text[tokens[last - 1].end : tokens[last].start] + text[tokens[last].end : tokens[last + 1].start] != "  ":
        return False
    if tokens[last].key == "for":
        return False
    return not _is_person_like(tokens[last - 1]) or tokens[last].key in {"van", "von", "der", "da", "di", "de", "del"}


def _is_person_like(token: Token) -> bool:
    return token.key in PERSON_NAMES and token.key not in ALSO_WORDS


def _trimmed(sentence: Sentence, first: int, last: int) -> list[Name]:
    """Return the names of a run: cut at what is never part of a name, without what only opens the sentence."""
    tokens = sentence.tokens
    while first < last and _falls_off(tokens, first, last):
        first += 1
    while (
        first < last
        and tokens[last - 1].key in NEVER
        and not _is_acronym(tokens[last - 1])
        and not _is_kept_end(tokens, first, last)
    ):
        last -= 1
    if first == last:
        return []
    if last - first == 1 and (
        (len(tokens[first].text) <= _SHORTEST_CODE and _is_code(tokens[first])) or tokens[first].text.isdigit()
    ):
        return []
    if first and tokens[first - 1].key in PROJECT_WORD and not tokens[first].is_parted:
        first -= 1
    return [Name(sentence, first, last)]


def _is_kept_end(tokens: tuple[Token, ...], first: int, last: int) -> bool:
    """What else is no name and is its last word: behind a title or kin ("Aunt May"), a season behind a first name."""
    before, end = tokens[last - 2], tokens[last - 1]
    is_called_so = before.key in TITLES | KIN or (end.key in SEASONS and _is_person_like(before))
    return last - first > 1 and is_called_so


def _falls_off(tokens: tuple[Token, ...], first: int, last: int) -> bool:
    token = tokens[first]
    if token.key in _LISTED and not (token.key in ALSO_WORDS and token.opens and not _is_deed_behind(tokens, first)):
        return False
    if token.key in NEVER and not _is_acronym(token):
        return True
    if (
        last - first > 1
        and _is_person_like(tokens[last - 1])
        and _is_plain(token.key)
        and tokens[first].key not in PERSON_NAMES
    ):
        return True
    if not token.opens or _is_shaped(token.text):
        return False
    if token.key.endswith(_VERB_ENDINGS) or is_common_word(token.key):
        return last - first == 1 or not _is_suffixed(tokens, last)
    return False


def _is_code(token: Token) -> bool:
    """ "VR", "A": letters that may stand for anything."""
    return token.text.isupper() and token.key not in PLACES | COMPANIES


def _is_acronym(token: Token) -> bool:
    """ "MIT" is no "mit"."""
    return token.text.isupper() and token.key in COMPANIES


def _is_plain(key: str) -> bool:
    """ "Bruder Paul", "Manager Anna": a word for anybody before a first name."""
    return key in KIN_WORDS or is_common_word(key)


def _is_suffixed(tokens: tuple[Token, ...], last: int) -> bool:
    """ "Green Valley School": everyday words that a kind of organisation or place ends."""
    return tokens[last - 1].key in ORG_SUFFIX | PLACE_SUFFIX | EVENT_SUFFIX


def _is_deed_behind(tokens: tuple[Token, ...], at: int) -> bool:
    """Somebody is meant when a deed, a possessive, a surname or another one stands behind the word."""
    if tokens[at].is_possessive or at + 1 == len(tokens):
        return tokens[at].is_possessive
    following = tokens[at + 1]
    return following.is_capital or following.key in _BEHIND_A_PERSON or following.key.endswith(("ed", "es"))


def _is_shaped(text: str) -> bool:
    """A capital inside, or a digit, shows a name: "GitHub", "S3"."""
    return any(char.isupper() or char.isdigit() for char in text[1:])


def _with_role(text: str, name: Name) -> Name:
    """Return the name with a role that belongs to it: "Beth the customer"."""
    tokens = name.sentence.tokens
    behind = tokens[name.last : name.last + 2]
    if behind and behind[0].key in METHOD and text[tokens[name.last - 1].end : behind[0].start] == " ":
        return Name(name.sentence, name.first, name.last + 1)
    if len(behind) < 2 or name.last - name.first > 2 or tokens[name.last - 1].is_possessive:
        return name
    is_role = behind[0].key in {"the", "la", "el", "die", "der"} and behind[1].key in ROLES
    if not is_role or text[tokens[name.last - 1].end : behind[0].start] != " ":
        return name
    return Name(name.sentence, name.first, name.last + 2, behind[1].key)
