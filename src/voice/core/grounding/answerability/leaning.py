"""What a follow-up is about: "What does she eat?" after the cat is not answered by what the slugs ate.

Law: where a question names its subject by a pronoun alone and brings the topics of the one before it along, only a note
that holds one of these topics is about that subject; who is meant by name is not known here, and takes nothing away.

Source: ruling D5 (evidence must say something of what is asked about); rulings A5, D5 (`judged_text`).
"""

import regex

from voice.core.grounding.answerability.passages import Passage
from voice.core.grounding.answerability.support import credited_share
from voice.core.text.patterns import late_pattern
from voice.core.text.words import words

_STANDS_FOR = late_pattern(
    r"\b(?:he|him|his|she|her|hers|it|its|they|them|their|er|ihm|ihn|sie|ihr|ihre[nmrs]?|es|él|ella|ellos|ellas)\b",
    regex.IGNORECASE,
)


def is_beside_what_is_leant_on(question: str, passage: Passage) -> bool:
    """Return whether a follow-up means by a pronoun what neither a sentence nor its note says anything of.

    Args:
        question: what is judged by: the person's question, and on a line of its own the topics it leans on.
        passage: a sentence of the evidence.
    """
    asked, _, leant_on = question.partition("\n")
    if not leant_on or _STANDS_FOR.search(asked) is None:
        return False
    topics = [word for word in words(leant_on) if not word.is_stop]
    held = passage.stems | {word.stem for word in words(passage.row.text)}
    return bool(topics) and not credited_share(topics, held)
