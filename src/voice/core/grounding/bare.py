"""Sentences of small words alone: "No.", "She did not.", "It was me.", and assents: "That is right.", "I agree."

Law: a sentence without a content word still states something when it denies, says yes or no, or has a subject and a
verb; one that says only that something is so, or is not, is a yes or a no in other words. Compared word by word it
would be free, so it is never weighed by its words: it stands whole in the evidence, or beside a supported claim that
already says the same (`neighbours`), or it is not supported.

Source: DESIGN 6 stage 4 (negation); ruling D1.
"""

from collections.abc import Sequence
from typing import Literal

from voice.core.text.negation import is_negator
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key

_YES = frozenset(map(fold_key, word_set("yes yeah yep ja doch sí oui")))
_NO = word_set("no nein")
FIRST = word_set("i i'm i've i'd i'll we we're we've we'd we'll ich wir yo nosotros")
SECOND = word_set("you you're you've you'd you'll du ihr tú usted")
_THIRD = word_set(
    "he he's he'd he'll she she's she'd she'll it it's it'd it'll they they're they've they'd they'll er sie es "
    "él ella ellos ellas"
)
_OTHER_SUBJECTS = word_set(
    "this that that's these those there there's someone somebody everyone everybody everything anyone anybody nobody "
    "nothing none both each who who's who'd what's here's some all many most one mine hers ours theirs yours "
    "man das dies dieser diese jemand niemand alle eso esto"
)
_THAT = frozenset({"that", "this", "there"})
_MODAL = word_set("can could will would should must might may shall ought kann könnte soll sollte wird würde muss")
_SAID = word_set(
    "am is are was were be been being did do does done has have had came come went go goes gone got get gets gave give "
    "take took make makes made say says said see seem seems become became let isn't aren't wasn't weren't "
    "bin bist ist sind war waren hat habe haben hatte hatten werde werden wurde wurden können konnte sollen musste "
    "will wollte geht gab gibt soy es son era eran fue fueron está están estaba ha han había tiene tienen hay va dijo"
)
_AND = word_set("and or und oder y o")
_HE = "(?:i|we|you|he|she|it|they|that|this|there)"
_DOES = "(?:am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may|might)"
_SO = "(?:true|right|correct|so|the case|richtig|so richtig)"
_SURELY = late_pattern(r"\b(?:really|indeed|very much|certainly|definitely|absolutely|completely|totally|quite|oh)\b ?")
"""What only stresses an assent; alone it is one."""
_IS_SO = late_pattern(
    r"(?:(?:yes|yeah|yep|ja) )?(?:(?:i|we) (?:do )?agree(?: with (?:you|that|this|him|her|them))?"
    rf"|agreed|exactly|correct|right|true|genau|stimmt|das (?:stimmt|ist {_SO})"
    rf"|(?:you're|you are|that's|it's|(?:that|this|it) (?:is|was)) {_SO}"
    rf"|(?:(?:i|we) (?:think|believe) )?(?:so|{_HE} {_DOES}))"
)
_IS_NOT_SO = late_pattern(
    rf"(?:(?:no|nope|nein) )?(?:(?:i|we) (?:disagree|(?:don't|do not) agree)(?: with (?:you|that|this))?|false|wrong"
    rf"|das (?:stimmt nicht|ist (?:nicht {_SO}|falsch))"
    rf"|(?:that's|it's|(?:that|this|it) (?:is|was)) (?:not {_SO}|false|wrong|incorrect|untrue)"
    rf"|(?:that|this|it) (?:isn't|wasn't) {_SO}"
    rf"|(?:(?:i|we) (?:think|believe) )?(?:not so|not|{_HE} {_DOES}(?:n't| not)))"
)
_VERBS = frozenset(map(fold_key, _MODAL | _SAID))
_SUBJECTS = frozenset(map(fold_key, FIRST | SECOND | _THIRD | _OTHER_SUBJECTS))


_ANSWERS = word_set(
    "both neither either none all everyone everybody everything nobody somebody someone him her me them mine his hers "
    "ours theirs yours always often sometimes usually mostly rarely "
    "beide keiner alle ihn ihm mich dich uns immer manchmal ambos ninguno todos siempre"
)
"""Small words that answer a question all by themselves: who, whose, how often."""
_ANSWER_KEYS = frozenset(map(fold_key, _ANSWERS))


def is_statement(found: Sequence[Word]) -> bool:
    """Return whether a sentence of small words alone states something."""
    keys = [word.key for word in found]
    if any(key in _YES or key in _NO for key in keys) or any(map(is_negator, found)):
        return True
    if keys and all(key in _ANSWER_KEYS or key in _AND for key in keys):
        return True
    shortened = any(key in _SUBJECTS and "'" in key for key in keys)
    return any(key in _SUBJECTS for key in keys) and (shortened or any(key in _VERBS for key in keys))


Echo = Literal["yes", "no"]


def assent_of(found: Sequence[Word]) -> Echo | None:
    """Return whether a sentence says that something is so ("yes"), or is not ("no"), and nothing else.

    Args:
        found: the words of the sentence: "That's right.", "I agree with you.", "It really is.", "That is not true."
    """
    said = " ".join(word.key for word in found)
    plain = _SURELY.sub("", said).strip()
    if (said and not plain) or _IS_SO.fullmatch(plain):
        return "yes"
    return "no" if _IS_NOT_SO.fullmatch(plain) else None


def echo_of(found: Sequence[Word], neighbour: Sequence[Word]) -> Echo | None:
    """Return what a bare "Yes.", "No, she did not." or "Ja." says of the claim beside it; None for anything else.

    Args:
        found: the words of the bare sentence.
        neighbour: the words of the claim; "you" and "I" must be its subject, too, and so must a "would" be in it.
    """
    theirs = [word.key for word in neighbour]
    if (assent := assent_of(found)) is not None:
        return assent if _is_theirs(found, theirs) else None
    if not found or found[0].key not in _YES | _NO:
        return None
    said: Echo = "yes" if found[0].key in _YES else "no"
    rest = found[1:]
    denies = any(map(is_negator, rest))
    if rest and denies is not (said == "no"):
        return None
    echoed = all(_is_echo(word, theirs) or is_negator(word) for word in rest)
    return said if echoed else None


def _is_theirs(found: Sequence[Word], theirs: Sequence[str]) -> bool:
    """Return whether an assent that ends with its verb ("It is.", "I would not.") can be of the claim beside it."""
    said = [word for word in found if (not is_negator(word) or "'" in word.key) and not _SURELY.fullmatch(word.key)]
    subject, verb = said[-2:] if len(said) > 1 else (None, None)
    if subject is None or verb is None or verb.key.removesuffix("n't") not in _VERBS:
        return True
    return all(_is_echo(word, theirs) for word in (subject, verb) if not is_negator(word))


def _is_echo(word: Word, theirs: Sequence[str]) -> bool:
    if word.key in FIRST or word.key in SECOND:
        return not (FIRST if word.key in FIRST else SECOND).isdisjoint(theirs)
    if word.key in _THIRD or word.key in _THAT:
        return (FIRST | SECOND).isdisjoint(theirs[:1])
    return word.key in theirs if word.key in _MODAL else word.key in _VERBS
