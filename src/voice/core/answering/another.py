"""Whether what was found is about somebody or something else than a question.

Law: a passage is about something else where it lacks what the question names (`identity`), and about somebody else
where the question is of the owner and what is said is not (`owner`). Of a sentence that stands alone no name is asked:
who is meant by it may be said before it.

Source: ruling D5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from voice.core.answering.identity import Identity
from voice.core.answering.of_owner import is_of_others, is_of_owner, is_said_by_owner
from voice.core.answering.owner import Owner
from voice.core.records import Entity, EntityName, Observation
from voice.core.retrieval.passages import Passage
from voice.core.retrieval.values import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Another:
    """Tells what is about somebody or something else."""

    question: str
    identity: Identity
    owner: Owner
    is_of_owner: bool
    people: tuple[str, ...]
    """Names of the persons that the graph knows."""

    @classmethod
    def of(cls, question: str, entities: Sequence[Entity | EntityName], owner: Owner) -> "Another":
        """Return what tells it of a question.

        Args:
            question: the person's own words, without their time.
            entities: of the graph.
            owner: whose memory it is.
        """
        persons = [each for each in entities if each.entity_type == "person"]
        return cls(
            question=question,
            identity=Identity.of(question, entities, owner),
            owner=owner,
            is_of_owner=is_of_owner(question, owner),
            people=tuple(name for each in persons for name in (each.name, *each.aliases)),
        )

    def is_told_in(self, passage: Passage) -> bool:
        """Return whether a passage is about somebody or something else."""
        return self.identity.is_lacking_in(passage) or not self.is_of_the_asked(passage)

    def is_of_the_asked(self, passage: Passage) -> bool:
        """Return whether a passage may be about the owner, where the question is."""
        return not (self.is_of_owner and is_of_others(self.question, passage, self.owner, self.people))

    def is_the_owners_word(self, passage: Passage) -> bool:
        """Return whether the owner says of themselves what the question asks for."""
        return self.is_of_owner and is_said_by_owner(self.question, passage, self.owner)

    def without(self, rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return those of rows, each read alone, that are not about somebody or something else."""
        numbered = replace(self.identity, names=(), days=())

        def is_kept(row: Candidate) -> bool:
            alone = Passage(rows=(row,), found=0)
            return self.is_of_the_asked(alone) and (self.is_said(row) or not numbered.is_lacking_in(alone))

        return tuple(filter(is_kept, rows))

    def is_said(self, row: Candidate) -> bool:
        """Return whether somebody else says it in a conversation."""
        speaker = row.row.speaker if isinstance(row.row, Observation) else None
        return speaker is not None and not self.owner.is_called(speaker)
