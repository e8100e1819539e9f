"""The tokens by which a quotation is compared: words, numbers and the signs that say something.

Law: case, Unicode form, kinds of quotation marks and dashes, emphasis and white space make no difference (`norm_v1`);
a word, a digit, a minus, a currency, a percent, a question mark, an open or a done box always do.

Source: DESIGN 6 (quoted); ruling A10.
"""

from functools import lru_cache

from voice.core.text.comparable import comparable_text
from voice.core.text.lazy import late_pattern

_TOKEN = late_pattern(
    r"[\p{L}\p{M}\p{N}]++(?:['.,:/@_+&-][\p{L}\p{M}\p{N}]++)*+(?:\+\+?|#(?!\w))?"
    r"|[\p{Sc}%‰=<>≤≥≠±√×÷^°?¿؟☐☑✓✔✗✘✅❌☒]|[+-](?=\p{N})|\p{Extended_Pictographic}"
)
_MARK_ONLY = frozenset("¿")


@lru_cache(maxsize=2048)
def tokens_of(text: str) -> tuple[str, ...]:
    """Return the comparable tokens of `text`, in order."""
    found = _TOKEN.findall(comparable_text(text).text)
    return tuple("?" if sign == "؟" else sign for sign in found if sign not in _MARK_ONLY)
