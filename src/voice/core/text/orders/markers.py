"""Marks by which a text poses as another part of a prompt.

Law: these are marks of machines, not words of a language: control tokens and tags of chat formats, a reply or a
message of a model as data, the names of this program's own fields. A person who writes of such a mark inside a sentence
writes a memory; what opens with one does not.

Source: ruling D22.
"""

from typing import Final

import regex

from voice.core.text.patterns import late_pattern

_SIGNS: Final = frozenset("<[{#|")
_WORDS: Final = ("role", "author", "sources", "assistant", "human:", "user:", "q:")
_FIELDS: Final = ("coverage", "self", "refused")
"""Without any of these there is no mark: looking for them is much cheaper than the patterns are."""
_MARK = late_pattern(
    r"<\||\|>|<<sys>>|</?source>|<source id|</?(?:tool[_ ](?:calls?|results?)|function[_ ](?:calls?|results?)|invoke)\b"
    r"|[\[<{]/? ?(?:inst|im[_ ]start|im[_ ]end) ?[\]>}]"
    r"|(?:^|[.!?>] ?)[\[<{] ?(?:system|assistant|sys|developer|instructions?) ?[\]>}]"
    r"|</ ?(?:system|assistant|instructions?) ?>"
    r"|(?:^|[.>] )#{1,6} ?(?:system|assistant|developer|instruction|question)(?: prompt)?(?:$|:)"
    r"|[\"'](?:role|author)[\"'] ?: ?[\"'](?:system|assistant|developer|tool)[\"']"
    r"|[\"']answer[\"'] ?: ?.{0,300}[\"']sources[\"'] ?: ?\[|[\"']tool[_ ]calls?[\"'] ?: ?[\[{]"
    r"|^\W{0,3}assistant$|^\W{0,3}(?:human|user|q): .{1,300}\b(?:assistant|a): ",
    regex.MULTILINE,
)
_FIELD = late_pattern(r"\b(?:coverage[_ ]ratio|self[_ ]reported)\b|\brefused[\"']? ?[=:] ?(?:true|false)\b")


def poses_as_prompt(folded: str) -> bool:
    """Return whether a folded text holds a mark of another part of a prompt."""
    may = not _SIGNS.isdisjoint(folded) or any(map(folded.__contains__, _WORDS))
    return may and _MARK.search(folded) is not None


def names_own_figures(folded: str) -> bool:
    """Return whether a folded text sets a field of a reply that this program computes itself."""
    return any(map(folded.__contains__, _FIELDS)) and _FIELD.search(folded) is not None
