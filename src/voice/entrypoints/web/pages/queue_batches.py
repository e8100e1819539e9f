"""Verdicts on many candidates at once, kept for a while so that they are told and those that can be are taken back.

Law: a batch is known by an id that means nothing elsewhere; it is kept in the running program, the newest few, and goes
with it. What went into the graph is changed there: only a rejection is taken back here.

Source: DESIGN 8 Web (moderation queue); rulings F, I5.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Final

from voice.core.graph.review.candidates import Candidate
from voice.core.text.display import counted
from voice.services.graph.moderation import Moderated

_MOST: Final = 20
_ID_BYTES: Final = 9
_BECAME: Final[Mapping[str, str]] = {
    "approve": "approved: what they say is in the graph",
    "reject": "rejected",
    "reopen": "returned to review",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What came of one verdict on many."""

    deed: str
    done: tuple[str, ...]
    """The ids of the candidates that it was carried out on."""
    refused: tuple[tuple[str, str], ...] = ()
    """Of those that still wait, what each says and why."""

    @property
    def told(self) -> str:
        """What was done, in words."""
        return f"{counted(len(self.done), 'candidate')} {_BECAME[self.deed]}"

    @property
    def can_undo(self) -> bool:
        """Whether it can be taken back here."""
        return self.deed == "reject" and bool(self.done)


def batch_of(deed: str, meant: Sequence[Candidate], came: Moderated, said: Mapping[str, str]) -> Batch:
    """Return what is told of a batch.

    Args:
        deed: what was said of all.
        meant: of which candidates.
        came: what came of it.
        said: what each of them says, by its id.
    """
    changed = {step.candidate_id for step in came.steps if step.action != "unchanged"}
    return Batch(
        deed=deed,
        done=tuple(each.id for each in meant if each.id in changed),
        refused=tuple((said.get(candidate_id, ""), why) for candidate_id, why in came.refused),
    )


@dataclass(frozen=True, slots=True)
class Batches:
    """The newest batches."""

    _kept: OrderedDict[str, Batch] = field(default_factory=OrderedDict[str, Batch], repr=False)

    def keep(self, batch: Batch) -> str:
        """Keep a batch and return its id."""
        batch_id = token_urlsafe(_ID_BYTES)
        self._kept[batch_id] = batch
        if len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return batch_id

    def found(self, batch_id: str) -> Batch | None:
        """Return a batch; None where it is not kept any more."""
        return self._kept.get(batch_id)
