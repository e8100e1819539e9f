"""Sentences of small words alone: "No.", "She did not.", "It was me.", and assents: "That is right.", "I agree."

Law: a sentence without a content word still states something when it denies, says yes or no, or has a subject and a
verb; one that says only that something is so, or is not, is a yes or a no in other words. Compared word by word it
would be free, so it is never weighed by its words: it stands whole in the evidence, or beside a supported claim that
already says the same (`neighbours`), or it is not supported.

Source: DESIGN 6 stage 4 (negation); ruling D1.
"""

from collections.abc import Sequence

from voice.core.text.negation import is_negator
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
_MODAL = word_set("can could will would should must might may shall ought kann könnte soll sollte wird würde muss")
_SAID = word_set(
    "am is are was were be been being did do does done has have had came come went go goes gone got get gets gave give "
    "take took make makes made say says said see seem seems become became let isn't aren't wasn't weren't "
    "bin bist ist sind war waren hat habe haben hatte hatten werde werden wurde wurden können konnte sollen musste "
    "will wollte geht gab gibt soy es son era eran fue fueron está están estaba ha han había tiene tienen hay va dijo"
)
_AND = word_set("and or und oder y o")
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
