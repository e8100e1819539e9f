"""The moderation queue: what waits, beside the words it rests on, and what can be said of it.

Law: values in, values out. A form that was refused shows what was typed into it again (nothing typed is lost); what an
address says and nobody offers is refused in words.

Source: DESIGN 8 Web (moderation queue); spec rag-organize 6; rulings C10, F.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, get_args
from urllib.parse import urlencode

from voice.core.errors import InvalidParams
from voice.core.graph.candidates import (
    THING,
    Candidate,
    CandidateKind,
    CandidateStatus,
    Cursor,
    EntityProposal,
    Proposal,
)
from voice.core.graph.conditions import Conditions, parse_conditions
from voice.core.graph.extracted import EntityType
from voice.core.graph.queue import Place
from voice.entrypoints.forms.candidates import quote_surroundings
from voice.entrypoints.web.pages.fields import OddParameter, is_set, one_of
from voice.entrypoints.web.pages.links import source_url
from voice.entrypoints.web.pages.queue_forms import Typed, values_of
from voice.ports.candidate_store import CandidateFilter
from voice.services.disputes import Against
from voice.services.moderation import CandidateView, Quote

PATH: Final = "/review"
PAGE_SIZE: Final = 20
TAKES: Final = ("status", "kind", "type", "named", "sure", "all", "private", "of", "after", "done")
"""The parameters of the address of the queue."""
STATUSES: Final[Mapping[str, str]] = {"pending": "Waiting", "approved": "Approved", "rejected": "Rejected"}
KINDS: Final[Mapping[str, str]] = {"": "Both", "entity": "Entities", "relation": "Relations"}
SURE: Final[Mapping[str, str]] = {
    "": "any",
    "0.5": "50 % or more",
    "0.7": "70 % or more",
    "0.9": "90 % or more",
}
TYPES: Final[Mapping[str, str]] = {
    "": "any type",
    **{each: each for each in (*sorted(get_args(EntityType)), THING)},
}
NAMED: Final[Mapping[str, str]] = {
    "": "any number",
    "2": "2 or more",
    "3": "3 or more",
    "5": "5 or more",
    "10": "10 or more",
}
_STANDS: Final[Mapping[CandidateStatus, str]] = {
    CandidateStatus.PENDING: "waits",
    CandidateStatus.APPROVED: "is now in the graph",
    CandidateStatus.REJECTED: "is rejected and will not come up again",
}
MEMBERS: Final[Mapping[CandidateKind, Mapping[str, str]]] = {
    CandidateKind.ENTITY: {
        "name": "Name",
        "entity_type": "Type",
        "aliases": "Other names, one a line",
        "description": "What it is, in a sentence",
    },
    CandidateKind.RELATION: {
        "source": "From",
        "rel_type": "Relation",
        "target": "To",
        "description": "What it says, in a sentence",
    },
}
"""What can be put right of each kind, and how it is called in the form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueAsked:
    """Which candidates somebody wants to see, and from where on."""

    status: str = "pending"
    kind: str = ""
    type: str = ""
    named: str = ""
    """The least mentions."""
    sure: str = ""
    all: bool = False
    """What is folded away, too."""
    private: bool = False
    thought_id: str = ""
    after: str = ""
    done: str = ""
    """The candidate that somebody decided last, to be told of."""

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "QueueAsked":
        """Return what the parameters of an address, or the fields of a form, say.

        Raises:
            InvalidParams: one of them is not valid.
        """
        return cls(
            status=one_of(params, "status", STATUSES, "pending"),
            kind=one_of(params, "kind", KINDS, ""),
            type=one_of(params, "type", TYPES, ""),
            named=one_of(params, "named", NAMED, ""),
            sure=one_of(params, "sure", SURE, ""),
            all=is_set(params, "all"),
            private=is_set(params, "private"),
            thought_id=_id(params, "of", "t:", "a thought"),
            done=_id(params, "done", "c:", "a candidate"),
            after=_place(params.get("after", ""), is_queue=one_of(params, "status", STATUSES, "pending") == "pending"),
        )

    @property
    def query(self) -> str:
        """The part of the address behind the question mark, that mark included; empty where all is as by default."""
        said = {
            "status": "" if self.status == "pending" else self.status,
            "kind": self.kind,
            "type": self.type,
            "named": self.named,
            "sure": self.sure,
            "all": "1" if self.all else "",
            "private": "1" if self.private else "",
            "of": self.thought_id,
            "after": self.after,
            "done": self.done,
        }
        query = urlencode({name: value for name, value in said.items() if value})
        return f"?{query}" if query else ""

    @property
    def url(self) -> str:
        """The address of this part of the queue."""
        return f"{PATH}{self.query}"

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
        said = {"type=": self.type, "mentions>=": self.named}
        return parse_conditions(" ".join(f"{name}{value}" for name, value in said.items() if value))

    @property
    def is_queue(self) -> bool:
        """Whether what waits is asked for, and no list of what was decided."""
        return self.status == "pending"

    @property
    def cursor(self) -> Cursor | None:
        """Where a page of what was decided begins; None: at the beginning."""
        return Cursor.parse(self.after) if self.after else None

    @property
    def place(self) -> Place | None:
        """Where a page of what waits begins; None: at the beginning."""
        return Place.parse(self.after) if self.after else None

    @property
    def fields(self) -> Mapping[str, str]:
        """What a form sends to come back to the same part of the queue."""
        return {
            "status": self.status,
            "kind": self.kind,
            "type": self.type,
            "named": self.named,
            "sure": self.sure,
            "all": "1" if self.all else "",
            "private": "1" if self.private else "",
            "of": self.thought_id,
            "after": self.after,
        }

    def at(self, cursor: Cursor | Place | None) -> "QueueAsked":
        """Return the same part of the queue from another place on."""
        return replace(self, done="", after="" if cursor is None else str(cursor))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A proposal in its parts, for a page that sets each apart."""

    kind: CandidateKind
    name: str
    """Of an entity; of a relation, where it begins."""
    type: str
    target: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposed:
    """Something that cannot be true beside a candidate."""

    said: Said | None
    text: str
    """Of a statement, its words."""
    url: str
    """Where it is looked at: a source, or another candidate of the queue."""
    is_candidate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteView:
    """A mention with what stands around it, cut between words."""

    before: str
    text: str
    after: str
    url: str
    """Of the thought, the place marked."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One candidate as the queue shows it."""

    id: str
    key: str
    """Its id without the prefix: what the page names its row by."""
    said: Said
    found_as: Said | None
    """As it was found, where somebody put it right since."""
    sure: float
    status: str
    is_private: bool
    reason: str
    row_url: str | None
    """What it became."""
    quotes: tuple[QuoteView, ...]
    more: int
    """Mentions that are not shown."""
    against: tuple[Opposed, ...]
    members: Mapping[str, str]
    typed: Typed

    @property
    def can_decide(self) -> bool:
        """Whether anything can be said of it here: what is in the graph is changed there."""
        return self.status != CandidateStatus.APPROVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a candidate, in place of its row."""

    id: str
    key: str
    said: Said
    text: str
    row_url: str | None
    can_undo: bool
    """Whether it can wait again: what is in the graph is changed there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """What a page of the queue shows."""

    asked: QueueAsked
    rows: tuple[QueueRow, ...]
    total: int
    hidden: int
    folded: int
    unfolded: str
    """Where what is folded away shows, too."""
    next: str | None
    first: str | None
    outcome: Outcome | None = None
    """What became of the candidate that was decided last."""


def outcome_of(candidate: Candidate, text: str = "") -> Outcome:
    """Return what became of a candidate.

    Args:
        candidate: as it stands now.
        text: what was just done, in words; empty tells what stands.
    """
    return Outcome(
        id=candidate.id,
        key=candidate.id.partition(":")[2],
        said=said_of(candidate.proposal),
        text=text or _STANDS[candidate.status],
        row_url=None if candidate.row_id is None else source_url(candidate.row_id),
        can_undo=candidate.status is CandidateStatus.REJECTED,
    )


def row_of(view: CandidateView, typed: Typed | None = None) -> QueueRow:
    """Return a candidate as the queue shows it.

    Args:
        view: the candidate beside its words.
        typed: what was typed into its form and refused; None: the form shows what stands.
    """
    candidate = view.candidate
    return QueueRow(
        id=candidate.id,
        key=candidate.id.partition(":")[2],
        said=said_of(candidate.proposal),
        found_as=None if candidate.edited is None else said_of(candidate.proposed),
        sure=candidate.confidence,
        status=candidate.status,
        is_private=candidate.is_private,
        reason=candidate.reason,
        row_url=None if candidate.row_id is None else source_url(candidate.row_id),
        quotes=tuple(map(_quote, view.quotes)),
        more=view.mentions - len(view.quotes),
        against=tuple(map(_opposed, view.against)),
        members=MEMBERS[candidate.kind],
        typed=typed or Typed(values=values_of(candidate.proposal)),
    )


def said_of(proposal: Proposal) -> Said:
    """Return a proposal in its parts."""
    if isinstance(proposal, EntityProposal):
        return Said(
            kind=CandidateKind.ENTITY,
            name=proposal.name,
            type=proposal.entity_type,
            aliases=proposal.aliases,
            description=proposal.description,
        )
    return Said(
        kind=CandidateKind.RELATION,
        name=proposal.source,
        type=proposal.rel_type.replace("_", " "),
        target=proposal.target,
        description=proposal.description,
    )


def _quote(quote: Quote) -> QuoteView:
    before, after = quote_surroundings(quote)
    return QuoteView(
        before=before,
        text=quote.text,
        after=after,
        url=source_url(quote.thought_id, quote.start, quote.end),
        created_at=quote.created_at,
    )


def _opposed(against: Against) -> Opposed:
    is_candidate = against.id.startswith("c:")
    url = f"#c-{against.id.partition(':')[2]}" if is_candidate else source_url(against.id)
    if isinstance(against.said, str):
        return Opposed(said=None, text=against.said, url=url, is_candidate=is_candidate)
    return Opposed(said=said_of(against.said), text="", url=url, is_candidate=is_candidate)


def _id(params: Mapping[str, str], name: str, prefix: str, what: str) -> str:
    said = params.get(name, "")
    if said and not said.startswith(prefix):
        raise OddParameter(f"`{name}` is the id of {what}, {prefix}…; or it is left out")
    return said


def _place(said: str, *, is_queue: bool) -> str:
    try:
        return str((Place if is_queue else Cursor).parse(said)) if said else ""
    except InvalidParams:
        raise OddParameter('`after` is where the page before ended; follow "Further" on that page') from None
