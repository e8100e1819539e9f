"""Wires the exam of a memory: the asking of `voice ask`, with nothing of its turns kept but what they cost."""

from dataclasses import replace
from typing import Final

from voice.adapters.memory.sessions import TransientSessionStore
from voice.adapters.memory.state import Tables
from voice.adapters.system.exam_file import ExamFile
from voice.core.settings.describe import effective_values
from voice.services.maintenance.exam import RunExam, ThrowawaySessions
from voice.services.turn.ask import Ask
from voice.services.turn.keep import TurnUnderway
from voice.services.turn.token_calibration import TokenCalibrations
from voice.wiring.open_memory import OpenMemory

_GROUPS: Final = frozenset({"embed", "retrieve", "nlq", "llm", "grounding", "synthesize", "verifier"})
"""The settings that answers depend on."""


def examining_of(opened: OpenMemory, ask: Ask) -> RunExam:
    """Return what examines an open memory.

    Args:
        opened: the memory.
        ask: as it is asked.

    Raises:
        ConfigurationError, RerankerUnavailable: the re-ranker that the settings name is not there.
    """
    sessions = ThrowawaySessions(TransientSessionStore(Tables("exam")), ask.spending.store, opened.ids)
    return RunExam(
        ask=replace(
            ask,
            sessions=sessions,
            summaries=replace(ask.summaries, sessions=sessions),
            settings=replace(ask.settings, metrics=False),
            underway=TurnUnderway(),
            trueings=TokenCalibrations(),
        ),
        kept=ExamFile(opened.home),
        settings=_settings(opened),
        key=opened.key,
    )


def _settings(opened: OpenMemory) -> dict[str, str]:
    values = effective_values(opened.settings, {})
    chosen = {name: value for name, value in values.items() if name.partition(".")[0] in _GROUPS}
    reranker = opened.reranker
    return {**chosen, "retrieve.reranker": "none" if reranker is None else reranker.info.name}
