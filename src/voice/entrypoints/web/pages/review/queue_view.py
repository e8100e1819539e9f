"""What the queue shows: candidates beside their quotes, outcomes, and batches of verdicts.

Law: values in, values out. A form that was refused shows what was typed into it again (nothing typed is lost). Verdicts
on many candidates at once are kept for a while, so that they are told and those that can be are taken back: the newest
few, in the running program, under ids that mean nothing elsewhere. What went into the graph is changed there: only a
rejection is taken back here.
Source: DESIGN 8 Web (moderation queue); spec rag-organize 6; rulings C10, F, I5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from voice.core.graph.review.candidates import Candidate, CandidateKind, CandidateStatus, EntityProposal, Proposal
from voice.core.text.display import counted
from voice.entrypoints.shared.review import quote_surroundings
from voice.entrypoints.web.pages.addresses import source_url
from voice.entrypoints.web.pages.review.queue_requests import QueueQuery, VerdictForm, values_of
from voice.services.graph.moderation import CandidateView, Moderated, Quote
from voice.services.graph.staging import Against

_BECAME: Final[Mapping[str, str]] = {
    "approve": "approved and now in the graph",
    "reject": "rejected",
    "reopen": "returned to review",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What came of one verdict on many."""

    deed: str
    done: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def told(self) -> str:
        """What was done, in words."""
        return f"{counted(len(self.done), 'candidate')} {_BECAME[self.deed]}"

    @property
    def can_undo(self) -> bool:
        """Whether it can be taken back here."""
        return self.deed == "reject" and bool(self.done)  # approvals made rows, which are changed in the graph


def batch_of(deed: str, meant: Sequence[Candidate], moderated: Moderated, said: Mapping[str, str]) -> Batch:
    """Return what is told of a batch; `said` is what each candidate says, by its id."""
    changed = {step.candidate_id for step in moderated.steps if step.action != "unchanged"}  # it was so before
    return Batch(
        deed=deed,
        done=tuple(each.id for each in meant if each.id in changed),
        refused=tuple((said.get(candidate_id, ""), why) for candidate_id, why in moderated.refused),
    )


_STATUS_TEXTS: Final[Mapping[CandidateStatus, str]] = {
    CandidateStatus.PENDING: "waits",
    CandidateStatus.APPROVED: "is now in the graph",
    CandidateStatus.REJECTED: "is rejected; voice will not suggest it again",
}
MEMBERS: Final[Mapping[CandidateKind, Mapping[str, str]]] = {
    CandidateKind.ENTITY: {
        "name": "Name",
        "entity_type": "Type",
        "aliases": "Other names, one per line",
        "description": "Description, in one sentence",
    },
    CandidateKind.RELATION: {
        "source": "From",
        "rel_type": "Relation",
        "target": "To",
        "description": "Description, in one sentence",
    },
}
"""What can be put right of each kind, and how it is called in the form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """A proposal in its parts, for a page that sets each apart."""

    kind: CandidateKind
    name: str
    """Of an entity; of a relation, where it begins."""
    type: str
    target: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictionView:
    """Something that cannot be true beside a candidate."""

    said: ProposalView | None
    text: str
    url: str
    is_candidate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteView:
    """A mention with what stands around it, cut between words."""

    before: str
    text: str
    after: str
    url: str
    thought_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One candidate as the queue shows it."""

    candidate: Candidate
    key: str
    """Its id without the prefix: what the page names its row by."""
    said: ProposalView
    found_as: ProposalView | None
    row_url: str | None
    quotes: tuple[QuoteView, ...]
    more: int
    against: tuple[ContradictionView, ...]
    members: Mapping[str, str]
    typed: VerdictForm

    @property
    def can_decide(self) -> bool:
        """Whether anything can be said of it here: what is in the graph is changed there."""
        return self.candidate.status is not CandidateStatus.APPROVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a candidate, in place of its row."""

    id: str
    key: str
    said: ProposalView
    text: str
    row_url: str | None
    can_undo: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """What a page of the queue shows."""

    query: QueueQuery
    rows: tuple[QueueRow, ...]
    total: int
    hidden: int
    folded: int
    unfolded: str
    next: str | None
    first: str | None
    outcome: Outcome | None = None
    batch: Batch | None = None


def outcome_of(candidate: Candidate, text: str = "") -> Outcome:
    """Return what became of a candidate; `text` is what was just done, in words, and empty tells what stands."""
    return Outcome(
        id=candidate.id,
        key=candidate.id.partition(":")[2],
        said=said_of(candidate.proposal),
        text=text or _STATUS_TEXTS[candidate.status],
        row_url=None if candidate.row_id is None else source_url(candidate.row_id),
        can_undo=candidate.status is CandidateStatus.REJECTED,
    )


def row_of(view: CandidateView, typed: VerdictForm | None = None) -> QueueRow:
    """Return a candidate as the queue shows it, its form with what was typed and refused, or else with what stands."""
    candidate = view.candidate
    return QueueRow(
        candidate=candidate,
        key=candidate.id.partition(":")[2],
        said=said_of(candidate.proposal),
        found_as=None if candidate.edited is None else said_of(candidate.found),
        row_url=None if candidate.row_id is None else source_url(candidate.row_id),
        quotes=tuple(map(_quote, view.quotes)),
        more=view.mentions - len(view.quotes),
        against=tuple(map(_contradiction, view.against)),
        members=MEMBERS[candidate.kind],
        typed=typed or VerdictForm(values=values_of(candidate.proposal)),  # what was typed and refused, or what stands
    )


def said_of(proposal: Proposal) -> ProposalView:
    """Return a proposal in its parts."""
    if isinstance(proposal, EntityProposal):
        return ProposalView(
            kind=CandidateKind.ENTITY,
            name=proposal.name,
            type=proposal.entity_type,
            aliases=proposal.aliases,
            description=proposal.description,
        )
    return ProposalView(
        kind=CandidateKind.RELATION,
        name=proposal.source,
        type=proposal.rel_type.replace("_", " "),
        target=proposal.target,
        description=proposal.description,
    )


def in_words(proposal: Proposal) -> str:
    """Return a proposal on one line."""
    view = said_of(proposal)
    return " ".join(filter(None, (view.name, view.type if view.target else "", view.target)))


def _quote(quote: Quote) -> QuoteView:
    before, after = quote_surroundings(quote)
    return QuoteView(
        before=before,
        text=quote.text,
        after=after,
        url=source_url(quote.thought_id, quote.start, quote.end),
        thought_id=quote.thought_id,
        created_at=quote.created_at,
    )


def _contradiction(against: Against) -> ContradictionView:
    is_candidate = against.id.startswith("c:")
    url = f"#c-{against.id.partition(':')[2]}" if is_candidate else source_url(against.id)  # another row of this page
    if isinstance(against.said, str):
        return ContradictionView(said=None, text=against.said, url=url, is_candidate=is_candidate)
    return ContradictionView(said=said_of(against.said), text="", url=url, is_candidate=is_candidate)
