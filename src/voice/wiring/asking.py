"""Wires asking: a turn, what tells of one beforehand, and what tries the verifier of both.

Law: each is made where it is first needed: only then is a key or a provider needed.

Source: DESIGN 3, 6; ruling A23.
"""

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.model_facts import counter_of
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.retrieval.ranking import is_calibrated
from voice.ports.llm import LlmClient
from voice.services.retrieval.passages import FindLists, JoinPassages
from voice.services.runtime.telemetry import ObservedSessions
from voice.services.turn.answer_search import ReadPassages
from voice.services.turn.ask import Ask
from voice.services.turn.evidence import PinnedEvidence, WaitingNotes
from voice.services.turn.keep import TurnUnderway
from voice.services.turn.prepare import EvidenceServices
from voice.services.turn.preview import TokenCalibrations
from voice.wiring.open_memory import OpenMemory
from voice.wiring.service_settings import nlq_settings
from voice.wiring.verification import calibrating_of, figures_only_model, verifying_of

if TYPE_CHECKING:
    from voice.services.maintenance.exam import RunExam
    from voice.services.turn.summaries import Summaries
    from voice.services.verification.outside_turns import Calibrating

_ANSWER_GROUPS: Final = frozenset({"embed", "retrieve", "nlq", "llm", "grounding", "synthesize", "verifier"})


class LazyAsking:
    """What is made when a question is first asked, or first thought of."""

    def __init__(self, opened: OpenMemory, summaries: "Summaries") -> None:
        self._opened, self._summaries = opened, summaries

    def ask(self) -> Ask:
        """Return the asking service. Raises ConfigurationError: the provider needs a key and there is none."""
        return self._ask

    def examining(self) -> "RunExam":
        """Return what examines the memory by questions of its own rows. Raises ConfigurationError: the provider needs a
        key and there is none; RerankerUnavailable: the re-ranker that the settings name is not there."""
        from voice.adapters.system.state_files import ExamFile
        from voice.services.maintenance.exam import RunExam, ThrowawaySessions

        opened, ask = self._opened, self._ask
        sessions = ThrowawaySessions(ask.spending.store, opened.ids)
        uncounted = replace(ask.settings.privacy, metrics=False)
        return RunExam(
            ask=replace(
                ask,
                sessions=sessions,
                summaries=replace(ask.summaries, sessions=sessions),  # healed in memory, too
                settings=replace(ask.settings, privacy=uncounted),  # its turns are no use of the memory
                underway=TurnUnderway(),  # real turns do not wait for it
                calibrations=TokenCalibrations(),  # learned in the exam alone
            ),
            kept=ExamFile(opened.home),
            settings=_settings_of_answers(opened),
            key=opened.key,
        )

    @cached_property
    def calibrating(self) -> "Calibrating | None":
        """What tries the verifier that is set up, and with it who that is; None where there is none."""
        return calibrating_of(self._opened, self._opened.model, self._opened.checker)

    @cached_property
    def foresight(self) -> Ask:
        """What tells what a question would do; of both models it has the figures alone, so it needs no key."""
        opened = self._opened
        settings, parts, today = opened.settings, opened.parts, opened.clock.now().date()
        llm = parts.llm or figures_only_model(settings.llm, today)  # figures are enough to foresee, and need no key
        checker = parts.checker or figures_only_model(settings.verifier.llm_of(settings.llm), today)
        asked = checker if settings.verifier.has_checker else None
        calibrating = calibrating_of(opened, llm, asked)
        return _ask(opened, self._summaries, llm, calibrating)

    @cached_property
    def _ask(self) -> Ask:
        return _ask(self._opened, self._summaries, self._opened.model, self.calibrating)


def _ask(opened: OpenMemory, summaries: "Summaries", llm: LlmClient, calibrating: "Calibrating | None") -> Ask:
    settings, stores, retrieve = opened.settings, opened.stores, opened.retrieve
    join_passages = JoinPassages(retrieve=retrieve, graph=stores.graph)
    return Ask(
        evidence=EvidenceServices(
            names=opened.names,
            nlq=nlq_settings(settings),
            retrieve=retrieve,
            pinned=PinnedEvidence(held=stores.pins, retrieve=retrieve),
            passages=None if llm.profile.writes else _passages(opened, join_passages),  # without a model, as passages
            neighbours=join_passages if llm.profile.writes else None,
        ),
        sessions=ObservedSessions(inner=stores.sessions, telemetry=opened.telemetry),
        metrics=stores.metrics,
        llm=llm,
        counter=counter_of(llm.profile),
        prompts=load_prompts(),
        clock=opened.clock,
        ids=opened.ids,
        settings=settings,
        summaries=summaries,
        key=opened.key,
        verifying=verifying_of(calibrating),
        waiting=WaitingNotes(noted=stores.noted, store=stores.memory),
        spending=opened.spending,
    )


def _settings_of_answers(opened: OpenMemory) -> dict[str, str]:
    """Return the settings that answers depend on, by name."""
    from voice.core.settings.describe import effective_values

    values = effective_values(opened.settings, {})
    chosen = {name: value for name, value in values.items() if name.partition(".")[0] in _ANSWER_GROUPS}
    reranker = opened.reranker
    return {**chosen, "retrieve.reranker": "none" if reranker is None else reranker.info.name}  # auto may be another


def _passages(opened: OpenMemory, join_passages: JoinPassages) -> ReadPassages:
    return ReadPassages(
        retrieve=opened.retrieve,
        join=join_passages,
        lists=FindLists(retrieve=opened.retrieve, graph=opened.stores.graph),
        rerank=opened.rerank,
        is_calibrated=is_calibrated(opened.embedder.model),  # for one encoder alone
        owner=MemoryOwner(names=opened.settings.owner.called),
    )
