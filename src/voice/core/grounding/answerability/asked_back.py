"""The question that closes an answer of the stance `question`: it takes up what the quoted sentences turn on.

Law: it is of the kind of the sentences (a reason, a wish, a thing given up, trouble, a sum, something denied), and
brings no name, number or date, nor a word of the matter, that they lack. Of several kinds the one that says most of how
a person decides comes first; of none, or of several sentences of different kinds, it asks what they mean. Only English
has the words for this; in other languages it is the general question.

Source: spec stateful-design-v2, stances ("question"); ruling D1.
"""

from collections.abc import Sequence

import regex

from voice.core.grounding.answerability.asked import says
from voice.core.text.negation import has_negation
from voice.core.text.patterns import late_pattern
from voice.core.text.stopwords import Language, guess_language
from voice.core.text.words import words

_REASON = late_pattern(r"\b(?:because|the reason|so that|in order to)\b", regex.IGNORECASE)
_WISH = late_pattern(
    r"\b(?:would (?:like|rather|love|prefer)|['’]d (?:like|rather|love|prefer)|wants?|wanted|wish(?:es|ed)?"
    r"|hop(?:e|es|ed)|plan(?:s|ned)?)\b",
    regex.IGNORECASE,
)
_OVER = late_pattern(
    r"\b(?:stopped|quit|gave up|given up|no longer|any ?more|used to|cancel\w*|declined)\b",
    regex.IGNORECASE,
)
_TROUBLE = late_pattern(
    r"\b(?:broken|broke|hurts?|ill|sick|problem\w*|difficult\w*|worr\w+|afraid|too \p{L}+|late|leak\w*)\b",
    regex.IGNORECASE,
)
_BACK = {
    "reason": "Is this reason still true for you, and how much does it weigh now?",
    "wish": "How much does this wish weigh for you, and what would it change?",
    "over": "Is this still right for you today, or would you choose a different option?",
    "trouble": "What would make this different, and which step is yours?",
    "sum": "How much does this weigh in what you are asking, and is it worth it?",
    "denied": "What would make this different, and would you wish for that?",
}
_WHATEVER_ONE_SAYS: dict[Language, str] = {
    "en": "What does that mean for what you are asking?",
    "de": "Was bedeutet das für deine Frage?",
    "es": "¿Qué significa eso para lo que preguntas?",
}
_HOW_THEY_FIT: dict[Language, str] = {
    "en": "How do these fit together, and which of them weighs more for you now?",
    "de": "Wie passt das zusammen, und was davon wiegt für dich jetzt mehr?",
    "es": "¿Cómo encaja esto, y qué pesa más para ti ahora?",
}


def question_back(question: str, quoted: Sequence[str]) -> str:
    """Return what to ask about the quoted sentences, in the language of the question.

    Args:
        question: what was asked.
        quoted: the sentences that are given, word for word.
    """
    language = guess_language([word.key for word in words(question)])
    general = (_WHATEVER_ONE_SAYS if len(quoted) == 1 else _HOW_THEY_FIT)[language]
    kinds = {_turns_on(text) for text in quoted}
    is_of_one = language == "en" and len(kinds) == 1 and (len(quoted) == 1 or not kinds & {"sum"})
    return _BACK.get(next(iter(kinds)) or "", general) if is_of_one else general


def _turns_on(text: str) -> str | None:
    """Return what a sentence turns on; None where nothing of it shows."""
    told = (("reason", _REASON), ("wish", _WISH), ("over", _OVER), ("trouble", _TROUBLE))
    kind = next((kind for kind, pattern in told if pattern.search(text)), None)
    if kind is not None or says("money", text):
        return kind or "sum"
    return "denied" if has_negation(text, words(text)) else None
