"""Small talk: greetings, thanks and questions about the program, with their replies.

Law: an utterance is small talk only if all of it consists of phrases from a closed table
(`data/language/small_talk.toml`). It asks nothing of the memory, and the reply claims nothing about it.

Source: DESIGN 5; ruling D5 ("a verbatim but irrelevant answer is ungrounded").
"""

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple, cast

from voice.core.text.language_data import language_tables, words_under
from voice.core.text.words import words

_LONGEST: Final = 160
"""Characters; what is longer says more."""
_NOD: Final = "nod"


class _Phrase(NamedTuple):
    """The reply to a phrase of the table."""

    kind: str
    reply: str


def reply_to(utterance: str) -> str | None:
    """Return the reply to small talk; None if an utterance is anything else.

    If it has several phrases, the last one that is more than a nod decides.
    """
    if len(utterance) > _LONGEST:
        return None
    rest = tuple(word.key for word in words(utterance))
    said: list[_Phrase] = []
    while rest:
        length = next((many for many in range(len(rest), 0, -1) if rest[:many] in _phrases()), None)
        if length is None:
            return None
        said.append(_phrases()[rest[:length]])
        rest = rest[length:]
    told = [phrase.reply for phrase in said if phrase.kind != _NOD] or [phrase.reply for phrase in said]
    return told[-1] if told else None


@cache
def _phrases() -> Mapping[tuple[str, ...], _Phrase]:
    """Return the table's phrases by their words; of one that stands in two languages the first."""
    found: dict[tuple[str, ...], _Phrase] = {}
    for kinds in language_tables("small_talk").values():
        for kind, table in cast("Mapping[str, Mapping[str, object]]", kinds).items():
            phrase = _Phrase(kind, str(table["reply"]))
            for said in sorted(words_under(table, "said")):
                found.setdefault(tuple(word.key for word in words(said)), phrase)
    return found
