"""Wires the organising tool, and with it what reads notes."""

from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.tokenizers import counter_of
from voice.adapters.surreal.stores import SurrealStores
from voice.core.errors import ConfigurationError
from voice.core.organise.request import OrganiseDefaults
from voice.core.settings.values import Settings
from voice.ports.llm import LlmClient
from voice.services.archiving import Archiving
from voice.services.extracting import Extracting
from voice.services.ingest import Ingest
from voice.services.model_reading import ModelReading, ReadingLimits
from voice.services.organise import Organise
from voice.services.spending import Spending
from voice.services.staging import Staging
from voice.wiring.caps import spend_caps
from voice.wiring.opened import Opened

_OFFLINE = "extractive"


def organise_of(opened: Opened, archiving: Archiving) -> Organise:
    """Return the service over an open memory; the model is made when notes are to be read by one."""
    settings, stores, ingest = opened.settings, opened.stores, opened.ingest
    staging = Staging(candidates=stores.candidates, store=stores.memory, forgotten=ingest.forgotten, clock=ingest.clock)
    return Organise(
        retrieve=opened.retrieve,
        extracting=Extracting(
            staging=staging,
            names=ingest.names,
            is_automatic=settings.organise.auto_candidates,
            extractor=settings.organise.extractor,
            make_model=lambda: model_reading_of(settings, stores, ingest, opened.model),
        ),
        ingest=ingest,
        removals=archiving.removals,
        defaults=organise_defaults(settings),
    )


def model_reading_of(settings: Settings, stores: SurrealStores, ingest: Ingest, llm: LlmClient) -> ModelReading:
    """Return what a model reads notes with.

    Raises:
        ConfigurationError: the provider is the offline one, which reads nothing.
    """
    if llm.profile.provider == _OFFLINE:
        raise ConfigurationError(
            "the offline provider reads no notes: set SURR_INNER_VOICE_PROVIDER to a language model, "
            "or let the rules read (SURR_EXTRACTOR=rules, --extractor rules)"
        )
    return ModelReading(
        llm=llm,
        counter=counter_of(llm.profile),
        prompts=load_prompts(),
        clock=ingest.clock,
        ids=ingest.ids,
        spending=Spending(store=stores.spending, caps=spend_caps(settings), timezone=settings.time.timezone),
        limits=reading_limits(settings),
    )


def organise_defaults(settings: Settings) -> OrganiseDefaults:
    """Return what the organising tool does where nothing is said."""
    group = settings.organise
    return OrganiseDefaults(
        top_k=group.top_k,
        sim_thresh=group.sim_thresh,
        db_limit=group.db_limit,
        auto_mark_removal=group.auto_mark_removal,
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
