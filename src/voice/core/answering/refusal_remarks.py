"""What is said beside an answer: words no note mentions, notes that wait for approval, and notes it does not cite.

Law: a refusal says so of a name or a topic word only if nothing that was searched contains it, and of nothing else:
what is private, marked for removal or redacted may contain it.

A note that a program made and nobody vouched for yet is no source, and no word of it is told as an answer; but a
question about it is not answered as if nothing were known. It is about a question if it holds all of its topic words,
or at least half of what they weigh and enough to say what it is about.

Who asks what happened in a month is given a few notes of it; that there are more, and how to see them all, is said
beside the answer, because an answer that says nothing of it reads as if that were everything.

Source: rulings D5, J2.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import Final

from voice.core.answering.question_form import asks_for_a_form, form_of, term_weights
from voice.core.grounding.answer_text import opening_of
from voice.core.grounding.extractive.evidence_sentences import MOST_READ, proper_names
from voice.core.grounding.values import Evidence, GroundedResponse, RefusalReason
from voice.core.interchange.origin import OTHERS_KINDS, PAGE_KIND, location_of
from voice.core.messages import showing as messages
from voice.core.messages.memory import SOMEBODY, said_by_others, written_by_others
from voice.core.records import Thought
from voice.core.text.display import truncate
from voice.core.text.language_data import every_word, word_weight
from voice.core.text.words import adjacent_words, strip_possessive, words

_TELLING: Final = 2.5  # least weight of a word of which it is worth saying that no note mentions it
_MOST: Final = 8  # words of a question that are looked up
_NAMED: Final = 3  # words that a refusal names


def words_to_look_up(question: str) -> tuple[str, ...]:
    """Return the names and the topic words of a question as it writes them, whole names first."""
    form = form_of(question, is_timed=False)
    question = ", ".join(form.subjects) if form.kind in ("about", "comparison") else question[:MOST_READ]
    found = words(question)
    named = [word for word in proper_names(question, found) if not asks_for_a_form(word)]
    names = [" ".join(strip_possessive(word.text) for word in run) for run in adjacent_words(question, named)]
    asking = every_word("questions", "asking", "rows")
    topics = [
        strip_possessive(word.text)
        for word in found
        if word not in named and not (word.is_stop or word.is_number or word.key in asking or asks_for_a_form(word))
        if word_weight(word.stem) >= _TELLING
    ]
    return tuple(dict.fromkeys((*names, *topics)))[:_MOST]


def can_list_unmentioned(response: GroundedResponse) -> bool:
    """Return whether a response is a refusal for want of sources, which may name words that no note mentions."""
    return response.refused and response.reason is RefusalReason.NO_SOURCES


def with_unmentioned_words(response: GroundedResponse, unmentioned: Sequence[str]) -> GroundedResponse:
    """Return a refusal that says which words no visible row mentions, and nothing else of these words."""
    if not unmentioned:
        return response
    shown = unmentioned[:_NAMED]
    note = messages.no_note_mentions(" or ".join(f"“{word}”" for word in shown))
    ends = tuple(each for word in shown for each in (word, f"“{word}”"))
    # A part of the notes that ends in one of these words would say the same twice.
    others = [part for part in (response.notes or "").split("; ") if part and not part.endswith(ends)]
    return replace(response, notes="; ".join((note, *others)))


def why_refused(reason: RefusalReason | None, notes: str | None) -> str:
    """Return what explains an earlier refusal: its notes, else what its reason says."""
    return messages.refused_because(notes) if notes else opening_of(reason)


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
_LEAST_SHARE: Final = 0.5  # of what the question's words weigh
# The least that the words weigh which a question and a note have in common: one telling word, or several others.
_LEAST_WEIGHT: Final = 2.5
_NAMED_NOTES: Final = 3  # more are counted
_NAME_CHARS: Final = 100


def notes_about(question: str, notes: Iterable[Thought]) -> tuple[Thought, ...]:
    """Return the notes that are about a question (without its time), by who says them too, best match first."""
    wanted = term_weights(question)
    total = sum(wanted.values())
    if not total:
        return ()
    found: list[tuple[float, str, Thought]] = []
    for note in notes:
        stems = {word.stem for word in words(f"{note.speaker or ''}\n{note.content}")}
        share = sum(weight for stem, weight in wanted.items() if stem in stems) / total
        if share >= min(1.0, max(_LEAST_SHARE, _LEAST_WEIGHT / total)):
            found.append((-share, note.id, note))
    return tuple(note for *_, note in sorted(found, key=lambda each: each[:2]))


def with_waiting_notes(response: GroundedResponse, notes: Sequence[Thought]) -> GroundedResponse:
    """Return a refusal that says who noted something about its question, and that approving it lets it count."""
    if not notes:
        return response
    names = (note.noted_by or messages.A_PROGRAM for note in notes)
    return replace(response, notes=messages.noted_by_agents(*_named(names, notes)))


def with_words_of_others(response: GroundedResponse, notes: Sequence[Thought]) -> GroundedResponse:
    """Return a refusal that says who else said or wrote something about its question, and how answers can cite it.

    Where the best match is a page, only pages are named, else only what was said: a page is vouched for by no log.
    """
    if not notes:
        return response
    alike = [note for note in notes if _is_page(note) == _is_page(notes[0])]
    told = written_by_others if _is_page(notes[0]) else said_by_others
    return replace(response, notes=told(*_named(map(_teller, alike), alike)))


def _is_page(note: Thought) -> bool:
    return note.speaker is None and (note.kind == PAGE_KIND or note.kind not in OTHERS_KINDS)


def _teller(note: Thought) -> str:
    place = location_of(note, 0)
    return truncate(note.speaker or (place.label_beside_date if place else SOMEBODY), _NAME_CHARS)


def _named(names: Iterable[str], notes: Sequence[Thought]) -> tuple[str, str, str]:
    """Return who said the first of the notes, which they are, and the pronoun for all of them."""
    who = " and ".join(dict.fromkeys(islice(names, _NAMED_NOTES)))
    ids = ", ".join(note.id for note in notes[:_NAMED_NOTES])
    more = messages.more_notes(len(notes) - _NAMED_NOTES) if len(notes) > _NAMED_NOTES else ""
    return who, f"{ids}{more}", "it" if len(notes) == 1 else "them"


def uncited_notes_notice(untimed: str, then: Sequence[Evidence], cited: AbstractSet[str]) -> str | None:
    """Return that there are more notes of the time asked about than were cited, and how to see them.

    Returns:
        None where it asks for something more than the time, or everything that was found is cited.
    """
    found = {row.row_id for row in then}
    if not cited or found <= cited or term_weights(untimed):
        return None
    return messages.notes_uncited(len(found & cited), len(found))
