"""Wires who checks the sentences that are not quoted."""

from datetime import date

from voice.adapters.llm.model_facts import counter_of
from voice.adapters.system.clock_and_ids import SystemClock
from voice.core.settings.values import LlmSettings, Settings
from voice.ports.llm import LlmClient
from voice.ports.verifier import Verifier, VerifierContext


def verifier_of(settings: Settings, checker: LlmClient, *, writes: bool = True) -> Verifier | None:
    """Return the verifier that the settings name; None where there is none, or nothing for it to do.

    Args:
        settings: what is set.
        checker: the language model that checks.
        writes: whether a model writes the answers; what rules compose of the evidence is quoted, all of it.

    Raises:
        ConfigurationError: it is not there, or lacks what it needs.
    """
    if not has_verifier(settings, writes=writes):
        return None
    from voice.adapters.files.prompts import load_prompts
    from voice.adapters.verifiers.registry import make_verifier
    from voice.services.runtime.isolated_calls import CallerLoopClient

    context = VerifierContext(
        llm=CallerLoopClient(llm=checker), counter=counter_of(checker.profile), prompts=load_prompts()
    )
    return make_verifier(settings.verifier.name, context)


def has_verifier(settings: Settings, *, writes: bool) -> bool:
    """Return whether a verifier is set up and has something to do."""
    return settings.verifier.name != "none" and (writes or settings.verifier.name != "auto")


def unasked(settings: LlmSettings, today: date) -> LlmClient:
    """Return a model's figures, with nobody behind them to ask; no key is needed.

    Raises:
        ConfigurationError: no model is named.
    """
    from voice.adapters.llm.factory import config_of, make_facts_only

    return make_facts_only(config_of(settings, today=today))


def verifier_here(settings: Settings) -> Verifier | None:
    """Return the verifier that the settings name, with nobody behind it to ask; no key is needed.

    Raises:
        ConfigurationError: it is not there, or lacks what it needs.
    """
    today = SystemClock().now().date()
    writer = unasked(settings.llm, today)
    checker = unasked(settings.verifier.llm_of(settings.llm), today) if settings.verifier.has_checker else writer
    return verifier_of(settings, checker, writes=writer.profile.writes)
