"""A draft, heard while it is written.

Law: it is counted and its sources are read; nothing of it is told (ruling D9). What the sources decide by themselves
ends the call, so that nobody pays for an answer that cannot be shown.

Source: docs/streaming.md; rulings D6, D9, D18.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from voice.core.grounding.draft import parse_draft
from voice.core.grounding.early import early_refusal
from voice.core.grounding.partial import Partial
from voice.core.grounding.values import Draft, Evidence, GroundedResponse, GroundingPolicy

_STEP_CHARS = 80
"""How much a reply grows between two counts of it."""


@dataclass(slots=True, kw_only=True)
class Listening:
    """Hears one reply; a further try begins anew."""

    evidence: Sequence[Evidence] = field(repr=False)
    policy: GroundingPolicy
    count: Callable[[str], int] = field(repr=False)
    grown: Callable[[int], None] = field(repr=False)
    """Is told how many tokens there are so far, as they are estimated."""
    refusal: GroundedResponse | None = None
    """What the draft ends in, where its sources have decided."""
    _partial: Partial = field(default_factory=Partial)
    _said: str = field(default="", repr=False)
    _uncounted: str = field(default="", repr=False)
    _tokens: int = 0

    def hear(self, piece: str) -> bool:
        """Take the next piece of the reply; return whether it is decided."""
        self._counted(piece)
        self._said += piece
        before, self._partial = self._partial, self._partial.read(piece)
        if self._partial.value is not before.value or self._partial.has_all_sources is not before.has_all_sources:
            self.refusal = early_refusal(self._partial, self.evidence, self.policy)
        return self.refusal is not None and not self._is_whole

    def begin_anew(self) -> None:
        """Forget the reply of a try that failed."""
        self.refusal, self._partial, self._tokens = None, Partial(), 0
        self._said = self._uncounted = ""

    @property
    def _is_whole(self) -> bool:
        """Whether the draft is all there: nothing is left to save then, and the whole of it is judged."""
        return isinstance(parse_draft(self._said), Draft)

    def _counted(self, piece: str) -> None:
        self._uncounted += piece
        if len(self._uncounted) >= _STEP_CHARS:
            self._tokens += self.count(self._uncounted)
            self._uncounted = ""
            self.grown(self._tokens)
