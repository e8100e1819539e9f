"""Take in sessions of agents that ended, word for word, to wait for vouching.

Law: no model is asked. What the ignore rules name and what looks like a secret never comes in. A session that is taken
in again adds what is new alone; what was forgotten stays forgotten (ruling H). What cannot be taken in waits on, with
why, and stops nothing else.

Source: docs/capture.md; rulings A12, H, J2.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC
from typing import Final

from voice.core.capture.hosts import CaptureOutcome, EndedSession
from voice.core.capture.message_filter import IgnoreRules, claims_of, filter_messages, with_unfound
from voice.core.errors import VoiceError
from voice.core.interchange.origin import Entrance
from voice.ports.files import FileFormat, MemoryFiles, Spool, WorkingTree
from voice.services.imports.request import ImportRequest, IncomingThoughts, thoughts_of
from voice.services.memory.forgotten_rows import ForgottenSentences
from voice.services.memory.ingest import Ingest

EVERY_S: Final = 20.0
"""Seconds after which a process that keeps a memory open looks again for sessions that ended."""
_NO_TRANSCRIPT: Final = "its host did not say where its transcript is"


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedSession:
    """How much came in at once."""

    sessions: int = 0
    messages: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCapture:
    """Takes in the sessions that wait in the spool."""

    spool: Spool
    tree: WorkingTree
    files: MemoryFiles
    ingest: Ingest
    ignored: tuple[str, ...] = ()

    async def take_in(self) -> CapturedSession:
        """Take in every session that waits, noting results. Raises StoreError: the store failed; the rest waits on."""
        messages = 0
        sessions: set[tuple[str, str]] = set()
        async with self.spool.taking() as waiting:
            for ended in waiting:
                came = await self._capture(ended)
                await self.spool.done(ended, came)
                if came is not None and came.fault is None:
                    sessions.add((ended.host, ended.session))
                    messages += came.messages
        return CapturedSession(sessions=len(sessions), messages=messages)

    async def _capture(self, ended: EndedSession) -> CaptureOutcome | None:
        """Return what came of a session; None where it is kept out whole."""
        own = IgnoreRules(globs=self.ignored)  # the owner's settings come before the tree's own file
        if any(own.holds(path) for path in (ended.cwd, ended.transcript) if path):
            return None
        rules = IgnoreRules.of_file(await self.tree.ignore_file(ended.cwd))
        if rules.is_all:
            return None
        if ended.transcript is None:
            return CaptureOutcome(fault=_NO_TRANSCRIPT)
        try:
            return await self._import_transcript(ended, ended.transcript, rules)
        except VoiceError as fault:
            if fault.retryable:
                raise  # it waits for the next time
            return CaptureOutcome(fault=fault.message)

    async def _import_transcript(self, ended: EndedSession, path: str, rules: IgnoreRules) -> CaptureOutcome:
        request = ImportRequest(path=path, entrance=Entrance.HOOK, zone=UTC)
        arriving = IncomingThoughts()
        messages = unfound = 0
        sentences = await ForgottenSentences.known_to(self.ingest.forgotten)
        async for batch in self.files.read(request.reading(FileFormat(ended.host.value))):
            lines = arriving.take(list(filter_messages(batch.lines, ended.host, rules)))
            arrival = request.arrival(self.ingest.clock.now())
            left = sentences.out_of(thoughts_of(lines, arriving.bad, request, arrival))
            arriving.take(left.left_out)
            found = await self.tree.found(ended.cwd, claims_of(left.thoughts))
            checked = [with_unfound(each, found) for each in left.thoughts]  # marks what they name and the tree lacks
            arrived = await self.ingest.forgotten.under_free_ids(checked)
            messages += len((await self.ingest.store_thoughts(list(arrived.values()))).stored)
            unfound += sum(bool(each.unfound) for each in checked)
        left_out = Counter({reason: each.count for reason, each in arriving.left_out.items()})
        left_out.update({"records that cannot be read": len(arriving.bad)} if arriving.bad else {})
        return CaptureOutcome(messages=messages, left_out=dict(left_out), unfound=unfound)


@asynccontextmanager
async def kept_taking_in(capturing: SessionCapture) -> AsyncGenerator[None]:
    """Take in what ends for as long as the block runs; what fails waits on for the next time."""

    async def keep_on() -> None:
        while True:  # at once: sessions ended while nothing ran
            with suppress(VoiceError):
                await capturing.take_in()
            await asyncio.sleep(EVERY_S)

    task = asyncio.create_task(keep_on())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task  # until it has let go of the spool
