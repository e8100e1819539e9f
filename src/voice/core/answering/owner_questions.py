"""Questions about the owner of the memory, and the passages that state the answer.

Law: what "I" am or have is answered by what the owner says of themselves: not by the "I" that a note quotes of somebody
else, nor by that of another speaker, unless one of the owner's people is asked about ("my doctor"). Where a question
asks for nothing but what the owner is or has (a closed table: children, home, age, car, job), a sentence about a person
by name, a "she", or a relative of the owner ("my sister has …") does not answer it either. A terse note that names
nobody ("Blood type: 0+") is the owner's.

Source: ruling D5 ("when the question names a person, evidence about another does not count").
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.owner_traits import kin_stems, names_somebody, people_words, relatives, trait_stems
from voice.core.grounding.extractive.evidence_sentences import MOST_READ, first_person, match_credit, proper_names
from voice.core.records import Entity, Observation, Relation
from voice.core.retrieval.passages import Passage
from voice.core.retrieval.values import Candidate
from voice.core.text.language_data import every_word, is_first_name
from voice.core.text.note_context import quoted_offsets
from voice.core.text.words import Word, forms_in, stems_in, words

_STOPS: Final = (".", "!", "?")
_FEW: Final = 3  # so few telling words ask for little more than one of the owner's people
_MANY: Final = 8  # of more words than these, no question asks for one trait
_MATCHES: Final = 0.5  # least credit for a word that counts as held, itself or by a synonym
_NEAR: Final = 3  # words from "my" to whom it names ("my dear old sister")


def asks_about_owner(question: str, owner: MemoryOwner) -> bool:
    """Return whether a question is about the owner."""
    own = first_person() | owner.keys
    return any(word.key in own for word in words(question[:MOST_READ]))


def asks_owner_name(question: str) -> bool:
    """Return whether a question asks only for the owner's name."""
    found = words(question[:MOST_READ])
    name, who, am = (every_word("owner", key) for key in ("name", "who", "am"))
    keys = {word.key for word in found}
    others = {word.key for word in found if not word.is_stop} - name - who - am - every_word("owner", "tell")
    is_who_i_am = not (keys.isdisjoint(who) or keys.isdisjoint(am))
    asks = is_who_i_am or not keys.isdisjoint(name)
    return asks and not others and not keys.isdisjoint(_myself() | am)


def states_owner_name(sentence: Candidate, owner: MemoryOwner) -> bool:
    """Return whether a sentence of the owner gives their name: "I am Irma"."""
    row = sentence.row
    said = {word.key for word in words(sentence.text)}
    is_own = isinstance(row, Observation) and (row.speaker is None or owner.is_called(row.speaker))
    return is_own and not said.isdisjoint(owner.keys) and not said.isdisjoint(_myself())


def is_about_others(question: str, passage: Passage, owner: MemoryOwner, people: Iterable[str] = ()) -> bool:
    """Return whether a passage says of somebody else what a question asks of the owner; `people` are the graph's."""
    asked = _OwnerQuestion.of(question, owner)
    if asked.names_another:
        return False
    if asked.relative and asked.is_short and asked.relative.isdisjoint(forms_in(passage.placed_text)):
        return True
    known = frozenset(word.key for name in people for word in words(name) if not word.is_stop) - owner.keys
    telling = [each for each in passage.rows if not asked.stems.isdisjoint(stems_in(each.text))]
    return all(_is_row_about_others(asked, each, owner, known) for each in telling or (passage.hit,))  # one suffices


def is_stated_by_owner(question: str, passage: Passage, owner: MemoryOwner) -> bool:
    """Return whether the owner says of themselves what a question asks for, if that is a trait of theirs."""
    asked = _OwnerQuestion.of(question, owner)
    if asked.names_another or not asked.is_plain or len(asked.stems) > _MANY:
        return False
    return any(_is_row_stated_by_owner(asked, row, owner) for row in passage.rows)


def _is_row_stated_by_owner(asked: "_OwnerQuestion", row: Candidate, owner: MemoryOwner) -> bool:
    speaker = row.row.speaker if isinstance(row.row, Observation) else None
    stems = stems_in(row.text)
    is_other = speaker is not None and not owner.is_called(speaker)  # their "I" is somebody else
    if is_other or not any(match_credit(stem, stems) >= _MATCHES for stem in asked.stems):
        return False
    found = words(row.text)
    quoted = quoted_offsets(row.text)
    own_words = first_person() | owner.keys
    own = [word for word in found if word.key in own_words and word.start not in quoted]
    return bool(own) and not _is_of_a_relative(asked, found, own)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnerQuestion:
    stems: frozenset[str]  # of the telling words
    names_another: bool
    is_short: bool
    relative: frozenset[str]  # words for whom of the owner's people it names

    @property
    def is_plain(self) -> bool:
        """Whether it asks for nothing but what the owner is or has."""
        return bool(self.stems) and not self.relative and self.stems <= trait_stems()

    @property
    def is_of_what_they_are(self) -> bool:
        """Whether it asks for nothing but what the owner is or has, or who somebody is to them."""
        return self.is_plain or (bool(self.relative) and self.is_short)

    @classmethod
    def of(cls, question: str, owner: MemoryOwner) -> "_OwnerQuestion":
        question, own = question[:MOST_READ], owner.keys
        found = words(question)
        named = [word for word in proper_names(question, found) if word.key not in own]
        silent = every_word("questions", "asking", "rows") | first_person()
        stems = frozenset(word.stem for word in found if not (word.is_stop or word.is_number or word.key in silent))
        at = _relative_in(found)
        noun = found[at] if at is not None else None
        relative = relatives().get(noun.key, frozenset[str]()) if noun else frozenset[str]()
        relative |= {noun.key, noun.stem} if noun else frozenset[str]()
        return cls(stems=stems, names_another=bool(named), is_short=len(stems) <= _FEW, relative=relative)


def _is_row_about_others(asked: _OwnerQuestion, row: Candidate, owner: MemoryOwner, people: frozenset[str]) -> bool:
    found = words(row.text)
    keys = {word.key for word in found}
    speaker = row.row.speaker if isinstance(row.row, Observation) else None
    if speaker is not None and not owner.is_called(speaker):
        return not (asked.relative or keys.isdisjoint(first_person())) and keys.isdisjoint(
            every_word("persons", "second") | owner.keys
        )
    quoted = quoted_offsets(row.text)
    if not asked.relative and _is_quoted(asked, found, quoted):
        return True
    own = [word for word in found if word.key in first_person() and word.start not in quoted]
    if own:
        return asked.is_plain and _is_of_a_relative(asked, found, own)
    # Without the owner's name in the settings nothing of the graph can be told apart as theirs.
    if owner.names and isinstance(row.row, (Entity, Relation)) and asked.is_of_what_they_are:
        if isinstance(row.row, Entity) and owner.is_called(row.row.name):
            return False
        # What the graph calls theirs is the owner's: "Clara's dog".
        return not any(word.key in owner.keys and after.stem in asked.stems for word, after in pairwise(found))
    is_named = speaker is not None or not keys.isdisjoint(owner.short_keys)
    return asked.is_plain and not is_named and _is_of_another(asked, row, found, people, owner)


def _is_quoted(asked: _OwnerQuestion, found: Sequence[Word], quoted: frozenset[int]) -> bool:
    """Return whether what is asked about is said by a quoted "I" that is not the owner."""
    said = [word for word in found if word.start in quoted]
    telling = [word for word in found if word.stem in asked.stems] or said
    if not any(word.key in first_person() for word in said) or any(word.start not in quoted for word in telling):
        return False
    before = [word for word in found if word.start < said[0].start]
    is_own = any(word.key in every_word("owner", "subject") for word in before)
    another = every_word("owner", "another")
    return not is_own or any(word.key in another or (word.is_capital and not word.is_stop) for word in before)


def _is_of_a_relative(asked: _OwnerQuestion, found: Sequence[Word], own: Sequence[Word]) -> bool:
    """Return whether all that a sentence says of the owner is whose relative somebody else is."""
    at = _relative_in(found)
    if at is None or len(own) > 1:  # a second "I" or "my" says something of the owner
        return False
    return found[at].stem not in asked.stems and any(word.stem in asked.stems for word in found[at:])


def _relative_in(found: Sequence[Word]) -> int | None:
    """Return where a person is named by what they are to the owner: "my sister"."""
    for at, word in enumerate(found):
        if word.key in every_word("owner", "mine"):
            near = range(at + 1, min(at + 1 + _NEAR, len(found)))
            return next((place for place in near if found[place].key in people_words()), None)
    return None


def _is_of_another(
    asked: _OwnerQuestion, row: Candidate, found: Sequence[Word], people: frozenset[str], owner: MemoryOwner
) -> bool:
    """Return whether a sentence is of kin in general, or a person stands before what is told, or is its heading."""
    until = next((at for at, word in enumerate(found) if word.stem in asked.stems), 0)
    # "All children need sleep." is of no child of the owner; without a stop it may be a heading: "The children".
    is_general = found[:1] and found[0].key in every_word("owner", "general") and row.text.rstrip().endswith(_STOPS)
    if (is_general and not asked.stems.isdisjoint(kin_stems())) or any(
        word.key in every_word("owner", "another") or _is_person(word, people) for word in found[:until]
    ):
        return True
    path = row.row.context_path if isinstance(row.row, Observation) else ()
    steps = [word for step in path[-1:] for word in words(step)]
    return any(_is_person(word, people) for word in steps) or names_somebody(path[:1], owner)


def _is_person(word: Word, people: frozenset[str]) -> bool:
    return word.is_capital and (word.key in people or is_first_name(word.text))


def _myself() -> frozenset[str]:
    return every_word("persons", "first_singular", "first_object")
