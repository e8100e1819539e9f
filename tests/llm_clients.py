"""Clients of real vendors' libraries, the request they are asked, and a listener."""

from datetime import date

from voice.adapters.llm.factory import make_client
from voice.core.grounding.draft import DRAFT_SCHEMA
from voice.core.grounding.values import Stance
from voice.core.settings.providers import LlmSettings
from voice.ports.llm import LlmClient, LlmRequest, OnText

KEY = "canary-key-4711"
PROMPT = 'canary-prompt <source id="S1" date="2026-03-05" kind="observation">I like tea.</source> What do I like?'
REQUEST = LlmRequest(
    system="canary-system",
    prompt=PROMPT,
    question="What do I like?",
    evidence=(),
    stance=Stance.SYNTHESIZE,
    schema=DRAFT_SCHEMA,
    temperature=0.2,
    max_output_tokens=2048,
    timeout_s=20.0,
)


class Clients:
    """Makes clients and closes them after the test."""

    def __init__(self) -> None:
        self.made: list[LlmClient] = []

    def __call__(self, vendor: str, model: str, api_base: str | None = None, key: str | None = KEY) -> LlmClient:
        settings = LlmSettings(provider=vendor, model=model, api_key=key, api_base=api_base)
        client = make_client(settings, today=date(2026, 11, 1), unix_time=lambda: 0.0)
        self.made.append(client)
        return client


def listening(told: list[str], *, until: str | None = None) -> OnText:
    """Return what notes each piece in `told`, and has heard enough once they hold `until`."""

    def hear(piece: str) -> bool:
        told.append(piece)
        return until is not None and until in "".join(told)

    return hear
