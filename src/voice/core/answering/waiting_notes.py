"""What a refusal says of notes that programs made and nobody vouched for yet.

Law: such a note is no source, and no word of it is told as an answer; but a question about it is not answered as if
nothing were known (ruling J2). A note is about a question if it holds all of the question's topic words, or at least
half of what they weigh and enough to say what it is about.

Source: rulings J2, D5.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from voice.core.answering.question_terms import term_weights
from voice.core.grounding.values import GroundedResponse, RefusalReason
from voice.core.records import Thought
from voice.core.text.counting import counted
from voice.core.text.words import words

WANT_OF_GROUND: Final = frozenset(
    {
        RefusalReason.NO_SOURCES,
        RefusalReason.TOO_FEW_SOURCES,
        RefusalReason.COVERAGE_LOW,
        RefusalReason.OFF_TOPIC,
        RefusalReason.MODEL_REFUSED,
    }
)
"""The reasons of refusals that a further source could have made an answer."""
_LEAST_SHARE: Final = 0.5
_TELLING: Final = 2.5
"""The least that the words weigh which a question and a note have in common: one telling word, or several others."""
_NAMED: Final = 3
_A_PROGRAM: Final = "a program"


def about(question: str, notes: Iterable[Thought]) -> tuple[Thought, ...]:
    """Return the notes that are about a question, those that hold most of it first.

    Args:
        question: without its time.
        notes: that wait for their owner's word.
    """
    wanted = term_weights(question)
    whole = sum(wanted.values())
    if not whole:
        return ()
    shares = [(_held(note.content, wanted) / whole, note) for note in notes]
    found = [(share, note) for share, note in shares if share >= min(1.0, max(_LEAST_SHARE, _TELLING / whole))]
    found.sort(key=lambda each: (-each[0], each[1].id))
    return tuple(note for _, note in found)


def telling_of(response: GroundedResponse, notes: Sequence[Thought]) -> GroundedResponse:
    """Return a refusal that says who noted something about its question, and that approving it lets it count.

    Args:
        response: a refusal for want of ground.
        notes: what is about the question and waits.
    """
    if not notes:
        return response
    who = " and ".join(dict.fromkeys(note.noted_by or _A_PROGRAM for note in notes[:_NAMED]))
    ids = ", ".join(note.id for note in notes[:_NAMED])
    more = f" and {counted(len(notes) - _NAMED, 'more note')}" if len(notes) > _NAMED else ""
    them = "it" if len(notes) == 1 else "them"
    told = f"an agent noted this ({who}: {ids}{more}); approve {them} to let {them} count"
    return replace(response, notes=told)


def _held(text: str, wanted: dict[str, float]) -> float:
    stems = {word.stem for word in words(text)}
    return sum(weight for stem, weight in wanted.items() if stem in stems)
