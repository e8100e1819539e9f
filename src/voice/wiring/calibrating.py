"""Wires how the verifier of sentences that are not quoted is tried."""

from voice.adapters.files.packaged_data import calibration_claims
from voice.adapters.surreal.database import SurrealStores
from voice.core.settings.values import Settings
from voice.ports.calibration_store import CalibrationStore
from voice.ports.llm import LlmClient
from voice.ports.system import Clock, IdSource
from voice.ports.telemetry import UNWATCHED, Telemetry
from voice.services.runtime.isolated_calls import IsolatedCalls
from voice.services.runtime.spending import Spending
from voice.services.runtime.telemetry import ObservedVerifier
from voice.services.verification.calibration import Belief, Calibrating
from voice.services.verification.draft_verification import DraftVerification
from voice.wiring.caps import spend_caps
from voice.wiring.verifying import verifier_of


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
        apart=IsolatedCalls(telemetry=telemetry),
    )


def verifying_of(settings: Settings, calibrating: Calibrating) -> DraftVerification:
    """Return what asks the verifier of a turn, once it is believed."""
    return DraftVerification(
        verifier=calibrating.verifier,
        belief=Belief(calibrating=calibrating),
        timeout_s=settings.verifier.timeout_s,
        apart=calibrating.apart,
    )
