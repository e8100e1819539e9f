"""Contexts in which an English time phrase is not a time.

Law: data only: (before, said, after), as in `voice.core.nlq.phrase_tables.table`. A possessive ("yesterday's email") is
a time wherever a line is about the word itself.

Source: ruling E ("an unparsed phrase in a question → no window").
"""

from typing import Final

from voice.core.nlq.phrase_tables.table import Exclusions

_NAMES: Final = {
    "is": "is|are|was|were|will be|'s|'re|falls?|fell|comes?|came|lands?|landed|occurs?|occurred|starts?|begins?|ends?",
    "end": r"\s*(?:[?.!;]|$)",
    "not_owning": r"(?!'s \w)",
    "not_past": r"^(?!.*\b(?:did|was|were|had|have|has|i've)\b).*",
    "counted": r"<unit>|sleeps|<weekday>s|(?:working |business |week|bank |public )?(?:days|holidays)|pay ?days",
    "unit": "seconds|minutes|hours|days|weeks|weekends|nights|months|quarters|years",
    "language": (
        r"(?:modern |ancient |old |classical )?(?:german|english|spanish|french|italian|portuguese|dutch|russian|polish"
        r"|czech|greek|turkish|arabic|hebrew|hindi|urdu|farsi|persian|japanese|korean|chinese|mandarin|cantonese|thai"
        r"|vietnamese|swedish|norwegian|danish|finnish|icelandic|hungarian|romanian|welsh|irish|gaelic|basque|catalan"
        r"|latin|esperanto|swahili|ukrainian|croatian|serbian|bulgarian|sign language|morse(?: code)?|braille"
        r"|other languages|another language)(?! (?:class|lesson|course|exam)\b)"
    ),
    "large_place": "Close|Drive|Dr|Way|Place|Row|Hill|Park|House|Hall|Bridge|Station|Gate|Grove|Walk|Yard|Green|Pier",
    "place": "street|st|road|rd|avenue|ave|lane|court|crescent|square|boulevard|blvd|terrace|mews|plaza|gardens",
    "bare": (
        r"(?:(?:until|till|before|after|from|at|over|on|for|in) )?(?:the )?(?:<weekday>|<named>|weekend)"
        r"(?: (?:morning|afternoon|evening|night)s?)?"
    ),
    "named": "<month>|<season>|<feast>",
    "feast": "christmas(?: eve| day)?|halloween|valentine's day|new year'?s?(?: eve| day)?",
    "season": "spring|summer|autumn|fall|winter",
    "weekday": "(?:mon|tues|wednes|thurs|fri|satur|sun)day",
    "month": "january|february|march|april|may|june|july|august|september|october|november|december",
}
"""Meanings of `<name>`; a name may use those below it."""

_ADDRESSES: Final = (
    ("", r".*\b(?:<weekday>|<named>)", r" (?:(?-i:[A-Z]\w*) )?(?-i:<large_place>|(?=[A-Z])(?i:<place>))\b"),
    (
        r"^(?!.*\b(?:on|in|during|since|until|over|from) $).*",
        r"(?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:<weekday>|<named>)",
        r" (?:<place>)\b",
    ),
)
_THINGS: Final = (
    (r"\bfrom ", "(?-i:Spring|Summer|Autumn|Winter|Dawn)", ""),
    (r"(?-i:\b[a-z]+ [A-Z]\w+ in )", "(?-i:Spring|Summer|Autumn|Fall|Winter)", ""),
    ("", r".*\b(?:<weekday>|<named>)", r" of the (?-i:[A-Z])"),
    ("", "", r"-\p{L}"),
    (
        (
            r"(?<!\b(?:highlights|events|wins|notes|entries|memories|mistakes|expenses|costs|photos|books|lessons|trips"
            r"|best|worst|rest|whole|all|most|part|summary|overview|review|course|goals|moments) )\bof "
        ),
        r"\d{4}",
        "",
    ),
)
_HABITS: Final = (
    (r"<not_past>^\W*(?:is|are)\b[^?.!]*\b(?:in|during) (?:the )?", "<season>", "<not_owning>"),
    (
        r"<not_past>(?<!\bnotes\b.*)\b(?:do|does|can|should|would|could)\b[^?.!]*\b(?:in|during) (?:the )?",
        "<season>",
        "<not_owning>",
    ),
    (
        (
            r"<not_past>\b(?:do|does) (?!(?:i|we|you|he|she|they|it|my|our|the|these|those|any\w*)\b)(?-i:[a-z]+) \w+"
            r"(?: \w+){0,2} (?:in|during|on|over) (?:the )?"
        ),
        "<bare>",
        "<not_owning>",
    ),
    (r"<not_past>\b(?:usually|typically|normally|generally|always|tend to|every year)\b.*", "<bare>", "<not_owning>"),
)
_WORDS: Final = (
    (
        r"\bhow (?:do|does|would|can|should|to) (?:\w+ ){0,2}(?:say|spell|write|pronounce|translate|sign) (?:the )?",
        "",
        "<not_owning>",
    ),
    (
        r"^(?!.*\bdid\b).*\b(?:say|spell|write|call|translate|pronounce|express|sign)\b[^?.!]{0,30}",
        "",
        r"['\"”]?,? (?:in|into|to) <language>\b",
    ),
    (r"\b(?:word|phrase|term|expression|translation|<language>)s? for ", "", "<not_owning>"),
    (
        (
            r"(?:^\W*|\b(?:to|you|please|me|people|one|i) )(?<!\bdid (?:you|i|one) )"
            r"(?:spell|pronounce|translate|conjugate|abbreviate|define|hyphenate|capitali[sz]e|misspell)"
            r"(?: the (?:word|name|phrase|term))? "
        ),
        "",
        "<not_owning>",
    ),
    (
        (
            r"\b(?:synonym|antonym|opposite|translation|abbreviation|definition|etymology|plural|spelling|pronunciation"
            r"|rhyme|emoji|symbol|acronym)s? (?:for|of|with|to)(?: the (?:word|name|phrase|term|month))? "
        ),
        "",
        "<not_owning>",
    ),
    (r"^\W*(?:what's|what is|what was) (?:the )?", "", r"['\"”]? (?:in|into) <language>\b"),
    (r"\b(?:which|what) (?:word|phrase|term|expression)s? (?:means?|is|are|denotes?) (?:the )?", "", "<not_owning>"),
    (r"\b(?:the (?:word|phrase|term|expression)|titled|entitled|codenamed) ", "", "<not_owning>"),
    (r"\b(?:does|do) (?:the )?", "", r" (?:mean|stand for|rhyme|come from|sound)\b"),
    (
        r"\b(?:why|how|where) (?:is|was|are|did|does|do) (?:the )?",
        "",
        r" (?:so )?(?:called|named|known|spelled|spelt|pronounced|capitali[sz]ed|abbreviated|written|get its name)\b",
    ),
    (r"\b(?:named? after|rhymes? with|stands? for|short for|synonymous with) (?:the )?", "", ""),
    (
        r"\b(?:zodiac sign|star sign|birthstone|format|horoscope|name day|cron job)s? (?:for|of) (?:the )?",
        "",
        "<not_owning>",
    ),
    (r"\bno ", "(?:today|tomorrow|yesterday)", ""),
    (r"\b(?:history|origins?|meaning|story) (?:of|behind) ", "<bare>", "<not_owning>"),
)
_CALENDAR: Final = (
    (r"^\W*(?:what's|what is|what was) ", "(?:today|tomorrow|yesterday)", "<end>"),
    (r"\bhow long ", "(?:until|till|to|before|since) .*", "<end>"),
    (
        r"^\W*(?:the )?(?:number of )?(?:<counted>|time|difference) ",
        "(?:between|from|until|till|to) .*",
        r"(?:<end>| in )",
    ),
    (
        r"\bhow long(?: (?:is|are|was|were|will|does|do|it|there|left|until|till|between|from|to))+ (?:the )?",
        "",
        r"(?:<end>| (?:last|this (?:year|time))\b)",
    ),
    (
        (
            r"\bhow (?:many|much)(?: (?:more|calendar|full))? (?:<counted>|time)(?: of)?"
            r"(?: (?:<is>|there|does|do|did|have|has|had|it|left))*"
            r"(?: (?:in|of|on|per|from|between|until|till|before|to|since))? (?:the )?"
        ),
        "",
        r"(?:<end>| (?:have|has|had|last|contain|this (?:year|time))\b)",
    ),
    (
        (
            r"\b(?:which|what|whose|any) (?:\w+ ){0,3}(?:holidays?|feasts?|festivals?|saint's days?|zodiac(?: sign)?"
            r"|star signs?|birthstones?|seasons?|weekdays?|days?|dates?|months?|solstices?|equinox|weeks?|quarters?)"
            r"(?: of the (?:week|month|year))? (?:falls?|is|are|comes?|occurs?|lands?|starts?|begins?|has)"
            r"(?: (?:always|usually|right|directly|just))? (?:(?:in|on|during|before|after|between) )?(?:the )?"
        ),
        "",
        "<not_owning>",
    ),
    (
        (
            r"\b(?:what|which) (?:day|date|weekday|season|month|year|time|week|quarter|zodiac sign|star sign|number)"
            r"(?: (?:of|in) the (?:week|month|year))?(?:'s| (?:is|was|will|does|did|do))"
            r"(?: (?:it|be|we))?(?: on)? (?:the )?"
        ),
        "",
        r"(?:<end>|,| (?:on|in|at|fall|falls|land|be|this|next|last)\b)",
    ),
    (
        r"\bwhen(?:'s| (?:is|was|does|did|do|will|are))(?: the)? ",
        "",
        (
            r"(?:<end>| (?:this|next|last) year| in \d{4}"
            r"| (?:start|begin|end|finish|over|fall|due|celebrated|coming|again|be)s?\b)"
        ),
    ),
    (
        r"^\W*(?:is|was|will|isn't|wasn't|does|did) (?:the )?",
        "",
        (
            r" (?:be |fall |land )?(?:on )?(?:an? )?(?:public |bank |national |federal |school )?"
            r"(?:<weekday>|weekday|holiday|leap year|odd|prime|workday|working day)\b"
        ),
    ),
    (r"\b(?:comes?|goes|coming) (?:(?:right|just|directly|straight|immediately) )?", "<bare>", "<not_owning>"),
    (r"\b(?:follows|precedes) ", "<bare>", "<not_owning>"),
)
_SCHEDULES: Final = (
    (
        (
            r"<not_past>\b(?:does|do|is|are|can|will|what time|when|which)\b[^?.!,]{0,60}\b(?:opens?|close[sd]?|shuts?"
            r"|leaves?|departs?|runs?|starts?|begins?|ends?|sails?|arrives?|stops?|serves?|delivers?|collect(?:s|ed)?"
            r"|costs?|available|allowed|free)(?: (?:early|late|earlier|later|again|up|\d{1,2}|noon))*"
            r"(?: (?:on|in|at|during|until|till|from|before|after|over))? (?:the )?"
        ),
        "<bare>",
        "<not_owning>",
    ),
    (
        (
            r"<not_past>\b(?:timetables?|(?:opening|office|business|visiting) hours|opening times|fares?"
            r"|(?:train|bus|ferry) times?)(?: (?:at|of) the \w+)? (?:for|on|of|in|at) (?:the )?"
        ),
        "<bare>",
        "<not_owning>",
    ),
    ("", "(?:today|tomorrow|yesterday|tonight)", r"'?s? (?:specials?|date)\b"),
    ("", "", r"'s(?: \w+){0,2} (?:brand|label|perfume|fragrance|trademark)\b"),
    (
        r"^(?!.*\bon (?:the )?$).*",
        "(?:the )?(?:4th|fourth|5th|fifth|14th) of (?:july|november)",
        r" (?!(?:i|we|did|was|were|at|in|on|with|and|or|about|from|for|to|the|my|our|last|this)\b)[a-z]\w+ \w",
    ),
)

REFUSALS: Final = Exclusions((*_ADDRESSES, *_THINGS, *_HABITS, *_WORDS, *_CALENDAR, *_SCHEDULES), _NAMES)
