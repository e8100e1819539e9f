"""What a request asks of the queue: which candidates, and which verdict on them.

Law: values in, values out. What an address says and nobody offers is refused in words. What is typed as it stands is no
change; what was refused is kept as it was typed.
Source: DESIGN 8 Web (moderation queue); spec rag-organize 6; rulings F, I5.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, get_args

from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import (
    THING,
    Candidate,
    CandidateKind,
    CandidateStatus,
    Cursor,
    EntityProposal,
    Proposal,
)
from voice.core.graph.review.decisions import (
    Alias,
    Approve,
    Changes,
    Conditions,
    Decision,
    Edit,
    Place,
    Reject,
    Reopen,
    parse_conditions,
)
from voice.core.graph.review.extraction_results import EntityType
from voice.core.graph.review.promotion import Action
from voice.entrypoints.web.pages.addresses import InvalidParameter, address_of, is_set, one_of
from voice.ports.review_stores import CandidateFilter

PATH: Final = "/review"
PAGE_SIZE: Final = 20
TAKES: Final = ("status", "kind", "type", "named", "sure", "since", "all", "private", "of", "after", "done", "batch")
"""The parameters of the address of the queue."""
STATUSES: Final[Mapping[str, str]] = {"pending": "Waiting", "approved": "Approved", "rejected": "Rejected"}
KINDS: Final[Mapping[str, str]] = {"": "Both", "entity": "Entities", "relation": "Relations"}
SURE: Final[Mapping[str, str]] = {"": "any", "0.5": "50 % or more", "0.7": "70 % or more", "0.9": "90 % or more"}
TYPES: Final[Mapping[str, str]] = {"": "any type", **{each: each for each in (*sorted(get_args(EntityType)), THING)}}
NAMED: Final[Mapping[str, str]] = {"": "any number", **{each: f"{each} or more" for each in ("2", "3", "5", "10")}}
SINCE: Final[Mapping[str, str]] = {
    "": "any time",
    "today": "today",
    "this week": "this week",
    "this month": "this month",
}
"""When a candidate was found; the words are those of a time phrase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueQuery:
    """Which candidates somebody wants to see, and from where on."""

    status: str = "pending"
    kind: str = ""
    type: str = ""
    named: str = ""
    sure: str = ""
    since: str = ""
    all: bool = False
    private: bool = False
    thought_id: str = ""
    after: str = ""
    done: str = ""
    batch: str = ""

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "QueueQuery":
        """Return what an address or a form says; what is not valid is refused (InvalidParams)."""
        status = one_of(params, "status", STATUSES, "pending")
        return cls(
            status=status,
            kind=one_of(params, "kind", KINDS, ""),
            type=one_of(params, "type", TYPES, ""),
            named=one_of(params, "named", NAMED, ""),
            sure=one_of(params, "sure", SURE, ""),
            since=one_of(params, "since", SINCE, ""),
            all=is_set(params, "all"),
            private=is_set(params, "private"),
            thought_id=_valid_id(params, "of", "t:", "a thought"),
            done=_valid_id(params, "done", "c:", "a candidate"),
            batch=params.get("batch", ""),
            after=_valid_cursor(params.get("after", ""), is_queue=status == "pending"),
        )

    @property
    def url(self) -> str:
        """The address of this part of the queue."""
        status = "" if self.is_queue else self.status  # the default is not said
        return address_of(PATH, {**self.fields, "status": status, "done": self.done, "batch": self.batch})

    @property
    def where(self) -> CandidateFilter:
        """Which candidates are wanted."""
        return CandidateFilter(
            kind=CandidateKind(self.kind) if self.kind else None,
            status=CandidateStatus(self.status),
            min_confidence=float(self.sure) if self.sure else None,
            thought_id=self.thought_id or None,
            include_private=self.private,
        )

    @property
    def conditions(self) -> Conditions:
        """What must hold of what is shown besides."""
        conditions = {"type=": self.type, "mentions>=": self.named}
        return parse_conditions(" ".join(f"{name}{value}" for name, value in conditions.items() if value))

    @property
    def is_narrowed(self) -> bool:
        """Whether some of what waits is not asked for."""
        return any((self.kind, self.type, self.named, self.sure, self.since, self.thought_id, self.after))

    def of_note(self, thought_id: str) -> "QueueQuery":
        """Return all that waits of one note."""
        return QueueQuery(thought_id=thought_id, all=True, private=self.private)

    @property
    def is_queue(self) -> bool:
        """Whether what waits is asked for, and no list of what was decided."""
        return self.status == "pending"

    @property
    def fields(self) -> Mapping[str, str]:
        """What a form sends to come back to the same part of the queue."""
        return {
            "status": self.status,
            "kind": self.kind,
            "type": self.type,
            "named": self.named,
            "sure": self.sure,
            "since": self.since,
            "all": "1" if self.all else "",
            "private": "1" if self.private else "",
            "of": self.thought_id,
            "after": self.after,
        }

    def at(self, cursor: Cursor | Place | None) -> "QueueQuery":
        """Return the same part of the queue from another place on."""
        return replace(self, done="", batch="", after="" if cursor is None else str(cursor))  # told once


def _valid_id(params: Mapping[str, str], name: str, prefix: str, what: str) -> str:
    value = params.get(name, "")
    if value and not value.startswith(prefix):
        raise InvalidParameter(f"`{name}` must be the id of {what}, {prefix}…, or left out")
    return value


def _valid_cursor(text: str, *, is_queue: bool) -> str:
    try:
        return str((Place if is_queue else Cursor).parse(text)) if text else ""  # only whether it can be read
    except InvalidParams:
        raise InvalidParameter('`after` must be the end of the previous page; follow "Next" there') from None


BECAME: Final[Mapping[Action, str]] = {
    "created": "is now in the graph",
    "merged": "is now part of an entry that was already in the graph",
    "aliased": "is now another name of an entity that was already in the graph",
    "rejected": "is rejected; voice will not suggest it again",
    "reopened": "waits for review again",
    "edited": "is changed and still waits for review",
    "unchanged": "stays as it was",
}
"""What became of a candidate, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictForm:
    """What stands in the form of a candidate, and what was wrong with it."""

    values: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    fault: str = ""
    form: str = ""


def typed_over(candidate: Candidate, form: Mapping[str, str], *, deed: str, fault: str) -> VerdictForm:
    """Return what a refused form shows again: what was typed, over what stands."""
    return VerdictForm(values={**values_of(candidate.proposal), **form}, fault=fault, form=deed)  # what was typed wins


def values_of(proposal: Proposal) -> Mapping[str, str]:
    """Return what the form for putting right begins with."""
    if isinstance(proposal, EntityProposal):
        return {
            "name": proposal.name,
            "entity_type": proposal.entity_type,
            "aliases": "\n".join(proposal.aliases),
            "description": proposal.description,
        }
    return {
        "source": proposal.source,
        "rel_type": proposal.rel_type,
        "target": proposal.target,
        "description": proposal.description,
    }


def verdict_of(deed: str, candidate: Candidate, form: Mapping[str, str]) -> Decision:
    """Return what somebody says of a candidate; of an alias, with the entity by whatever name was typed.

    Raises:
        InvalidParams: there is no such deed, nothing was changed, or no entity was named.
    """
    match deed:
        case "approve":
            return Approve(candidate_id=candidate.id)
        case "reject":
            return Reject(candidate_id=candidate.id, reason=form.get("reason", ""))
        case "reopen":
            return Reopen(candidate_id=candidate.id)
        case "alias":
            if not (entity := form.get("entity", "").strip()):  # checked before the graph is asked
                raise InvalidParams("name the entity to merge it into")
            return Alias(candidate_id=candidate.id, entity_id=entity)
        case "edit":
            return Edit(candidate_id=candidate.id, changes=changes_of(candidate, form))
        case _:
            raise InvalidParams("choose approve, reject, edit, alias or reopen")


def changes_of(candidate: Candidate, form: Mapping[str, str]) -> Changes:
    """Return what a form changes of a candidate, what is typed as it stands left out; nothing is an InvalidParams."""
    before = values_of(candidate.proposal)
    typed = {name: form[name].strip() for name in before if name in form}
    changed = {name: value for name, value in typed.items() if value.split() != before[name].split()}
    if not changed:
        raise InvalidParams("you changed nothing; edit a field, or approve it as it is")
    lines = changed.pop("aliases", None)  # a field of lines, not of words
    aliases = None if lines is None else tuple(line.strip() for line in lines.splitlines() if line.strip())
    return Changes(aliases=aliases, **changed)
