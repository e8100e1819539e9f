"""Candidates and verdicts as a person reads them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from voice.entrypoints.cli.terminal.printing import day_of, printable

if TYPE_CHECKING:
    from voice.core.graph.review.candidates import Proposal
    from voice.core.graph.review.promotion import Step
    from voice.services.graph.moderation import CandidateView

_OUTCOMES = {
    "created": ("is now in the graph as", "would be in the graph as"),
    "merged": ("is now part of", "would become part of"),
    "aliased": ("is now another name of", "would become another name of"),
    "rejected": ("is rejected", "would be rejected"),
    "reopened": ("waits for review again", "would wait for review again"),
    "edited": ("is changed", "would be changed"),
    "unchanged": ("stays as it is", "would stay as it is"),
}
"""What a step did, and what it would do in a dry run."""


def view_lines(view: "CandidateView") -> Iterator[str]:
    """Yield a candidate and, below it, the words it rests on."""
    from voice.entrypoints.shared.review import quote_surroundings

    candidate = view.candidate
    marks = [f"{candidate.confidence:.2f}", str(candidate.status), *(["private"] if candidate.is_private else [])]
    row = f" as {candidate.row_id}" if candidate.row_id else ""
    yield f"{candidate.id}  {printable(proposal_line(candidate.proposal))}  [{', '.join(marks)}{row}]"
    if candidate.edited is not None:
        yield f"    originally {printable(proposal_line(candidate.proposed))}"
    if candidate.reason:
        yield f"    reason: {printable(candidate.reason)}"
    for other in view.against:
        said = other.said if isinstance(other.said, str) else proposal_line(other.said)
        yield f"    contradicts {other.id}  {printable(said)}"
    for quote in view.quotes:
        before, behind = quote_surroundings(quote)
        words = printable(f"{before}«{quote.text}»{behind}")
        yield f"    {day_of(quote.created_at)}  {quote.thought_id}  {words}"
    if view.mentions > len(view.quotes):
        yield f"    and {view.mentions - len(view.quotes)} more"


def proposal_line(proposal: "Proposal") -> str:
    """Return a proposal in one line: `Ada (person)`, or `Ada --works_at--> Kiln Co`."""
    from voice.core.graph.review.candidates import EntityProposal

    if isinstance(proposal, EntityProposal):
        also = f", also {', '.join(proposal.aliases)}" if proposal.aliases else ""
        head = f"{proposal.name} ({proposal.entity_type}{also})"
    else:
        starts = f" from {day_of(proposal.valid_from)}" if proposal.valid_from else ""
        ends = f" until {day_of(proposal.valid_until)}" if proposal.valid_until else ""
        head = f"{proposal.source} --{proposal.rel_type}--> {proposal.target}{starts}{ends}"
    return f"{head}: {proposal.description}" if proposal.description else head


def step_line(step: "Step", *, dry_run: bool) -> str:
    """Return what became of one verdict, or would become of it."""
    outcome = _OUTCOMES[step.action][dry_run]
    names_row = step.row_id is not None and step.action in ("created", "merged", "aliased")
    return f"{step.candidate_id} {outcome} {step.row_id}" if names_row else f"{step.candidate_id} {outcome}"
