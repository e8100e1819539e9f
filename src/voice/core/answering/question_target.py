"""The target of a question, and whether a passage is about somebody or something else.

Law: a passage is about something else where it lacks what the question names (`identifiers`), and about somebody else
where the question is of the owner and what is said is not (`owner_questions`). A sentence that stands alone need not
hold the names: who is meant by it may be said before it.

Source: ruling D5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from voice.core.answering.identifiers import Identifiers
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.owner_questions import asks_about_owner, is_about_others, is_stated_by_owner
from voice.core.answering.owner_traits import Trait, trait_asked
from voice.core.grounding.answerability.person_names import first_person
from voice.core.records import Entity, EntityName, Observation
from voice.core.retrieval.passages import Passage
from voice.core.retrieval.values import Candidate
from voice.core.text.words import words


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTarget:
    """Whom and what a question is about."""

    question: str
    identifiers: Identifiers
    owner: MemoryOwner
    is_about_owner: bool
    people: tuple[str, ...]
    """Names of the persons in the graph."""
    trait: Trait | None
    """What of the owner it asks for, where a table tells how they say it."""

    @classmethod
    def of(cls, question: str, entities: Sequence[Entity | EntityName], owner: MemoryOwner) -> "QuestionTarget":
        """Return the target of a question.

        Args:
            question: the question without its time.
            entities: those of the graph.
            owner: the owner of the memory.
        """
        is_about_owner = asks_about_owner(question, owner)
        trait = trait_asked(question, owner) if is_about_owner else None
        persons = [each for each in entities if each.entity_type == "person"]
        return cls(
            question=question,
            identifiers=Identifiers.of(question, entities, owner),
            owner=owner,
            is_about_owner=is_about_owner,
            trait=None if trait is None or trait.is_name else trait,
            people=tuple(name for each in persons for name in (each.name, *each.aliases)),
        )

    def counted(self, counts: Mapping[str, int]) -> "QuestionTarget":
        """Return the target where it is known how many rows hold the words of its names (`Identifiers.counted`)."""
        return replace(self, identifiers=self.identifiers.counted(counts))

    def is_missed_by(self, passage: Passage) -> bool:
        """Return whether a passage is about somebody or something else."""
        return (
            self.identifiers.is_missing_from(passage)
            or not self.may_be_about_owner(passage)
            or self._is_impersonal(passage)
        )

    def _is_impersonal(self, passage: Passage) -> bool:
        """Return whether the question asks for a trait of the owner and a passage says nothing of anybody by "I"."""
        trait = self.trait
        if trait is None or any(trait.is_told_in(row, self.owner) for row in passage.rows):
            return False
        return (first_person() | self.owner.short_keys).isdisjoint(word.key for word in words(passage.text))

    def may_be_about_owner(self, passage: Passage) -> bool:
        """Return whether a passage may be about the owner, where the question is."""
        return not (self.is_about_owner and is_about_others(self.question, passage, self.owner, self.people))

    def is_stated_by_owner(self, passage: Passage) -> bool:
        """Return whether the owner says of themselves what the question asks for, or a note says it of them by name.

        With "I" they say by the phrases of a table (`owner_traits`) what these are for, and by no other word of it.
        """
        if not self.is_about_owner:
            return False
        trait = self.trait
        if trait is not None:
            if any(trait.is_told_in(row, self.owner) for row in passage.rows):
                return True
            if self.owner.short_keys.isdisjoint(word.key for word in words(passage.text)):
                return False
        return is_stated_by_owner(self.question, passage, self.owner)

    def matching_rows(self, rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return the rows that are not about somebody or something else, each judged alone."""
        numbered = self.identifiers.of_one_row

        def is_kept(row: Candidate) -> bool:
            alone = Passage(rows=(row,), found=0)
            return self.may_be_about_owner(alone) and (
                self.is_by_other_speaker(row) or not numbered.is_missing_from(alone)
            )

        return tuple(filter(is_kept, rows))

    def is_by_other_speaker(self, row: Candidate) -> bool:
        """Return whether somebody else says it in a conversation."""
        speaker = row.row.speaker if isinstance(row.row, Observation) else None
        return speaker is not None and not self.owner.is_called(speaker)
