"""Wire the verifier, its calibration, and the judge that has no memory behind it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import date

from anyio.to_thread import run_sync

from voice.adapters.files.packaged_data import calibration_claims
from voice.adapters.llm.model_facts import counter_of
from voice.adapters.system.clock_and_ids import SystemClock
from voice.core.grounding.verifier_values import CalibrationRecord, Lapse
from voice.core.settings.providers import LlmSettings
from voice.core.settings.values import Settings
from voice.ports.files import CalibrationStore
from voice.ports.llm import LlmClient
from voice.ports.system import Clock
from voice.ports.verifier import Verifier, VerifierContext
from voice.services.runtime.isolated_calls import CallerLoopClient, IsolatedCalls
from voice.services.runtime.telemetry import ObservedVerifier
from voice.services.runtime.turn import Trace
from voice.services.verification.draft_verification import Check, DraftVerification
from voice.services.verification.outside_turns import Belief, Calibrating
from voice.wiring.open_memory import OpenMemory
from voice.wiring.service_settings import spending_of


def verifier_of(settings: Settings, checker: LlmClient, *, writes: bool) -> Verifier | None:
    """Return the verifier that the settings name; None where there is none, or nothing for it to do: where no model
    writes, all of an answer is quoted. Raises ConfigurationError: it is not there, or lacks what it needs."""
    name = settings.verifier.name
    if name == "none" or (name == "auto" and not writes):  # all of it is quoted, so nothing is left to check
        return None
    from voice.adapters.files.prompts import load_prompts
    from voice.adapters.verifiers import make_verifier

    llm, counter = CallerLoopClient(llm=checker), counter_of(checker.profile)
    return make_verifier(name, VerifierContext(llm=llm, counter=counter, prompts=load_prompts()))


def figures_only_model(settings: LlmSettings, today: date) -> LlmClient:
    """Return a model's figures, nobody behind them; no key is needed. Raises ConfigurationError: no model is named."""
    from voice.adapters.llm.factory import make_facts_only

    return make_facts_only(settings, today=today)


def configured_verifier(settings: Settings) -> Verifier | None:
    """Return the verifier that the settings name, nobody behind it; no key is needed; errors: `verifier_of`."""
    today = SystemClock().now().date()
    writer = figures_only_model(settings.llm, today)
    named = settings.verifier.has_checker
    checker = figures_only_model(settings.verifier.llm_of(settings.llm), today) if named else writer
    return verifier_of(settings, checker, writes=writer.profile.writes)


def calibrating_of(opened: OpenMemory, writer: LlmClient, checker: LlmClient | None) -> Calibrating | None:
    """Return what tries the verifier that the settings name; None where there is none; without a checker, the writer
    checks. Errors: `verifier_of`."""
    settings, checker = opened.settings, checker or writer
    verifier = verifier_of(settings, checker, writes=writer.profile.writes)
    if verifier is None:
        return None
    return Calibrating(
        verifier=ObservedVerifier(inner=verifier, telemetry=opened.telemetry),
        profile=checker.profile,
        kept=opened.calibrations,
        claims=calibration_claims,
        spending=opened.spending,
        clock=opened.clock,
        ids=opened.ids,
        timeout_s=settings.verifier.timeout_s,
        apart=IsolatedCalls(telemetry=opened.telemetry),
    )


def verifying_of(calibrating: Calibrating | None) -> DraftVerification:
    """Return what asks the verifier of a turn, once it is believed; nobody where there is none."""
    if calibrating is None:
        return DraftVerification()
    return DraftVerification(
        verifier=calibrating.verifier,
        belief=Belief(calibrating=calibrating),
        timeout_s=calibrating.timeout_s,
        apart=calibrating.apart,
    )


@asynccontextmanager
async def standalone_check(
    settings: Settings, kept: CalibrationStore, make_llm: Callable[[LlmSettings, Clock], LlmClient]
) -> AsyncGenerator[Check]:
    """Yield what checks with the verifier that the settings name; of the caps on spending that on a turn counts.

    `auto` is asked only where it was tried here and is believed. One that is named was chosen by whoever names it: it
    is asked untried, too, and not where it was tried and failed. Errors: `verifier_of`.
    """
    clock = SystemClock()
    llm = make_llm(settings.verifier.llm_of(settings.llm), clock)
    try:
        verifier = verifier_of(settings, llm, writes=llm.profile.writes)
        if verifier is None:
            yield Check(clock=clock)
            return
        label = verifier.info.label

        async def recorded(_trace: Trace) -> CalibrationRecord | Lapse:  # nothing is tried for it, and nothing kept
            return await run_sync(kept.of, label) or "not_believed"  # never tried

        is_chosen = settings.verifier.name != "auto" and await run_sync(kept.of, label) is None  # chosen, and untried
        yield Check(
            clock=clock,
            verifying=DraftVerification(
                verifier=verifier, belief=None if is_chosen else recorded, timeout_s=settings.verifier.timeout_s
            ),
            price=llm.profile.price,
            spending=spending_of(settings),  # no store, so no cap on a day or a month
        )
    finally:
        await llm.aclose()  # also where the caller's block fails
