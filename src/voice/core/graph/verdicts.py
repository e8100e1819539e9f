"""What a person can say of a candidate, and when.

Law: what may be said of a candidate in which state is this table and nothing else. What was said before and is said
again changes nothing. What is in the graph is taken out there, not by rejecting what it came from.

    verdict   pending   rejected   approved
    approve   do        do         do         (the graph is made to hold it; a second time there is nothing to do)
    alias     do        do         do         (to the same entity; another one is refused by the plan)
    edit      do        do         refuse
    reject    do        unchanged  refuse
    reopen    do        do         refuse     (what waits already goes on waiting)

Source: ruling F; spec rag-organize 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from voice.core.errors import InvalidParams
from voice.core.graph.candidates import Candidate, CandidateStatus, EntityProposal, Proposal, RelationProposal
from voice.core.text.normalise import norm_v1


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """It becomes a row of the graph, or part of the one that is there already."""

    candidate_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """It is nothing; it is remembered and not staged again."""

    candidate_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopen:
    """A rejection was a slip: it waits again, as it was found or edited."""

    candidate_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """It is another name of an entity that is there already."""

    candidate_id: str
    entity_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is put right; None leaves as it is."""

    name: str | None = None
    entity_type: str | None = None
    aliases: tuple[str, ...] | None = None
    source: str | None = None
    rel_type: str | None = None
    target: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """It is right but for some of its words."""

    candidate_id: str
    changes: Changes = field(repr=False)


Verdict = Approve | Reject | Reopen | Alias | Edit
Ruling = Literal["do", "unchanged", "refuse"]

_TABLE: Final[Mapping[type[Verdict], Mapping[CandidateStatus, Ruling]]] = {
    Approve: dict.fromkeys(CandidateStatus, "do"),
    Alias: dict.fromkeys(CandidateStatus, "do"),
    Edit: {
        CandidateStatus.PENDING: "do",
        CandidateStatus.REJECTED: "do",
        CandidateStatus.APPROVED: "refuse",
    },
    Reject: {
        CandidateStatus.PENDING: "do",
        CandidateStatus.REJECTED: "unchanged",
        CandidateStatus.APPROVED: "refuse",
    },
    Reopen: {
        CandidateStatus.PENDING: "do",
        CandidateStatus.REJECTED: "do",
        CandidateStatus.APPROVED: "refuse",
    },
}
_OF_ENTITIES: Final = ("name", "entity_type", "aliases")
_OF_RELATIONS: Final = ("source", "rel_type", "target")


def ruled(verdict: Verdict, candidate: Candidate) -> Ruling:
    """Return whether `verdict` does anything to `candidate`, or must be refused."""
    return _TABLE[type(verdict)][candidate.status]


def amended(candidate: Candidate, changes: Changes) -> Candidate:
    """Return the candidate as it is after an edit; an edit back to what was proposed leaves no edit.

    Raises:
        InvalidParams: a change is not for its kind, leaves a name empty, or there is none.
    """
    proposal = _amended(candidate.id, candidate.proposal, changes)
    return replace(candidate, edited=None if proposal == candidate.proposed else proposal)


def spoken_of(verdicts: Sequence[Verdict], candidates: Mapping[str, Candidate]) -> frozenset[str]:
    """Return every normalised name that the verdicts can come to look up, edits in between included."""
    found = {name for verdict in verdicts for name in candidates[verdict.candidate_id].names}
    for verdict in verdicts:
        if isinstance(verdict, Edit):
            said = (verdict.changes.name, verdict.changes.source, verdict.changes.target)
            found.update(norm_v1(name) for name in said if name is not None)
    return frozenset(found)


def approved_relations(
    verdicts: Sequence[Verdict], candidates: Mapping[str, Candidate]
) -> tuple[RelationProposal, ...]:
    """Return the relations that the verdicts approve, each as the edits before its approval leave it.

    Raises:
        InvalidParams: as `amended` does.
    """
    edited: dict[str, Proposal] = {}
    found: list[RelationProposal] = []
    for verdict in verdicts:
        candidate_id = verdict.candidate_id
        proposal = edited.get(candidate_id, candidates[candidate_id].proposal)
        if isinstance(verdict, Edit):
            edited[candidate_id] = _amended(candidate_id, proposal, verdict.changes)
        elif isinstance(verdict, Approve) and isinstance(proposal, RelationProposal):
            found.append(proposal)
    return tuple(found)


def _amended(candidate_id: str, proposal: Proposal, changes: Changes) -> Proposal:
    said: dict[str, object] = {
        name: value
        for name in (*_OF_ENTITIES, *_OF_RELATIONS, "description")
        if (value := getattr(changes, name)) is not None
    }
    if not said:
        raise InvalidParams("you changed nothing; name a field to edit")
    is_entity = isinstance(proposal, EntityProposal)
    foreign = [name for name in (_OF_RELATIONS if is_entity else _OF_ENTITIES) if name in said]
    if foreign:
        what = "an entity" if is_entity else "a relation"
        raise InvalidParams(f"{candidate_id} is {what} and has no {foreign[0].replace('_', ' ')}")
    return replace(proposal, **said)  # pyright: ignore[reportArgumentType] - the names are those of its kind
