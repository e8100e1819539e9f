"""How many tokens a text costs at most, for models whose tokenizer is not on this machine.

Law: the estimate does not under-count what people write: prose of any script, JSON, code, URLs, emoji (ruling D15).
It is a sum of costs per character and per run of like characters, so it is subadditive: `count(a + b)` is at most
`count(a) + count(b)`, and a budget that holds for the parts holds for the whole. It never falls when text is added.

The costs are upper hulls over the byte-pair vocabularies cl100k, o200k and the first public Claude one, fitted on
21 languages, memories, JSON, code and URLs; a digit counts whole because some vocabularies split numbers so, and every
text costs two tokens more, because one that begins and ends inside a word breaks both words. On English the estimate is
about 1.5 times the true count (`python -m bench.tokens`). Languages that are written in plain ASCII and that no
vocabulary learned, such as Welsh or Zulu, can take a third more than it says; `voice.core.session.trueing` leaves
room for it then.
"""

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class _Runs:
    """Cost in thousandths of a token: `each` per character and `start` per maximal run of what `pattern` matches."""

    pattern: re.Pattern[str]
    each: int
    start: int


_ASCII_RUNS = (
    _Runs(re.compile("[A-Za-z]+"), each=350, start=70),
    _Runs(re.compile("[A-Z]+"), each=0, start=650),
    _Runs(re.compile("[0-9]+"), each=1000, start=200),
    _Runs(re.compile(" +"), each=60, start=0),  # a space joins the next word; long runs of them do cost
    _Runs(re.compile("[\t-\r]+"), each=600, start=1200),
    _Runs(re.compile("[!-/:-@\\[-`{-~]+"), each=450, start=600),
    _Runs(re.compile("[\x00-\x08\x0e-\x1f\x7f]"), each=1000, start=0),
)
_NON_ASCII = re.compile("[^\x00-\x7f]+")

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
    edges: int
    """For the two words that a text's ends may have cut."""

    def tokens(self, text: str) -> int:
        if not text:
            return 0
        cost = self.edges + sum(_cost_of_runs(text, runs) for runs in self.runs)
        if not text.isascii():
            foreign = Counter("".join(_NON_ASCII.findall(text)))
            cost += sum(self._cost_of_char(char) * times for char, times in foreign.items())
        return -(-cost // 1000)

    def _cost_of_char(self, char: str) -> int:
        return self.blocks[bisect_right(self.starts, ord(char)) - 1][1]


def _hull(runs: tuple[_Runs, ...], blocks: tuple[tuple[int, int], ...], *, edges: int) -> _Hull:
    return _Hull(runs=runs, blocks=blocks, starts=tuple(start for start, _ in blocks), edges=edges)


ESTIMATE = "2"
"""The version of the estimate; it is kept with every prompt, which is rebuilt by the one it was fitted with."""
_TODAY = _hull(_ASCII_RUNS, _BLOCKS, edges=2000)
_PAIRS = _Runs(re.compile("[!-/:-@\\[-`{-~]{1,2}"), each=0, start=900)
_THEN = {0x0370: 1500, 0x3400: 1600}
_FIRST = _hull(
    (*_ASCII_RUNS[:-2], _PAIRS, _ASCII_RUNS[-1]),
    tuple((start, _THEN.get(start, cost)) for start, cost in _BLOCKS),
    edges=0,
)


@lru_cache(maxsize=64)  # while one prompt is fitted into its budget its parts are counted again and again
def estimate_tokens(text: str) -> int:
    """Return an upper estimate of the tokens in `text`; 0 only for an empty text (ruling D15).

    Subadditive under concatenation and linear in the text's length.
    """
    return _TODAY.tokens(text)


@lru_cache(maxsize=64)
def first_estimate(text: str) -> int:
    """Return the estimate by its first version, which prompts were fitted with before versions were kept."""
    return _FIRST.tokens(text)


def _cost_of_runs(text: str, runs: _Runs) -> int:
    found: list[str] = runs.pattern.findall(text)
    return runs.start * len(found) + (runs.each * sum(map(len, found)) if runs.each else 0)


class ConservativeCounter:
    """The `TokenCounter` for every model without a local tokenizer."""

    def count(self, text: str) -> int:
        """Return `estimate_tokens(text)`."""
        return estimate_tokens(text)
