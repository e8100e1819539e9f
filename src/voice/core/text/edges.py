"""Where a quotation may begin and end.

Law: never inside a word or a number ("twenty-five", "2 million", "5 000"), nor where the cut alone would change what
was said: between a sign and its number ("-5", "<40"), a grade and its sign ("A-", "C++"), a range's ends ("3-5 km"), a
prefix and what it reverses ("non-smoking", "ex-wife"), a verb and its "n't". What cannot be seen is not an edge. Text
without spaces between words may be cut anywhere but inside a number and beside a "not".

Source: DESIGN 6 stage 2; ruling C13.
"""

import regex

from voice.core.text.patterns import late_pattern

_EDGE = " \t\n\"'.,;:!?()[]{}*_`~-–—…<>|"
_SIGNED = late_pattern(r"(?<![\w.])[-.<>](?=\p{Nd})")
_UNSEEN = late_pattern(r"[\p{Cf}\p{Default_Ignorable_Code_Point}]")
_WORDLIKE = late_pattern(r"[\p{L}\p{M}\p{N}]")
_UNSPACED = late_pattern(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]")
_HAN_NUMERALS = frozenset("〇零一二三四五六七八九十百千万萬亿億两兩半")
_HAN_NOT = frozenset("不没沒未无無勿")
_THAI_NOT = "ไม่"
_NOT_AFTER = late_pattern(r"(?:では|じゃ)?(?:ない|なか|なく|ません|ありません)|不[了到起着得]")
"""What turns around the word before it, in scripts that set no space between them."""
_SEPARATORS = ".,:/'’-‐‑‒–−\u00a0\u202f\u2009·_×*٫٬"
_DASHES = "-‐‑"
_APOSTROPHES = "'’ʼ＇"
_BEFORE = late_pattern(
    r"(?P<glued>\p{Nd}[.,:/'’\-‐‑‒–−]|(?<![\w.])[-−<>≤≥±.,]|[<>≤≥±]\s?)$|(?<!\p{Nd})\p{Nd}{1,3}[ \u00a0\u202f\u2009]$"
)
_PREFIX = late_pattern(
    r"\b(?:non|ex|un|anti|pre|post|half|semi|quasi|pseudo|mid|vice|step|counter|nicht|nie|in|dis|mis)[-‐‑]$", regex.I
)
_CLITIC = late_pattern(r"(?<=\p{L})['’ʼ＇](?:t|d|m|ll|re|ve)\b", regex.I)
_CLITIC_BODY = late_pattern(r"(?:t|d|m|s|ll|re|ve)\b", regex.I)
_NOT_BEFORE = late_pattern(r"(?:^|[^\p{L}])n['’ʼ]$", regex.I)
_SUFFIX = late_pattern(r"[-‐‑](?:free|less|proof|frei|los)\b", regex.I)
_GROUP = late_pattern(r"\p{Nd}{3}(?!\p{Nd})")
_GROUPED = late_pattern(r"(?<!\p{Nd})\p{Nd}{1,3}$")
_GRADE = late_pattern(r"(?<![\p{L}\p{M}\p{N}])\p{L}$")
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_SCALES = (
    "hundred|thousand|million|billion|trillion|dozen|percent|per cent|mio|mrd|mln|tausend|millionen|milliarden|prozent"
    "|mil|millones|por ciento|χιλιάδες|εκατομμύρια|τοις εκατό"
)
_SPELT = late_pattern(
    rf"\b(?:{_TENS})[ -]?\0[ -]?(?:{_ONES})\b|(?:\b(?:{_ONES}|{_TENS}|{_TEENS})|\p{{Nd}})[ -]?\0[ -]?(?:{_SCALES})\b"
    rf"|\b(?:hundred|thousand|million)[ -]?(?:and )?\0[ -]?(?:and )?(?:{_ONES}|{_TENS}|{_TEENS})\b"
    r"|\bminus[ ]\0\p{Nd}",
    regex.IGNORECASE,
)
"""A number in several words, cut at the NUL."""
_CONTEXT = 16


def trimmed(quote: str) -> str:
    """Return a comparable quotation without the marks around it; the sign of a leading number stays."""
    bare = quote.strip(_EDGE)
    at = len(quote) - len(quote.lstrip(_EDGE))
    return quote[at - 1] + bare if at and bare and _SIGNED.match(quote, at - 1) else bare


def cuts(text: str, at: int) -> bool:
    """Return whether an edge at `at` would cut a word or a number of `text`, or a part that changes its meaning."""
    if not 0 < at < len(text):
        return False
    before = _UNSEEN.sub("", text[max(0, at - _CONTEXT) : at])
    after = _UNSEEN.sub("", text[at : at + _CONTEXT])
    if not before or not after:
        return False
    if _SPELT.search(f"{before}\0{after}"):
        return True
    if before[-1].isspace() and not after[0].isnumeric():
        return False
    return _inside_word(before, after) or _inside_number(before, after) or _beside_particle(before, after)


def _inside_word(before: str, after: str) -> bool:
    left, right = before[-1], after[0]
    if not _WORDLIKE.match(left) or not _WORDLIKE.match(right):
        return False
    if left in _HAN_NUMERALS and right in _HAN_NUMERALS:
        return True
    if _UNSPACED.match(left) or _UNSPACED.match(right):
        return left in _HAN_NOT or before.endswith(_THAI_NOT) or _NOT_AFTER.match(after) is not None
    return True


def _inside_number(before: str, after: str) -> bool:
    if after[0].isnumeric():
        found = _BEFORE.search(before)
        return found is not None and (found["glued"] is not None or _GROUP.match(after) is not None)
    if not before[-1].isnumeric():
        return False
    if after[0] == " " and _GROUPED.search(before):
        return _GROUP.match(after, 1) is not None
    return after[0] in "%‰^" or (after[0] in _SEPARATORS and after[1:2].isnumeric())


def _beside_particle(before: str, after: str) -> bool:
    if after[0] in "+#" and before[-1].isalnum():
        return True
    if after[0] in "-−" and _GRADE.search(before) and not after[1:2].isalnum():
        return True
    if after[0] in _APOSTROPHES + _DASHES:
        return bool(_CLITIC.match(before[-1] + after, 1) or (before[-1].isalpha() and _SUFFIX.match(after)))
    if before[-1] in _APOSTROPHES and before[-2:-1].isalpha():
        return bool(_CLITIC_BODY.match(after) or _NOT_BEFORE.search(before))
    return after[0].isalpha() and bool(_PREFIX.search(before))
