"""From a form of the queue to a verdict, and from what came of it to words.

Law: values in, values out. What is typed as it stands is no change; what was refused is kept as it was typed.

Source: DESIGN 8 Web (moderation queue); spec rag-organize 6; ruling F.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import Candidate, EntityProposal, Proposal
from voice.core.graph.review.decisions import Alias, Approve, Changes, Decision, Edit, Reject, Reopen
from voice.core.graph.review.promotion import Action, Step

_BECAME: Final[Mapping[Action, str]] = {
    "created": "is now in the graph",
    "merged": "is now part of an entry that was already in the graph",
    "aliased": "is now another name of an entity that was already in the graph",
    "rejected": "is rejected and will not come up again",
    "reopened": "waits for review again",
    "edited": "is changed and still waits for review",
    "unchanged": "stays as it was",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What stands in the form of a candidate, and what was wrong with it."""

    values: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    fault: str = ""
    form: str = ""
    """Which of the forms it was typed into; that one is open."""


def typed_over(candidate: Candidate, form: Mapping[str, str], *, deed: str, fault: str) -> Typed:
    """Return what a refused form shows again: what was typed, over what stands."""
    return Typed(values={**values_of(candidate.proposal), **form}, fault=fault, form=deed)


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

    Args:
        deed: what was chosen.
        candidate: of what.
        form: what was typed.

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
            if not (entity := form.get("entity", "").strip()):
                raise InvalidParams("name the entity that this is another name of")
            return Alias(candidate_id=candidate.id, entity_id=entity)
        case "edit":
            return Edit(candidate_id=candidate.id, changes=changes_of(candidate, form))
        case _:
            raise InvalidParams("choose approve, reject, edit, alias or reopen")


def changes_of(candidate: Candidate, form: Mapping[str, str]) -> Changes:
    """Return what a form changes of a candidate: what is typed as it stands is no change.

    Raises:
        InvalidParams: nothing is changed.
    """
    before = values_of(candidate.proposal)
    typed = {name: form[name].strip() for name in before if name in form}
    changed = {name: value for name, value in typed.items() if value.split() != before[name].split()}
    if not changed:
        raise InvalidParams("you changed nothing; edit a field, or approve it as it is")
    lines = changed.pop("aliases", None)
    aliases = None if lines is None else tuple(line.strip() for line in lines.splitlines() if line.strip())
    return Changes(aliases=aliases, **changed)


def told(step: Step) -> str:
    """Return what became of a candidate, in words."""
    return _BECAME[step.action]
