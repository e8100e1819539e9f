"""What kind of thing a question asks for, and whether a row brings it.

Law: "when" asks for a time, "how many" for a number, "who" for a person, "where" for a place. A row brings a time
always when its date is known, because the prompt shows it; the others only by what it says.

Source: ruling D5.
"""

from typing import Literal

import regex

from voice.core.grounding.passages import said_on, speaker_of
from voice.core.grounding.values import Evidence
from voice.core.grounding.who import proper_names
from voice.core.text.dates import stated_dates
from voice.core.text.numbers import quantities
from voice.core.text.words import words

AskedKind = Literal["time", "number", "person", "place"]
_KINDS: list[tuple[AskedKind, "regex.Pattern[str]"]] = [
    (
        "time",
        regex.compile(
            r"\b(?:when|what (?:date|day|month|year|time)|which (?:day|month|year)|how long ago|since when)\b"
        ),
    ),
    (
        "number",
        regex.compile(r"\bhow (?:many|much|old|often|tall|far|long|big|heavy)\b|\bwhat (?:number|amount|percentage)\b"),
    ),
    ("person", regex.compile(r"\b(?:who|whom|whose|with whom)\b")),
    ("place", regex.compile(r"\bwhere\b|\b(?:what|which) (?:city|country|place|town|state|location)\b")),
]
_TIME_WORDS = regex.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|morning|afternoon|evening|night|noon|week|weekend|month|year|day|ago|last|next"
    r"|since|during|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|soon|now)s?\b",
    regex.IGNORECASE,
)
_PLACE_LEAD = regex.compile(
    r"\b(?:in|at|to|from|near|around|on|by|through|into|outside|inside|behind|across|visit(?:ed|ing)?)\s+\p{L}",
    regex.IGNORECASE,
)
_PEOPLE_WORDS = regex.compile(
    r"\b(?:mother|mom|mum|father|dad|parents?|sister|brother|son|daughter|kids?|child(?:ren)?|wife|husband|partner|friends?|boss"
    r"|colleagues?|co-?workers?|neighbou?rs?|aunt|uncle|cousins?|grand\w+|family|team|teacher|doctor|coach|mentor|he|she|they"
    r"|we|i|my|us|everyone|someone|people|girl|boy|man|woman|guy)\b",
    regex.IGNORECASE,
)
_AMOUNT_WORDS = regex.compile(
    r"\b(?:a|an|one|once|twice|both|several|few|many|couple|lots?|every|each|all|some|much|daily|weekly|monthly|yearly|always"
    r"|often|never|sometimes|half|none|no)\b",
    regex.IGNORECASE,
)


def asked_kinds(question: str) -> tuple[AskedKind, ...]:
    """Return the kinds of thing that `question` asks for, in a fixed order; none for "what", "why", "tell me"."""
    flat = question.lower()
    return tuple(kind for kind, pattern in _KINDS if pattern.search(flat))


def brings(kind: AskedKind, row: Evidence) -> bool:
    """Return whether `row` holds something of the kind; generous, so that False means "certainly not"."""
    text = row.text
    if kind == "time":
        return said_on(row.created_at) is not None or bool(stated_dates(text)) or bool(_TIME_WORDS.search(text))
    if kind == "number":
        return bool(quantities(text)) or bool(_AMOUNT_WORDS.search(text))
    if kind == "person":
        return bool(
            speaker_of(row) or row.entity_names or proper_names(text, words(text)) or _PEOPLE_WORDS.search(text)
        )
    return bool(proper_names(text, words(text))) or bool(_PLACE_LEAD.search(text))
