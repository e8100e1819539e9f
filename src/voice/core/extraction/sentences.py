"""Split a note into sentences and words, and find possible names.

Law: offsets are the note's (ruling C13). List marks and possessive endings are left out. A word "opens" where a capital
proves nothing: at the start of a sentence or item, after a colon, in an opening quotation.

A name is a run of capitalised words, joined by single spaces, "&", "of", "de" and the like. An opening word is a name
only if nothing else explains its capital. Stop words, months, languages, list marks and jottings never begin or end a
name (ruling F.1). A role after a first name belongs to it ("Beth the customer"), to distinguish namesakes.

Word lists only give types; they are folded (`fold_word`), hold nothing personal, and are in `entity_words.toml`.
Source: rulings C13, F.1 ("capitalised stop words, list markers and fragments never become entities"); rag-organize 2.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

import regex

from voice.core.graph.thoughts.sentence_kinds import list_mark_length
from voice.core.text.language_data import entries, is_common_word
from voice.core.text.lazy import late_pattern
from voice.core.text.sentences import sentence_spans
from voice.core.text.word_lists import STOPWORDS, Language, fold_word, guess_language, word_set

ENTITY_WORDS: Final = "entity_words"
FEMALE: Final = entries("first_names", "women") | entries(ENTITY_WORDS, "women")
MALE: Final = entries("first_names", "men") | entries(ENTITY_WORDS, "men")
PERSON_NAMES: Final = FEMALE | MALE
ALSO_WORDS: Final = entries(ENTITY_WORDS, "also_words")
"""First names that are also words or places: at the start of a sentence they count only before a verb of people."""
KIN: Final = entries(ENTITY_WORDS, "kin")
TITLES: Final = entries(ENTITY_WORDS, "titles")
_SEASONS: Final = entries(ENTITY_WORDS, "seasons")  # also surnames: "Marta Sommer"
NEVER: Final = _SEASONS.union(
    *(entries(ENTITY_WORDS, name) for name in ("calendar", "speech", "jottings")), *STOPWORDS.values()
)
"""Words that alone never name a thing, in any spelling."""
PLACES: Final = entries(ENTITY_WORDS, "places")
TOOLS: Final = entries(ENTITY_WORDS, "tools")
LOWER_TOOLS: Final = entries(ENTITY_WORDS, "lower_tools")
"""Tools often written in lower case that are no other word."""
COMPANIES: Final = entries(ENTITY_WORDS, "companies")
ORG_SUFFIX: Final = entries(ENTITY_WORDS, "org_suffix")
PLACE_SUFFIX: Final = entries(ENTITY_WORDS, "place_suffix")
EVENT_SUFFIX: Final = entries(ENTITY_WORDS, "event_suffix")
PROJECT_WORD: Final = entries(ENTITY_WORDS, "project_word")
KIN_WORDS: Final = entries(ENTITY_WORDS, "kin_words")
_ROLES: Final = entries(ENTITY_WORDS, "roles")
METHOD: Final = entries(ENTITY_WORDS, "method")
# "R&D", "v1.2", "C++" and "O'Neil" are words; "Anna's" is one with its ending.
_TOKEN = late_pattern(
    r"[\p{L}\p{M}\p{N}]++(?:[&.+#_-](?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}]++|['’](?!s\b)[\p{L}\p{M}]++)*+(?:[+#]++|['’]s\b)?",
    regex.IGNORECASE,
)
_POSSESSIVE = late_pattern(r"['’]s$", regex.IGNORECASE)
_OPENING = late_pattern(r"(?:[:;.!?]\s|[\"“„«(\[]|[-–—*]\s)$")  # ends what stands before an opening word
_NEAR = 2  # characters of it
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
    """Before a possessive ending."""
    key: str
    opens: bool
    """Whether a capital proves nothing here."""
    is_possessive: bool
    is_parted: bool
    """Whether punctuation precedes it."""

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
    """Whether all longer words have capitals, as in a heading, so that capitals prove nothing."""


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """A note in sentences."""

    text: str
    language: Language
    sentences: tuple[Sentence, ...]


def parse_note(text: str) -> ParsedNote:
    """Return the sentences of `text` with their words, without code and addresses."""
    language = guess_language(_WORD.findall(text))
    code = [match.span() for match in _CODE.finditer(text)]
    sentences = (_sentence(text, start, end, code) for start, end in sentence_spans(text))
    return ParsedNote(text, language, tuple(sentence for sentence in sentences if sentence.tokens))


def _sentence(text: str, start: int, end: int, code: list[tuple[int, int]]) -> Sentence:
    start += list_mark_length(text[start:end])
    found: list[Token] = []
    for match in _TOKEN.finditer(text, start, end):
        if any(left <= match.start() < right for left, right in code):
            continue
        ending = _POSSESSIVE.search(match.group())
        written = match.group()[: ending.start()] if ending else match.group()
        opens = not found or _OPENING.search(text[max(start, match.start() - _NEAR) : match.start()]) is not None
        stop = match.start() + len(written)
        gap = text[found[-1].end if found else start : match.start()]
        parted = not found or gap.strip(" '’s") != ""  # a possessive ending is no gap
        found.append(Token(written, match.start(), stop, fold_word(written), opens, ending is not None, parted))
    long = [token for token in found if len(token.text) > 3]
    return Sentence(
        start,
        end,
        tuple(found),
        text[start:end].rstrip("\"'”’) ").endswith("?"),
        len(long) > 1 and all(token.is_capital for token in long) and text[end - 1] not in ".!?",
    )


BRIDGES = frozenset({"of", "de", "del", "sans", "van", "von", "der", "da", "di", "la"})
_LISTED = PERSON_NAMES | TOOLS | KIN | TITLES | PROJECT_WORD | frozenset(n.split(" ")[0] for n in PLACES | COMPANIES)
_SHORTEST_NAME = 2
_CONTEXT_WORDS = 6
_HUMP = late_pattern(r"\p{Ll}(?=\p{Lu})")
_MAX_HUMPS = 2  # capitals inside a name: "SubEthaEdit" has two
_AFTER_A_PERSON = word_set("and is was has had will does did says und y ist hat the from")
_VERB_ENDINGS = ("ed", "ing", "ieren")  # an opening verb has a capital by place: "Visited"


@dataclass(frozen=True, slots=True)
class Name:
    """A possible name: the words `first` to `last` (exclusive) of its sentence."""

    sentence: Sentence
    first: int
    last: int
    role: str | None = None
    """The role that ends it: "Beth the customer"."""

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Its words."""
        return self.sentence.tokens[self.first : self.last]

    @property
    def start(self) -> int:
        """Its first offset in the note."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Its exclusive end in the note."""
        return self.tokens[-1].end

    @property
    def key(self) -> str:
        """Its words, folded."""
        return " ".join(token.key for token in self.tokens)

    @property
    def before(self) -> tuple[str, ...]:
        """Up to six folded words before it, up to a punctuation mark."""
        first = self.first
        while first > max(0, self.first - _CONTEXT_WORDS) and not self.sentence.tokens[first].is_parted:
            first -= 1
        return tuple(token.key for token in self.sentence.tokens[first : self.first])

    @property
    def after(self) -> tuple[str, ...]:
        """Up to six folded words after it, up to a punctuation mark."""
        following = self.sentence.tokens[self.last : self.last + _CONTEXT_WORDS]
        return tuple(token.key for token in takewhile(lambda token: not token.is_parted, following))


def names_in(note: ParsedNote) -> Iterator[Name]:
    """Yield the possible names in a note, in order, disjoint."""
    for sentence in note.sentences:
        at = 0
        while at < len(sentence.tokens):
            last = _run_end(note.text, sentence, at)
            name = _trimmed(sentence, at, last)
            if name is not None:
                yield _with_role(note.text, name)
            at = max(last, at + 1)  # past a word that names nothing


def _is_tag(text: str, token: Token) -> bool:
    """Return whether a word is a tag ("#ToRead"), or words run together, as in copied pages."""
    return text[token.start - 1 : token.start] == "#" or len(_HUMP.findall(token.text)) > _MAX_HUMPS


def _run_end(text: str, sentence: Sentence, at: int) -> int:
    """Return the end of the run of capitals that starts at `at`; `at` if there is none."""
    tokens = sentence.tokens
    if _is_tag(text, tokens[at]):
        return at
    if not tokens[at].is_capital:
        return at + 1 if tokens[at].key in LOWER_TOOLS else at
    last = at + 1
    while last < len(tokens) and not tokens[last - 1].is_possessive:  # "Anna's Mac" is two names
        gap = text[tokens[last - 1].end : tokens[last].start]
        if _is_tag(text, tokens[last]):
            break
        if tokens[last].is_capital and gap in {" ", ". ", " & ", " (", ") "} and _continues(tokens, at, last, gap):
            last += 1
        elif _bridges(text, tokens, last):
            last += 2
        else:
            break
    return last


def _continues(tokens: tuple[Token, ...], at: int, last: int, gap: str) -> bool:
    """A stop joins only after a title or initial, a bracket only around a nickname ("Robert (Bob) Miller")."""
    if gap == ". ":
        return tokens[last - 1].key in TITLES or len(tokens[last - 1].text) == 1
    if gap == " (":
        return tokens[last].key in PERSON_NAMES and tokens[at].key in PERSON_NAMES
    return True


def _bridges(text: str, tokens: tuple[Token, ...], last: int) -> bool:
    """Return whether "of", "de" and the like join two capitalised words."""
    if last + 1 >= len(tokens) or tokens[last].key not in BRIDGES or not tokens[last + 1].is_capital:
        return False
    if text[tokens[last - 1].end : tokens[last].start] + text[tokens[last].end : tokens[last + 1].start] != "  ":
        return False
    return not _is_person_like(tokens[last - 1]) or tokens[last].key in {"van", "von", "der", "da", "di", "de", "del"}


def _is_person_like(token: Token) -> bool:
    return token.key in PERSON_NAMES and token.key not in ALSO_WORDS


def _trimmed(sentence: Sentence, first: int, last: int) -> Name | None:
    """Return the name in a run, without words that are not part of one; None if nothing remains."""
    tokens = sentence.tokens
    while first < last and _is_dropped(tokens, first, last):
        first += 1
    while first < last and _never_names(tokens[last - 1]) and not _is_surname(tokens, first, last):
        last -= 1
    if first == last:
        return None
    token = tokens[first]
    # A few letters ("VR", "A") may stand for anything.
    is_code = token.text.isupper() and len(token.text) <= _SHORTEST_NAME and token.key not in PLACES | COMPANIES
    if last - first == 1 and (is_code or token.text.isdigit()):
        return None
    if first and tokens[first - 1].key in PROJECT_WORD and not token.is_parted:  # "Project Apollo" keeps its first word
        first -= 1
    return Name(sentence, first, last)


def _never_names(token: Token) -> bool:
    """Return whether a word never begins or ends a name; "MIT" is not the stop word "mit"."""
    return token.key in NEVER and not (token.text.isupper() and token.key in COMPANIES)


def _is_surname(tokens: tuple[Token, ...], first: int, last: int) -> bool:
    """Return whether the last word follows a title or kinship ("Aunt May"), or is a season after a first name."""
    before, end = tokens[last - 2], tokens[last - 1]
    is_called_so = before.key in TITLES | KIN or (end.key in _SEASONS and _is_person_like(before))
    return last - first > 1 and is_called_so


def _is_dropped(tokens: tuple[Token, ...], first: int, last: int) -> bool:
    """Return whether the first word of a run is not part of its name."""
    token = tokens[first]
    if token.key in _LISTED and not (token.key in ALSO_WORDS and token.opens and not _is_person_here(tokens, first)):
        return False
    if _never_names(token):
        return True
    is_common = is_common_word(token.key)
    # "Bruder Paul", "Manager Anna": a common noun before a first name.
    is_noun = (token.key in KIN_WORDS or is_common) and token.key not in PERSON_NAMES
    if is_noun and last - first > 1 and _is_person_like(tokens[last - 1]):
        return True
    # An inner capital or a digit shows a name: "GitHub", "S3".
    if not token.opens or any(char.isupper() or char.isdigit() for char in token.text[1:]):
        return False
    # "Green Valley School": common words before a kind of organisation or place.
    has_suffix = last - first > 1 and tokens[last - 1].key in ORG_SUFFIX | PLACE_SUFFIX | EVENT_SUFFIX
    return (is_common or token.key.endswith(_VERB_ENDINGS)) and not has_suffix


def _is_person_here(tokens: tuple[Token, ...], at: int) -> bool:
    """Return whether a possessive, a verb, a surname or another name shows that a word is a person's name."""
    if tokens[at].is_possessive or at + 1 == len(tokens):
        return tokens[at].is_possessive
    following = tokens[at + 1]
    return following.is_capital or following.key in _AFTER_A_PERSON or following.key.endswith(("ed", "es"))


def _with_role(text: str, name: Name) -> Name:
    """Return the name with a following method or role: "Beth the customer"."""
    tokens = name.sentence.tokens
    following = tokens[name.last : name.last + 2]
    if not following or text[tokens[name.last - 1].end : following[0].start] != " ":
        return name
    if following[0].key in METHOD:
        return Name(name.sentence, name.first, name.last + 1)
    if len(following) < 2 or name.last - name.first > 2 or tokens[name.last - 1].is_possessive:
        return name
    is_role = following[0].key in {"the", "la", "el", "die", "der"} and following[1].key in _ROLES
    return Name(name.sentence, name.first, name.last + 2, following[1].key) if is_role else name
