"""Asking the verifier of the settings about drafts, as the program asks it.

Law: one call a draft, under the setting's time limit and no cap; a verifier that fails gives no reply, and that is
counted by the kind of failure.
"""

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from anyio.from_thread import start_blocking_portal

from bench.drafts.reading import DraftCase
from bench.drafts.verdicts import Answer
from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.model_facts import counter_of
from voice.adapters.system.clock_and_ids import SystemClock
from voice.adapters.verifiers import make_verifier
from voice.bootstrap import make_llm
from voice.core.errors import ConfigurationError, VoiceError
from voice.core.grounding.verifier_values import VerificationRequest
from voice.entrypoints.library import settings_from_environment
from voice.ports.llm import LlmClient
from voice.ports.verifier import Verifier, VerifierContext, VerifierRequest
from voice.testing.verifiers import UnpaidMeter


@dataclass(slots=True)
class Asked:
    """The verifier that answers, and how often it did not."""

    name: str
    ask: Callable[[VerificationRequest], Answer]
    failed: Counter[str] = field(default_factory=Counter[str])

    def __call__(self, case: DraftCase, asked: VerificationRequest) -> Answer:
        """Return what the verifier says; None where it failed."""
        del case
        try:
            return self.ask(asked)
        except VoiceError as error:
            self.failed[type(error).__name__] += 1
            return None


@contextmanager
def verifier_of_the_settings(name: str) -> Generator[Asked]:
    """Yield the verifier of this name with the model that environment and voice.toml name.

    Raises:
        ConfigurationError: there is no model, or none that could check.
    """
    settings = settings_from_environment()
    client = make_llm(settings.llm, SystemClock())
    verifier = made(name, client)
    with start_blocking_portal() as portal:
        try:
            yield asking(verifier, settings.verifier.timeout_s, portal.call)
        finally:
            portal.call(client.aclose)


def made(name: str, client: LlmClient) -> Verifier:
    """Return the verifier of this name that asks `client`.

    Raises:
        ConfigurationError: there is none.
    """
    context = VerifierContext(llm=client, counter=counter_of(client.profile), prompts=load_prompts())
    verifier = make_verifier(name, context)
    if verifier is None:
        raise ConfigurationError(f"{client.profile.provider} cannot verify; set SURR_INNER_VOICE_PROVIDER")
    return verifier


def asking(verifier: Verifier, timeout_s: float, call: Callable[..., Answer]) -> Asked:
    """Return a verifier as the benchmark asks it.

    Args:
        verifier: who answers.
        timeout_s: when this has passed, an answer is not waited for.
        call: awaits a function with its arguments.
    """

    def ask(asked: VerificationRequest) -> Answer:
        return call(verifier.verify, VerifierRequest(asked=asked, timeout_s=timeout_s, meter=UnpaidMeter()))

    return Asked(verifier.info.label, ask)
