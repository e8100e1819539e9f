"""The resources of `Voice`: its sessions, its removals and the check of an answer.

Law: as `voice.entrypoints.library`. A session is named by its id, the start of one, or its topic; whatever takes a name
raises `UnknownId` where it means none, or one that was deleted, and `InvalidParams` where it means several.

    forked = await voice.sessions.fork("the kiln", at=3)
    await voice.ask("And an electric one?", session=forked.id)
    difference = await voice.sessions.diff("the kiln", forked.id)

Nothing is taken away unless `apply` says so, and nothing that no verified archive holds exactly as it stands
(docs/archive.md).

    await voice.removals.mark(["t:01jq…"])
    await voice.removals.export(form="jsonl")
    gone = (await voice.removals.finalise(apply=True)).gone

The judge for programs: any answer against any facts, with no memory open. A rim, so types are checked here; nothing is
stored, and nobody is asked but the verifier that is handed in.

Source: DESIGN 6 "The judge is a product of its own"; DESIGN 8 Library.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from voice.adapters.system.clock_and_ids import SystemClock
from voice.core.context.prompt_proof import Replay
from voice.core.errors import InvalidParams
from voice.core.grounding.check import Fact, facts_of, parse_answer
from voice.core.grounding.values import Draft
from voice.core.records import Tombstone
from voice.core.session.audit import AuditReport
from voice.core.session.compare import SessionDiff
from voice.core.session.values import DialogueExchange, InnerVoiceSession, TopicStatus
from voice.ports.removal import ArchiveFormat
from voice.ports.stores import SessionListItem
from voice.ports.verifier import Verifier
from voice.services.removal.archives import Exported, Restored
from voice.services.removal.removals import Finalised, MarkedForRemoval, RemovalList
from voice.services.sessions.lifecycle import Deletion, SessionFilter, StatusWanted, TopicWanted
from voice.services.verification.draft_verification import Check, Checked, DraftVerification
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
        wanted = SessionFilter(status=status, topic_status=topic_status)
        return await self.services.life.listed(limit=limit, wanted=wanted, include_private=include_private)

    async def show(self, name: str) -> tuple[InnerVoiceSession, tuple[DialogueExchange, ...]]:
        """Return a session and all its turns, oldest first; of a fork, the turns it shares come first.

        Whatever is private is in it: of each turn `is_withheld` says so.
        """
        session, turns = await self.services.life.show(name)
        return session, tuple(turns)

    async def rename(self, name: str, topic: str) -> InnerVoiceSession:
        """Give a session another topic. Raises InvalidParams: nothing is left of the topic."""
        return await self.services.life.change(name, topic=topic)

    async def close(self, name: str) -> InnerVoiceSession:
        """Close a session: it is read, but not continued."""
        return await self.services.life.change(name, status="closed")

    async def reopen(self, name: str) -> InnerVoiceSession:
        """Open a session that was closed, or idle too long: the next question continues it."""
        return await self.services.life.change(name, status="open")

    async def set_topic(self, name: str, status: TopicStatus) -> InnerVoiceSession:
        """Say what became of a session's topic."""
        return await self.services.life.change(name, topic_status=status)

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


@dataclass(frozen=True, slots=True)
class Removals:
    """The removals of one open memory."""

    services: Services

    async def mark(self, ids: Sequence[str], *, dry_run: bool = False) -> MarkedForRemoval:
        """Mark thoughts for removal: they are found no more, and stay as provenance; a marked one keeps its day.

        Raises:
            UnknownId, InvalidParams: one of them is no thought, or cannot be marked; nothing was marked.
        """
        return await self.services.archiving.removals.mark(ids, dry_run=dry_run)

    async def unmark(self, ids: Sequence[str], *, dry_run: bool = False) -> MarkedForRemoval:
        """Take marks away again. Raises UnknownId: one of them is no thought; nothing was changed."""
        return await self.services.archiving.removals.unmark(ids, dry_run=dry_run)

    async def list(self, ids: Sequence[str] = ()) -> RemovalList:
        """Return the marked thoughts, each with the day it falls due and what keeps it from going.

        Raises:
            UnknownId, InvalidParams: one of the ids is no marked thought's.
        """
        return await self.services.archiving.removals.listed(ids)

    async def export(
        self, ids: Sequence[str] = (), *, form: ArchiveFormat | None = None, dry_run: bool = False
    ) -> Exported:
        """Archive marked thoughts that no verified archive holds as they stand.

        Args:
            ids: which; none of them means all.
            form: `parquet` or `jsonl`; None is the setting `archive.format`.
            dry_run: say what would be archived.

        Raises:
            UnknownId, InvalidParams: one of the ids is no marked thought's.
            ConfigurationError, StoreUnavailable: the archive cannot be written.
        """
        return await self.services.archiving.export(ids, form=form, dry_run=dry_run)

    async def finalise(self, ids: Sequence[str] = (), *, apply: bool = False) -> Finalised:
        """Take away marked thoughts that nothing keeps from going; a dry run unless `apply` is true.

        Raises:
            UnknownId, InvalidParams: one of the ids is no marked thought's, or one was changed meanwhile.
        """
        return await self.services.archiving.removals.finalise(ids, apply=apply)

    async def restore(self, path: Path | str, ids: Sequence[str] = (), *, dry_run: bool = False) -> Restored:
        """Bring back what an archive holds, or those of its thoughts that are named; not what was forgotten.

        Raises:
            DataFileError: the archive does not verify.
            InvalidParams: one of the ids is not in it.
        """
        return await self.services.archiving.restore(str(path), ids, dry_run=dry_run)

    async def fate(self, ids: Sequence[str]) -> dict[str, Tombstone]:
        """Return the tombstones of those rows that are gone: what became of the source of a citation."""
        return await self.services.archiving.removals.fate(ids)


async def check(
    answer: str | Draft,
    facts: Sequence[Fact | str | Mapping[str, object]],
    *,
    question: str = "",
    verifier: Verifier | None = None,
) -> Checked:
    """Hold an answer against facts, claim by claim; no memory need be open, and nothing is stored.

        checked = await Voice.check("The kiln is in the shed [1].", ["The kiln is in the shed."])
        checked.report.is_proven, [claim.rung for claim in checked.report.claims]

    Args:
        answer: plain text with markers such as `[1]` or `[id]`, or the JSON that models write for voice; where it cites
            nothing, each sentence is held against every fact.
        facts: texts, or objects with `text` and, where they are known, `id`, `date` and `speaker`.
        question: what was asked; its words need no proof.
        verifier: who is asked about claims that are not quoted, and believed; None: nobody, and they stay unverified.

    Returns:
        The report, who was asked, and what that cost; `voice.core.render.check.render_check` makes JSON of it.

    Raises:
        InvalidParams: there is nothing to check, too much at once, or a fact that is none.
    """
    # `cast`, because type checkers believe the annotations, and programs do not keep to them.
    if not isinstance(cast("object", answer), str | Draft) or not isinstance(cast("object", question), str):
        raise InvalidParams("answer must be a text or a draft, and question a text")
    if isinstance(facts, str) or not isinstance(cast("object", facts), Sequence):  # a text is a sequence of texts
        raise InvalidParams("facts must be a list of texts, or of objects with `text`")
    said = parse_answer(answer) if isinstance(answer, str) else answer
    return await Check(clock=SystemClock(), verifying=DraftVerification(verifier=verifier))(
        said, facts_of(facts), question=question
    )
