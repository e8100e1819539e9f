"""What kind of thing a question asks for, and whether a row brings it.

Law: "when" asks for a time, "how many" for a number, "what does it cost" for money, "who" for a person, "where" for a
place; in English, German and Spanish. A row brings a time always when its date is known, because the prompt shows it;
the others only by what it says.

Source: ruling D5.
"""

from typing import Literal, NamedTuple

import regex

from voice.core.grounding.answerability.passages import said_on, speaker_of
from voice.core.grounding.answerability.who import proper_names
from voice.core.grounding.values import Evidence
from voice.core.text.dates import stated_dates
from voice.core.text.numbers import quantities
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import words

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

PRICING = word_set(
    "cost costs costing price prices priced pay pays paid paying spend spends spent charge charged bill billed much "
    "kostet kosten kostete gekostet bezahlt bezahle bezahlen zahle zahlt zahlen preis cuesta costó costo pagué pago"
)
"""Words that ask for a price: everything has one, so they do not say what the price is of."""

AskedKind = Literal["time", "number", "money", "person", "place"]
KIND_WORDS: dict[AskedKind, str] = {
    "time": "when",
    "number": "how many",
    "money": "how much",
    "person": "who",
    "place": "where",
}
"""How a kind is asked for, for messages."""
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
    ("person", late_pattern(r"\b(?:who|whom|whose|with whom|wer|wem|wen|wessen|quién|quiénes)\b")),
    (
        "place",
        late_pattern(
            r"\bwhere\b|\b(?:what|which) (?:city|country|place|town|state|location)\b"
            r"|\b(?:wo|wohin|woher|d[óo]nde|adónde)\b"
        ),
    ),
]
_TIME_WORDS = late_pattern(
    r"\b(?:today|tonight|yesterday|tomorrow|morning|afternoon|evening|night|noon|week|weekend|month|year|day|ago|last|next"
    r"|since|during|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|soon|now)s?\b",
    regex.IGNORECASE,
)
PLACE_LEAD = late_pattern(
    r"\b(?:in|at|to|from|near|around|on|by|through|into|outside|inside|behind|across|under|underneath|beneath|below"
    r"|above|over|beside|between|against|along|past|next to|top of|visit(?:ed|ing)?|unter|auf|über|im|am|an|bei|beim"
    r"|nach|aus|zu|zum|zur|hinter|neben|vor|zwischen|en|sobre|bajo|cerca|junto|detrás|entre)\s+\p{L}",
    regex.IGNORECASE,
)
_MEASURES: list[tuple[frozenset[str], "regex.Pattern[str]"]] = [
    (
        word_set("tall wide deep thick breit tief dick"),
        late_pattern(
            r"\p{Nd}\s?(?:m|cm|mm|km|ft|in)\b|[\"′″]|\b(?:(?:centi|milli|kilo)?met(?:re|er)s?|(?:zenti|milli|kilo)?meter"
            r"|feet|foot|inch(?:es)?|yards?|miles?|tall\w*|short\w*|heights?|high\w*|wide\w*|widths?|narrow\w*|deep\w*"
            r"|depths?|shallow|thick\w*|thin\w*|breit\w*|schmal\w*|tief\w*|dick\w*|dünn\w*|gro(?:ß|ss)\w*|klein\w*"
            r"|size|as \w+ as)\b",
            regex.IGNORECASE,
        ),
    ),
    (
        word_set("heavy schwer"),
        late_pattern(
            r"\p{Nd}\s?(?:kg|g|mg|lbs?|oz|t)\b|\b(?:(?:kilo)?gram(?:me)?s?|(?:kilo)?gramm|kilos?|pfund|tonnen?|tons?|tonnes?"
            r"|pounds?|ounces?|weigh\w*|weights?|heav\w*|light\w*|wieg\w*|wog\w*|gewicht|schwer\w*|schwierig\w*|leicht\w*"
            r"|einfach\w*|stark\w*|as \w+ as)\b",
            regex.IGNORECASE,
        ),
    ),
]
_MEASURED = late_pattern(
    rf"\b(?:how|wie)\s+(?P<name>{'|'.join(sorted(name for names, _ in _MEASURES for name in names))})\b",
    regex.IGNORECASE,
)
_COLOUR_ASKED = late_pattern(
    r"\b(?:what|which) (?:\p{L}+ )?colou?rs?\b|\bwelche \p{L}*farbe\b|\bqué color\b", regex.IGNORECASE
)
_COLOUR_SAID = late_pattern(
    r"\b(?:red|blue|green|yellow|orange|purple|violet|pink|brown|black|white|gr[ae]y|silver|gold|beige|cream|turquoise"
    r"|teal|navy|maroon|crimson|scarlet|lilac|magenta|ivory|khaki|olive|bronze|copper|blond|ginger|dark|light|pale|bright"
    r"|rainbow|rot|blau|grün|gelb|schwarz|weiß|grau|braun|rosa|lila|silber|rojo|azul|verde|amarill|negr|blanc|gris"
    r"|marrón)\p{L}*\b|colou?r|farb",
    regex.IGNORECASE,
)
_PEOPLE_WORDS = late_pattern(
    r"\b(?:mother|mom|mum|father|dad|parents?|sister|brother|son|daughter|kids?|child(?:ren)?|wife|husband|partner|friends?|boss"
    r"|colleagues?|co-?workers?|neighbou?rs?|aunt|uncle|cousins?|grand\w+|family|team|teacher|doctor|coach|mentor|he|she|they"
    r"|we|i|my|us|everyone|someone|people|girl|boy|man|woman|guy)\b",
    regex.IGNORECASE,
)
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
_GERMAN_NAME = late_pattern(
    r"\b(?:(?i:heißt|heisst|namens|herrn?|frau)|(?i:mein|unser|sein|ihr)\p{Ll}{0,2} \p{Lu}\p{Ll}+) \p{Lu}\p{Ll}+"
)
"""A name where German puts one; elsewhere every noun has a capital there."""


def asked_kinds(question: str) -> tuple[AskedKind, ...]:
    """Return the kinds of thing that `question` asks for, in a fixed order; none for "what", "why", "tell me".

    Who asks for money asks for no other number.
    """
    flat = question.lower()
    kinds: list[AskedKind] = [kind for kind, pattern in _KINDS if pattern.search(flat)]
    if "money" in kinds and "number" in kinds:
        kinds.remove("number")
    return tuple(kinds)


def brings(kind: AskedKind, row: Evidence) -> bool:
    """Return whether `row` holds something of the kind; generous, so that False means "certainly not"."""
    if kind == "time" and said_on(row.created_at) is not None:
        return True
    if kind == "person" and (speaker_of(row) or row.entity_names):
        return True
    return says(kind, row.text)


def says(kind: AskedKind, text: str) -> bool:
    """Return whether a text itself holds something of the kind, whatever is known beside it; as generous."""
    if kind == "time":
        return bool(stated_dates(text)) or bool(_TIME_WORDS.search(text))
    if kind == "number":
        return bool(quantities(text)) or bool(_AMOUNT_WORDS.search(text))
    if kind == "money":
        return bool(_MONEY.search(text)) or (bool(_PRICED.search(text)) and bool(quantities(text)))
    if kind == "person":
        return bool(proper_names(text, words(text)) or _PEOPLE_WORDS.search(text) or _GERMAN_NAME.search(text))
    return bool(proper_names(text, words(text))) or bool(PLACE_LEAD.search(text))


class Measure(NamedTuple):
    """What a question asks for that has words of its own: how tall, how heavy, which colour."""

    name: str
    """How it is asked for."""
    said: "regex.Pattern[str]"

    def says(self, text: str) -> bool:
        """Return whether a text tells it: with a unit of it, or by a word of it ("tall", "weighs")."""
        return self.said.search(text) is not None


def asked_measure(question: str) -> Measure | None:
    """Return the measure or colour that `question` asks for, None where it asks for none that has words of its own."""
    if _COLOUR_ASKED.search(question):
        return Measure("which colour", _COLOUR_SAID)
    match = _MEASURED.search(question)
    if match is None:
        return None
    name = match["name"].lower()
    return Measure(f"how {name}", next(said for names, said in _MEASURES if name in names))
