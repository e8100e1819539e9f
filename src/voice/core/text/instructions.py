"""Which texts speak to the model instead of remembering.

Law: a memory is evidence, whatever it says; one that gives the model orders is evidence that somebody tried. A person's
own imperatives ("do not forget the milk", "tell Jonas that the ferry leaves at nine", a recipe, a note about prompts)
are ordinary memories. What tells the two apart is whom the text addresses and what about: the model, its rules, its
sources, its answers, the user behind it. The rule is deterministic, made of word tables, and looks at the words as a
reader sees them: without invisible characters, look-alike letters and s p a c i n g. It is a filter in front of the
judge, never instead of it.

Source: ruling D22; DESIGN 6.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, cast

import regex

from voice.core.text.comparable import comparable
from voice.core.text.normalise import norm_v1
from voice.core.text.patterns import late_pattern
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
_WORD = re.compile(r"\w+")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_](?P<gap>[ .*_-])(?:[^\W_](?P=gap)){2,}[^\W_])(?![^\W_])")
_LEET = str.maketrans("013457@$_", "oieastas ")
_SIGNS = frozenset("013457@$_\n")
_POSING = re.compile(r"\n|[^\W\d_][013457@$_]|[013457@$_][^\W\d_]")
"""Where a sign may stand for a letter, or a line may go on in the next."""
_MIXED = late_pattern(r"(?<!\S)(?=\S*\p{L}{2})\S+")
_REPORTED = late_pattern(
    r"(?<=\w )(?:say|says|said|wrote|writes|reads?|called|titled|like|phrase|sentence|heard|means|learned|about|how|as)"
    r"[ :,]{1,2}\"[^\"]{1,200}\""
)
"""Words that somebody tells of in quotation marks are not said to anybody; a word before that tells who."""
_PARTS: Mapping[str, str] = {
    "START": (
        r"(?:^|[.!?:;,>\])\n\"-] ?"
        r"|\b(?:please|kindly|bitte|por favor|now|then|and|but|must|should|may|always|never|to ai|you) )"
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
? ignor|disregard|forget|overrid|bypass|not obey|n't obey|not follow|n't follow|stop following|overrul|replace|
  +supersede|take precedence|new instruction|end of context|end of prompt|end of system prompt|treat |vergiss|vergess|
  +missacht|olvid|descarta|hagas caso|αγνοησ|игнорир|忽略|無視
{START}(?:ignore|disregard|forget|override|bypass|do not (?:obey|follow)|don't (?:obey|follow)|stop following)
  + (?:(?:of|the|these|those|my|{LOOSE}) ){0,4}(?:{LOOSE} )(?:of |the |my |these |those )*{WHAT}
{START}(?:ignore|disregard|forget|override|bypass|do not (?:obey|follow)|stop following) (?:the |these
  + |all )*{WHAT} (?:above
  +|before(?=[.,;:!?]| and|$)|you (?:were|have|got|are|had)|in the system|of the system|so far|and (?:report|answer
  +|say|cite))
{START}(?:ignore|disregard|forget) (?:everything|anything|all|the text|what is) (?:above|before|that came before
  +|you (?:were told|know|have been told)(?! (?:about|by))|(?:said|written) (?:above|before))
{START}(?:ignore|disregard|forget) what(?:ever)? (?:you (?:were|have been) told(?! (?:about|by))|(?:is|was|stands|came)
  + (?:above|before|said))
{START}(?:ignore|disregard) (?:the |all |any )*(?:above|preceding|previous|foregoing|prior) (?:text|context|content
  +|conversation)(?! (?:from|by|of|message))
{START}(?:ignore|disregard|forget)\b.{1,40}\band {ASKS} (?:with|only|freely|yes|no|that|['\"])
{START}(?:ignore|forget) (?:all )?(?:of )?your training\b(?! \w+)|{START}forget all your training\b
\boverrid(?:es?|ing) (?:the |your |all )*(?:system prompt|guidelines|(?:previous|other) (?:rules|instructions))
\b(?:these|the following|my|new) {WHAT} (?:override|overrule|replace|supersede|take precedence)
^new instructions?:|\bend of (?:context|prompt|system prompt)\b
\btreat .{0,40}\bas an? (?:instruction|command|system message)
{START}(?:ignoriere?n?|vergiss|vergessen|missachte[nt]?)(?: sie)? (?:bitte )?(?:\w+ ){0,3}(?:vorherigen
  +|bisherigen|obigen|vorigen|fruheren|alle|deine|ihre) (?:\w+ ){0,2}(?:anweisungen|regeln|instruktionen|vorgaben
  +|befehle)
{START}(?:(?:bitte|alle) )*(?:vorherigen|bisherigen|obigen|vorigen|fruheren) (?:anweisungen|regeln|instruktionen
  +|vorgaben|befehle) (?:ignorieren|vergessen|missachten)
{START}(?:ignoriere?n?|vergiss|vergessen)(?: sie)? (?:bitte )?alles,? (?:was (?:oben|davor|zuvor|vorher)|bisher|obige
  +|vorherige|vorige)
{START}(?:ignora|ignore|olvida|olvide|descarta) (?:(?:todas?|las?|los|tus|sus) ){1,3}(?:\w+ )?(?:instrucciones
  +|reglas|ordenes|directrices|indicaciones) (?:(?:anteriores|previas)(?! de)|del sistema|que te)
{START}(?:ignora|olvida|descarta) todo lo (?:anterior|previo|de arriba)\b|\bno hagas caso (?:de|a) (?:las )?(?:reglas
  +|instrucciones) (?:anteriores|previas)
{START}ignore[rz]? (?:toutes? )?(?:les |tes |vos )+(?:instructions|consignes|regles) (?:precedentes|anterieures
  +|ci-dessus)
{START}ignor[ae](?:te)? (?:tutte |todas )?(?:le |as |tue |suas )+(?:istruzioni|regole|instrucoes|regras) (?:precedenti
  +|anteriores|acima|sopra)
\bαγνοησ(?:ε|τε) (?:ολεσ )?(?:τισ )?(?:προηγουμενεσ|παραπανω) (?:οδηγιεσ|εντολεσ)\b
\bигнорируи(?:те)? (?:все )?(?:предыдущие |прежние )?(?:инструкции|указания|правила)\b
忽略(?:(?:之前|以上|上面|前面|所有|全部)的?){1,2}(?:指令|指示|规则|提示)|(?:以前|これまで|上記|前)の(?:指示|命令)を?(?:すべて|全て)?無視
{START}(?:ignora|olvida) (?:todas|tus|sus) (?:las )?(?:instrucciones|reglas)
# changes the model's role
? you are now|you're now|from now on|from here on|from this point on|from this moment on|henceforth|act as |pretend|
  +you have no | mode |been granted|du bist |de ahora|desde ahora|antwortest du|ahora eres
\byou(?: are|'re) now (?:in \w+ mode|dan\b|root\b|jailbroken|unrestricted|free (?:of|from)|(?:an? |the )?(?:\w+ ){0,3}
  +(?:{AI}|model|bot|hacker|administrator)\b)
\b(?:from (?:now|here|this (?:point|moment)) on(?:wards?)?|henceforth),? you (?:are (?:in \w+ mode|(?:an?|the)
  + (?:\w+ ){0,3}(?:{AI}|model|bot|hacker|administrator)\b)|(?:(?:will|must|shall|should) )?(?:only |always )?{ASKS}\b)
(?:{START}|\b(?:you (?:must|will|should)|to) )act as (?:an? |the )?(?:\w+ )?(?:system administrator|root|dan
  +|unrestricted|unfiltered|ai|language model)\b
\bpretend (?:that )?you (?:have no|are an? (?:\w+ )?(?:ai|model|assistant))|\byou have no (?:restrictions|rules
  +|limits)
\b(?:jailbreak|developer|dan|god|maintenance) mode (?:enabled|activated|is on)|\byou have been granted\b
\bdu bist (?:jetzt|ab jetzt|nun) (?:ein(?:e)? )?(?:\w+ )?(?:assistent|ki|modell|sprachmodell|bot|system)\b
\b(?:a partir de ahora,? |desde ahora,? )(?:responde|contesta) (?:siempre|solo|que|con)\b
\b(?:ab jetzt|von nun an) antwortest du\b
\bahora eres (?:un|una) (?:\w+ )?(?:asistente|ia|modelo|bot|sistema)\b
# poses as another part of the prompt
? sys|assistant|instruction|inst]|inst>|inst}|inst ]|inst >|inst }|im_start|im_end|<|answer"|answer'|role"|role'|
  +# question:|sistema
^\W{0,4}system(?:[ -]?(?:prompt|message|note|override|instructions?))?\W{0,3}: (?:the (?:user|assistant|model) (?:is
  +|has|must|may|wants|asked)\b|you (?:must|are|may|will|should|have)\b|.*\b(?:ignore (?:all|the|any|your|other)|refuse
  +|(?:other|all|your|prior|previous) (?:sources|instructions|rules|context|notes|memories)))
^\W{0,3}assistant\W{0,2}: (?:sure|of course|certainly|understood|ok(?:ay)?|yes|no|here (?:is|are)|i(?:'m|'ll|'ve)?
  +|the answer|as an)\b|^\W{0,3}assistant, (?:please|you|do|never|always|ignore|say|answer|tell)\b
^\W{0,3}assistant$|^\W{0,3}(?:human|user): .*\bassistant:
(?:^|[.!?>] ?)[\[<{] ?(?:system|assistant|sys|instructions?) ?[\]>}]|</ ?(?:system|assistant|instructions?) ?>
[\[<{]/? ?(?:inst|im_start|im_end) ?[\]>}]|<\||<<sys>>
[\"']answer[\"'] ?: ?.{0,300}[\"']sources[\"'] ?: ?\[
</ ?source>|<source id|</?(?:tool_calls?|function_calls?|invoke)\b
[\"']role[\"'] ?: ?[\"'](?:system|assistant|developer|tool)[\"']
(?:^|[.>] )#{1,6} (?:system|instruction(?:$|:)|question:|system prompt)
\b(?:begin|end) system prompt\b|\bsystemnachricht ?:|\bmensaje del sistema ?:|\bsystem-?prompt ?:
# sets the model's own figures
? coverage|confidence|self_reported|refused
{START}(?:report|set|claim|state|return|output|give|mark)\b(?!:).{0,30}\b(?:coverage(?:[_ ]ratio)?|confidence
  +|self_reported)\b(?: confidence)?.{0,10}\b(?:[01](?:\.\d+)?|100 ?%|full|complete|maximal|maximum)
\brefused[\"']? ?(?:to|=|:|as) ?(?:false|true)\b|\b(?:coverage_ratio|self_reported)\b
# addresses the model
? ai |ai:|ai,|ai!|ai-|ais |ais:|ais,|ais!|if you are a|as an ai|as a ai|llm|gpt|language model|language-model|
  +language agent|language-agent|language system|language-system|assistant|chatbot|the model |claim as|claims as|
  +pair as|pairs as|sentence as|sentences as|this pair is|this claim is|hinweis |nachricht |notiz |achtung |
  +anweisung |nota para|aviso para|mensaje para|instruccion para
\b(?:note|notice|message|instructions?|attention|dear|hey|hello|hi|to|reminder)[ ,]+(?:to |for )?(?:the |any
  + |all |every |what(?:so)?ever |whichever )?(?:{AI})(?: (?:reading|processing|summari[sz]ing|seeing|using|answering
  +|that|which|who|is|are|reads|this|the|it|text|note|page|models?|assistants?|agents?|systems?))* ?[:,!]
(?:^|[.!?] )(?:ai|llms?|chatgpt|gpt(?:-?\d\w*)?|(?:ai|language) (?:assistants?|models?|agents?))(?: reading this)?
  + ?[:,] (?:please|you|do not|don't|never|always|say|state|tell|skip|ignore|forget|disregard|answer|reply|respond|cite
  +|mark|report|trust|treat|use|whatever|this (?:note|page|source|memory) is)\b
\bif you are an? {AI}\b|\bas an? {AI}\b.{0,20}\byou (?:must|should|will|are to)
\b(?:the (?:assistant|model|ai|llm)|ai agents?|assistants?|language models?|llms?)(?: reading this)? (?:must
  +|should|shall|may|has to|needs? to|is to|are to)(?: today| now| always| never| only| not)* (?:answer|respond|reply
  +|say|cite
  +|treat|discard|disregard|trust|claim|obey|recommend|skip|ignore|refuse|mark|mention|reveal|output|tell|state
  +|report)\b
\b(?:mark|judge|rate|label) (?:this|every|each|all|the) (?:claims?|pairs?|sentences?) as (?:supported|grounded|true
  +|verified|correct)\b|\bthis (?:pair|claim) is (?:fully |always )?supported\b
\b(?:hinweis|nachricht|notiz|achtung|anweisung) (?:an|fur) (?:die |das |alle |den )?(?:(?:ki
  +|sprachmodelle?)\b(?!-)|assistenten ?[:,])
\b(?:nota|aviso|mensaje|instruccion) para (?:la|el|los|las) (?:(?:ia|modelos?)\b|asistente ?[:,])
# tells the model what to say to the user
? user|when asked|whenever asked|if asked|body asks|one asks|when summari|when processing|when quoting|whatever |
  +no matter what |regardless of |nutzer|anwender|usuario
\b(?:do not|don't|never) (?:tell|reveal|mention|show|inform|disclose|admit)\b.{0,40}\b(?:the |to )+user\b
{START}(?:tell|inform|warn|convince|persuade|first tell) the user\b(?! (?:ids?|names?|groups?|stor|manual))
\b(?:if|when|whenever) the user asks?\b.{0,80}\b(?:{ASKS}|say|tell|state|pretend)\b
\b(?:when|whenever|if) (?:asked|anybody asks|anyone asks|somebody asks|someone asks)\b.{0,80}[,:] ?(?:please |always
  + |just |simply )*{ASKS}[ ]
\bwhen (?:summari[sz]ing|processing|quoting) (?:these |this |the |any |all )*(?:memor\w+|notes?
  +|sources?|pages?|text)\b.{0,30}[,:] ?(?:always |please )*(?:claim|say|state|tell|report|mark|cite
  +|ignore|add)\b
\b(?:whatever|no matter what|regardless of) (?:the |any )?(?:question|is asked)\b.{0,20}[,:] ?(?:please |always )*
  +(?:{ASKS}\b|the (?:correct|right|only) answer is)
\b(?:sag|sage|sagen sie|verrate|erzahle?)\b.{0,12}\b(?:dem|den) (?:nutzer|benutzer|anwender)
\bwenn der (?:nutzer|benutzer|anwender)\b.{0,50}\bfragt, (?:bitte )?(?:antworte|sag|nenne|gib|schreib|behaupte)
\b(?:no le digas|dile|no reveles|no digas)\b.{0,20}\bal usuario\b|\bcuando el usuario pregunte\b.{0,80}, (?:responde
  +|contesta|di|dile|afirma)\b
# dictates the answer
? your answer|your repl|your response|your next |your final |your output|every question|all question|each question|
  +any question|user's question|next question|json|quote this|include this|repeat this|cite |other source|other note|
  +other memor|only this|only trust this|only use this|only believe this|answer from this note|you must |
  +system prompt|hidden instruction|your prompt|your instruction|repeat the |antworte|systemanweisung|responde |
  +cita solo|zitiere
\b(?:in|to|at the end of|with|from) (?:(?:all|each|every) (?:of )?your (?:next )?(?:answer|repl|response)|your
  + next (?:answer|reply|response)|your (?:answers|responses|output)\b)
^in your (?:answer|response|reply|output), (?:(?:say|cite|state|claim)\b|(?:mention|include|use) (?:the (?:word|phrase
  +|sentence)|source|s\d))
\byour (?:next |final )?(?:answer|response|reply|output)s? (?:must|should|shall|has to|is to)\b(?! (?:be (?:in|with us
  +|sent|here) (?:by|before|on|until)|arrive|reach|come))
{START}(?:begin|end|start|finish) (?:all |each |every )?(?:of )?your (?:answers?|responses?|repl)
\byou (?:will|shall) {ASKS} (?:to )?(?:every|all|each|any) questions?\b
{START}{ASKS}(?: to)? (?:every|all|each|any|the user's|the next) (?:next )?questions?\b.{0,12}\bwith\b
{START}(?:output|return|{ASKS}) (?:only )?(?:in |with |as )?(?:valid )?json\b(?!\.).{0,40}\b(?:answer|sources
  +|refused|coverage)\b
{START}(?:quote|cite|include|repeat) this (?:sentence|note|phrase|text|page|source|memory) (?:in|for|to)
  + (?:every|each|all|your)
{START}(?:do not )?cite (?:only )?(?:source )?s\d+(?= ?[.,;:!?]| (?:and|for|in|only|to|alone|as|twice)\b|$)
{START}(?:do not|don't|never) (?:cite|use|trust|believe|consider) (?:any|the) other (?:sources?|notes?|memor)
{START}do not cite any other\b|\b(?:use|trust|cite|believe) only this (?:one|note|source|page|memory)\b(?! (?:of|in))
  +|\bonly (?:trust|use|believe|cite) this (?:one|note|source|page|memory)\b(?! (?:of|in))
\bpretend (?:that )?(?:the|all) other (?:notes|sources|memories)\b|\banswer from this note only\b
\ball other (?:notes|sources|memories) (?:are|is) (?:wrong|false|outdated|out of date|invalid)|\bconsider all
  + other (?:sources|notes|memories)\b
\byou must (?:always|only|never) {ASKS} (?:yes|no|with|that|only|(?:any |every |all )?questions?|from|without|\")
  +|\byou must (?:comply|obey|not refuse|never refuse)\b
\b(?:print|reveal|show|repeat|output|display)(?: me| us)?(?: all| of| the| your| first| line)* (?:system prompt
  +|hidden instructions|(?<=your )(?:prompt|instructions)\b)
\brepeat the (?:text|words) above\b
\bantworte(?:n sie)? (?:auf jede frage|(?:immer|nur) (?:mit|nur|ja|nein|dass|auf))\b|\bgib (?:mir )?(?:die
  +|deine) systemanweisung
\bresponde (?:(?:siempre|solo) (?:que|si|no)|solo con|a todo)\b|\bcita solo esta\b|\bzitiere nur diese
# asks for a tool or a hidden payload
? tool_call|call the tool|use your tool|execute the following|base64|decode
[\"']tool_calls?[\"'] ?: ?[\[{]|\bcall the tool \w+_\w+|\buse your tools? to\b|\bexecute the following
  + (?:command|code)
\bbase64\b.{0,60}\b(?:follow|instructions?|execute|obey)\b|\bdecode\b.{0,30}\b(?:and|then) (?:execute|follow
  +|obey|run (?:it|this|them))\b
"""
"""One pattern a line, a line that begins with + continued; # opens a kind, ? what none of its patterns matches without:
most texts hold none of it, and looking for it is much cheaper than the patterns are."""


class _Rule(NamedTuple):
    """The patterns of one kind as one, and what has to be in a text for any of them to match."""

    kind: InstructionKind
    telltales: tuple[str, ...]
    pattern: Pattern

    def holds_for(self, view: str) -> bool:
        return any(map(view.__contains__, self.telltales)) and self.pattern.search(view) is not None


def _read(table: str) -> Iterator[_Rule]:
    """Yield each kind of the table with the one pattern that its lines make."""
    for block in table.strip().removeprefix("# ").replace("\n  +", "").split("\n# "):
        kind, telltales, *lines = block.split("\n")
        joined = "|".join(f"(?:{line})" for line in lines)
        for name, part in _PARTS.items():
            joined = joined.replace(f"{{{name}}}", part)
        yield _Rule(
            cast("InstructionKind", kind),
            tuple(telltales.removeprefix("? ").split("|")),
            late_pattern(joined, regex.MULTILINE | regex.DOTALL),
        )


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rule, ...]:
    """Return the rules; made at the first row, not at import."""
    return tuple(_read(_PATTERNS))


_TELLTALES = tuple(
    """ignor|disregard|forget|overrid|bypass|obey|follow|instruct|you are now|you're now|here on|now on|point on
    |moment on|henceforth|act as|pretend|have no|mode|granted|[inst|#|configuration|system|assist|<|"role|'role|coverage
    |confidence|refus|self_rep|llm|gpt|language|model|chatbot|user|asked|asks|answer|respon|repl|quot|cite|only this
    |trust this|use this|believe this|other source|other note|other memor|comply|prompt|repeat|hidden|tool|execute
    |base64|decode|context|summari|processing|reading|claim|sentence|training|vergiss|vergessen|missacht|du bist
    |sprachmodell|nutzer|antwort|anweisung|zitier|olvida|olvide|descarta|contesta|hagas caso|ahora eres|usuario|sistema
    |αγνοησ|игнорир|忽略|無視""".replace("\n    ", "").split("|")
)
_TELLTALE_WORDS = frozenset({"ai", "pair", "pairs", "ki", "ia", "cita"})
"""Without one of these no pattern can match: most rows are done with at the first look."""


@lru_cache(maxsize=2048)  # a conversation shows the same rows, and its own answers, turn after turn
def instruction_in(text: str) -> InstructionKind | None:
    """Return in what way `text` reads like instructions to the model; None for an ordinary memory."""
    return next((kind for view in _as_read(text) if (kind := _kind_of(view))), None)


def _kind_of(view: str) -> InstructionKind | None:
    if not any(map(view.__contains__, _TELLTALES)) and _TELLTALE_WORDS.isdisjoint(_WORD.findall(view)):
        return None
    return next((rule.kind for rule in _rules() if rule.holds_for(view)), None)


def _as_read(text: str) -> Iterator[str]:
    """Yield the words as a reader sees them: folded, without what is reported, spaced letters drawn together.

    And once more, where it makes a difference, as one line and with the letters that digits and signs stand for.
    """
    folded = "\n".join(map(_folded, text.split("\n")))
    joined = _SPACED.sub(lambda run: run.group().replace(run["gap"], ""), folded)
    plain = _REPORTED.sub(" ", joined) if '"' in joined else joined
    yield plain
    if not _SIGNS.isdisjoint(plain) and _POSING.search(plain):
        yield _MIXED.sub(lambda token: token.group().translate(_LEET), plain).replace("\n", " ")


def _folded(line: str) -> str:
    if line.isascii():
        return norm_v1(line)
    return " ".join(token if token.isascii() else fold_key(token) for token in comparable(line).text.split(" "))
