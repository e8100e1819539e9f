"""Remove forgotten content from pins, capsules and graph candidates.

Law: a pin on a forgotten row is deleted; on a redacted one it loses its reason. A summary that rests on or quotes the
content is deleted; quoting reasons and intents are replaced. A graph candidate without other sources, or named by the
content, is deleted; otherwise it loses what only that content could support.
Source: spec retrieval-contract, Redaction Handling; rulings F, G, H; docs/forgetting.md.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from voice.core.graph.review.candidates import Candidate, EntityProposal, Proposal
from voice.core.recall.values import REDACTED_TEXT, Capsule, Pin
from voice.core.session.forgetting import ForgottenContent


def pin_without(pin: Pin, gone: ForgottenContent) -> Pin | None:
    """Return the pin, possibly with its reason redacted; None to delete it."""
    is_target = pin.target_id in gone.ids
    if is_target and not gone.keeps_hashes:  # forgotten, not redacted: nothing to point at remains
        return None
    reveals = is_target or gone.giveaway.is_quoted_in(pin.reason)
    return replace(pin, reason=REDACTED_TEXT) if reveals and pin.reason != REDACTED_TEXT else pin


def capsule_without(capsule: Capsule, gone: ForgottenContent, *, within: Collection[str] = ()) -> Capsule:
    """Return the capsule cleaned, at its next revision, or the same object; `within`: capsules that held a lost row."""
    changed = capsule
    summary = capsule.summary
    if summary is not None and (
        gone.ids.intersection(summary.evidence_refs) or gone.giveaway.is_quoted_in(summary.content)
    ):
        changed = replace(changed, summary=None)  # all of it: which of its words are revealing is unknown
    reveals = gone.giveaway.is_quoted_in(capsule.intent) or (
        capsule.id in within and gone.giveaway.is_hinted_at_in(capsule.intent)
    )
    if reveals and capsule.intent != REDACTED_TEXT:
        changed = replace(changed, intent=REDACTED_TEXT)
    return changed if changed is capsule else replace(changed, revision=capsule.revision + 1)


def candidate_without(candidate: Candidate, gone: ForgottenContent) -> Candidate | None:
    """Return the candidate cleaned, with the next revision; the same object if nothing changes; None to delete it."""
    kept = tuple(span for span in candidate.provenance if span.thought_id not in gone.ids)
    has_lost_source = len(kept) < len(candidate.provenance)
    # What rested on the lost row may hint at it in other words; of the rest only a quotation tells.
    reveals = gone.giveaway.is_hinted_at_in if has_lost_source else gone.giveaway.is_quoted_in
    if (has_lost_source and not kept) or candidate.row_id in gone.ids or reveals(*candidate.names):
        return None
    cleaned = replace(
        candidate,
        provenance=kept,
        proposed=_cleaned(candidate.proposed, reveals),
        edited=None if candidate.edited is None else _cleaned(candidate.edited, reveals),
        reason="" if reveals(candidate.reason) else candidate.reason,
    )
    return candidate if cleaned == candidate else replace(cleaned, revision=candidate.revision + 1)


def _cleaned(proposal: Proposal, reveals: Callable[[str], bool]) -> Proposal:
    """Remove revealing descriptions and aliases; names and type form the id and were checked before."""
    description = "" if reveals(proposal.description) else proposal.description
    if isinstance(proposal, EntityProposal):
        aliases = tuple(alias for alias in proposal.aliases if not reveals(alias))
        return replace(proposal, aliases=aliases, description=description)
    return replace(proposal, description=description)
