"""Text to word-piece ids, as bert-base-uncased does it.

Law: the same ids as the model was trained with, for every text (checked against the reference tokenizer in the tests).
Steps: drop control characters, set CJK ideographs apart, strip accents, lower the case, split at spaces and around
punctuation, then take the longest known piece again and again. Only as much of a text is read as the model can see.

Source: DESIGN 5 (a WordPiece of our own over the model's vocabulary); the vocabulary's origin is in `data/NOTICE`.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Final

from voice.core.text.lazy import late_pattern

MAX_READ_CHARS: Final = 20_000
"""No model here sees more than 256 pieces; what comes after this many characters cannot be among them."""
_MAX_WORD_CHARS: Final = 100
_CACHED_WORDS: Final = 1 << 15

_DROPPED = late_pattern(r"(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]")
_IDEOGRAPH = late_pattern(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf"
    "\uf900-\ufaff\U0002f800-\U0002fa1f]"
)
_ACCENT = late_pattern(r"\p{Mn}+")
_WORD = late_pattern(r"[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+")


class WordPiece:
    """A tokenizer over one vocabulary; a piece's id is its line number."""

    def __init__(self, vocabulary: list[str]) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._first, self._last, self._unknown = (self._ids[piece] for piece in ("[CLS]", "[SEP]", "[UNK]"))
        self._pieces_of = lru_cache(_CACHED_WORDS)(self._split_word)

    def encode(self, text: str, max_pieces: int) -> list[int]:
        """Return at most `max_pieces` ids of `text`, the first and last being `[CLS]` and `[SEP]`."""
        pieces = chain.from_iterable(map(self._pieces_of, words(text[:MAX_READ_CHARS])))
        return [self._first, *islice(pieces, max_pieces - 2), self._last]

    def encode_pair(self, first: str, second: str, max_pieces: int) -> tuple[list[int], list[int]]:
        """Return at most `max_pieces` ids of two texts, and for each id which of the two it is of (0 or 1).

        The first is kept whole up to a half of `max_pieces`; the second is cut.
        """
        head = self.encode(first, max_pieces // 2)
        pieces = chain.from_iterable(map(self._pieces_of, words(second[:MAX_READ_CHARS])))
        tail = [*islice(pieces, max_pieces - len(head) - 1), self._last]
        return head + tail, [0] * len(head) + [1] * len(tail)

    def _split_word(self, word: str) -> tuple[int, ...]:
        if len(word) > _MAX_WORD_CHARS:
            return (self._unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            found = self._longest_piece(word, start)
            if found is None:
                return (self._unknown,)
            piece, start = found
            pieces.append(piece)
        return tuple(pieces)

    def _longest_piece(self, word: str, start: int) -> tuple[int, int] | None:
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = self._ids.get(prefix + word[start:end])
            if piece is not None:
                return piece, end
        return None


def words(text: str) -> Iterator[str]:
    """Yield the words and single punctuation marks of `text`, lowered and without accents."""
    if not text.isascii():
        text = _IDEOGRAPH.sub(r" \g<0> ", _DROPPED.sub("", text))
        text = _ACCENT.sub("", unicodedata.normalize("NFD", text))
    elif not text.isprintable():
        text = _DROPPED.sub("", text)
    # A sigma at the end of a word has a small letter of its own, which the reference tokenizer does not use.
    return (match.group() for match in _WORD.finditer(text.replace("Σ", "σ").lower()))
