"""What becomes of the conversations of one open memory, and what is told of them.

Law: a property imports and makes one service, when it is first asked for.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from voice.wiring.changing import ChangingServices

if TYPE_CHECKING:
    from voice.services.sessions.lifecycle import SessionLife
    from voice.services.sessions.report import Reports, SessionTotals
    from voice.services.sessions.transcripts import Transcripts
    from voice.services.turn.audit import Audit, CurrentRows
    from voice.services.turn.replay import Replays
    from voice.services.turn.summaries import Summaries


class ConversationServices(ChangingServices):
    """What reads and changes one open memory, and its conversations."""

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
            key=self._opened.key,
            timezone=self.timezone,
        )

    @cached_property
    def life(self) -> "SessionLife":
        """Lists, names, forks, closes and deletes conversations."""
        from voice.core.token_estimates import ConservativeCounter
        from voice.services.sessions.lifecycle import LifeSettings, SessionLife

        group = self._opened.settings.session
        return SessionLife(
            sessions=self.sessions,
            removal=self._opened.stores.removal,
            clock=self.clock,
            ids=self.ids,
            count=ConservativeCounter().count,
            settings=LifeSettings(
                timeout_hours=group.timeout_hours,
                max_tokens=self._summary_tokens,
                timezone=self.timezone,
                window_limit=group.window_limit,
                window_keep=group.window_keep,
            ),
        )

    @cached_property
    def summaries(self) -> "Summaries":
        """Makes the summary of a conversation again."""
        from voice.core.token_estimates import ConservativeCounter
        from voice.services.turn.summaries import Summaries, SummarySettings

        return Summaries(
            sessions=self.sessions,
            store=self.store,
            clock=self.clock,
            count=ConservativeCounter().count,
            settings=SummarySettings(
                max_tokens=self._summary_tokens,
                timezone=self.timezone,
                quarantine=self._opened.settings.llm.quarantine_instructions,
            ),
        )

    @property
    def _summary_tokens(self) -> int:
        """How long a summary may be that is made outside of a turn."""
        from voice.core.session.rolling_summary import SUMMARY_SHARE

        return int(self._opened.settings.llm.max_prompt_tokens * SUMMARY_SHARE)

    @cached_property
    def report(self) -> "Reports":
        """Reports on past turns."""
        from voice.services.sessions.report import Reports
        from voice.wiring.service_settings import nlq_settings

        return Reports(
            sessions=self.sessions,
            clock=self.clock,
            nlq=nlq_settings(self._opened.settings),
            timezone=self.timezone,
            spending=self._opened.stores.spending,
        )

    @property
    def session_figures(self) -> "SessionTotals":
        """What sessions came to."""
        from voice.services.sessions.report import SessionTotals

        return SessionTotals(skimming=self._opened.stores.skimming)

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
            tokenizers=counter_named,
            key=self._opened.key,
            timezone=self.timezone,
        )

    @property
    def _today(self) -> "CurrentRows":
        """The rows as they are today."""
        from voice.services.turn.audit import CurrentRows

        names, tombstones = self._opened.names, self._opened.stores.ledger
        return CurrentRows(store=self.store, graph=self.graph, tombstones=tombstones, names=names)
