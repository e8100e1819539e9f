"""Which sentences of the evidence speak against a claim, by structure.

Law: what took the place of the claim's like comes first, with what it was before; then sentences of the same matter
that give another number, date or name, or deny what the claim affirms. A claim that no sentence speaks against has
none, however many are about it. Whether two sentences in other words exclude each other is a model's to say.

Source: spec stateful-design-v2, stances ("challenge"); rulings D1, D5, J5.
"""

from collections.abc import Sequence
from dataclasses import replace

from voice.core.grounding.answerability.bare import FIRST
from voice.core.grounding.answerability.fit import Reading
from voice.core.grounding.answerability.passages import Passage
from voice.core.grounding.answerability.quoting import Question, Quote, content_of, rank_quotes
from voice.core.grounding.conflicts import has_ended
from voice.core.grounding.guards.doubts import doubts_of
from voice.core.grounding.guards.given import given_to
from voice.core.text.negation import has_negation
from voice.core.text.words import words

_NEAR = 0.2
"""What speaks against a claim repeats less of it than what bears it out."""
_LIKE_BEST = 0.7
_SAME_MATTER = 0.5
"""A sentence is of the claim's matter when it holds this share of the claim's telling words, figures left out."""


def against(asked: Question, every: Sequence[Quote], fitting: Reading) -> list[Quote]:
    """Return what speaks against a claim, each once, the most telling first.

    Args:
        asked: the claim, read as questions are.
        every: what `weigh_quotes` made of the rows of the prompt.
        fitting: the claim read over the same rows.
    """
    ranked = rank_quotes(asked, every, fitting, nearly=_NEAR)
    return _distinct(_replaced(ranked, every) or [quote for quote in ranked if _speaks_against(asked, quote)])


def _replaced(ranked: Sequence[Quote], every: Sequence[Quote]) -> list[Quote]:
    """Return the statements most like the claim that no longer hold, each with the statement that took its place."""
    replaced = [quote for quote in ranked if quote.passage.row.superseded_by not in (None, quote.passage.row.row_id)]
    found: list[Quote] = []
    for quote in replaced:
        if quote.score >= _LIKE_BEST * replaced[0].score:
            successor = quote.passage.row.superseded_by
            found += [quote, *(other for other in every if other.passage.row.row_id == successor)]
    return found


def _speaks_against(asked: Question, quote: Quote) -> bool:
    """Return whether a current sentence of the claim's matter gives another value, or denies what the claim affirms."""
    passage = quote.passage
    if has_ended(passage.row, asked.now) or _is_of_another_teller(asked.text, passage):
        return False
    today = asked.now.date() if asked.now else None
    ours = doubts_of(asked.text, given_to((passage.row,), today=today))
    theirs = doubts_of(passage.text, given_to((replace(passage.row, text=asked.text),), today=today))
    new = {word.stem for doubt in ours for word in words(asked.text[doubt.start : doubt.end])}
    matter = {word.stem for word in asked.content if not word.is_number} - new
    if not matter or len(matter & content_of(passage)) < _SAME_MATTER * len(matter):
        return False
    if {doubt.flag for doubt in ours} & {doubt.flag for doubt in theirs}:
        return True
    return not ours and has_negation(asked.text, words(asked.text)) != has_negation(passage.text, passage.words)


def _is_of_another_teller(claim: str, passage: Passage) -> bool:
    """Return whether who claims something of themselves would be answered by what another says of themselves."""
    return passage.speaker is not None and any(word.key in FIRST for word in words(claim))


def _distinct(quotes: Sequence[Quote]) -> list[Quote]:
    chosen: list[Quote] = []
    for quote in quotes:
        if not any(quote.repeats(other) for other in chosen):
            chosen.append(quote)
    return chosen
