"""Hosts whose sessions are captured, and what is noted of each that ended.

Law: closed sets and plain facts. Nothing here holds a word that anybody said.

Source: docs/capture.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final


class Host(StrEnum):
    """A program whose sessions can be captured; its name is also the format of its transcripts."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"

    @property
    def called(self) -> str:
        """What people call it: who speaks where its model does."""
        return _TITLES[self]


_TITLES: Final[Mapping[Host, str]] = {
    Host.CLAUDE_CODE: "Claude Code",
    Host.CODEX: "Codex",
    Host.GEMINI_CLI: "Gemini CLI",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSession:
    """A session that ended and waits to be taken in."""

    key: str
    """Its name in the spool."""
    host: Host
    session: str
    transcript: str | None
    """Where its host wrote it down; None: it did not say, and nobody found it."""
    cwd: str
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureOutcome:
    """What came of a session."""

    messages: int = 0
    """New ones that were stored."""
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    """What was left out, by reason."""
    unfound: int = 0
    """Messages that name a file or a commit which was not found."""
    fault: str | None = None
    """Why it could not be taken in, and waits on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureTotals:
    """What came in of one host, over all its sessions; of a session that grew, what was said of it last."""

    sessions: Mapping[str, CaptureOutcome] = field(default_factory=dict[str, CaptureOutcome])
    """By their ids."""
    ignored: int = 0
    """Sessions that the ignore rules keep out; nothing else is noted of them."""

    def with_session(self, session: str, came: CaptureOutcome) -> "CaptureTotals":
        """Return it with one session more, or with one that grew."""
        before = self.sessions.get(session, CaptureOutcome())
        grown = replace(came, messages=before.messages + came.messages)
        return replace(self, sessions={**self.sessions, session: grown})

    def with_ignored(self) -> "CaptureTotals":
        """Return it with one session more that the ignore rules keep out."""
        return replace(self, ignored=self.ignored + 1)

    @property
    def messages(self) -> int:
        """How many messages came in."""
        return sum(came.messages for came in self.sessions.values())

    @property
    def unfound(self) -> int:
        """How many messages name what was not found."""
        return sum(came.unfound for came in self.sessions.values())

    @property
    def left_out(self) -> Mapping[str, int]:
        """What was left out, by reason."""
        told: dict[str, int] = {}
        for came in self.sessions.values():
            for reason, count in came.left_out.items():
                told[reason] = told.get(reason, 0) + count
        return told
