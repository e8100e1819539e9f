"""Where the stretch of a frame ends: at the end of its clause, or where a note goes on with another statement.

Law: a comma, a dash, a colon or a bracket inside a list of objects ends nothing ("sold the bike, the tent and the
kayak"); one before another clause does ("cancelled gym, now have a pool pass", "nearly fainted, Karin gave me juice").
What is reported, supposed or dreamt goes on over further clauses of the same teller: it ends only at a note in the
present on another thing ("believes the fence is ours, surveyor comes 3 June"), a dream at waking.

Source: DESIGN 6 stage 4; ruling D1.
"""

from typing import Literal

import regex

from voice.core.text.patterns import late_pattern

Break = Literal["never", "report", "suspicion", "dream", "deed", "past", "nothing"]

_ENDS = (
    r"[.;!?\n]|,? (?:but|aber)\b|, (?:and|so|und|because)\b"
    r"| and (?:then|now|have|has|had|got|bought|took|went|\p{L}+ed)\b"
)
_TOLD_END = late_pattern(_ENDS)
_END = late_pattern(rf"{_ENDS}|, (?:who|which|where)\b")
"""What is told by another goes on after what it says of a person or a thing on the way."""
_DID = (
    r"(?:took|gave|got|made|kept|woke|said|told|bought|found|came|went|paid|met|sent|wrote|became|chose|stuck|called"
    r"|left(?= (?:an?|the|my|him|her|it|for|at|home|early|late)\b)"
    r"|(?!need|feed|speed|breed)\p{Ll}{3,}ed"
    r"(?= (?:an?|the|my|his|her|our|me|him|it|us|them|to|instead|(?-i:\p{Lu})|\p{Nd})))"
)
"""A verb in the past that is no participle of the thing before it."""
_GOES = r"(?:is|are|was|were|has|had|will|comes|goes|starts|begins|costs|kommt|ist|sind|hat|habe|hatte|war|waren)"
_WORD = r"(?!(?:and|or|und|oder|that|who|which|whose|if|when|not|den|die|das)\b)[\p{L}\p{Nd}.]+ "
_MARK = r"(?:, | [—–-] | (?:->|→) |(?: |^)\(|: )"
_MORE_DEEDS = rf"(?![^.;!?]* (?:and|or|und|oder) {_DID})"
_CLAUSE = (
    rf"(?:{_DID}\b{_MORE_DEEDS}|(?:{_WORD}){{1,2}}?(?<!\b(?:an?|the|my|his|her|our|their|old|new) )"
    rf"(?:{_DID}|{_GOES}|(?<=\b(?:i|we|they|you|now) )have)\b|\p{{Nd}}+ \p{{Ll}}+ left\b(?! \p{{L}}))"
)
_NOW = (
    r"(?:[^,;.!?()]*\b(?:now|nowadays|jetzt|inzwischen|stattdessen|instead)\b|(?:seit|since) \p{Nd}"
    r"|(?-i:\p{Lu})\p{L}+ behalten\b)"
)
_NOTE = r"(?:\p{Ll}{3,} (?:comes|goes|starts|begins|kommt)|(?:\p{L}+ ){1,2}(?:is )?(?:on|at|am|um) (?:the )?\p{Nd})"
_DAY = r"(?:Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun|Mo|Di|Mi|Do|Fr|Sa|So)\b(?! (?:and|or|und|oder)\b)"


def _at(piece: str) -> regex.Pattern[str]:
    return late_pattern(rf"{_MARK}(?={piece})", regex.IGNORECASE)


_BREAKS: dict[Break, regex.Pattern[str]] = {
    "report": _at(r"\p{Ll}{3,} (?:comes|goes|starts|begins|kommt)\b"),
    "suspicion": _at(_NOTE),
    "dream": _at(r"(?:i )?(?:woke|wachte|bin aufgewacht)\b"),
    "deed": _at(_CLAUSE),
    "past": _at(rf"(?:{_NOW}|{_CLAUSE})"),
    "nothing": _at(rf"(?:{_CLAUSE}|(?:then|dann|only|just|nur)\b|{_DAY})"),
}


_TOLD = frozenset[Break]({"report", "suspicion", "dream"})


def end_of(text: str, start: int, ends: Break) -> int:
    """Return where a frame whose cue ends at `start` of a sentence stops to hold its words.

    Args:
        text: the sentence.
        start: where the cue ends.
        ends: what may follow a comma, a dash, a colon or a bracket that ends such a frame before its sentence does.
    """
    found = [(_TOLD_END if ends in _TOLD else _END).search(text, start)]
    if ends != "never":
        found.append(_BREAKS[ends].search(text, start))
    return min((match.start() for match in found if match), default=len(text))


_CLAIMING = late_pattern(
    rf"\b(?:i|you|he|she|it|we|they|ich|du|er|sie|wir)\b|\b(?:{_GOES}|{_DID}|have|do|does|did|can|could|would|should"
    rf"|hast|haben|bist|\p{{Ll}}{{3,}}ed)\b|\b(?:stole|sold|lost|won|broke|fell|hid|died|ate|drank|ran|owes?|own(?:s|ed)?)\b",
    regex.IGNORECASE,
)
_SUBORDINATE = late_pattern(rf"^\W*(?:to \p{{Ll}}|(?:that|dass) (?!{_GOES}\b))", regex.IGNORECASE)


def is_bare_answer(text: str) -> bool:
    """Return whether an answer states nothing without its question: "To fix his printer.", "In the garage."."""
    return bool(_SUBORDINATE.search(text)) or not _CLAIMING.search(text)
