"""Wires the judge for anybody's text, with no memory behind it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from anyio.to_thread import run_sync

from voice.adapters.system.clock_and_ids import SystemClock
from voice.core.grounding.verifier_values import CalibrationRecord, Lapse
from voice.core.settings.values import LlmSettings, Settings
from voice.ports.calibration_store import CalibrationStore
from voice.ports.llm import LlmClient
from voice.ports.system import Clock
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import Trace
from voice.services.verification.check import Check
from voice.services.verification.draft_verification import DraftVerification
from voice.wiring.caps import spend_caps
from voice.wiring.verifying import verifier_of


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBelief:
    """Whether a verifier is believed by how it did when it was tried; nothing is tried for it, and nothing kept."""

    kept: CalibrationStore
    label: str

    async def __call__(self, _trace: Trace) -> CalibrationRecord | Lapse:
        """Return how it did; one that was never tried is not believed."""
        return await run_sync(self.kept.of, self.label) or "not_believed"


@asynccontextmanager
async def check_alone(
    settings: Settings, kept: CalibrationStore, make_llm: Callable[[LlmSettings, Clock], LlmClient]
) -> AsyncGenerator[Check]:
    """Yield what checks with the verifier that the settings name; of the caps on spending that on a turn counts.

    `auto` is asked only where it was tried here and is believed. One that is named was chosen by whoever names it: it
    is asked untried, too, and not where it was tried and failed.

    Raises:
        ConfigurationError: the verifier is not there, or lacks what it needs.
    """
    clock = SystemClock()
    llm = make_llm(settings.verifier.llm_of(settings.llm), clock)
    try:
        verifier = verifier_of(settings, llm, writes=llm.profile.writes)
        if verifier is None:
            yield Check(clock=clock)
            return
        label = verifier.info.label
        is_chosen = settings.verifier.name != "auto" and await run_sync(kept.of, label) is None
        yield Check(
            clock=clock,
            verifying=DraftVerification(
                verifier=verifier,
                belief=None if is_chosen else KnownBelief(kept=kept, label=label),
                timeout_s=settings.verifier.timeout_s,
            ),
            price=llm.profile.price,
            spending=Spending(caps=spend_caps(settings), timezone=settings.time.timezone),
        )
    finally:
        await llm.aclose()
