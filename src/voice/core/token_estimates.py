"""Upper estimates of how many tokens a text costs, without the model's tokenizer.

Law: the estimate does not under-count what people write, in any script, nor keys, base64 and rows of signs (ruling
D15). It is a sum of costs per character, per run of like characters and per pair of neighbours, so it is subadditive:
a budget that holds for the parts holds for the whole. It never falls when text is added.

The costs are upper hulls over cl100k, o200k and the first public Claude vocabulary, fitted on 21 languages, memories,
JSON, code and URLs; digits count whole, and two tokens are for words broken at both ends. Rare pairs of letters tell
random words. On English it is about 1.5 times the true count (`python -m bench.tokens`); ASCII languages that no
vocabulary learned, such as Welsh or Zulu, can exceed it by a tenth, for which `voice.core.session.budgets` has room.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class _Runs:
    """Cost in thousandths of a token: `each` per character and `start` per maximal run of what `pattern` matches."""

    pattern: re.Pattern[str]
    each: int
    start: int


_ASCII_RUNS = (
    _Runs(re.compile("[A-Za-z]+"), each=350, start=70),  # letters
    _Runs(re.compile("[A-Z]+"), each=0, start=650),  # on top, where capitals begin: they start a token of their own
    _Runs(re.compile("[0-9]+"), each=1000, start=200),  # digits: each may be a token
    _Runs(re.compile(" +"), each=60, start=0),  # a space joins the next word; long runs of them do cost
    _Runs(re.compile("[\t-\r]+"), each=600, start=1200),  # tabs and line feeds
    _Runs(re.compile("[!-/:-@\\[-`{-~]+"), each=450, start=600),  # signs
    _Runs(re.compile("[\x00-\x08\x0e-\x1f\x7f]"), each=1000, start=0),  # control characters
)

# Which letters hardly follow a letter: the pair is in fewer than a hundred of the 100,000 tokens of cl100k, and not
# one letter twice: rows of it are tokens.
_UNUSUAL_AFTER = {
    "a": "ejoq", "b": "cdfghkmnpqtvwxz", "c": "bdfgjmnpqvwxz", "d": "cfhjknpqtwxz", "e": "j", "f": "bcdghjkmnpqvwxyz",
    "g": "bcdfjkmpqtvwxyz", "h": "bcdfgjklmnpqsvwxz", "i": "hjquwy", "j": "bcdfghiklmnpqrstvwxyz",
    "k": "bcdfghjlmnpqrtuvwxyz", "l": "bghjknqrwxz", "m": "cdfghjknqrtvwxz", "n": "bhjmqrwxz", "o": "hjqz",
    "p": "bdfgjkmnqvwxz", "q": "abcdefghijklmnoprstvwxyz", "r": "hjqwxz", "s": "bdfgjrvxz", "t": "bgjkqvxz",
    "u": "hjkoqvwxyz", "v": "bcdfghjklmnpqrstuwxyz", "w": "bcdfgjklmpqtuvxyz", "x": "abdfghjklmnoqrsuvwyz",
    "y": "bdfghjkqruvwxz", "z": "bcdfghjklmnopqrstuvwxy",
}  # fmt: skip
# Looks ahead, so that "xqz" counts two pairs.
_UNUSUAL = "|".join(f"[{first}{first.upper()}](?=[{rare}{rare.upper()}])" for first, rare in _UNUSUAL_AFTER.items())
_ODD_SIGNS = "!#$%&*+;<=>?@\\^_`|~"
_WORDLIKE_RUNS = (
    _Runs(re.compile("[A-Za-z]+"), each=320, start=130),
    *_ASCII_RUNS[1:],
    _Runs(re.compile(_UNUSUAL), each=0, start=720),
    _Runs(re.compile("(?<![A-Za-z'])[B-HJ-Zb-z](?![A-Za-z])"), each=0, start=560),  # a, I and 's are words
    _Runs(re.compile("(?<![A-Za-z'])[A-Za-z]{2}(?![A-Za-z])"), each=0, start=240),  # no less than one letter
    _Runs(re.compile(f"([{_ODD_SIGNS}])(?!\\1)(?=[{_ODD_SIGNS}.,')])"), each=0, start=1000),  # two unlike: "!?"
)
_NON_ASCII = re.compile("[^\x00-\x7f]+")
# Words and lines with the spaces behind them: no cost of today's estimate looks across the beginning of one.
_WORDS = re.compile("[^ \t-\r]+[ \t-\r]*|[ \t-\r]+")  # the second choice takes the spaces before the first word
_LINES = re.compile("[^\n]*\n[ \t-\r]*|[^\n]+")
_LONGEST_WORD, _LONGEST_LINE = 32, 2_000  # longer ones are rare or of a script without spaces, and are counted afresh

# Where a block of Unicode starts, and the cost of each character in it; a block without a measured cost gets its bytes.
_BLOCKS = (
    (0x0080, 2000),
    (0x00C0, 3000),  # Latin with marks: rare letters also break the word around them
    (0x0250, 2000),
    (0x0370, 2300),  # Greek capitals
    (0x03AC, 1500),  # Greek
    (0x0400, 800),  # Cyrillic
    (0x0500, 2000),
    (0x0590, 1300),  # Hebrew, Arabic
    (0x0700, 3000),
    (0x1E00, 3200),  # Vietnamese
    (0x1F00, 3000),
    (0x2000, 1800),  # typographic and technical signs
    (0x2C00, 3000),
    (0x3000, 1050),  # kana and CJK punctuation
    (0x3100, 3000),
    (0x3400, 1900),  # Han; the traditional forms are the dear ones
    (0xA000, 3000),
    (0xAC00, 1550),  # Hangul
    (0xD7B0, 3000),
    (0xFE00, 1800),  # variation selectors
    (0xFE10, 3000),
    (0xFF00, 1050),  # full-width forms
    (0xFFF0, 3000),
    (0x10000, 4000),  # emoji and everything beyond
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hull:
    """One version of the estimate."""

    runs: tuple[_Runs, ...]
    blocks: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]
    edges: int  # for the two words that a text's ends may have cut
    # Of a Chinese sign or Korean syllable that no character set of common ones holds; None: as its block.
    rare: int | None = None

    def tokens(self, text: str) -> int:
        return -(-(self.edges + self.cost(text)) // 1000) if text else 0  # rounds up

    def cost(self, text: str) -> int:
        """Return what the inside of a text costs, in thousandths of a token."""
        cost = sum(_cost_of_runs(text, runs) for runs in self.runs)
        if not text.isascii():
            foreign = Counter("".join(_NON_ASCII.findall(text)))
            cost += sum(self._cost_of_char(char) * times for char, times in foreign.items())
        return cost

    def _cost_of_char(self, char: str) -> int:
        if self.rare is not None and _is_rare(char):
            return self.rare
        # The last block that starts at the character or before it.
        return self.blocks[bisect_right(self.starts, ord(char)) - 1][1]


@lru_cache(maxsize=4096)
def _is_rare(char: str) -> bool:
    """Return whether a Chinese sign or Korean syllable is outside the common ones of its national character sets."""
    if "\uac00" <= char <= "\ud7a3":
        return len(char.encode("euc_kr", "ignore")) > 2  # the others are spelt out of their letters
    if not "\u3400" <= char <= "\u9fff":
        return False
    # Common are level 1 of GB 2312, whose lead bytes are 0xB0 to 0xD7, and of Big5, from 0xA4 to 0xC6.
    simplified, traditional = char.encode("gb2312", "ignore"), char.encode("big5", "ignore")
    return not b"\xb0" <= simplified[:1] <= b"\xd7" and not b"\xa4" <= traditional[:1] <= b"\xc6"


def _hull(
    runs: tuple[_Runs, ...], blocks: tuple[tuple[int, int], ...], *, edges: int, rare: int | None = None
) -> _Hull:
    return _Hull(runs=runs, blocks=blocks, starts=tuple(start for start, _ in blocks), edges=edges, rare=rare)


ESTIMATE = "3"
"""The version of the estimate; it is kept with every prompt, which is rebuilt by the one it was fitted with."""
# What today's fit costs otherwise, and the blocks that it parts in two.
_OTHERWISE = {
    0x00C0: 2600,  # pairs of letters tell what rare letters break
    0x0400: 1300,  # Cyrillic capitals
    0x0430: 800,
    0x0450: 1500,  # letters of Ukrainian, Serbian and others
    0x0460: 2500,
    0x0590: 2100,  # points of Hebrew
    0x05D0: 1300,
    0x064B: 2000,  # vowel marks of Arabic
    0x0660: 1300,
    0x1F00: 3600,  # Greek with breathings
    0xAC00: 1900,
}
_TODAY = _hull(_WORDLIKE_RUNS, tuple(sorted((dict(_BLOCKS) | _OTHERWISE).items())), edges=2000, rare=3000)
_SECOND = _hull(_ASCII_RUNS, _BLOCKS, edges=2000)
_PAIRS = _Runs(re.compile("[!-/:-@\\[-`{-~]{1,2}"), each=0, start=900)  # a pair of signs, at most, is a token
_THEN = {0x0370: 1500, 0x3400: 1600}  # the first version's costs of Greek and Han
_FIRST = _hull(
    (*_ASCII_RUNS[:-2], _PAIRS, _ASCII_RUNS[-1]),  # pairs of signs instead of runs
    tuple((start, _THEN.get(start, cost)) for start, cost in _BLOCKS),
    edges=0,
)


@lru_cache(maxsize=64)  # while one prompt is fitted into its budget its parts are counted again and again
def estimate_tokens(text: str) -> int:
    """Return an upper estimate of the tokens in `text`; 0 only for an empty text (ruling D15).

    Subadditive under concatenation and linear in the text's length. What lines and words cost is remembered: a prompt
    is made of lines that were counted before, and a memory says the same words again and again.
    """
    if not text:
        return 0
    lines: list[str] = _LINES.findall(text)
    cost = sum([_cost_of_line(line) if len(line) <= _LONGEST_LINE else _cost_of_words(line) for line in lines])
    return -(-(_TODAY.edges + cost) // 1000)


def _cost_of_words(text: str) -> int:
    words: list[str] = _WORDS.findall(text)
    # Each long word keeps the spaces behind it, so joined they cost what they cost apart.
    long = "".join([word for word in words if len(word) > _LONGEST_WORD])
    short = [word for word in words if len(word) <= _LONGEST_WORD] if long else words
    return sum(map(_cost_of_word, short)) + (_TODAY.cost(long) if long else 0)


@lru_cache(maxsize=1024)
def _cost_of_line(line: str) -> int:
    return _cost_of_words(line)


@lru_cache(maxsize=16_384)
def _cost_of_word(word: str) -> int:
    return _TODAY.cost(word)


@lru_cache(maxsize=64)
def first_estimate(text: str) -> int:
    """Return the estimate by its first version, which prompts were fitted with before versions were kept."""
    return _FIRST.tokens(text)


@lru_cache(maxsize=64)
def second_estimate(text: str) -> int:
    """Return the estimate by its second version, which kept prompts may be fitted with."""
    return _SECOND.tokens(text)


def _cost_of_runs(text: str, runs: _Runs) -> int:
    found: list[str] = runs.pattern.findall(text)
    return runs.start * len(found) + (runs.each * sum(map(len, found)) if runs.each else 0)


ESTIMATES: Mapping[str, Callable[[str], int]] = {"": first_estimate, "2": second_estimate, ESTIMATE: estimate_tokens}
"""Every version of the estimate; the first one had no name."""


class ConservativeCounter:
    """The `TokenCounter` for every model without a local tokenizer."""

    @property
    def name(self) -> str:
        """The version of the estimate."""
        return ESTIMATE

    def count(self, text: str) -> int:
        """Return `estimate_tokens(text)`."""
        return estimate_tokens(text)
