"""Wires who checks the sentences that are not quoted, and how that one is tried."""

from datetime import date
from pathlib import Path

from voice.adapters.files.calibration import calibration_claims
from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.tokenizers import counter_of
from voice.adapters.surreal.stores import SurrealStores
from voice.adapters.system.calibration_file import CalibrationFile
from voice.adapters.system.clock import SystemClock
from voice.adapters.verifiers.installed import make_verifier
from voice.core.settings.values import LlmSettings, Settings
from voice.ports.calibration_store import CalibrationStore
from voice.ports.llm import LlmClient
from voice.ports.system import Clock, IdSource
from voice.ports.telemetry import UNWATCHED, Telemetry
from voice.ports.verifier import Verifier, VerifierContext
from voice.services.apart import Apart, ClientAtHome
from voice.services.calibrating import Belief, Calibrating
from voice.services.configured import spend_caps
from voice.services.observed import ObservedVerifier
from voice.services.spending import Spending
from voice.services.verifying import Verifying


def verifier_of(settings: Settings, checker: LlmClient, *, writes: bool = True) -> Verifier | None:
    """Return the verifier that the settings name; None where there is none, or nothing for it to do.

    Args:
        settings: what is set.
        checker: the language model that checks.
        writes: whether a model writes the answers; what rules compose of the evidence is quoted, all of it.

    Raises:
        ConfigurationError: it is not there, or lacks what it needs.
    """
    if settings.verifier.name == "auto" and not writes:
        return None
    context = VerifierContext(
        llm=ClientAtHome(llm=checker), counter=counter_of(checker.profile), prompts=load_prompts()
    )
    return make_verifier(settings.verifier.name, context)


def unasked(settings: LlmSettings, today: date) -> LlmClient:
    """Return a model's figures, with nobody behind them to ask; no key is needed.

    Raises:
        ConfigurationError: no model is named.
    """
    from voice.adapters.llm.factory import config_of, make_unasked  # noqa: PLC0415 - brings prices, which few need

    return make_unasked(config_of(settings, today=today))


def verifier_here(settings: Settings) -> Verifier | None:
    """Return the verifier that the settings name, with nobody behind it to ask; no key is needed.

    Raises:
        ConfigurationError: it is not there, or lacks what it needs.
    """
    today = SystemClock().now().date()
    writer = unasked(settings.llm, today)
    checker = unasked(settings.verifier.llm_of(settings.llm), today) if settings.verifier.has_checker else writer
    return verifier_of(settings, checker, writes=writer.profile.writes)


def calibrations_of(home: Path) -> CalibrationStore:
    """Return how the verifiers of a data directory did when they were tried."""
    return CalibrationFile(home)


def calibrating_of(  # noqa: PLR0913 - what a calibration needs, by name
    settings: Settings,
    checker: LlmClient,
    *,
    stores: SurrealStores,
    kept: CalibrationStore,
    clock: Clock,
    ids: IdSource,
    writes: bool = True,
    telemetry: Telemetry = UNWATCHED,
) -> Calibrating | None:
    """Return what tries the verifier that the settings name; None where there is none.

    Raises:
        ConfigurationError: it is not there, or lacks what it needs.
    """
    verifier = verifier_of(settings, checker, writes=writes)
    if verifier is None:
        return None
    return Calibrating(
        verifier=ObservedVerifier(inner=verifier, telemetry=telemetry),
        profile=checker.profile,
        kept=kept,
        claims=calibration_claims,
        spending=Spending(store=stores.spending, caps=spend_caps(settings), timezone=settings.time.timezone),
        clock=clock,
        ids=ids,
        timeout_s=settings.verifier.timeout_s,
        apart=Apart(telemetry=telemetry),
    )


def verifying_of(settings: Settings, calibrating: Calibrating | None) -> Verifying:
    """Return what asks the verifier of a turn, once it is believed."""
    if calibrating is None:
        return Verifying()
    return Verifying(
        verifier=calibrating.verifier,
        belief=Belief(calibrating=calibrating),
        timeout_s=settings.verifier.timeout_s,
        apart=calibrating.apart,
    )
