"""Stored conversations, for programs: `Voice.sessions`.

Law: as `voice.entrypoints.library`. A session is named by its id, the start of one, or its topic; whatever takes a name
raises `UnknownId` where it means none, or one that was deleted, and `InvalidParams` where it means several.

    forked = await voice.sessions.fork("the kiln", at=3)
    await voice.ask("And an electric one?", session=forked.id)
    difference = await voice.sessions.diff("the kiln", forked.id)
"""

from dataclasses import dataclass

from voice.core.context.replay import Replay
from voice.core.session.audit import AuditReport
from voice.core.session.compare import SessionDiff
from voice.core.session.values import DialogueExchange, InnerVoiceSession, TopicStatus
from voice.ports.stores import SessionListItem
from voice.services.sessions.lifecycle import Deletion, StatusWanted, TopicWanted, Wanted
from voice.wiring.services import Services


@dataclass(frozen=True, slots=True)
class Sessions:
    """The conversations of one open memory."""

    services: Services

    async def list(
        self,
        *,
        limit: int = 20,
        status: StatusWanted = "all",
        topic_status: TopicWanted = "all",
        include_private: bool = False,
    ) -> list[SessionListItem]:
        """Return sessions, the most recent first; one that was idle too long is `expired`.

        The topic of one that began with a turn that is withheld is told with `include_private` alone, here and below.
        """
        wanted = Wanted(status=status, topic_status=topic_status)
        return await self.services.life.listed(limit=limit, wanted=wanted, include_private=include_private)

    async def show(self, name: str) -> tuple[InnerVoiceSession, tuple[DialogueExchange, ...]]:
        """Return a session and all its turns, oldest first; of a fork, the turns it shares come first.

        Whatever is private is in it: of each turn `is_withheld` says so.
        """
        session, turns = await self.services.life.show(name)
        return session, tuple(turns)

    async def rename(self, name: str, topic: str) -> InnerVoiceSession:
        """Give a session another topic.

        Raises:
            InvalidParams: nothing is left of the topic.
        """
        return await self.services.life.rename(name, topic)

    async def close(self, name: str) -> InnerVoiceSession:
        """Close a session: it is read, but not continued."""
        return await self.services.life.close(name)

    async def reopen(self, name: str) -> InnerVoiceSession:
        """Open a session that was closed, or idle too long: the next question continues it."""
        return await self.services.life.reopen(name)

    async def set_topic(self, name: str, status: TopicStatus) -> InnerVoiceSession:
        """Say what became of a session's topic."""
        return await self.services.life.set_topic(name, status)

    async def fork(self, name: str, *, at: int | str | None = None, topic: str | None = None) -> InnerVoiceSession:
        """Return a new session that shares the turns of another one up to `at`: a number from 1, a turn's id, or None.

        Raises:
            InvalidParams: the session has no such turn.
        """
        return await self.services.life.fork(name, at=at, topic=topic)

    async def diff(self, left: str, right: str, *, include_private: bool = False) -> SessionDiff:
        """Return how many turns two sessions share, and the others side by side."""
        return await self.services.life.diff(left, right, include_private=include_private)

    async def delete(self, name: str, *, with_forks: bool = False, dry_run: bool = False) -> Deletion:
        """Delete a session for good, but for the figures of its turns.

        Raises:
            InvalidParams: forks share turns of it, and `with_forks` is false; the message names them.
            SessionConflict: it was asked or changed meanwhile; nothing was deleted.
        """
        return await self.services.life.delete(name, with_forks=with_forks, dry_run=dry_run)

    async def audit(self, name: str | None = None, *, include_private: bool = False) -> AuditReport:
        """Verify stored answers against today's memory, without a model; None means those of every session."""
        return await self.services.audit(name, include_private=include_private)

    async def replay(self, name: str) -> tuple[Replay, ...]:
        """Rebuild the prompt of a turn, or of every turn of a session, and prove its keyed hash.

        Args:
            name: as everywhere here, or a turn's id.
        """
        return await self.services.replays(name)
