"""Everything that can be done with one open memory; what its services share is in `voice.wiring.open_memory`.

Law: a property imports and makes one service, when it is first asked for: here the program decides what a command
costs, and no other module imports late for that reason (docs/architecture.md, "Start-up"; DESIGN 3, 11).
"""

from collections.abc import AsyncGenerator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from voice.core.session.turn_events import Event, EventListener, ignore_event
from voice.wiring.changing import ChangingServices

if TYPE_CHECKING:
    from voice.ports.row_queries import SessionFigures
    from voice.services.maintenance.doctor import Checkup
    from voice.services.runtime.turn import AskRequest, Turn
    from voice.services.sessions.lifecycle import SessionLife
    from voice.services.sessions.report import Reports
    from voice.services.sessions.transcripts import Transcripts
    from voice.services.turn.ask import Ask
    from voice.services.turn.audit import Audit, CurrentRows
    from voice.services.turn.preview import ForeseenTurn
    from voice.services.turn.replay import Replays
    from voice.services.turn.summaries import Summaries
    from voice.services.verification.outside_turns import ConflictVerification
    from voice.wiring.asking import LazyAsking


class Services(ChangingServices):
    """One open memory, and what can be done with it."""

    @cached_property
    def transcripts(self) -> "Transcripts":
        """Writes out and brings in conversations."""
        from voice.adapters.files.session_file import LocalSessionFiles
        from voice.services.sessions.transcripts import Transcripts

        return Transcripts(
            sessions=self.sessions,
            store=self.store,
            files=LocalSessionFiles(),
            clock=self.clock,
            key=self.key,
            audited=self.audit.of,  # checks the quotations that come in
            timezone=self.timezone,
        )

    @cached_property
    def life(self) -> "SessionLife":
        """Lists, names, forks, closes and deletes conversations."""
        from voice.core.token_estimates import ConservativeCounter
        from voice.services.sessions.lifecycle import SessionLife

        return SessionLife(
            sessions=self.sessions,
            removal=self.stores.removal,
            clock=self.clock,
            ids=self.ids,
            count=ConservativeCounter().count,  # no model is asked, so its vocabulary is not known
            settings=self.settings.session,
            timezone=self.timezone,
            summary_tokens=self._summary_tokens,
        )

    @cached_property
    def summaries(self) -> "Summaries":
        """Makes the summary of a conversation again."""
        from voice.core.token_estimates import ConservativeCounter
        from voice.services.turn.summaries import Summaries

        return Summaries(
            sessions=self.sessions,
            store=self.store,
            clock=self.clock,
            count=ConservativeCounter().count,  # as above: of no one model
            max_tokens=self._summary_tokens,
            timezone=self.timezone,
            quarantine=self.settings.llm.quarantine_instructions,
        )

    @property
    def _summary_tokens(self) -> int:
        """How long a summary may be that is made outside of a turn."""
        from voice.core.session.rolling_summary import SUMMARY_SHARE

        return int(self.settings.llm.max_prompt_tokens * SUMMARY_SHARE)

    @cached_property
    def report(self) -> "Reports":
        """Reports on past turns."""
        from voice.services.sessions.report import Reports
        from voice.wiring.service_settings import nlq_settings

        return Reports(
            sessions=self.sessions,
            clock=self.clock,
            nlq=nlq_settings(self.settings),
            timezone=self.timezone,
            spending=self.stores.spending,  # so that open calls are told as well
        )

    async def session_figures(self) -> "Mapping[str, SessionFigures]":
        """Return what sessions came to, by their ids."""
        return {each.id: each async for page in self.stores.skimming.sessions() for each in page}

    @cached_property
    def audit(self) -> "Audit":
        """Verifies stored answers again."""
        from voice.services.turn.audit import Audit

        return Audit(sessions=self.sessions, today=self._today, timezone=self.timezone)

    @cached_property
    def replays(self) -> "Replays":
        """Rebuilds prompts and proves them."""
        from voice.adapters.files.prompts import load_prompts
        from voice.adapters.llm.model_facts import counter_named
        from voice.services.turn.replay import Replays

        return Replays(
            sessions=self.sessions,
            today=self._today,
            prompts=load_prompts(),
            tokenizers=counter_named,  # a prompt is counted as it was then
            key=self.key,
            timezone=self.timezone,
        )

    @property
    def _today(self) -> "CurrentRows":
        from voice.services.turn.audit import CurrentRows

        return CurrentRows(store=self.store, graph=self.graph, tombstones=self.stores.ledger, names=self.names)

    @cached_property
    def makers(self) -> "LazyAsking":
        """What is made when a question is first asked."""
        from voice.wiring.asking import LazyAsking

        return LazyAsking(self, self.summaries)

    @cached_property
    def checkup(self) -> "Checkup":
        """Looks whether everything is in order."""
        from voice.services.maintenance.doctor import Checkup

        return Checkup(
            store=self.store,
            sessions=self.sessions,
            pins=self.pins,
            index=self.index,
            embedder=self.embedder,
            clock=self.clock,
            torn=self.torn,
        )

    @property
    def conflict_verifying(self) -> "ConflictVerification | None":
        """What asks the verifier about pairs of statements; None where no verifier is set."""
        from voice.services.verification.outside_turns import ConflictVerification

        if (calibrating := self.makers.calibrating) is None:
            return None
        allowed = self.settings.privacy.allow_private_remote
        return ConflictVerification(calibrating=calibrating, allow_private_remote=allowed)

    async def ask(self, request: "AskRequest", tell: EventListener = ignore_event) -> "Turn":
        """Run one turn, telling of what happens, event by event; see `voice.services.turn.ask.Ask`. Raises
        ConfigurationError: the provider needs a key and there is none (ruling A23)."""
        from voice.services.runtime.turn import with_import_warnings

        asking, asked = await self._as_of(self.makers.ask(), request)
        return await with_import_warnings(self.marks, self.observed(partial(asking, tell=tell), asked))

    def stream(self, request: "AskRequest") -> AsyncGenerator[Event]:
        """Return one turn as events, up to its answer or refusal (`voice.services.runtime.turn`)."""
        from voice.services.runtime.turn import stream_turn

        return stream_turn(partial(self.ask, request))

    async def dry_run(self, request: "AskRequest") -> "ForeseenTurn":
        """Return what a question would send and cost; see `voice.services.turn.ask.Ask.dry_run`. No key is needed."""
        foresight, asked = await self._as_of(self.makers.foresight, request)
        return await foresight.dry_run(asked)

    async def _as_of(self, ask: "Ask", request: "AskRequest") -> "tuple[Ask, AskRequest]":
        from voice.services.turn.ask import ask_as_of

        stores = self.stores
        return await ask_as_of(ask, request, stores.history, stores.merges)
