"""A note, cut into the sentences and words that names are looked for in.

Law: offsets are the note's own (ruling C13). A list mark belongs to no sentence; a possessive ending to no word. A word
opens when a capital says nothing there: at the start of a sentence or item, after a colon, inside an opening quotation.

Source: rulings C13, F.1.
"""

from dataclasses import dataclass

import regex

from voice.core.graph.statements import list_mark_length
from voice.core.text.lazy import late_pattern
from voice.core.text.sentences import sentence_spans
from voice.core.text.word_lists import Language, fold_word, guess_language

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
class Reading:
    """A note, ready to be searched."""

    text: str
    language: Language
    sentences: tuple[Sentence, ...]


def read(text: str) -> Reading:
    """Return the sentences of `text` with their words; code and addresses hold none."""
    language = guess_language(_WORD.findall(text))
    silent = [match.span() for match in _CODE.finditer(text)]
    sentences = (_sentence(text, start, end, silent) for start, end in sentence_spans(text))
    return Reading(text, language, tuple(sentence for sentence in sentences if sentence.tokens))


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
