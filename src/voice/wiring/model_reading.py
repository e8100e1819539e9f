"""Wires what a model reads notes with."""

from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.model_facts import counter_of
from voice.core.errors import ConfigurationError
from voice.core.settings.values import Settings
from voice.services.graph.model_extraction import ModelReading, ReadingLimits
from voice.services.runtime.spending import Spending
from voice.wiring.open_memory import OpenMemory
from voice.wiring.service_settings import spend_caps

_OFFLINE = "extractive"


def model_reading_of(opened: OpenMemory) -> ModelReading:
    """Return what the model that writes reads notes with.

    Raises:
        ConfigurationError: the provider is the offline one, which reads nothing, or needs a key and there is none.
    """
    settings, llm = opened.settings, opened.model
    if llm.profile.provider == _OFFLINE:
        raise ConfigurationError(
            "the offline provider reads no notes: set SURR_INNER_VOICE_PROVIDER to a language model, "
            "or let the rules read (SURR_EXTRACTOR=rules, --extractor rules)"
        )
    return ModelReading(
        llm=llm,
        counter=counter_of(llm.profile),
        prompts=load_prompts(),
        clock=opened.clock,
        ids=opened.ids,
        spending=Spending(store=opened.stores.spending, caps=spend_caps(settings), timezone=settings.time.timezone),
        limits=reading_limits(settings),
    )


def reading_limits(settings: Settings) -> ReadingLimits:
    """Return what a model that reads notes may take and be shown."""
    return ReadingLimits(
        deadline_s=settings.llm.deadline_s,
        max_prompt_tokens=settings.llm.max_prompt_tokens,
        max_output_tokens=settings.llm.max_output_tokens,
        allow_private_remote=settings.privacy.allow_private_remote,
        quarantine_instructions=settings.llm.quarantine_instructions,
    )
