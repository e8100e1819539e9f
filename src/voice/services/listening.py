"""A draft, heard while it is written.

Law: it is counted and its citations are read, each once; nothing of it is told (ruling D9). What a citation decides by
itself ends the call, so that nobody pays for an answer that cannot be shown.

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
    """What the draft ends in, where a citation has decided."""
    _partial: Partial = field(default_factory=Partial)
    _said: list[str] = field(default_factory=list[str], repr=False)
    _is_whole: bool = False
    """Whether the draft is all there: nothing is left to save then, and the whole of it is judged."""
    _uncounted: str = field(default="", repr=False)
    _tokens: int = 0

    def hear(self, piece: str) -> bool:
        """Take the next piece of the reply; return whether it is decided."""
        self._counted(piece)
        self._said.append(piece)
        cited = () if self.refusal else self._partial.read(piece)
        if cited and not self._partial.is_refusal:
            self.refusal = early_refusal(cited, self.evidence, self.policy)
        if self.refusal is None:
            return False
        self._is_whole = self._is_whole or isinstance(parse_draft("".join(self._said)), Draft)
        return not self._is_whole

    def begin_anew(self) -> None:
        """Forget the reply of a try that failed."""
        self.refusal, self._partial, self._tokens = None, Partial(), 0
        self._said, self._uncounted, self._is_whole = [], "", False

    def _counted(self, piece: str) -> None:
        self._uncounted += piece
        if len(self._uncounted) >= _STEP_CHARS:
            self._tokens += self.count(self._uncounted)
            self._uncounted = ""
            self.grown(self._tokens)
