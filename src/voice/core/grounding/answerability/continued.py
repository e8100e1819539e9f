"""What a note goes on to say of the same thing: the sentence that completes one that is quoted.

Law: who quotes "It is no longer with Anna." and stops there withholds what the note says next, "It is with Ulrike.";
a sentence that leans on the one before it (a pronoun, "instead", "because" at its head) belongs to it, both ways. Asked
why, the sentence that follows may be the reason without any sign of it. One sentence each way and short ones only: the
rest is another matter, and the person can read the note. Nothing here states anything: each sentence is quoted word for
word and judged by itself.

Source: DESIGN 7 (`extractive`); ruling D1.
"""

import regex

from voice.core.grounding.answerability.kinds import kind_of
from voice.core.grounding.answerability.passages import Passage, all_passages
from voice.core.text.checklists import item_of
from voice.core.text.patterns import late_pattern
from voice.core.text.tables import cells_of

_MOST = 220
"""Characters of a sentence that may stand beside another; longer ones tell more than they complete."""
_LEANS = late_pattern(
    r"(?:it|he|she|they|this|that|these|those|there|both|neither|one|the (?:one|other|latter|former|reason)|so|because"
    r"|but|instead|otherwise|therefore|now|then|er|sie|es|das|dies\w*|dort|da|beide|stattdessen|sondern|deshalb|deswegen"
    r"|weil|aber|denn|jetzt|él|ella|ellos|ellas|eso|esto|allí|ahí|por eso|porque|pero|en cambio|ahora)\b",
    regex.IGNORECASE,
)
_STANDS_FOR = late_pattern(
    r"(?:it|he|she|they|this|that|these|those|er|sie|es|dies\w*|él|ella|ellos|ellas|eso|esto)\b", regex.IGNORECASE
)
_ASKS_WHY = late_pattern(
    r"\b(?:why|what(?:'s| is| was)? the reason|how come|warum|wieso|weshalb|por qué)\b", regex.IGNORECASE
)


def with_what_goes_on(passage: Passage, question: str) -> tuple[Passage, ...]:
    """Return a sentence with what belongs to it of the same note, in the order in which it was written.

    Args:
        passage: a sentence that is about to be quoted.
        question: what was asked; to a "why" whatever follows belongs.

    Returns:
        The sentence; before it the one that its pronoun stands for, behind it the one that goes on about the same.

    Source: DESIGN 7; ruling D1.
    """
    if passage.row.source_type != "kg_observation" or not _is_prose(passage):
        return (passage,)
    every = all_passages(passage.row)
    place = [one.start for one in every].index(passage.start)
    before = every[place - 1 : place] if place and _STANDS_FOR.match(passage.text) else []
    after = [
        one for one in every[place + 1 : place + 2] if _LEANS.match(one.text) or _ASKS_WHY.search(question) is not None
    ]
    return (*filter(_may_stand_beside, before), passage, *filter(_may_stand_beside, after))


def _is_prose(passage: Passage) -> bool:
    return item_of(passage.text) is None and not cells_of(passage.text)


def _may_stand_beside(passage: Passage) -> bool:
    """Return whether a sentence was shown, states something in the person's own voice and is short."""
    is_shown = passage.text in passage.row.shown and len(passage.text) <= _MOST
    return is_shown and _is_prose(passage) and not passage.is_order and kind_of(passage.text) in ("claim", "quotation")
