"""What forgetting takes out of what waits to become part of the graph.

Law: a candidate that rests on nothing but what goes, that became a row which goes, or that is called by words which it
alone said, goes. One that rests on something else, too, stays without its places in what goes, and without what only
that can have told: other names, a description, a reason.

Source: rulings F, G ("forgetting is idempotent and reaches text, vector, index, derived rows and exports").
"""

from collections.abc import Callable
from dataclasses import replace

from voice.core.graph.candidates import Candidate, EntityProposal, Proposal
from voice.core.session.forgetting import ForgottenContent


def candidate_without(candidate: Candidate, gone: ForgottenContent) -> Candidate | None:
    """Return what is left of a candidate, ready to be saved; itself where it holds nothing of what goes; or nothing.

    Args:
        candidate: as it is stored.
        gone: what goes.
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
