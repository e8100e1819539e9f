"""The words of a question of which a refusal may say that no note mentions them.

Law: a refusal says so of a name or a topic word only if nothing that the reader may see contains it. If some notes are
hidden from the reader, it says so only of the notes it searched.

Source: ruling D5 ("whatever a refusal states of the memory is literally true of the index, or is not said").
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from voice.core.answering.forms import asks_for_a_form, form_of
from voice.core.grounding.answerability.evidence_sentences import MOST_READ
from voice.core.grounding.answerability.person_names import proper_names
from voice.core.grounding.values import GroundedResponse, RefusalReason
from voice.core.text.background import weight_of
from voice.core.text.language_data import every_word
from voice.core.text.words import side_by_side, without_possessive, words

_TELLING: Final = 2.5
"""The least weight of a word of which it is worth saying that no note mentions it."""
_MOST: Final = 8
"""Words of a question that are looked up."""
_NAMED: Final = 3


def words_to_look_up(question: str) -> tuple[str, ...]:
    """Return the names and the topic words of a question as it writes them, whole names first."""
    form = form_of(question, is_timed=False)
    question = ", ".join(form.subjects) if form.kind in ("about", "comparison") else question[:MOST_READ]
    found = words(question)
    named = [word for word in proper_names(question, found) if not asks_for_a_form(word)]
    names = [" ".join(without_possessive(word.text) for word in run) for run in side_by_side(question, named)]
    asking = every_word("questions", "asking", "rows")
    telling = [
        without_possessive(word.text)
        for word in found
        if word not in named and not (word.is_stop or word.is_number or word.key in asking or asks_for_a_form(word))
        if weight_of(word.stem) >= _TELLING
    ]
    return tuple(dict.fromkeys((*names, *telling)))[:_MOST]


def may_say(response: GroundedResponse) -> bool:
    """Return whether a response is a refusal for want of sources, which may name words that no note mentions."""
    return response.refused and response.reason is RefusalReason.NO_SOURCES


def saying(response: GroundedResponse, unmentioned: Sequence[str], *, is_all: bool) -> GroundedResponse:
    """Return a refusal that says which words no note mentions, and nothing else of these words.

    Args:
        response: a refusal.
        unmentioned: words that no visible row contains.
        is_all: whether every row is visible.
    """
    if not unmentioned:
        return response
    shown = unmentioned[:_NAMED]
    told = f"no note {'' if is_all else 'I searched '}mentions {' or '.join(f'“{word}”' for word in shown)}"
    ends = tuple(each for word in shown for each in (word, f"“{word}”"))
    others = [part for part in (response.notes or "").split("; ") if part and not part.endswith(ends)]
    return replace(response, notes="; ".join((told, *others)))
