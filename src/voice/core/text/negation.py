"""Negations in a sentence, and the words they reach.

Law: a negation reaches to the end of its clause; idioms ("can't wait", "not only") do not count.
Source: DESIGN 6 stage 4; ruling D1.
"""

from collections.abc import Sequence

from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import word_set
from voice.core.text.words import Word

NEGATORS = word_set(
    "not no never none nobody nothing neither nor without cannot nowhere hardly scarcely barely unable cant wont dont "
    "didnt doesnt isnt arent wasnt werent hasnt havent hadnt couldnt wouldnt shouldnt nicht kein keine keinen nie "
    "niemals nunca jamás sin ni pas jamais"
)
"""Negating words, in English and neighbouring languages."""
_IDIOMS = late_pattern(
    r"\b(?:can(?:'t|not) (?:wait|help|believe|get enough|stress enough|thank)|couldn't (?:be|agree|have|ask|wait|help)"
    r"|not only|not just|not to mention|no (?:doubt|wonder|matter|problem|worries|biggie|kidding)|why not|if not"
    r"|nothing (?:but|beats|better|like|short)|never (?:forget|gets? old|fails? to)|no one else|not bad|or not"
    r"|(?:no|not) (?:more|less|fewer|later|earlier|longer) than|nicht (?:mehr|weniger) als"
    r"|whether or not|wouldn't (?:trade|miss|have it)|don't worry|no way)\b"
)
_CLAUSE_END = late_pattern(r"[.;:!?,()—–\n]| - ")
_CLAUSE_WORDS = word_set("but although though however because while whereas except instead and so when which who")
_REACH = 6


def is_negator(word: Word) -> bool:
    """Return whether `word` negates what follows."""
    return word.key in NEGATORS or word.key.endswith("n't")


def has_negation(text: str, found: Sequence[Word]) -> bool:
    """Return whether the words `found` of `text` contain a real negation."""
    return bool(negated(text, found))


def negated(text: str, found: Sequence[Word]) -> list[tuple[int, ...]]:
    """Return for each real negation the indexes into `found` of the negator, then the content words it reaches."""
    if not any(map(is_negator, found)):
        return []
    idioms = _idiom_spans(text)
    scopes: list[tuple[int, ...]] = []
    for index, word in enumerate(found):
        if is_negator(word) and not any(start <= word.start < end for start, end in idioms):
            scopes.append((index, *_scope(text, found, index)))
    return scopes


def _idiom_spans(text: str) -> list[tuple[int, int]]:
    flat = text.lower().replace("’", "'")
    if len(flat) != len(text):
        return []
    return [match.span() for match in _IDIOMS.finditer(flat)]


def _scope(text: str, found: Sequence[Word], negator: int) -> list[int]:
    reached: list[int] = []
    for index in range(negator + 1, min(len(found), negator + 1 + _REACH)):
        gap = text[found[index - 1].end : found[index].start]
        if _CLAUSE_END.search(gap) or found[index].key in _CLAUSE_WORDS:
            break
        if not found[index].is_stop:
            reached.append(index)
    return reached
