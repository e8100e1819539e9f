"""What forgetting takes out of pins, capsules and candidates.

Law: a pin on a row that is forgotten goes with it; on one that is redacted it stays, and its reason goes. A capsule's
summary that rests on what goes, or quotes it, goes: the capsule's is then made of what is left. Words of a person that
quote what goes, a reason or an intent, are replaced.

What forgetting takes out of what waits to become part of the graph. A candidate that rests on nothing but what goes,
that became a row which goes, or that is called by words which it alone said, goes. One that rests on something else,
too, stays without its places in what goes, and without what only that can have told: other names, a description, a
reason.

Source: spec retrieval-contract, Redaction Handling; rulings G, H; docs/forgetting.md; rulings F, G ("forgetting is
idempotent and reaches text, vector, index, derived rows and exports").
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from voice.core.graph.review.candidates import Candidate, EntityProposal, Proposal
from voice.core.recall.values import REDACTED_TEXT, Capsule, Pin
from voice.core.session.forgetting import ForgottenContent


def pin_without(pin: Pin, gone: ForgottenContent) -> Pin | None:
    """Return what is left of a pin: itself, with another reason, or nothing."""
    is_on_it = pin.target_id in gone.ids
    if is_on_it and not gone.keeps_hashes:
        return None
    tells = is_on_it or gone.giveaway.is_quoted_in(pin.reason)
    return replace(pin, reason=REDACTED_TEXT) if tells and pin.reason != REDACTED_TEXT else pin


def capsule_without(capsule: Capsule, gone: ForgottenContent, *, within: Collection[str] = ()) -> Capsule:
    """Return what is left of a capsule, ready to be saved; itself where it holds nothing of what goes.

    Args:
        capsule: as it is stored.
        within: the ids of capsules that a row which goes lay in.
    """
    changed = capsule
    summary = capsule.summary
    if summary is not None and (
        gone.ids.intersection(summary.evidence_refs) or gone.giveaway.is_quoted_in(summary.content)
    ):
        changed = replace(changed, summary=None)
    tells = gone.giveaway.is_quoted_in(capsule.intent) or (
        capsule.id in within and gone.giveaway.is_hinted_at_in(capsule.intent)
    )
    if tells and capsule.intent != REDACTED_TEXT:
        changed = replace(changed, intent=REDACTED_TEXT)
    return changed if changed is capsule else replace(changed, revision=capsule.revision + 1)


def candidate_without(candidate: Candidate, gone: ForgottenContent) -> Candidate | None:
    """Return what is left of a candidate, ready to be saved; itself where it holds nothing of what goes; or nothing.

    Args:
        candidate: as it is stored.
    """
    kept = tuple(span for span in candidate.provenance if span.thought_id not in gone.ids)
    rests_on_it = len(kept) < len(candidate.provenance)
    tells = gone.giveaway.is_hinted_at_in if rests_on_it else gone.giveaway.is_quoted_in
    if (rests_on_it and not kept) or candidate.row_id in gone.ids or tells(*candidate.names):
        return None
    bare = replace(
        candidate,
        provenance=kept,
        proposed=_bare(candidate.proposed, tells),
        edited=None if candidate.edited is None else _bare(candidate.edited, tells),
        reason="" if tells(candidate.reason) else candidate.reason,
    )
    return candidate if bare == candidate else replace(bare, revision=candidate.revision + 1)


def _bare(proposal: Proposal, tells: Callable[[str], bool]) -> Proposal:
    """Return a proposal without a description and other names that tell it; its names and type are its id."""
    told = "" if tells(proposal.description) else proposal.description
    if isinstance(proposal, EntityProposal):
        aliases = tuple(alias for alias in proposal.aliases if not tells(alias))
        return replace(proposal, aliases=aliases, description=told)
    return replace(proposal, description=told)
