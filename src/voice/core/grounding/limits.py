"""What a sentence leaves open, corrects, excepts or tells as the old one limits what may be told from it.

Law: a claim that picks one of two that the source leaves open, tells what the source corrects in the same breath, drops
an exception, turns a "for", an "unless" or an absence around, or tells a postponement that nobody mentions, says what
the source does not. It is decided against the best sentence, and not where another sentence that holds the whole claim
has no such limit.

Source: DESIGN 6 stage 4; ruling D1.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import regex

from voice.core.grounding.findings import Finding
from voice.core.grounding.hedges import HEDGES
from voice.core.grounding.passages import Passage
from voice.core.grounding.support import Support, credit_of
from voice.core.text.patterns import late_pattern
from voice.core.text.words import Word, words

_SURE = 0.5
_MOST = 9
"""So many corrections of one sentence are looked at; nobody makes more."""
_NAME = r"(?-i:\p{Lu}\p{L}+)"
_EITHER = late_pattern(
    rf"(?<!n['’]t (?:\w+ )?|\bnot (?:\w+ )?)\b(?:either|entweder) (?P<one>[^.;,]+?),?"
    rf" (?:or|oder) (?:on |in |at |the |a |my |am |im |der |die |das )?(?P<other>\p{{L}}+)"
    rf"|^(?P<one>{_NAME}) (?:or|oder) (?P<other>{_NAME})",
    regex.IGNORECASE,
)
_SETTLED = late_pattern(
    r"\b(?:update|edit|nachtrag|in the end|decided)\b[:,]?\s*(?:(?:it|es)(?:['’]s| is| was| will be| ist| wird)\s+)?"
    rf"(?P<who>{_NAME})(?=\s*(?:[.,;!)]|$))",
    regex.IGNORECASE,
)
"""What a note adds once it is known which of two it is."""
_OPEN = late_pattern(
    r"\b(?:or|either|one of|maybe|perhaps|might|may|can|could|not|never|whether|possibl[ey]|probably|oder|entweder"
    r"|vielleicht|nicht)\b|n['’]t\b|\?",
    regex.IGNORECASE,
)
_NUMBER = r"\p{Nd}[\p{Nd}:.]*(?<=\p{Nd})"
_VALUE = rf"{_NUMBER}|{_NAME}"
_CORRECTION = (
    r"no,? wait|wait,? no|correction|i mean|i meant|scratch that|make that|oops|nein|quatsch|korrektur|ich meine|pardon"
)
_CORRECTED = late_pattern(
    rf"[,;.:(—–-]\s*(?:{_CORRECTION}|sorry|actually|no(?=,))\b[,:;.!]*\s*"
    rf"(?:(?:it(?:['’]s| is| was)|on|at|in|to|is|um|am|im) ){{0,2}}(?P<new>{_VALUE})"
    r"(?=\s*(?:[.,;:!)]|$|(?:at|on|in|for|instead|not|um|am|im|statt)\b))",
    regex.IGNORECASE,
)
_OLD = late_pattern(
    rf"\b(?:old|previous|former|earlier|original|alte[rns]?|vorherige[rns]?|frühere[rns]?) (?:\p{{Ll}}+ )?"
    rf"(?:was|is|used to be|war|ist) (?P<old>{_VALUE})",
    regex.IGNORECASE,
)
_KEPT_OLD = late_pattern(
    r"\b(?:old|previous\w*|former\w*|earlier|original\w*|was|were|used to|before|no longer|not|until|alte\w?"
    r"|vorherig\w*|früher\w*|war)\b|n['’]t\b",
    regex.IGNORECASE,
)
_NOBODY = r"nobody|no one|none|nothing|keine[rs]?|niemand"
_EVERYBODY = r"everybody|everyone|everything|all|every|alle[s]?|jede[rs]?"
_EXCEPT = late_pattern(
    rf"\b(?:(?P<none>{_NOBODY})|(?P<all>{_EVERYBODY}))\b"
    r"(?:[^.;,]{0,120}?\b(?:except(?: for)?|other than|apart from|außer)\b"
    r"|(?: (?:in|of|from|at|on) (?:the |my |our |us |them )?\p{L}+)? but\b"
    rf"|[^.;,]{{0,120}}? but(?= (?:the |my |our )?{_NAME}(?:[.;,!]|$)))"
    rf" (?:the |my |our )?(?P<who>{_NAME}|\p{{L}}{{4,}})",
    regex.IGNORECASE,
)
"""A "but" excepts right behind whom it is said of, or before a name that ends the sentence."""
_KEPT_EXCEPTION = late_pattern(
    r"\b(?:except\w*|but|other than|apart from|besides|only|außer|nur|alone)\b", regex.IGNORECASE
)
_DENIED = late_pattern(r"\b(?:not|never|no|nicht|nie)\b|n['’]t\b", regex.IGNORECASE)
_STAND = late_pattern(
    r"\b(?:vot\p{L}+|spoke|argu\p{L}+|campaign\p{L}+|decid\p{L}+|rul\p{L}+|is|are|am|was|were|stimm\p{L}*|gestimmt"
    r"|stimmten?)(?: \p{L}+)? (?:(?P<pro>for|in favou?r of|für)|(?P<contra>against|gegen))\b"
    r"|\b(?P<contra>gegen)\b(?=[^.;,]*\b(?:ge)?stimmt)|\b(?P<pro>für)\b(?=[^.;,]*\b(?:ge)?stimmt)",
    regex.IGNORECASE,
)
_IF = late_pattern(r"\b(?:if|wenn|falls)\b", regex.IGNORECASE)
_UNLESS = late_pattern(r"\b(?:unless|es sei denn|außer wenn)\b", regex.IGNORECASE)
_ONLY = late_pattern(r"\b(?:only|nur)\b", regex.IGNORECASE)
_NO_MORE = late_pattern(r"\b(?:no longer|any ?more|used to|nicht mehr|kein\p{L}* mehr)\b", regex.IGNORECASE)
_ENDED = late_pattern(
    r"\b(?:sold|stopped|quit|g[ai]ven? (?:up|away)|lost|cancel+ed|got rid of|threw (?:away|out)|returned)\b"
    r"(?P<what>[^.;,]*?)(?= and | but |[.;,]|$)",
    regex.IGNORECASE,
)
_PUT_OFF = late_pattern(
    r"\b(?:postponed|cancel+ed|rescheduled|called off|delayed|brought forward|verschoben|abgesagt|verlegt)\b",
    regex.IGNORECASE,
)
_SHIFT = late_pattern(
    r"\b(?:postpon\p{L}*|cancel\p{L}*|reschedul\p{L}*|call\p{L}* off|delay\p{L}*|brought forward|bring forward"
    r"|mov\p{L}+|shift\p{L}*|push\p{L}*|put off|chang\p{L}+|instead|slip\p{L}*|late\p{L}?|now|new|no longer|not"
    r"|off|until|wait\p{L}*|verschoben|verschieb\p{L}*|abgesagt|verlegt|statt|fällt)\b|n['’]t\b",
    regex.IGNORECASE,
)
_ABSENT = late_pattern(
    r"\b(?:stay(?:ed|s) (?:at )?home|(?:was|is) (?:ill|sick|away|absent)|could(?:n['’]t| not) (?:come|make|join)"
    r"|did(?:n['’]t| not) (?:come|show|make|join)|missed it|had to (?:work|cancel)|blieb zu ?hause|war krank)\b",
    regex.IGNORECASE,
)
_WITH = late_pattern(rf"\b(?:with|and|mit|und) (?P<who>{_NAME})", regex.IGNORECASE)


def limit_findings(text: str, found: Sequence[Word], support: Support, passages: Sequence[Passage]) -> list[Finding]:
    """Return a finding when the claim `text` leaves a limit that its best sentence sets.

    Args:
        text: the claim.
        found: its words.
        support: what holds it.
        passages: all evidence; what another sentence holds whole and without the limit is held.
    """
    best = support.best
    if best is None or support.best_recall < _SURE:
        return []
    telling = [word for word in found if not word.is_stop]
    for breaks, reason in _LIMITS:
        if not breaks(text, best.text) or (breaks is _picks_one and _tells_what_was_settled(text, best.row.text)):
            continue
        if all(breaks(text, one.text) for one in passages if one is not best and _holds(one, telling)):
            return [Finding(flag="quantifier", text=reason, effect="unsupported", is_slight=True)]
    if _tells_an_absent_one(text, best, passages) or _invents_a_shift(text, passages):
        return [
            Finding(
                flag="modality",
                text="the answer tells what the source does not say took place",
                effect="unsupported",
                is_slight=True,
            )
        ]
    return []


def _holds(passage: Passage, telling: Sequence[Word]) -> bool:
    return all(credit_of(word.stem, passage.stems) >= _SURE for word in telling)


def _has(text: str, value: str) -> bool:
    if text.isascii() and value.isascii() and value.lower() not in text.lower():
        return False
    return regex.search(rf"(?<![\p{{L}}\p{{Nd}}]){regex.escape(value)}(?![\p{{L}}\p{{Nd}}])", text, regex.I) is not None


def says_it_turned(claim: str, said: str) -> bool:
    """Return whether a claim says by a "not", an "only" or a "used to" what its source says by what limits it.

    "Only Ravi came" of "nobody except Ravi came", "not open if it snows" of "open unless it snows", "no longer has the
    Volvo" of "sold the Volvo", "on Thursday, not on Tuesday" of a correction.
    """
    if _ONLY.search(claim):
        return any(match["none"] and _has(claim, match["who"]) for match in _EXCEPT.finditer(said))
    if _NO_MORE.search(claim):
        return any(_has(claim, word) for what in _ENDED.findall(said) for word in regex.findall(r"\p{L}{4,}", what))
    if _DENIED.search(claim) and _IF.search(claim):
        return _UNLESS.search(said) is not None
    return any(_has(claim, match["new"]) and _has(claim, old) for match, old in _corrections(said))


def _picks_one(claim: str, said: str) -> bool:
    if _OPEN.search(claim):
        return False
    for match in _EITHER.finditer(said):
        one, other = (frozenset(regex.findall(r"\p{L}{3,}", match[side].lower())) for side in ("one", "other"))
        ours = frozenset(regex.findall(r"\p{L}{3,}", claim.lower()))
        if bool(ours & (one - other)) is not bool(ours & (other - one)):
            return True
    return False


def _tells_what_was_settled(claim: str, note: str) -> bool:
    """Return whether a claim picks of two the one that the note tells later on to be it, and not the other."""
    for match in _EITHER.finditer(note):
        settled = _SETTLED.search(note, match.end())
        if settled is not None and _has(match[0], settled["who"]) and _has(claim, settled["who"]):
            return True
    return False


def _tells_the_corrected(claim: str, said: str) -> bool:
    return any(_has(claim, old) and not _has(claim, match["new"]) for match, old in _corrections(said))


def _corrections(said: str) -> Iterator[tuple[regex.Match[str], str]]:
    """Yield each correction of a sentence with what it puts right: the last of its kind before it."""
    for match in islice(_CORRECTED.finditer(said), _MOST):
        new = match["new"]
        ahead = words(said[: match.start()])
        is_number = new[0].isdigit()
        named = [word.text for word in ahead if word.is_capital and not (word.is_stop or word.is_number)]
        before = regex.findall(_NUMBER, said[: match.start()]) if is_number else named
        if before and before[-1] != new:
            yield match, before[-1]


def _tells_the_old(claim: str, said: str) -> bool:
    if _KEPT_OLD.search(claim):
        return False
    olds = [match["old"] for match in _OLD.finditer(said)]
    return any(_has(claim, old) and not _has(said.replace(old, "", 1), old) for old in olds)


def _drops_the_exception(claim: str, said: str) -> bool:
    if _KEPT_EXCEPTION.search(claim):
        return False
    for match in _EXCEPT.finditer(said):
        is_told = _has(claim, match["who"])
        if is_told and match["none"] and _DENIED.search(claim):
            return True
        if not is_told and any(_has(claim, word) for word in (match["none"] or match["all"]).split()):
            return not match["all"] or not _DENIED.search(claim)
    return False


def _turns_the_stand(claim: str, said: str) -> bool:
    ours, theirs = ({one.lastgroup for one in _STAND.finditer(text)} for text in (claim, said))
    return bool(ours and theirs) and ours.isdisjoint(theirs) and not _DENIED.search(claim) and not _DENIED.search(said)


def _turns_the_condition(claim: str, said: str) -> bool:
    if _DENIED.search(claim) or _DENIED.search(said):
        return False
    pairs = ((_IF, _UNLESS), (_UNLESS, _IF))
    return any(
        one.search(claim) and not two.search(claim) and two.search(said) and not one.search(said) for one, two in pairs
    )


def _tells_an_absent_one(claim: str, best: Passage, passages: Sequence[Passage]) -> bool:
    """Return whether a claim puts into company whom a sentence beside the best one tells as absent."""
    if _ABSENT.search(claim) or _DENIED.search(claim):
        return False
    beside = [one for one in passages if one is not best and one.row is best.row and _ABSENT.search(one.text)]
    joined = {match["who"] for match in _WITH.finditer(claim)}
    return any(_has(one.text, who) and not _has(best.text, who) for one in beside for who in joined)


def _invents_a_shift(claim: str, passages: Sequence[Passage]) -> bool:
    return _PUT_OFF.search(claim) is not None and not any(_SHIFT.search(one.text) for one in passages)


_LIMITS: tuple[tuple[Callable[[str, str], bool], str], ...] = (
    (_picks_one, "the answer picks one of what the source leaves open"),
    (_tells_the_corrected, "the answer tells what the source corrects"),
    (_tells_the_old, "the answer tells what the source calls the old one"),
    (_drops_the_exception, "the answer drops what the source excepts"),
    (_turns_the_stand, "the answer turns a “for” or an “against” around"),
    (_turns_the_condition, "the answer turns the source's condition around"),
    *HEDGES,
)
