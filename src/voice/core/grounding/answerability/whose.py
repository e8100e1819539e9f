"""Whose anything is that a question gives to a named one: "Paula's plants" are not "my plants".

Law: what a question gives to somebody by name, whatever it is, is told by a note that names them, or by themselves; not
by one that gives it to another name, and not by the writer's "my" where the writer speaks of them as of somebody else.
In a talk what nobody is said to own may be anybody's. Relations, roles and what is listed as owned are weighed with
more care (`ties`).

Source: ruling D5 ("evidence about another does not count").
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from voice.core.grounding.answerability.passages import Passage, all_passages
from voice.core.grounding.answerability.possessors import (
    OF_ANYBODY,
    Possessor,
    is_possessive,
    name_up_to,
    possessors_of,
)
from voice.core.grounding.answerability.ties import spoken_of_as_others
from voice.core.grounding.answerability.who import same_name
from voice.core.grounding.values import Evidence
from voice.core.text.words import Word, words


class Possession(NamedTuple):
    """What a question gives to a named one."""

    owner: tuple[str, ...]
    """Keys of the words of the name."""
    thing: str
    """Its stem."""
    written: str


class Whose(NamedTuple):
    """A possession, held against the evidence."""

    asked: Possession
    is_other: bool
    """Whether the memory's writer speaks of its owner as of somebody else."""
    rows: Sequence[Evidence]

    @classmethod
    def of(cls, question: str, evidence: Sequence[Evidence]) -> "Whose | None":
        """Return what `question` gives to a named one, read over `evidence`; None where it gives nothing."""
        asked = possession_in(question)
        if asked is None:
            return None
        passages = [passage for row in evidence for passage in all_passages(row)]
        others = set(spoken_of_as_others(evidence, passages))
        return cls(asked, any(same_name(one, other) for one in asked.owner for other in others), evidence)

    def is_told(self, passage: Passage) -> bool:
        """Return whether a sentence speaks of such a thing."""
        return any(word.stem == self.asked.thing for word in passage.words)

    def is_anothers(self, passage: Passage) -> bool:
        """Return whether a sentence speaks of such things, and of none that may be the named one's."""
        own = [word for word in passage.words if word.stem == self.asked.thing]
        return bool(own) and not any(
            self._may_own(one, passage) for word in own for one in possessors_of(passage, word)
        )

    def _may_own(self, one: Possessor, passage: Passage) -> bool:
        match one.by:
            case "name":
                return not one.is_person or one.keys[-1] in OF_ANYBODY or any(map(self._names, one.keys))
            case "mine":
                return self._names(passage.speaker or "") if passage.speaker else not self.is_other
            case "nobody":
                return bool(passage.speaker) or not self.is_other or self._is_of_a_note_that_names(passage)
            case _:
                return True

    def _is_of_a_note_that_names(self, passage: Passage) -> bool:
        thoughts = set(passage.row.thought_ids)
        rows = (row for row in self.rows if row is passage.row or not thoughts.isdisjoint(row.thought_ids))
        return any(self._names(key) for row in rows for one in all_passages(row) for key in one.stems)

    def _names(self, key: str) -> bool:
        return any(same_name(one, word.key) for one in self.asked.owner for word in words(key))


def possession_in(question: str) -> Possession | None:
    """Return what `question` gives to a named one ("Paula's plants"); None where it gives nothing, or a listed noun."""
    text = question.partition("\n")[0]
    found = words(text)
    for index, (owner, thing) in enumerate(pairwise(found)):
        is_named = owner.is_capital and not owner.is_stop and is_possessive(text, owner)
        if is_named and not thing.is_stop and thing.key not in OF_ANYBODY and _ends_there(text, found, index + 1):
            name = name_up_to(text, found, index)
            return Possession(tuple(word.key for word in name), thing.stem, text[name[0].start : thing.end])
    return None


def lacking_owner(question: str, evidence: Sequence[Evidence]) -> str | None:
    """Return what `question` gives to a named one and `evidence` certainly to others only, in words; else None."""
    whose = Whose.of(question, evidence)
    if whose is None:
        return None
    told = [passage for row in evidence for passage in all_passages(row) if whose.is_told(passage)]
    if not told or not all(map(whose.is_anothers, told)):
        return None
    return f"no note that was found speaks of {whose.asked.written}; what is there is another's"


def _ends_there(text: str, found: Sequence[Word], at: int) -> bool:
    """Return whether a phrase ends with the word at `at`: behind it stand a small word, a mark, or nothing."""
    after = found[at + 1] if at + 1 < len(found) else None
    return after is None or after.is_stop or bool(text[found[at].end : after.start].strip())
