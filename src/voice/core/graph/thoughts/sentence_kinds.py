"""Kinds of sentences: statement, question, heading, talk.

Law: a closed set, decided per sentence by small tables per language. In doubt a sentence is kept, so that a person's
words stay findable.
Source: ruling A21 ("self-contained sentences").
"""

from dataclasses import dataclass
from enum import StrEnum

from voice.core.text.language_data import language_tables, listed_words
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import cells_of
from voice.core.text.sentences import EXCLAIMED
from voice.core.text.word_lists import STOPWORDS, Language, fold_word, guess_language


class Kind(StrEnum):
    """A sentence's kind for distillation."""

    STATEMENT = "statement"
    DEPENDENT = "dependent"
    """Starts with a back-reference: "It …", "And …"."""
    SCRAP = "scrap"
    """Too short to stand alone; joins the preceding statement."""
    HEADING = "heading"
    """A marked title; belongs to a list below."""
    LEAD = "lead"
    """A line that announces what follows: "Plan for tomorrow:"."""
    ITEM = "item"
    QUESTION = "question"
    TALK = "talk"
    """Greetings, thanks, exclamations, lines of a table of contents, addresses of links, attributes."""
    CODE = "code"
    """A line of code outside a block."""
    CODE_BLOCK = "code_block"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A classified sentence."""

    kind: Kind
    start: int
    end: int
    content: int
    """Number of content words."""
    stands: bool
    """Whether it is understandable without its antecedent: first person, name, number, or enough content."""
    paragraph: int
    """Sentences of different paragraphs are not joined."""
    is_name: bool = False
    """Whether it is only a name or links."""


def _words(language: Language) -> dict[str, frozenset[str]]:
    table = language_tables("sentence_kinds")[language]
    return {name: listed_words(table, name) for name in table}


_WORDS = {language: _words(language) for language in STOPWORDS}
# Of all languages: a greeting is often too short to detect its language.
_GREETINGS = frozenset[str]().union(*(table["greetings"] for table in _WORDS.values()))
_POINTING_UNCASED = ("他", "她", "它", "这", "那", "這", "彼", "それ", "これ", "あれ", "그는", "그녀", "그것", "이것")
_FIRST_UNCASED = ("我", "私", "僕", "俺", "わたし", "나는", "내가", "저는", "우리")

_WORD = late_pattern(r"[\p{L}\p{M}\p{N}]++(?:['’ʼ‘`´＇][\p{L}\p{M}\p{N}]++)*+")
_UNSPACED = late_pattern(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")
_LIST_MARK = late_pattern(r"\s*(?:[-*•‣◦–—+]|\(?(?:\d{1,3}|[a-zA-Z])[.)])(?:\s+\[[xX]\])?\s+")
_BARE_MARK = late_pattern(r"\(?(?:[IVXLC]{1,6}|\d{1,3}|[A-Za-z]|[一二三四五六七八九十]{1,3})[.)、．]")
_TITLE = late_pattern(r"#{1,6}\s")
# Lines of a table of contents, the addresses of links and comments of editors at a note's end (no footnotes), and the
# attributes of a picture.
_CONTENTS = late_pattern(r"(?:[-*+]|\d{1,3}[.)])?\s*\[[^\[\]\n]++\]\(#[^()\s]*+\)\s*")
_ADDRESSES = late_pattern(
    r"(?:\[(?!\^)[^\[\]\n]++\]:[ \t]*+\S++(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'|\([^()\n]*+\)))?\s*+)++"
)
_ATTRIBUTES = late_pattern(r"\{[^{}=\n]*+=[^{}\n]*+\}\s*+")
_LEAD = late_pattern(r"[^\n]{1,200}[:：]")
_QUESTION = late_pattern(r"[?？؟]!*+[\"'”’»)\]*_\s\p{Extended_Pictographic}\ufe0f]*+$")
_TAG = late_pattern(r"(?s)(.*)[,;，、،–—](.*)")  # what a sentence says, and what it asks after that
_SYMBOLS = late_pattern(r"[{};=<>\\^]|\(\)|::")
_NAME_INSIDE = late_pattern(r"\s[\"'“(\[]?\p{Lu}\p{L}+")  # not the first word, whose capital says nothing
_LINKS = late_pattern(r"(?:[\s,;.:!#*_-]*+\[\[[^\[\]\n]*+\]\])++[\s,;.:!*_-]*+")
_CODE_SHARE = 0.1  # symbols among the characters of a line of code
_LEAST_CONTENT = 3  # content words of a sentence that can stand alone
_TAG_CONTENT = 1  # content words at most that a tag asks with: "isn't it?"
_OWN_CONTENT = 4  # content words that need no antecedent
_FULL_ITEM_CONTENT = 8  # content words that make a list item a sentence


def judge_sentence(
    text: str, start: int, end: int, *, language: Language, paragraph: int, in_dialogue: bool
) -> Sentence:
    """Classify the sentence `text[start:end]`; in a dialogue all that ends in a question mark is a question."""
    piece = text[start:end]
    if cells_of(piece) is not None:
        return Sentence(Kind.ITEM, start, end, count_content(piece, language), stands=True, paragraph=paragraph)
    words = [fold_word(match.group()) for match in _WORD.finditer(piece)]
    content = count_content(piece, language)
    first = piece.startswith(_FIRST_UNCASED) or any(word in _WORDS[language]["first_person"] for word in words[:4])
    shape = _shape(piece)
    if shape is Kind.QUESTION and not in_dialogue and _states_too(piece, content, language):
        shape = None
    kind = shape or _kind(piece, words, content, language, first=first)
    if kind is Kind.ITEM and (first or content >= _FULL_ITEM_CONTENT):
        start += list_mark_length(piece)  # judged again without its mark
        return judge_sentence(text, start, end, language=language, paragraph=paragraph, in_dialogue=in_dialogue)
    stands = first or content >= _OWN_CONTENT or _has_detail(piece)
    is_name = _is_bare_name(piece) or _LINKS.fullmatch(piece) is not None
    return Sentence(kind, start, end, content, stands, paragraph, is_name)


def count_content(piece: str, language: Language) -> int:
    """Count content words; unspaced scripts count half a word per character."""
    table = _WORDS[language]
    idle = STOPWORDS[language] | _GREETINGS | table["replies"]
    total = 0
    for match in _WORD.finditer(piece):
        word = fold_word(match.group())
        unspaced = len(_UNSPACED.findall(word))
        total += (unspaced + 1) // 2 if unspaced else word not in idle
    return total


def is_mark(piece: str) -> bool:
    """Return whether `piece` is only an enumeration mark ("II.")."""
    return _BARE_MARK.fullmatch(piece) is not None


def list_mark_length(piece: str) -> int:
    """Return the length of the list mark of `piece`, 0 if none; a box that is not done belongs to what it says."""
    mark = _LIST_MARK.match(piece)
    return mark.end() if mark else 0


def _kind(piece: str, words: list[str], content: int, language: Language, *, first: bool) -> Kind:
    if _is_talk(piece, words, content, language):
        return Kind.TALK
    if _points_back(piece, words, language, first=first):
        return Kind.DEPENDENT
    if content < _LEAST_CONTENT and not first and (not _has_detail(piece) or _is_bare_name(piece)):
        return Kind.SCRAP
    return Kind.STATEMENT


def _shape(piece: str) -> Kind | None:
    """Return the kind decided by punctuation alone; None if undecided."""
    if _is_code(piece):
        return Kind.CODE
    if _TITLE.match(piece):
        return Kind.HEADING
    if any(pattern.fullmatch(piece) for pattern in (_CONTENTS, _ADDRESSES, _ATTRIBUTES)):
        return Kind.TALK
    if _LEAD.fullmatch(piece):
        return Kind.LEAD
    if list_mark_length(piece):
        return Kind.ITEM
    return Kind.QUESTION if _QUESTION.search(piece) else None


def points_back(text: str) -> bool:
    """Return whether a text begins with a word for what was said before it: "It …", "And …"."""
    words = [fold_word(match.group()) for match in _WORD.finditer(text)]
    language = guess_language(words)
    first = text.startswith(_FIRST_UNCASED) or any(word in _WORDS[language]["first_person"] for word in words[:4])
    return bool(words) and _points_back(text, words, language, first=first)


def _states_too(piece: str, content: int, language: Language) -> bool:
    """Return whether a sentence with a question mark states something: "It costs 40 euro, can you believe it?"."""
    if EXCLAIMED.search(piece):
        return content >= _LEAST_CONTENT
    parts = _TAG.fullmatch(piece)
    if parts is None:
        return False
    return count_content(parts[1], language) >= _LEAST_CONTENT and count_content(parts[2], language) <= _TAG_CONTENT


def _has_detail(piece: str) -> bool:
    return any(char.isdigit() for char in piece) or _NAME_INSIDE.search(piece) is not None


def _is_bare_name(piece: str) -> bool:
    """Return whether it is only a name, as "Wang Xiuying." above a message."""
    return all(match.group()[0].isupper() for match in _WORD.finditer(piece))


def _is_code(piece: str) -> bool:
    body = piece.strip("*_`\"'()[] ")  # ":-)" is not code
    return len(body) > 5 and len(_SYMBOLS.findall(body)) / len(body) > _CODE_SHARE


def _is_talk(piece: str, words: list[str], content: int, language: Language) -> bool:
    """Return whether it is only fillers, or a greeting with names ("Thanks, Maria!")."""
    if content == 0:
        return not any(char.isdigit() for char in piece)  # "42" may be an answer
    idle = STOPWORDS[language] | _GREETINGS | _WORDS[language]["replies"]
    opens = words[0] in _GREETINGS or (piece.endswith("!") and words[0] in _WORDS[language]["replies"])
    if len(words) > 4 or not opens:
        return False
    rest = _WORD.findall(piece)[1:]
    return all(word[0].isupper() or fold_word(word) in idle for word in rest)


def _points_back(piece: str, words: list[str], language: Language, *, first: bool) -> bool:
    if piece.startswith(_POINTING_UNCASED):
        return True
    table = _WORDS[language]
    head, second = words[0], words[1] if len(words) > 1 else ""
    if head in table.get("half_pointing", ()):
        return second in table["verbs_after"]
    if head in table["linking"]:
        return not first  # "And I …" says who
    return head in table["pointing"] and second not in table["units"]
