"""What kind of thing a question asks for, and whether a text holds it.

Law: "when" asks for a time, "how many" for a number, "what does it cost" for money; in English, German and Spanish.

Source: ruling D5.
"""

from typing import Literal

import regex

from voice.core.text.numbers import quantities
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set

ASKING = word_set(
    "summarise summarize summarised summarized summary summaries recap digest overview thought thoughts "
    "notes entry entries moment moments memory memories "
    "ask asked asking tell told describe mention mentioned note noted write wrote written say said happen "
    "happened happening call called name named know think thought feel felt decide decided decision plan planned "
    "do did show showed kind type sort time day date way thing people person often long likely might would could "
    "wrong matter schwer groß gross hoch teuer heavy tall expensive bisher erzähle erzahle passiert passierte "
    "geschah geschehen geschrieben schrieb notiert gesagt sagte heißt heisst hieß hiess genannt gedacht "
    "entschieden beschlossen getan gemacht los tun machen jahr tag zeit art pasó paso ocurrió ocurrio escribí "
    "escribi escribió dije llama llamaba decidí decidi hice hizo sucedió "
)
"""Words that ask or name a kind of memory; they rank, they never say what a question is about (ruling E)."""

Amount = Literal["number", "money"]
AskedKind = Literal["time"] | Amount
_KINDS: list[tuple[AskedKind, "regex.Pattern[str]"]] = [
    (
        "time",
        late_pattern(
            r"\b(?:when|what (?:date|day|month|year|time)|which (?:day|month|year)|how long ago|since when"
            r"|wann|welche[mnrs]? (?:tag|datum|monat|jahr|uhrzeit)|cuándo|qué (?:día|fecha|mes|año|hora))\b"
        ),
    ),
    (
        "number",
        late_pattern(
            r"\bhow (?:many|much|old|often|tall|far|long|big|heavy)\b|\bwhat (?:number|amount|percentage)\b"
            r"|\bwie ?(?:viele?n?|oft|alt|lange?|groß|hoch|schwer|weit|teuer)\b|\bcuánt[oa]s?\b"
        ),
    ),
    (
        "money",
        late_pattern(
            r"\bhow much\b.{0,400}\b(?:cost|costs|pay|pays|paid|price|rent|earn|earns|earned|spend|spent|charge|charged"
            r"|owe|owes|owed|fee|salary|wage|worth|sell for|sold for)\b"
            r"|\bfor how much\b|\bwhat (?:does|did|do|will) .{0,400}\b(?:cost|pay|earn|charge)\b"
            r"|\bwhat(?:'s| is| was| are) the (?:price|rent|fee)\b"
            r"|\b(?:was|wie ?viel) .{0,400}"
            r"\b(?:kostete?|kosten|bezahlt?|zahlt?|zahlen|verdient?|verdienen|miete|preis)\b"
            r"|\bcuánto .{0,400}\b(?:cuesta|costó|paga|pagó|pagué|gana|ganó|alquiler)\b"
        ),
    ),
]
_AMOUNT_WORDS = late_pattern(
    r"\b(?:a|an|one|once|twice|both|several|few|many|couple|lots?|every|each|all|some|much|daily|weekly|monthly|yearly|always"
    r"|often|never|sometimes|half|none|no|ein|eine|einen|einmal|zweimal|beide|mehrere|einige|viele|alle|jeden|kein|keine"
    r"|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|un|una|dos|tres|cada|todos|varios|muchos)\b",
    regex.IGNORECASE,
)
_MONEY = late_pattern(
    r"[€$£¥₹]|\b(?:euros?|dollars?|bucks|pounds?|cents?|francs?|yuan|rmb|yen|grand|usd|eur|gbp|chf|free|gratis"
    r"|kostenlos|umsonst|franken|for nothing)\b",
    regex.IGNORECASE,
)


_PRICED = late_pattern(
    r"\b(?:costs?|cost me|paid|pays?|spent|charged?|kostete?n?|gekostet|bezahlt)\b", regex.IGNORECASE
)


def asked_kinds(question: str) -> tuple[AskedKind, ...]:
    """Return the kinds of thing that `question` asks for, in a fixed order; none for "what", "why", "tell me".

    Who asks for money asks for no other number.
    """
    flat = question.lower()
    kinds: list[AskedKind] = [kind for kind, pattern in _KINDS if pattern.search(flat)]
    if "money" in kinds and "number" in kinds:
        kinds.remove("number")
    return tuple(kinds)


def says(kind: Amount, text: str) -> bool:
    """Return whether a text holds an amount of the kind; generous, so that False means "certainly not"."""
    if kind == "number":
        return bool(quantities(text)) or bool(_AMOUNT_WORDS.search(text))
    return bool(_MONEY.search(text)) or (bool(_PRICED.search(text)) and bool(quantities(text)))
