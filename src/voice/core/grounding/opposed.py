"""States that exclude each other, told in words that share no stem: healthy and a broken wrist, single and a husband.

Law: two texts are opposed where the one states one side of a pair and the other the other side; a state that is denied
counts for the other side, of several mentions the last one counts, and what is only feared, wished or asked is no state
at all; nor is what has ended ("recovered from the flu"), what somebody else was given, or what only describes a thing
of which the same sentence says the claim's side first ("finished the unfinished puzzle"). The pairs are everyday
knowledge, few and plain: what a person would call "but that speaks against it".

Source: spec stateful-design-v2, stances ("challenge"); DESIGN 6 stage 4.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from string import ascii_lowercase
from typing import Literal, NamedTuple

import regex

from voice.core.text.negation import negated
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import words

_BODY = (
    r"(?:arms?|legs?|wrists?|ankles?|knees?|foot|feet|toes?|hands?|fingers?|thumbs?|shoulders?|elbows?|hips?|ribs?|nose"
    r"|back|neck|collarbone|skull|jaw|tooth|teeth|bones?|tendon|ligament|muscle|meniscus)"
)
_HURT = r"(?:broke|broken|breaks|fractured|sprained|twisted|tore|torn|dislocated|injured|hurt|bruised|pulled)"
_CLOSE = r"(?:husband|wife|spouse|fianc\p{L}+|boyfriend|girlfriend|Ehemann|Ehefrau|Verlobte[rn]?|marido|esposa)"
_NO = r"(?:(?:do|does|did|can|could|is|are)(?:n['’]t|not| not)|no longer|never)"
_WORKS = (
    r"works? (?:well|fine|perfectly|again|now)|working (?:well|fine|perfectly|again|now)|in working order"
    r"|(?:is|are) (?:working|fine|okay|ok|in order|repaired|fixed|intact)|in good condition"
)
_FAILS = (
    r"leak\p{L}*|broken|out of order|jammed|stuck|clogged|blocked|defective|faulty|crack(?:s|ed)?"
    rf"|{_NO} work\p{{L}}*|(?:broke|breaks|fail(?:s|ed)?)(?: down)?"
    r"(?= *(?:[.,;!?]|$|(?:again|on|last|in|yesterday|today|this|because|and)\b))"
)
_WELL = (
    r"healthy|in good health|(?:in|into) (?:good|great|top) shape|recovered|unhurt|fully fit|gesund|sano|sana"
    r"|(?:am|is|are|feels?|feeling) (?:well|fine|fit|okay|ok)"
)
_UNWELL = (
    r"ill|sick|unwell|unhealthy|flu|fever|covid|pneumonia|bronchitis|migraines?|infection|surgery|hospital\p{L}*"
    rf"|diagnosed|injur\p{{L}}+|concussion|chemo\p{{L}}*|in pain|{_HURT} (?:\p{{L}}+ ){{1,2}}?{_BODY}"
    rf"|{_BODY} (?:is|was|are|were) {_HURT}|krank|Fieber|Grippe|Krankenhaus|verletzt|enferm[oa]|fiebre"
)
_MEAT = (
    r"(?<!\b(?:vegan|vegetarian|veggie|meatless|meat-free|plant-based|soy|tofu) )"
    r"(?:meat|steak|beef|chicken|pork|ham|bacon|sausages?|salami|salmon|tuna|burgers?|lamb|schnitzel|Fleisch|carne)"
)
_ALCOHOL = r"alcohol|beers?|wine|whiskey|whisky|gin|vodka|cocktails?|champagne|drunk|hangover|Bier|Wein|cerveza|vino"
_SAD = (
    r"unhappy|sad|disappoint\p{L}+|annoyed|frustrat\p{L}+|angry|miserable|fed up|upset|cried|regrets?|regretted"
    r"|unglücklich|enttäuscht|triste"
)
_LATE = (
    r"late|delay\p{L}*|postponed|slipped|behind schedule|moved from|pushed back|overdue|rescheduled|verspätet"
    r"|verschoben"
)
_SLEEPLESS = rf"insomnia|sleepless\p{{L}}*|(?:lay|lies|lie) awake|awake all night|nightmares?|{_NO} sleep"
_OWING = r"owes?|owed|unpaid|overdue|outstanding|in debt|debts?|schuldet|debe"
_PAIRS: tuple[tuple[str, str], ...] = (
    (_WELL, _UNWELL),
    (r"single|unmarried|divorced|widowed|ledig|soltero|soltera", rf"{_CLOSE}|married|engaged to|verheiratet|casad[oa]"),
    (_WORKS, _FAILS),
    (
        r"(?:can|may|could) (?:take|eat|drink|have)|tolerates?|takes?|eats?|drinks?",
        r"allerg\p{L}*|intoleran\p{L}*|unverträglich\p{L}*|alérgic[oa]|alergia",
    ),
    (r"(?:paid|pays|gave|given)(?: \p{L}+){0,3} back|repaid|settled|debt-free|paid off|bezahlt", _OWING),
    (
        r"finished|completed?|done|ready|fertig|abgeschlossen|terminad[oa]",
        r"unfinished|half-?way|pending|on hold|incomplete|in progress|unfertig",
    ),
    (r"on (?:time|schedule|track)|punctual|pünktlich", _LATE),
    (r"vegetarian|vegan|plant-based|Vegetarier(?:in)?|vegetarisch|vegetarian[oa]", _MEAT),
    (r"teetotal\p{L}*|sober|alcohol-free|abstinent|nüchtern", _ALCOHOL),
    (r"non-?smoker|smoke-?free|Nichtraucher(?:in)?", r"smokes?|smoked|smoking|cigarettes?|smoker|Raucher(?:in)?"),
    (
        r"unemployed|jobless|out of work|retired|arbeitslos|pensioniert|desemplead[oa]",
        r"works? (?:at|for|as)|working (?:at|for|as)|employed|new job|arbeitet|trabaja",
    ),
    (r"happy|satisfied|content|pleased|glad|delighted|glücklich|zufrieden|feliz", _SAD),
    (
        r"calm|relaxed|at ease|entspannt",
        r"stress(?:ed|ful)?|nervous|anxious|panick?(?:ed|y|s)?|worried|overwhelmed|gestresst|nervös",
    ),
    (r"sleeps? (?:well|fine|soundly)|slept (?:well|fine|soundly)|sleeping (?:well|fine|soundly)", _SLEEPLESS),
    (r"alive|lebt", r"died|dead|funeral|buried|passed away|gestorben|Beerdigung|murió"),
    (
        r"friends with|gets? (?:on|along)|got (?:on|along)|made up|reconciled",
        r"argu(?:ed|es|ing|ment)|quarrel\p{L}*|fell out|fought|not speaking|Streit|gestritten",
    ),
)
"""Each side of a pair as a pattern; a denied mention of one side states the other."""
_SIDES = tuple(
    tuple(late_pattern(rf"(?<![\p{{L}}-])(?:{side})(?!\p{{L}})", regex.IGNORECASE) for side in pair) for pair in _PAIRS
)
_RUN = late_pattern(r"\p{L}+")
_BEGINS = 3
"""Letters of a word by which it is known whether a mention may begin with it."""


_NOT_SO = late_pattern(
    r"\b(?:if|would|could|might|unless|whether|in case|hop(?:e|es|ed|ing)|afraid|fear\p{L}*|wish\p{L}*"
    r"|almost|nearly|pretend\p{L}*|wenn|falls|ob|fast|si)\b",
    regex.IGNORECASE,
)
_ENDED = late_pattern(
    r"(?<!\b(?:not|never|cannot|to)\s|n['’]t\s)\b(?:(?:stopped|quit|gave up|given up)(?: (?:being|feeling|drinking"
    r"|eating|having))?(?: (?:a|an|the|my|all|so))?|(?:no longer|used to|got over|gotten over|recovered from"
    r"|got rid of)(?: \p{L}+){0,3})\s*$",
    regex.IGNORECASE,
)
"""Before a state that was, and is no more…"""
_IS_OVER = late_pattern(
    r"[^.!?;]{0,40}?(?:\b(?:is|are|has|have)(?: (?:now|finally|all|since))? (?:over|gone|ended|passed|healed)\b"
    r"|\bbut (?:(?:I|we|he|she|they)(?:['’]ve| have| has)? )?(?:quit|stopped|gave it up)\b)",
    regex.IGNORECASE,
)
"""…and behind one."""
_TURN = late_pattern(
    r"[.!?;]|\b(?:and|but|however|yet|now|then|until|till|before|still|again|later|unfortunately|sadly|und|aber|doch"
    r"|jedoch|jetzt|nun|dann|bis|y|pero|ahora|luego)\b",
    regex.IGNORECASE,
)
"""Behind one of these a state is a statement of its own, and may have followed on the first."""
_WAS = late_pattern(r"\b(?:was|were|been|used to be|war|waren|era|estaba)(?: \p{L}+)?\s*$", regex.IGNORECASE)
_CONCEDED = late_pattern(r"\b(?:although|though|despite|in spite|obwohl|trotz|aunque)\b", regex.IGNORECASE)
_PROVIDED = late_pattern(
    r"\b(?:bought|buy|cook(?:ed)?|made|make|served|gave|give|brought|poured|ordered|prepared|fried|grilled|roasted|got)\b"
    r"(?P<whom> (?!the\b|some\b|a\b|an\b|my own\b|me\b|us\b|myself\b)(?:my \p{L}+|him|her|them|\p{Lu}\p{L}+)\b)?"
    r"[^.;!?,]{0,20}$"
)
_FOR_OTHERS = late_pattern(
    r"[^.;!?,]{0,30}?\bfor (?!me\b|myself|us\b|ourselves|both of us|dinner|lunch|breakfast|supper|a |an |\d)"
)
_TAKEN = frozenset(pair for pair, (_, other) in enumerate(_PAIRS) if other in (_MEAT, _ALCOHOL))
"""What one eats or drinks, which may be got for others."""

NOTHING = word_set("nothing nobody none noone nichts niemand nada nadie")
"""Words that say there is none."""
_REACH_BACK = 3


class State(NamedTuple):
    """One mention of a state; `start:end` are offsets into the text."""

    pair: int
    side: Literal[0, 1]
    start: int
    end: int


def opposed(ours: Sequence[State], said: str) -> State | None:
    """Return the state of `said` that excludes one of `ours`; None where nothing does.

    Nothing is looked at but the words: whether both speak of one subject is for the caller to say.
    """
    if not ours or said.rstrip().endswith("?"):
        return None
    claimed = {state.pair: state.side for state in ours}
    against = [state for state in states_of(said, claimed) if claimed[state.pair] != state.side]
    return next((state for state in against if _is_told(state, said) and not _is_no_more(state, said)), None)


def shared_state(ours: Sequence[State], said: str) -> bool:
    """Return whether `said` tells, of one of the pairs of `ours`, the same side, or that the other one is no more."""
    sides = {state.pair: state.side for state in ours}
    told = states_of(said, sides)
    return any(state.side == sides[state.pair] or _is_no_more(state, said) for state in told)


def _is_told(state: State, said: str) -> bool:
    """Return whether a state is stated: not only wished or feared, and not somebody else's meal."""
    before, after = said[: state.start], said[state.end :]
    if _NOT_SO.search(before):
        return False
    provided = _PROVIDED.search(before) if state.pair in _TAKEN else None
    return provided is None or not (provided["whom"] or _FOR_OTHERS.match(after))


def _is_no_more(state: State, said: str) -> bool:
    """Return whether a state has ended, or the other side is stated first and nothing turns from it to this one."""
    if _ENDED.search(said[: state.start]) or _IS_OVER.match(said[state.end :]):
        return True
    for other in _mentions(said, (state.pair,)):
        if other.side != state.side and other.end <= state.start:
            between = said[other.end : state.start]
            was = _WAS.search(said[: other.start]) and not _CONCEDED.search(between)
            if not was and not _TURN.search(between):
                return True
    return False


def states_of(text: str, pairs: Iterable[int] | None = None) -> list[State]:
    """Return the last mention in `text` of each of the states of `pairs`, of all where none are given.

    Its side is turned where it is denied.
    """
    sought = _pairs_begun(text) if pairs is None else pairs
    return list({mention.pair: mention for mention in _mentions(text, sought)}.values())


def _pairs_begun(text: str) -> AbstractSet[int]:
    """Return the pairs of which a mention may begin with a word of `text`."""
    if not text.isascii():
        return frozenset(range(len(_PAIRS)))
    begun = _pairs_by_beginning()
    runs = {run[:_BEGINS].lower() for run in _RUN.findall(text)}
    return frozenset[int]().union(*(begun[run] for run in runs if run in begun))


@lru_cache(maxsize=1)
def _pairs_by_beginning() -> Mapping[str, AbstractSet[int]]:
    """Return the pairs of which a mention may begin with a word, by what the word begins with."""
    table: dict[str, set[int]] = {}
    for pair, sides in enumerate(_SIDES):
        for beginning in (one for side in sides for one in _beginnings(side)):
            table.setdefault(beginning, set()).add(pair)
    return table


def _beginnings(side: "regex.Pattern[str]") -> Iterator[str]:
    """Yield with which letters a mention may begin, and which shorter words may begin one."""
    begun = [""]
    for _ in range(_BEGINS):
        begun = [more for one in begun for letter in ascii_lowercase if side.match(more := one + letter, partial=True)]
        yield from (one for one in begun if len(one) == _BEGINS or _is_first_word(one, side))


def _is_first_word(one: str, side: "regex.Pattern[str]") -> bool:
    return any(side.match(one + mark, partial=True) for mark in " -'’")


def _mentions(text: str, pairs: Iterable[int]) -> list[State]:
    """Return every mention of a state in the order of their ends, its side turned where it is denied."""
    found = [
        (pair, side, match.span())
        for pair in sorted(pairs)
        for side, pattern in enumerate(_SIDES[pair])
        for match in pattern.finditer(text)
    ]
    denials = _denials(text) if found else []
    mentions: list[State] = []
    for pair, side, (start, end) in sorted(found, key=lambda one: (one[2][1], -one[2][0])):
        within = range(start, end)
        is_denied = any(word in within and negator not in within for negator, word in denials)
        mentions.append(State(pair, 1 if (side == 1) is not is_denied else 0, start, end))
    return mentions


def _denials(text: str) -> list[tuple[int, int]]:
    """Return where each negation stands, with where each of the words begins that it reaches.

    "Nothing" and "nobody" reach back, too: who owes nothing does not owe.
    """
    found = words(text)
    ahead = [(negator, index) for negator, *reached in negated(text, found) for index in reached]
    back = [
        (negator, index)
        for negator, word in enumerate(found)
        if word.key in NOTHING
        for index in range(max(0, negator - _REACH_BACK), negator)
    ]
    return [(found[negator].start, found[index].start) for negator, index in (*ahead, *back)]
