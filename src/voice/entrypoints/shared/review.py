"""Candidates, programs' notes and conflicts that wait for review, and what was decided, as JSON.

Law: nothing private is in it unless it was asked for; an instant is ISO 8601 in UTC, what is unknown is null. A note is
told with its sentences by their numbers, as they are approved by; a side of a conflict is told as its row says it.

Source: spec rag-organize 6; DESIGN 8; rulings F, J2.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from voice.core.graph.review.candidates import CandidateKind, CandidateStatus, EntityProposal
from voice.core.graph.review.decisions import Changes, Edit
from voice.core.graph.thoughts.sentence_edits import sentences_of
from voice.core.graph.thoughts.vouching import counting_spans, unfound_in
from voice.core.text.display import trim_context
from voice.core.text.instants import render_if_dated, render_instant
from voice.core.vouch import Vouch
from voice.entrypoints.shared.rows import corrected_json
from voice.entrypoints.shared.sessions import location_json
from voice.ports.review_stores import CandidateFilter
from voice.requests import filled

if TYPE_CHECKING:
    from voice.core.graph.conflicts.pairs import Conflict, ConflictSide
    from voice.core.graph.review.candidates import Candidate, Proposal
    from voice.core.graph.review.decisions import Decision
    from voice.core.interchange.origin import Location
    from voice.core.records import Thought
    from voice.services.graph.conflicts import ConflictsFound, ResolvedConflict
    from voice.services.graph.moderation import CandidateView, Moderated, Page, Quote
    from voice.services.graph.vouching import NotedPage, Vouched
    from voice.services.retrieval.source_locations import SourceLocations

    Places = Mapping[tuple[str, int], Location]


def page_json(page: "Page", *, brief: bool = False) -> dict[str, object]:
    """Return a page as JSON values (schema: schemas/cli/kg-candidates.schema.json).

    In a `brief` one each candidate has what it proposes, how often it was found and its first mention alone.
    """
    return {
        "candidates": [_brief_json(view) if brief else _view_json(view) for view in page.views],
        "total": page.total,
        "next": None if page.next is None else str(page.next),
    }


def moderated_json(done: "Moderated") -> dict[str, object]:
    """Return what came of a batch as JSON values (schema: schemas/cli/kg-moderate.schema.json)."""
    return {
        "dry_run": done.dry_run,
        "steps": [{"candidate": step.candidate_id, "action": step.action, "row": step.row_id} for step in done.steps],
        "unembedded": done.unembedded,
    }


def candidate_filter(said: Mapping[str, object]) -> CandidateFilter:
    """Return which candidates are asked for, of what was said of a list of them."""
    kind, status = said.get("kind"), said.get("status") or "pending"  # undecided ones, unless more is said
    settled = {
        "kind": None if kind is None else CandidateKind(kind),
        "status": None if status == "all" else CandidateStatus(status),  # None: any status
    }
    return filled(CandidateFilter(include_private=False), {**said, **settled})


def edits(ids: Iterable[str], held: "Mapping[str, Candidate]", said: Mapping[str, object]) -> "list[Decision]":
    """Return what was said of members, as an edit of each candidate; what type is meant, the candidate decides."""
    made: list[Decision] = []
    for each in ids:
        is_relation = each in held and held[each].kind is CandidateKind.RELATION  # `type` is one field or the other
        named = {**said, "rel_type" if is_relation else "entity_type": said.get("type")}
        made.append(Edit(candidate_id=each, changes=filled(Changes(), named)))
    return made


def quote_surroundings(quote: "Quote") -> tuple[str, str]:
    """Return what stands before and behind a quotation as a person reads it: cut at words, with "…"."""
    return trim_context(
        quote.before,
        quote.after,
        is_more_before=len(quote.before) < quote.start,  # the thought begins earlier
        is_more_behind=quote.is_more_after,
    )


def _view_json(view: "CandidateView") -> dict[str, object]:
    candidate = view.candidate
    return {
        "id": candidate.id,
        "kind": str(candidate.kind),
        "status": str(candidate.status),
        "confidence": candidate.confidence,
        "private": candidate.is_private,
        "proposal": _proposal_json(candidate.proposal),
        "edited": candidate.edited is not None,
        "staged_at": render_instant(candidate.staged_at),
        "decided_at": None if candidate.decided_at is None else render_instant(candidate.decided_at),
        "decided_by": None if candidate.decided_by is None else str(candidate.decided_by),
        "reason": candidate.reason,
        "row": candidate.row_id,
        "mentions": view.mentions,
        "quotes": [_quote_json(quote) for quote in view.quotes],
        "contradicts": [
            {"id": other.id, "said": other.said if isinstance(other.said, str) else _proposal_json(other.said)}
            for other in view.against
        ],
    }


def _brief_json(view: "CandidateView") -> dict[str, object]:  # for programs, so empty members are left out
    proposal = {name: value for name, value in _proposal_json(view.candidate.proposal).items() if value}
    told: dict[str, object] = {"id": view.candidate.id, "proposal": proposal, "mentions": view.mentions}
    if view.quotes:
        before, after = quote_surroundings(view.quotes[0])
        told["quotes"] = [{"before": before, "text": view.quotes[0].text, "after": after}]
    if view.against:
        told["contradicts"] = [{"id": other.id} for other in view.against]
    return told


def _proposal_json(proposal: "Proposal") -> dict[str, object]:
    if isinstance(proposal, EntityProposal):
        return {
            "name": proposal.name,
            "type": proposal.entity_type,
            "aliases": [*proposal.aliases],
            "description": proposal.description,
        }
    return {
        "source": proposal.source,
        "type": proposal.rel_type,
        "target": proposal.target,
        "description": proposal.description,
        "valid_from": None if proposal.valid_from is None else render_instant(proposal.valid_from),
        "valid_until": None if proposal.valid_until is None else render_instant(proposal.valid_until),
    }


def _quote_json(quote: "Quote") -> dict[str, object]:
    return {
        "thought": quote.thought_id,
        "start": quote.start,
        "end": quote.end,
        "created_at": render_if_dated(quote.created_at),
        "before": quote.before,
        "text": quote.text,
        "after": quote.after,
    }


def notes_json(page: "NotedPage") -> dict[str, object]:
    """Return a list of notes as JSON values (schema: schemas/cli/review-list.schema.json)."""
    return {"notes": [note_json(each) for each in page.thoughts], "total": page.total}


def note_json(thought: "Thought") -> dict[str, object]:
    """Return one note as JSON values."""
    return {
        "id": thought.id,
        "state": str(thought.vouched),
        "noted_by": thought.noted_by,
        "noted_at": render_instant(thought.recorded_at),
        "decided_at": None if thought.vouched_at is None else render_instant(thought.vouched_at),
        "private": thought.is_private,
        "sentences": [
            {"number": each.number, "text": each.text, "counts": each.counts, "unfound": list(each.unfound)}
            for each in numbered_sentences(thought)
        ],
    }


class NumberedSentence(NamedTuple):
    """A sentence of a note, as it is approved."""

    number: int
    text: str
    counts: bool
    unfound: tuple[str, ...]
    """Files and commits that it names and that its working tree did not hold."""


def numbered_sentences(thought: "Thought") -> list[NumberedSentence]:
    """Return the sentences of a note with their numbers, and whether each counts."""
    spans = sentences_of(thought.content)
    counts = set(counting_spans(thought, spans)) if thought.vouched is Vouch.PARTLY else set[tuple[int, int]]()
    is_whole = thought.vouched is Vouch.APPROVED  # no spans are kept then
    return [
        NumberedSentence(
            number, thought.content[start:end], is_whole or (start, end) in counts, unfound_in(thought, (start, end))
        )
        for number, (start, end) in enumerate(spans, start=1)
    ]


def vouched_json(done: "Vouched") -> dict[str, object]:
    """Return what came of a decision as JSON values (schema: schemas/cli/review.schema.json)."""
    return {
        "dry_run": done.dry_run,
        "notes": [{"id": each.id, "state": str(each.vouched)} for each in done.thoughts],
        "observations": done.observations,
        "unembedded": done.unembedded,
    }


async def places_of(found: "tuple[Conflict, ...]", locations: "SourceLocations") -> "Places":
    """Return where the sides of conflicts stand, by their rows and where in them they begin."""
    return await locations.beginning_at({place_of(side) for each in found for side in (each.one, each.other)})


def place_of(side: "ConflictSide") -> tuple[str, int]:
    """Return the key of a side in `Places`."""
    return side.place.row_id, side.place.start


def conflicts_json(found: "ConflictsFound", places: "Places", *, put_up: int) -> dict[str, object]:
    """Return what was found as JSON values (schema: schemas/cli/conflicts.schema.json)."""
    return {
        "conflicts": [conflict_json(each, places) for each in found.conflicts],
        "total": found.total,
        "both_hold": found.agreed,
        "put_up": put_up,
    }


def conflict_json(conflict: "Conflict", places: "Places", *, brief: bool = False) -> dict[str, object]:
    """Return one conflict as JSON values; `brief` tells of a place its label alone."""
    return {
        "id": conflict.id,
        "difference": conflict.difference,
        "is_change": conflict.is_change,
        "verified": conflict.is_verified,
        "sides": [_side_json(side, places.get(place_of(side)), brief=brief) for side in (conflict.one, conflict.other)],
    }


def resolved_json(done: "ResolvedConflict", *, dry_run: bool) -> dict[str, object]:
    """Return what became of a conflict as JSON values (schema: schemas/cli/conflicts-resolved.schema.json)."""
    return {
        "id": done.conflict.id,
        "state": str(done.state),
        "dry_run": dry_run,
        "corrected": None if done.corrected is None else corrected_json(done.corrected, dry_run=dry_run),
    }


def _side_json(side: "ConflictSide", at: "Location | None", *, brief: bool) -> dict[str, object]:
    location = None if at is None else {"label": at.label} if brief else location_json(at)
    return {"id": side.place.row_id, "said": side.said, "told_at": render_if_dated(side.told_at), "location": location}


def conflict_reason(conflict: "Conflict") -> str:
    """Return in a few words why the two cannot both hold."""
    return "the later statement may have ended the earlier one" if conflict.is_change else _WHY[conflict.difference]


_WHY = {
    "edge": "only one of these holds at a time",
    "number": "they differ in a number",
    "day": "they differ in a date",
    "name": "only one of these holds at a time",
    "denial": "one negates the other",
    "meaning": "the verifier says that they contradict each other",
}
