"""What two sentences tell of one thing that cannot both be so, in plain words, and when they tell of two things.

Law: what is told of one thing is told by all the words of the claim but those that exclude each other: how often it
happens, its colour, a deed against one that undoes it, none of it against some. Two sentences are of two things where
each begins with a noun that the other lacks, where one deed is told of two objects, or where the one tells of another
time what the other denies; what is said of another thing speaks neither for the claim nor against it.

Source: spec stateful-design-v2, stances ("challenge"); DESIGN 6 stage 4.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import regex

from voice.core.grounding.opposed import opposed, states_of
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import are_opposite
from voice.core.grounding.support import credited_share
from voice.core.text.negation import has_negation
from voice.core.text.numbers import quantities
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_HOW_OFTEN: tuple[str, ...] = (
    r"never|nie|niemals|nunca",
    r"rarely|seldom|(?:hardly|scarcely) ever|almost never|selten|kaum|rara vez|casi nunca",
    r"sometimes|occasionally|now and then|once in a while|manchmal|gelegentlich|a veces",
    r"often|frequently|usually|regularly|mostly|oft|häufig|meistens|a menudo",
    r"always|constantly|all the time|daily|(?:every|each) (?:single )?(?:day|morning|evening|night|week)|immer|siempre",
)
"""How often something happens, each rung more often than the one before."""
_RUNGS = tuple(late_pattern(rf"\b(?:{rung})\b", regex.IGNORECASE) for rung in _HOW_OFTEN)
_FAR = 2
"""So many rungs apart two sentences exclude each other: what happens sometimes may well happen often."""
_COLOURS = word_set(
    "red blue green yellow white black brown grey gray orange purple pink violet rot blau grün gelb weiß schwarz braun "
    "grau lila rojo roja azul verde amarillo amarilla blanco blanca negro negra marrón gris"
)
_TIMES = (
    word_set("monday tuesday wednesday thursday friday saturday sunday weekdays weekends montag dienstag mittwoch "
             "donnerstag freitag samstag sonntag lunes martes miércoles jueves viernes sábado domingo"),
    word_set("january february march april may june july august september october november december"),
    word_set("spring summer autumn winter"),
    word_set("morning noon afternoon evening night"),
)  # fmt: skip
"""Within each of these one time is not the other."""
_EVERY_TIME = frozenset[str]().union(*_TIMES)
_UNDOES: tuple[tuple[str, str], ...] = (
    (r"open|unlocked", r"locked"),
    (
        r"(?:took|takes?|taken|taking) place|went ahead|goes ahead|happened|is on|was held",
        r"cancel(?:l?ed)?|called off|did not take place|abgesagt|cancelad[oa]",
    ),
    (r"broken|damaged|faulty|defective|leaks?|leaking|kaputt", r"repaired|fixed|mended|replaced|repariert|reparad[oa]"),
    (r"owns?|still (?:have|has)|keeps?|kept", r"sold|gave away|given away|got rid of|donated|threw away|verkauft"),
    (
        r"loves?|likes?|enjoys?|fond of|looks? forward to",
        r"(?:afraid|scared|terrified|sick|tired) of|fears?|dreads?|can['’]?t stand|cannot stand|hates?|detests?",
    ),
    (r"lost|missing|stolen|disappeared|verloren", r"found|turned up|came back|recovered|gefunden"),
    (r"asleep|sleeps|sleeping", r"awake|woke up|is up"),
    (r"well|fine|soundly|gut|bien", r"badly|poorly|terribly|schlecht|mal"),
    (r"alone|by myself", r"with (?:my|his|her|a|an|our|two|three)"),
    (r"deep", r"shallow"),
    (r"wide|broad", r"narrow"),
    (r"heavy", r"light"),
    (r"loud|noisy", r"quiet|silent"),
    (r"wet|humid", r"dry"),
    (r"clean|tidy", r"dirty|filthy|messy"),
    (r"free of charge|for free|is free", r"costs?|charges?"),
)
"""Deeds and states of one thing of which the one undoes the other; neither is denied."""
_UNDOING = tuple(tuple(late_pattern(rf"\b(?:{side})\b", regex.IGNORECASE) for side in pair) for pair in _UNDOES)
_GIVEN_UP = late_pattern(
    r"\b(?:stopped|quit|gave up|given up|no longer|used to|ya no|dej(?:é|ó) de)\b(?P<what>[^.,;:!?]*)", regex.IGNORECASE
)
_RESUMED = late_pattern(r"\b(?:again|resumed|restarted|back to|wieder|otra vez)\b", regex.IGNORECASE)
_STILL = word_set("still yet just really now currently immer todavía")
_PLACED = late_pattern(
    r"^(?P<what>(?:the|my|our|his|her|\p{Lu}[\p{L}]+['’]s) [\p{L} ]{2,30}?) (?:is|are|stands?|lies|hangs)"
    r"(?: (?:now|still))? (?:in|at|on) (?P<where>(?:the|my|our|his|her) \p{Ll}[\p{L}-]+)",
    regex.IGNORECASE,
)
"""Only places that are named by a thing: "in Oslo" and "in Norway" may both be so, and "on Monday" is none."""
_WITHOUT = late_pattern(r"\b(?:free (?:of|from)|frei von|libre de|(?<=[\p{L}]-)free)\b", regex.IGNORECASE)
_HOLDS = word_set("contain contains contained hold holds include includes full free enthält frei contiene libre")
_BEGINS = word_set("start starts started begin begins began opens arrive arrives arrived beginnt empieza abre")
_ENDS = word_set("end ends ended finish finishes finished closes leave leaves left endet schließt termina cierra")
_LEADS = word_set(
    "the a an my our your his her its their this that these those der die das ein eine mein meine unser unsere el la "
    "los las un una mi nuestro nuestra"
)
_SHARES = word_set("all most many some few several both no none every each half of")
_ORDINALS = word_set("first second third last next other")
"""Small words that tell one thing from its like."""
_HELD = 0.9
_TOLD = 0.6
"""What the sentence tells beside it may be more than the claim, but not something else altogether."""


def excludes_in_plain_words(text: str, found: Sequence[Word], passage: Passage) -> bool:
    """Return whether a sentence tells of the claim's thing what cannot be so while the claim is.

    Args:
        text: the claim.
        found: its words.
        passage: the sentence.
    """
    return (
        _happens_otherwise(text, found, passage)
        or _has_another_colour(found, passage)
        or _is_undone(text, found, passage)
        or _is_given_up(text, found, passage)
        or _is_without(text, found, passage)
        or _is_elsewhere(text, passage)
    )


def is_of_another_thing(text: str, found: Sequence[Word], passage: Passage) -> bool:
    """Return whether a sentence tells of another subject, another object, another moment or another time than a claim.

    Args:
        text: the claim.
        found: its words.
        passage: the sentence.
    """
    return (
        _has_another_subject(found, passage)
        or _has_another_object(text, found, passage)
        or _is_of_another_moment(text, found, passage)
        or _is_of_another_time(text, found, passage)
    )


def _happens_otherwise(text: str, found: Sequence[Word], passage: Passage) -> bool:
    ours, theirs = _rung_of(text), _rung_of(passage.text)
    if ours is None or theirs is None or abs(ours - theirs) < _FAR:
        return False
    rest, other = (_without_rungs(said, own) for said, own in ((text, found), (passage.text, passage.words)))
    return _is_of_one_thing(rest, other)


def _rung_of(text: str) -> int | None:
    """Return how often something happens; None where it is not told, told twice or denied ("not always")."""
    told = [rung for rung, pattern in enumerate(_RUNGS) if pattern.search(text)]
    is_denied = regex.search(r"\bnot\b|n['’]t\b|\bnicht\b", text) is not None
    return told[-1] if told and not is_denied and len(told) == 1 else None


def _without_rungs(text: str, found: Sequence[Word]) -> list[Word]:
    spans = [match.span() for pattern in _RUNGS for match in pattern.finditer(text)]
    return [word for word in _telling(found) if not any(start <= word.start < end for start, end in spans)]


def _has_another_colour(found: Sequence[Word], passage: Passage) -> bool:
    ours, theirs = ({word.key for word in own} & _COLOURS for own in (found, passage.words))
    if len(ours) != 1 or len(theirs) != 1 or ours == theirs:
        return False
    rest, other = ([word for word in _telling(own) if word.key not in _COLOURS] for own in (found, passage.words))
    return _is_of_one_thing(rest, other) and not has_negation(passage.text, passage.words)


def _is_undone(text: str, found: Sequence[Word], passage: Passage) -> bool:
    if has_negation(text, found) or has_negation(passage.text, passage.words):
        return False
    return any(
        _tells_one_and_other(text, found, passage, one, other)
        for left, right in _UNDOING
        for one, other in ((left, right), (right, left))
    )


def _tells_one_and_other(
    text: str, found: Sequence[Word], passage: Passage, one: "regex.Pattern[str]", other: "regex.Pattern[str]"
) -> bool:
    ours, theirs = one.search(text), other.search(passage.text)
    if ours is None or theirs is None or one.search(passage.text) or other.search(text):
        return False
    rest = [word for word in _telling(found) if not ours.start() <= word.start < ours.end()]
    return bool(rest) and credited_share(rest, passage.stems) >= _HELD


def _is_given_up(text: str, found: Sequence[Word], passage: Passage) -> bool:
    """Return whether a sentence tells that what the claim tells was so, and is no more."""
    over = _GIVEN_UP.search(passage.text)
    if over is None or _RESUMED.search(passage.text) or has_negation(text, found) or _GIVEN_UP.search(text):
        return False
    start, end = over.span("what")
    what = _stems([word for word in passage.words if start <= word.start < end])
    who = _stems([word for word in passage.words if word.start < over.start()])
    rest = [word for word in _telling(found) if word.key not in _STILL]
    return credited_share(rest, what) > 0 and credited_share(rest, who | what) >= _HELD if rest else False


def _is_without(text: str, found: Sequence[Word], passage: Passage) -> bool:
    """Return whether one of the two says that a thing is free of what the other tells that it holds."""
    ours, theirs = _WITHOUT.search(text) is not None, _WITHOUT.search(passage.text) is not None
    if ours is theirs or has_negation(text, found) or has_negation(passage.text, passage.words):
        return False
    rest, other = ([word for word in _telling(own) if word.key not in _HOLDS] for own in (found, passage.words))
    return _is_of_one_thing(rest, other)


def _is_elsewhere(text: str, passage: Passage) -> bool:
    """Return whether both tell where a thing is, and not the same place."""
    ours, theirs = _PLACED.search(text), _PLACED.search(passage.text)
    if ours is None or theirs is None or ours["what"].casefold() != theirs["what"].casefold():
        return False
    here, there = ({_single(word) for word in _telling(words(match["where"]))} for match in (ours, theirs))
    return bool(here and there) and not here & there and not (here | there) & _EVERY_TIME


def _is_of_one_thing(rest: Sequence[Word], other: Sequence[Word]) -> bool:
    """Return whether a sentence holds what is left of a claim, and little of its own."""
    held = bool(rest and other) and credited_share(rest, _stems(other)) >= _HELD
    return held and credited_share(other, _stems(rest)) >= _TOLD


def _has_another_subject(found: Sequence[Word], passage: Passage) -> bool:
    ours, theirs = _subject_of(found), _subject_of(passage.words)
    if ours is None or theirs is None:
        return False
    return not _holds(passage.stems, ours) and not _holds(_stems(found), theirs)


def _subject_of(found: Sequence[Word]) -> Word | None:
    """Return the noun that a sentence begins with, behind an article or whose it is; None where it begins otherwise."""
    first = next((word for word in found if word.key not in _LEADS | _SHARES), None)
    return None if first is None or (first.is_stop and first.key not in _ORDINALS) else first


def _has_another_object(text: str, found: Sequence[Word], passage: Passage) -> bool:
    """Return whether a deed is told of one thing and denied of another: who drinks no coffee may drink tea."""
    if not _is_denied_once(text, found, passage):
        return False
    theirs = [(deed.stem, thing) for deed, thing in _deeds(passage.words) if not _holds(_stems(found), thing)]
    return any(
        deed.stem == other and not _is_told_instead(thing, instead)
        for deed, thing in _deeds(found)
        if not _holds(passage.stems, thing)
        for other, instead in theirs
    )


def _deeds(found: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    """Yield each two telling words behind the subject with at most an article between them."""
    subject = _subject_of(found)
    for deed, thing in pairwise(word for word in found if word.key not in _LEADS):
        is_how = thing.is_number or thing.key.endswith("ly") or _rung_of(thing.text) is not None
        if not (deed == subject or deed.is_stop or thing.is_stop or is_how):
            yield deed, thing


def _is_told_instead(one: Word, other: Word) -> bool:
    """Return whether of two words only one can be so: Tuesday and Thursday, upstairs and downstairs, well and ill."""
    is_state = opposed(states_of(one.text), other.text) is not None
    kinds = (*_TIMES, _COLOURS)
    return is_state or are_opposite(one, other) or any({_single(one), _single(other)} <= kind for kind in kinds)


def _is_of_another_moment(text: str, found: Sequence[Word], passage: Passage) -> bool:
    """Return whether the one tells when something begins, and the other when it ends."""
    ours, theirs = ({word.key for word in own} for own in (found, passage.words))
    turned = (ours & _BEGINS and theirs & _ENDS - ours) or (ours & _ENDS and theirs & _BEGINS - ours)
    return bool(turned) and bool(quantities(text, found)) and bool(quantities(passage.text, passage.words))


def _is_of_another_time(text: str, found: Sequence[Word], passage: Passage) -> bool:
    """Return whether one of the two denies, or says the opposite, of another day or season than the other tells of."""
    ours, theirs = ({_single(word) for word in own} for own in (found, passage.words))
    if not any(ours & kind and theirs & kind and not ours & theirs & kind for kind in _TIMES):
        return False
    return _is_denied_once(text, found, passage) or any(
        are_opposite(one, other)
        for one in _telling(found)
        for other in _telling(passage.words)
        if _single(one) not in _EVERY_TIME
    )


def _is_denied_once(text: str, found: Sequence[Word], passage: Passage) -> bool:
    """Return whether just one of the two denies something."""
    return has_negation(text, found) is not has_negation(passage.text, passage.words)


def _single(word: Word) -> str:
    """Return a word without the ending of the plural: "Mondays" are Mondays."""
    times = word.key.removesuffix("s")
    return times if any(times in kind for kind in _TIMES) else word.key


def _telling(found: Sequence[Word]) -> list[Word]:
    return [word for word in found if not word.is_stop]


def _stems(found: Sequence[Word]) -> frozenset[str]:
    return frozenset(word.stem for word in found)


def _holds(stems: frozenset[str], word: Word) -> bool:
    return credited_share([word], stems) > 0
