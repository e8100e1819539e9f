"""The content words of a question, and what is quoted in it.

Law: a term is a word with a topic, folded, once, in order; what the question is made of (stop words, commands, its
time phrase) is no topic. Terms boost, quoted phrases filter (ruling E). Any script and any punctuation inside a word is
kept: "C++", "login.py", "auth-bug".

Source: spec nlq 2, 5; rulings A24, B16, E, G.
"""

from collections.abc import Sequence

from voice.core.nlq.tokens import quoted
from voice.core.text.patterns import late_pattern
from voice.core.text.stopwords import Language, fold_word, is_stopword

_TERM = late_pattern(r"[\p{L}\p{M}\p{N}_](?:[\p{L}\p{M}\p{N}_'’ʼ‘`´＇./@:&-]*[\p{L}\p{M}\p{N}_])?[+#]*")
_COMMANDS: dict[Language, frozenset[str]] = {
    "en": frozenset(
        ("find", "show", "list", "tell", "give", "search", "look", "remind", "summarise", "summarize", "mention")
    ),
    "de": frozenset(("finde", "suche", "zeige", "zeig", "nenne", "erzähl", "liste", "erinnere")),
    "es": frozenset(("busca", "encuentra", "muestra", "muéstrame", "dime", "lista", "recuérdame", "cuéntame")),
}
"""Words that ask, when they stand first; inside a question they are topics."""
_POLITE = frozenset(
    ("please", "can", "could", "would", "you", "bitte", "kannst", "könntest", "du", "puedes", "por", "favor")
)


def terms(text: str, *, language: Language, left_out: Sequence[tuple[int, int]], most: int) -> tuple[str, ...]:
    """Return the content words of `text`, folded, each once, in order, at most `most`.

    Args:
        text: the question.
        language: whose stop words are left out.
        left_out: half-open spans that are not read: the time phrase.
        most: the greatest number of terms.
    """
    found: dict[str, None] = {}
    opens = True
    for match in _TERM.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in left_out):
            continue
        word = fold_word(match.group())
        asks = opens and word in _COMMANDS[language]
        opens = opens and word in _POLITE
        if not asks and not is_stopword(word, language):
            found.setdefault(word.removesuffix("'s"))
    return tuple(found)[:most]


def phrases(text: str) -> tuple[str, ...]:
    """Return what is quoted in `text`, as written, each once, in order."""
    return tuple(dict.fromkeys(inside for _, _, inside in quoted(text)))
