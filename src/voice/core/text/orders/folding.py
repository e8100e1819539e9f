"""A text as a reader sees it, in the form in which words of orders are looked up.

Law: case, accents, vowel points, what cannot be seen, look-alike letters inside a word of another script, s p a c i n g
and digits in place of letters hide no word. Line breaks stay, since a line is a sentence. Time is linear in the text.

Source: ruling D22.
"""

import re
import unicodedata
from collections.abc import Iterator

from voice.core.text.patterns import late_pattern
from voice.core.text.words import fold_key

_UNSEEN = late_pattern(
    r"[\u0300-\u036f\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\u0640\u064b-\u0652\u0670]|(?![\s])\p{Cc}"
    r"|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)
_SIGNS = str.maketrans(
    dict.fromkeys("‘’‚‛′‵`´ʼ＇", "'")
    | dict.fromkeys("“”„‟″«»‹›〝〞「」『』", '"')
    | dict.fromkeys("。।۔؟！？；؛…\r\u2028\u2029\x85", ".")
    | dict.fromkeys("：﹕︓", ":")
    | dict.fromkeys("，、،", ",")
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOT = re.compile(r"n't\b|n't(?=[a-z])")
_FOREIGN = late_pattern(r"[\p{Cyrillic}\p{Greek}]")
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[a-z]")
_SPACED = re.compile(r"\b\w(?P<gap>[ .*-])(?:\w(?P=gap)){2,}\w\b")
_LEET = str.maketrans("013457@$\n", "oieastas ")
_POSING = re.compile(r"\n|[a-z][013457@$]|[013457@$][a-z]")
"""Where a sign may stand for a letter, or a line may go on in the next."""
_SIGNED = re.compile(r"(?<!\S)(?=\S*[a-z]{2})\S+")


def fold(text: str) -> str:
    """Return `text` without what makes no difference to a reader of its words."""
    if text.isascii():
        folded = _CONTROLS.sub("", text.replace("\r", "\n")).lower()
    else:
        wide = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text.translate(_SIGNS)).casefold())
        folded = unicodedata.normalize("NFC", _UNSEEN.sub("", wide)).translate(_SIGNS)
        if _LATIN.search(folded) and _FOREIGN.search(folded):
            folded = _WORD.sub(_in_one_script, folded)
        folded = folded.replace("ı", "i")
    folded = folded.replace("_", " ")
    return _NOT.sub(" not", folded) if "n't" in folded else folded


def views(folded: str) -> Iterator[str]:
    """Yield a folded text with letters drawn together and, where it differs, with lines and signs read as letters."""
    plain = _SPACED.sub(lambda run: run.group().replace(run["gap"], ""), folded)
    yield plain
    if _POSING.search(plain):
        yield _SIGNED.sub(lambda token: token.group().translate(_LEET), plain).replace("\n", " ")


def _in_one_script(word: "re.Match[str]") -> str:
    token = word.group()
    return fold_key(token) if _LATIN.search(token) and _FOREIGN.search(token) else token
