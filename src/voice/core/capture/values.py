"""Hosts whose sessions are captured, and the outcomes of captures.

Law: nothing here holds words of a session.
Source: docs/capture.md.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final


class Host(StrEnum):
    """A program whose sessions can be captured; the value is also its transcripts' format."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"

    @property
    def called(self) -> str:
        """Its display name, and the speaker of its model's messages."""
        return _TITLES[self]


_TITLES: Final[Mapping[Host, str]] = {
    Host.CLAUDE_CODE: "Claude Code",
    Host.CODEX: "Codex",
    Host.GEMINI_CLI: "Gemini CLI",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSession:
    """An ended session that waits to be imported."""

    key: str
    """Its name in the spool."""
    host: Host
    session: str
    transcript: str | None
    """Path of its transcript; None if neither given nor found."""
    cwd: str
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureOutcome:
    """The outcome of capturing a session."""

    messages: int = 0
    """New messages stored."""
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    """By reason."""
    unfound: int = 0
    """Messages that name a file or commit which was not found."""
    fault: str | None = None
    """Why it could not be imported yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureTotals:
    """A host's outcomes over all sessions; messages add up, the rest is the last capture's."""

    sessions: Mapping[str, CaptureOutcome] = field(default_factory=dict[str, CaptureOutcome])
    """By id."""
    ignored: int = 0
    """Sessions left out by the ignore rules."""

    def with_session(self, session: str, outcome: CaptureOutcome) -> "CaptureTotals":
        """Return the totals with a new or grown session."""
        before = self.sessions.get(session, CaptureOutcome())
        grown = replace(outcome, messages=before.messages + outcome.messages)
        return replace(self, sessions={**self.sessions, session: grown})

    def with_ignored(self) -> "CaptureTotals":
        """Return the totals with one more ignored session."""
        return replace(self, ignored=self.ignored + 1)

    @property
    def messages(self) -> int:
        """Messages stored."""
        return sum(outcome.messages for outcome in self.sessions.values())

    @property
    def unfound(self) -> int:
        """Messages that name a file or commit which was not found."""
        return sum(outcome.unfound for outcome in self.sessions.values())

    @property
    def left_out(self) -> Mapping[str, int]:
        """Messages left out, by reason."""
        counts = Counter[str]()
        for outcome in self.sessions.values():
            counts.update(outcome.left_out)
        return dict(counts)
