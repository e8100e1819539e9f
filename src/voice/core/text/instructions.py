"""Which texts speak to the model instead of remembering.

Law: a memory is evidence, whatever it says; one that gives the model orders is evidence that somebody tried. A person's
own imperatives ("do not forget the milk", "tell Jonas that the ferry leaves at nine", a recipe, a note about prompts)
are ordinary memories. What tells the two apart is whom the text addresses and what about: the model, its rules, its
sources, its answers, the user behind it. The rule is deterministic, made of word tables, and looks at the words as a
reader sees them: without invisible characters, look-alike letters and s p a c i n g. It is a filter in front of the
judge, never instead of it.

Source: ruling D22; DESIGN 6.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, cast

import regex

from voice.core.text.comparable import comparable
from voice.core.text.words import fold_key

InstructionKind = Literal[
    "overrides the rules",
    "changes the model's role",
    "poses as another part of the prompt",
    "sets the model's own figures",
    "addresses the model",
    "tells the model what to say to the user",
    "dictates the answer",
    "asks for a tool or a hidden payload",
]

Pattern = regex.Pattern[str]
_TOKEN = regex.compile(r"\S+")
_SPACED = regex.compile(r"(?<!\w)(?:\w ){3,}\w(?!\w)")
_REPORTED = regex.compile(
    r"\b(?:say|says|said|wrote|writes|reads?|called|titled|like|phrase|sentence|heard|means|learned|about|how|as)"
    r"[ :,]{1,2}\"[^\"]{1,200}\""
)
"""Words that somebody tells of in quotation marks are not said to anybody."""
_PARTS: Mapping[str, str] = {
    "START": (
        r"(?:^|[.!?:;,>\])\n\"-] ?"
        r"|\b(?:please|kindly|now|then|and|but|must|should|may|always|never|to ai|you) )"
    ),
    "AI": (
        r"(?:ai|ais|llms?|chatgpt|gpt(?:-?\d\w*)?|(?:ai|language|llm)[ -](?:assistants?|models?|agents?|systems?)"
        r"|assistants?|chatbots?)"
    ),
    "WHAT": r"(?:instructions|instruction|rules|prompts?|guidelines|directions|directives|system prompt|restrictions)",
    "LOOSE": (
        r"(?:all|any|every|your|our|other|earlier|previous|prior|above|preceding|foregoing|old|given|system|safety"
        r"|hidden)"
    ),
    "ASKS": r"(?:answer|respond|reply)",
}
"""What the patterns name in braces: where an order begins, whom it is given, what it is to do away with."""
_PATTERNS = r"""
# overrides the rules
{START}(?:ignore|disregard|forget|override|bypass|do not (?:obey|follow)|don't (?:obey|follow)|stop following)
  + (?:(?:of|the|these|those|my|{LOOSE}) ){0,4}(?:{LOOSE} )(?:of |the |my |these |those )*{WHAT}
{START}(?:ignore|disregard|forget|override|bypass|do not (?:obey|follow)) (?:the |these |all )+{WHAT} (?:above
  +|before|you (?:were|have|got|are|had)|in the system|of the system|so far|and (?:report|answer|say|cite))
{START}(?:ignore|disregard|forget) (?:everything|anything|all|the text|what is) (?:above|before|that came before
  +|you (?:were told|know|have been told)|(?:said|written) (?:above|before))
\b(?:these|the following|my|new) {WHAT} (?:override|overrule|replace|supersede|take precedence)
^new instructions?:|\bend of (?:context|prompt|system prompt)\b
\btreat .{0,40}\bas an? (?:instruction|command|system message)
{START}(?:ignoriere?n?|vergiss|vergessen|missachte[nt]?)(?: sie)? (?:bitte )?(?:\w+ ){0,3}(?:vorherigen
  +|bisherigen|obigen|vorigen|fruheren|alle|deine|ihre) (?:\w+ ){0,2}(?:anweisungen|regeln|instruktionen|vorgaben
  +|befehle)
{START}(?:ignora|ignore|olvida|olvide|descarta) (?:(?:todas?|las?|los|tus|sus) ){1,3}(?:\w+ )?(?:instrucciones
  +|reglas|ordenes|directrices|indicaciones) (?:anteriores|previas|del sistema|que te)
{START}(?:ignora|olvida) (?:todas|tus|sus) (?:las )?(?:instrucciones|reglas)
# changes the model's role
\byou are now (?:in \w+ mode|dan\b|root\b|jailbroken|unrestricted|free (?:of|from)|(?:an? |the )?(?:\w+ ){0,3}
  +(?:{AI}|model|bot|hacker|administrator)\b)
\bfrom now on,? you (?:are (?:an?|the|in|no) |{ASKS}|will {ASKS}|must {ASKS})
\bact as (?:an? |the )?(?:\w+ )?(?:system administrator|root|dan|unrestricted|unfiltered|ai|language model)\b
\bpretend (?:that )?you (?:have no|are an? (?:\w+ )?(?:ai|model|assistant))|\byou have no (?:restrictions|rules
  +|limits)
\b(?:jailbreak|developer|dan|god|maintenance) mode (?:enabled|activated|is on)|\byou have been granted\b
\bdu bist (?:jetzt|ab jetzt|nun) (?:ein(?:e)? )?(?:\w+ )?(?:assistent|ki|modell|sprachmodell|bot|system)\b
\bahora eres (?:un|una) (?:\w+ )?(?:asistente|ia|modelo|bot|sistema)\b
# poses as another part of the prompt
^\W{0,4}system(?:[ -]?(?:prompt|message|note|override|instructions?))?\W{0,3}: .*\b(?:the (?:user|assistant
  +|model) |you (?:must|are|may|will|should) |ignore|never|refuse|(?:other|all|your) (?:sources|instructions
  +|rules))
^\W{0,3}assistant\W{0,2}[:,][ ]
[\[<{](?:\||/)? ?(?:system|assistant|inst|sys|im_start|im_end|instructions?) ?(?:\||/)?[\]>}]|<\|im_|<<sys>>
</ ?source>|<source id|</?(?:tool_calls?|function_calls?|invoke)\b
[\"']role[\"'] ?: ?[\"'](?:system|assistant|developer|tool)[\"']
(?:^|\n|[.>] )#{1,6} (?:system|instruction:|question:|system prompt)
\b(?:begin|end) system prompt\b|\bsystemnachricht ?:|\bmensaje del sistema ?:|\bsystem-?prompt ?:
# sets the model's own figures
{START}(?:report|set|claim|state|return|output|give)\b.{0,30}\b(?:coverage(?:[_ ]ratio)?|confidence
  +|self_reported)\b(?: confidence)?.{0,10}\b(?:[01](?:\.\d+)?|100 ?%|full|complete|maximal|maximum)
\brefused (?:to|=|:|as) (?:false|true)\b|\b(?:coverage_ratio|self_reported)\b
# addresses the model
\b(?:note|notice|message|instructions?|attention|dear|hey|hello|hi|to|reminder)[ ,]+(?:to |for )?(?:the |any
  + |all |every )?(?:{AI})(?: \w+){0,3} ?[:,]
^(?:(?:ai|llms?|chatgpt|gpt(?:-?\d\w*)?)|(?:ai|language) (?:assistants?|models?|agents?))(?: reading this)?
  + ?[:,]
\bif you are an? {AI}\b|\bas an? {AI}\b.{0,20}\byou (?:must|should|will|are to)
\b(?:the (?:assistant|model|ai|llm)|ai agents?|assistants?|language models?|llms?)(?: reading this)? (?:must
  +|should|shall|may|has to|needs? to)(?: today| now| always| never| only| not)* (?:answer|respond|reply|say|cite
  +|recommend|skip|ignore|refuse|mark|mention|reveal|output|tell|state|report)\b
\b(?:hinweis|nachricht|notiz|achtung|anweisung) (?:an|fur) (?:die |das |alle |den )?(?:ki|assistenten
  +|sprachmodelle?)\b
\b(?:nota|aviso|mensaje|instruccion) para (?:la|el|los|las) (?:ia|asistentes?|modelos?)\b
# tells the model what to say to the user
\b(?:do not|don't|never) (?:tell|reveal|mention|show|inform|disclose|admit)\b.{0,40}\b(?:the |to )users?\b
{START}(?:tell|inform|warn|convince|persuade|first tell) the user\b
\b(?:if|when|whenever) (?:the|a) users? asks?\b.{0,80}\b(?:{ASKS}|say|tell|state|pretend)\b
\b(?:when|whenever|if) (?:asked|anybody asks|anyone asks|somebody asks|someone asks)\b.{0,80}\b{ASKS}[ ]
\b(?:sag|sage|sagen sie|verrate|erzahle?)\b.{0,12}\b(?:dem|den) (?:nutzer|benutzer|anwender)
\bwenn der (?:nutzer|benutzer|anwender)\b.{0,50}\bfragt\b
\b(?:no le digas|dile|no reveles|no digas)\b.{0,20}\bal usuario\b|\bcuando el usuario pregunte\b
# dictates the answer
\b(?:in|to|at the end of|with|from) (?:(?:all|each|every) (?:of )?your (?:next )?(?:answer|repl|response)|your
  + next (?:answer|reply|response)|your (?:answers|responses|output)\b)
^in your (?:answer|response|reply|output), (?:say|cite|state|mention|include|use)\b
\byour (?:next |final )?(?:answer|response|reply|output)s? (?:must|should|shall|has to|is to)\b
{START}(?:begin|end|start|finish) (?:all |each |every )?(?:of )?your (?:answers?|responses?|repl)
{START}{ASKS}(?: to)? (?:every|all|each|any|the user's|the next) (?:next )?questions?\b.{0,12}\bwith\b
{START}(?:output|return|{ASKS}) (?:only )?(?:in |with |as )?(?:valid )?json\b(?!\.).{0,40}\b(?:answer|sources
  +|refused|coverage)\b
{START}(?:quote|cite|include|repeat) this (?:sentence|note|phrase|text|page|source|memory) (?:in|for|to)
  + (?:every|each|all|your)
{START}(?:do not )?cite (?:only )?(?:source )?s\d
{START}do not cite any other\b|\b(?:use|trust|cite|believe) only this (?:one|note|source|page|memory)\b|\bonly
  + (?:trust|use|believe|cite) this (?:one|note|source|page|memory)\b|\banswer from this note only\b
\ball other (?:notes|sources|memories) (?:are|is) (?:wrong|false|outdated|out of date|invalid)|\bconsider all
  + other (?:sources|notes|memories)\b
\byou must (?:always|only|never) {ASKS}\b|\byou must (?:comply|obey|not refuse|never refuse)\b
\b(?:print|reveal|show|repeat|output|display)(?: me| us)?(?: all| of| the| your| first| line)* (?:system prompt
  +|hidden instructions|(?<=your )(?:prompt|instructions|configuration)\b)
\brepeat the (?:text|words) above\b
\bantworte(?:n sie)? (?:auf jede frage|immer|nur)\b|\bgib (?:mir )?(?:die|deine) systemanweisung
\bresponde (?:siempre|solo|a todo)\b|\bcita solo esta\b|\bzitiere nur diese
# asks for a tool or a hidden payload
[\"']tool_calls?[\"'] ?: ?[\[{]|\bcall the tool \w+_\w+|\buse your tools? to\b|\bexecute the following
  + (?:command|code)
\bbase64\b.{0,60}\b(?:follow|instructions?|execute|obey)\b|\bdecode\b.{0,30}\b(?:and|then) (?:execute|follow|run
  +|obey)\b
"""
"""One pattern a line, a line that begins with + continued; # opens a kind."""


def _read(table: str) -> Iterator[tuple[InstructionKind, Pattern]]:
    """Yield each kind of the table with the one pattern that its lines make."""
    for block in table.strip().removeprefix("# ").split("\n# "):
        kind, _, lines = block.partition("\n")
        joined = "|".join(f"(?:{line})" for line in lines.replace("\n  +", "").split("\n"))
        for name, part in _PARTS.items():
            joined = joined.replace(f"{{{name}}}", part)
        yield cast("InstructionKind", kind), regex.compile(joined, regex.MULTILINE | regex.DOTALL)


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[InstructionKind, Pattern], ...]:
    """Return the rules; made at the first row, not at import."""
    return tuple(_read(_PATTERNS))


_TELLTALE = regex.compile(
    r"ignor|disregard|forget|overrid|bypass|obey|follow|instruct|you are now|from now on|act as|pretend|have no|mode"
    r"|granted|\[inst|#|configuration|system|assist|<|\"role|'role|coverage|confidence|refus|self_rep|\bai\b|llm|gpt|language|model|chatbot|user|asked"
    r"|asks|answer|respon|repl|quote|cite|only|other|comply|prompt|repeat|hidden|tool|execute|base64|decode|context"
    r"|vergiss|vergessen|missacht|du bist|\bki\b|sprachmodell|nutzer|antwort|anweisung|zitier|olvida|olvide|descarta"
    r"|ahora eres|\bia\b|modelo|usuario|sistema|\bcita\b"
)
"""Without one of these no pattern can match: most rows are done with at the first look."""


def instruction_in(text: str) -> InstructionKind | None:
    """Return in what way `text` reads like instructions to the model; None for an ordinary memory."""
    plain = _as_read(text)
    if not _TELLTALE.search(plain):
        return None
    return next((kind for kind, rule in _rules() if rule.search(plain)), None)


def _as_read(text: str) -> str:
    """Return the words as a reader sees them: folded, without what is reported, spaced letters drawn together."""
    lines = (comparable(line).text for line in text.split("\n"))
    folded = "\n".join(_TOKEN.sub(lambda token: fold_key(token.group()), line) for line in lines)
    joined = _SPACED.sub(lambda run: run.group().replace(" ", ""), folded)
    return _REPORTED.sub(" ", joined)
