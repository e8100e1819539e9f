"""Who somebody is, or what something is: the sentences that say it, where a question asks for nothing else.

Law: asked who Rui is, what the graph says of Rui comes first, then the sentences that say what he is ("Rui is …", "my
partner Rui", "Rui, the electrician"), then the relations he has; a sentence that only mentions him says nothing of who
he is, and stands in where there is none of these. A row of the graph is about whom its own name names, not about whom
it mentions.

Source: ruling D5; DESIGN 6 (entities are rows like any other).
"""

from collections.abc import Sequence
from dataclasses import replace

import regex

from voice.core.grounding.answerability.passages import Passage
from voice.core.grounding.answerability.quoting import Question, Quote
from voice.core.grounding.answerability.who import same_name
from voice.core.text.patterns import late_pattern
from voice.core.text.words import Word, words

_ASKS = late_pattern(
    r"^\W*+(?:(?:so|and|und|y)\s++)?(?:(?:who|what|wer|was|quién|quien|qué)"
    r"(?:['’]s|\s+(?:is|was|are|were|ist|war|sind|es|era)\b)"
    r"|(?:please\s++)?(?:tell me|what do (?:you|i|we) know) (?:about|of|who|what)|(?:what|how) about"
    r"|erzähl\p{L}* (?:mir )?von)?"
    r" *+(?:(?:the|our|my|der|die) ++)?(?P<name>[\p{L}\p{M}\p{N}'’. -]++)$",
    regex.IGNORECASE,
)
_VERB_LAST = (" is", " was", " ist", " war")
_NAME = r"(?:(?:Dr|Mr|Mrs|Ms|Prof|Herr|Frau|Sr|Dona|Dra)\.?\s)?{name}(?:\s\p{{Lu}}[\p{{L}}'’-]+)?"
_WHOSE = (
    r"(?:(?i:my|our|his|her|their|the|a|an|mein|meine|unser|unsere|mi|nuestr[oa])|\p{Lu}[\p{L}-]+['’]s)"
    r"\s(?:\p{Ll}[\p{L}-]*\s){0,2}?(?!(?:the|of|from|to|with|and|for|that|in|on|at|by|so|about|which|is|was|von|mit)\b)"
    r"\p{L}[\p{L}-]+"
)
_ONE = r"a|an|the|my|our|his|her|one|ein|eine|der|die|mein|meine|unser|unsere|un|una|el|la|mi|\p{{Lu}}[\p{{L}}-]+['’]s"
_SAYS_WHO = (
    rf"\b{_NAME}(?:\s(?:is|was|ist|war|es|era)|['’]s)\s(?:now\s|still\s)?(?:{_ONE})\b",
    rf"\b{_NAME}\s?[,(]\s?(?:a|an|the|my|our|his|her|who|ein|eine|der|die|mein|meine|unser|unsere)\s",
    rf"\b{_NAME}\s(?:leads|runs|owns|manages|teaches|studies|works|leitet|arbeitet|unterrichtet|dirige|trabaja)\b",
    rf"\b(?:is|was|ist|war|es)\s(?:called\s|named\s)?{_NAME}(?=\s*(?:$|[.,;!?]))",
    rf"\b(?:called|named|namens|llamad[oa])\s{_NAME}",
)
_BY_ROW = 2.0
_BY_SENTENCE = 1.6
_BY_RELATION = 1.45


def who_it_is(asked: Question, quotes: Sequence[Quote]) -> list[Quote]:
    """Return the quotes that say who or what is meant by the name a question asks about, the plainest first.

    Args:
        asked: the question.
        quotes: the sentences of its evidence.

    Returns:
        nothing where it asks for anything else, or where nothing says it.
    """
    if not asks_who(asked):
        return []
    patterns = [_pattern(shape, asked.names) for shape in _SAYS_WHO]
    patterns.append(late_pattern(rf"\b{_WHOSE},?\s{_named(asked.names)}"))
    weighed = [(quote, _says_who(quote.passage, asked.names, patterns)) for quote in quotes]
    found = [replace(quote, score=score + quote.score / 10) for quote, score in weighed if score]
    return sorted(found, key=lambda quote: (-quote.score, quote.passage.row.alias, quote.passage.start))


def asks_who(asked: Question) -> bool:
    """Return whether a question asks who or what one named thing is, and for nothing else."""
    if not asked.names or asked.topic != asked.names:
        return False
    match = _ASKS.match(" ".join(asked.text.split()).rstrip(" ?!."))
    if match is None:
        return False
    told = words(_without_verb(match["name"]))
    own = [word.key for word in told if not word.is_stop]
    return bool(told) and not told[0].is_stop and own == [word.key for word in asked.names]


def _without_verb(name: str) -> str:
    """Return a name without the verb behind it: "Tell me who Rui is"."""
    verb = next((verb for verb in _VERB_LAST if name.lower().endswith(verb)), "")
    return name[: len(name) - len(verb)]


def _says_who(passage: Passage, names: Sequence[Word], patterns: Sequence["regex.Pattern[str]"]) -> float:
    """Return how plainly a sentence says it; 0 for not at all."""
    match passage.row.source_type:
        case "kg_entity":
            own = words(passage.text.partition(" (")[0])
            is_own = passage.start == 0 and all(any(same_name(name.key, one.key) for one in own) for name in names)
            return _BY_ROW if is_own else 0.0
        case "kg_relation":
            held = {word.key for word in passage.words}
            return _BY_RELATION if all(name.key in held for name in names) else 0.0
        case _:
            return _BY_SENTENCE if any(pattern.search(passage.text) for pattern in patterns) else 0.0


def _pattern(shape: str, names: Sequence[Word]) -> "regex.Pattern[str]":
    return late_pattern(shape.format(name=_named(names)))


def _named(names: Sequence[Word]) -> str:
    return r"\s".join(regex.escape(name.text) for name in names)
