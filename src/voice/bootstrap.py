"""Wires settings, adapters and services together.

Law: the only module, with its parts in `voice.wiring`, that names a concrete adapter. What a command does not use is
not opened: the language model is made at the first question, the encoder loads at the first text.

Source: DESIGN 3; STYLE 5.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from voice.adapters.embedding.factory import make_embedder
from voice.adapters.files.prompts import load_prompts
from voice.adapters.index.folded import FoldedIndex
from voice.adapters.llm.profiles import DEFAULT_API_BASE, is_loopback
from voice.adapters.llm.tokenizers import counter_named, counter_of
from voice.adapters.retrieval.installed import installed_providers
from voice.adapters.surreal import SurrealStores, open_store, require_key
from voice.adapters.system.clock import SystemClock
from voice.adapters.system.event_log import event_log
from voice.adapters.system.home import secure_home
from voice.adapters.system.ids import SystemIds
from voice.adapters.system.key_file import STORE_NAME, load_key
from voice.adapters.telemetry.counters import CountersOnly
from voice.adapters.telemetry.otel import OpenTelemetry
from voice.core.context.template import keyed_hash
from voice.core.settings.values import EmbedSettings, LlmSettings, Settings
from voice.core.tokens import ConservativeCounter
from voice.ports.calibration_store import CalibrationStore
from voice.ports.embedder import Embedder
from voice.ports.llm import LlmClient
from voice.ports.retrieval_provider import ProviderContext, RetrievalProviders
from voice.ports.system import Clock, IdSource
from voice.ports.telemetry import Telemetry
from voice.services.ask import Ask
from voice.services.audit import Audit
from voice.services.browse import Browse
from voice.services.calibrating import Calibrating
from voice.services.checkup import Checkup
from voice.services.configured import ask_settings, life_settings, nlq_settings, spend_caps, summary_settings
from voice.services.find import Find
from voice.services.forgotten import Forgotten
from voice.services.ingest import Ingest
from voice.services.meant import Meant
from voice.services.names import Names
from voice.services.observed import ObservedLlm, ObservedSessions, ObservedTurns
from voice.services.opened import Makers, Services
from voice.services.pinned import PinnedEvidence
from voice.services.pins import Pins
from voice.services.replay import Replays
from voice.services.report import Reports
from voice.services.retrieve import Retrieve
from voice.services.review import Review
from voice.services.session_life import SessionLife
from voice.services.spending import Spending
from voice.services.summaries import Summaries
from voice.services.today import Today
from voice.wiring.forgetting import INDEX_FOLDER, make_forget
from voice.wiring.merging import merging_of
from voice.wiring.organise import organise_of
from voice.wiring.recall import capsules_and_pins_of, recall_of
from voice.wiring.removal import archiving_of
from voice.wiring.transcripts import transcripts_of
from voice.wiring.transfer import transfer_of
from voice.wiring.verifying import calibrating_of, calibrations_of, has_checker, unasked, verifying_of

__all__ = [
    "INDEX_FOLDER",
    "Given",
    "Parts",
    "Services",
    "assemble",
    "make_embedder",
    "make_llm",
    "open_services",
]
_KEY_CHECK = "the key of this store"
"""What a store keeps the keyed hash of, to know its key again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What may be put in place of the real thing; None takes the real thing."""

    clock: Clock | None = None
    ids: IdSource | None = None
    embedder: Embedder | None = None
    llm: LlmClient | None = None
    checker: LlmClient | None = None
    """The model that checks, where SURR_VERIFIER_MODEL names one of its own."""
    calibrations: CalibrationStore | None = None
    telemetry: Telemetry | None = None


@asynccontextmanager
async def open_services(settings: Settings, home: Path, parts: Parts = Parts()) -> AsyncGenerator[Services]:
    """Open the memory in `home` and close it again at the end.

    Raises:
        ConfigurationError: a setting cannot be used, the directory cannot be written, or its key is not the store's.
        StoreHeld: another process has the embedded store open and answers nobody.
        StoreError: the store cannot be opened.
    """
    async with AsyncExitStack() as stack:
        home = secure_home(home)
        key = load_key(home)
        stores = await stack.enter_async_context(
            await open_store(
                settings.store.url or home / STORE_NAME,
                home=home,
                username=settings.store.user,
                password=settings.store.password,
                namespace=settings.store.namespace,
                database=settings.store.database,
                wait_s=settings.store.wait_s,
            )
        )
        await require_key(stores.connection, keyed_hash(key, _KEY_CHECK), home=home)
        yield assemble(settings, home, stores, key, parts, stack)


def assemble(
    settings: Settings, home: Path, stores: SurrealStores, key: bytes, parts: Parts, stack: AsyncExitStack
) -> Services:
    """Return the services over open stores; what is made later is closed by `stack`."""
    given, names = _given(settings, parts, key), Names(stores.memory, stores.graph)
    ingest = _ingest(settings, stores, embedder := parts.embedder or make_embedder(settings.embed), names, given)
    index, providers, retrieve = _searching(settings, home, stores, embedder, given)
    archiving, model = archiving_of(settings, home, stores, ingest), _model_once(settings, parts, given, stack)
    asking = _Asking(settings=settings, stores=stores, retrieve=retrieve, names=names, given=given)
    capsules, pins = capsules_and_pins_of(settings, stores, given.clock, given.ids)
    return Services(
        makers=_makers(asking, model, lambda: _checker(settings, parts, given, stack), parts, home),
        observed=given.observed,
        find=_find(settings, stores, retrieve, given.clock),
        recall=recall_of(settings, stores, providers, given.clock),
        ingest=ingest,
        browse=_browse(settings, stores, names, given.clock),
        pins=pins,
        capsules=capsules,
        transfer=transfer_of(stores, ingest),
        transcripts=transcripts_of(settings, stores, given.clock, given.key),
        life=_life(settings, stores, given),
        report=_reports(settings, stores, given.clock),
        audit=Audit(sessions=stores.sessions, today=_today(stores, names), timezone=settings.time.timezone),
        replays=_replays(settings, stores, names, key),
        summaries=_summaries(settings, stores, given.clock),
        checkup=_checkup(stores, pins, index, embedder, given.clock),
        review=Review.of(stores.candidates, stores.graph, names, ingest),
        archiving=archiving,
        forget=make_forget(stores, index, embedder, archiving.removals, home),
        organise=organise_of(settings, stores, retrieve, ingest, archiving, model),
        merging=merging_of(stores, ingest),
        meant=Meant(beginnings=stores.beginnings),
        store=stores.memory,
        sessions=stores.sessions,
        metrics=stores.metrics,
        maintenance=stores.maintenance,
        index=index,
        providers=providers,
        home=home,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What services take from outside: time, ids, who watches, and the store's key."""

    clock: Clock
    ids: IdSource
    observed: ObservedTurns
    key: bytes = field(repr=False)


def _given(settings: Settings, parts: Parts, key: bytes) -> Given:
    clock = parts.clock or SystemClock()
    observed = _observed(settings, parts.telemetry, clock)
    return Given(clock=clock, ids=parts.ids or SystemIds(clock), key=key, observed=observed)


def _observed(settings: Settings, telemetry: Telemetry | None, clock: Clock) -> ObservedTurns:
    """Return who is told of turns: under `privacy.no_log` nobody, but for counters (ruling D19)."""
    told = telemetry or OpenTelemetry()
    if settings.privacy.no_log:
        told = CountersOnly(told)
    return ObservedTurns(telemetry=told, log=event_log(settings.privacy, clock))


def _model(settings: LlmSettings, part: LlmClient | None, given: Given, stack: AsyncExitStack) -> LlmClient:
    llm = part or make_llm(settings, given.clock)
    stack.push_async_callback(llm.aclose)
    return ObservedLlm(inner=llm, telemetry=given.observed.telemetry)


def _model_once(settings: Settings, parts: Parts, given: Given, stack: AsyncExitStack) -> Callable[[], LlmClient]:
    """Return what makes the model where it is first needed."""
    return cache(lambda: _model(settings.llm, parts.llm, given, stack))


def _checker(settings: Settings, parts: Parts, given: Given, stack: AsyncExitStack) -> LlmClient | None:
    """Return the model that checks, where it is another one than writes."""
    if not has_checker(settings):
        return None
    return _model(settings.verifier.llm_of(settings.llm), parts.checker, given, stack)


def _searching(
    settings: Settings, home: Path, stores: SurrealStores, embedder: Embedder, given: Given
) -> tuple[FoldedIndex, RetrievalProviders, Retrieve]:
    directory = None if stores.directory is None else home / INDEX_FOLDER
    clock, observed = given.clock, given.observed
    index = FoldedIndex(stores.memory, directory, model=embedder.model, dim=embedder.dim)
    providers = installed_providers(ProviderContext(index=index, rows=stores.memory, embedder=embedder, clock=clock))
    providers.require(settings.retrieve.provider)
    retrieve = Retrieve(
        store=stores.memory,
        graph=stores.graph,
        providers=providers,
        clock=clock,
        log=observed.log,
        telemetry=observed.telemetry,
    )
    return index, providers, retrieve


def _find(settings: Settings, stores: SurrealStores, retrieve: Retrieve, clock: Clock) -> Find:
    return Find(
        retrieve=retrieve,
        history=stores.history,
        merges=stores.merges,
        clock=clock,
        defaults=settings.retrieve,
        nlq=nlq_settings(settings),
        timezone=settings.time.timezone,
        half_lives=settings.organise.ageing,
    )


def _browse(settings: Settings, stores: SurrealStores, names: Names, clock: Clock) -> Browse:
    ageing, history = settings.organise.ageing, stores.history
    return Browse(
        store=stores.memory,
        graph=stores.graph,
        names=names,
        history=history,
        merges=stores.merges,
        clock=clock,
        half_lives=ageing,
    )


def _life(settings: Settings, stores: SurrealStores, given: Given) -> SessionLife:
    return SessionLife(
        sessions=stores.sessions,
        removal=stores.removal,
        clock=given.clock,
        ids=given.ids,
        count=ConservativeCounter().count,
        settings=life_settings(settings),
    )


def _reports(settings: Settings, stores: SurrealStores, clock: Clock) -> Reports:
    nlq, zone = nlq_settings(settings), settings.time.timezone
    return Reports(sessions=stores.sessions, clock=clock, nlq=nlq, timezone=zone, spending=stores.spending)


def _today(stores: SurrealStores, names: Names) -> Today:
    return Today(store=stores.memory, graph=stores.graph, tombstones=stores.ledger, names=names)


def _replays(settings: Settings, stores: SurrealStores, names: Names, key: bytes) -> Replays:
    today, zone = _today(stores, names), settings.time.timezone
    return Replays(
        sessions=stores.sessions, today=today, prompts=load_prompts(), tokenizers=counter_named, key=key, timezone=zone
    )


def _summaries(settings: Settings, stores: SurrealStores, clock: Clock) -> Summaries:
    count, limits = ConservativeCounter().count, summary_settings(settings)
    return Summaries(sessions=stores.sessions, store=stores.memory, clock=clock, count=count, settings=limits)


def _checkup(stores: SurrealStores, pins: Pins, index: FoldedIndex, embedder: Embedder, clock: Clock) -> Checkup:
    return Checkup(
        store=stores.memory, sessions=stores.sessions, pins=pins, index=index, embedder=embedder, clock=clock
    )


def _ingest(settings: Settings, stores: SurrealStores, embedder: Embedder, names: Names, given: Given) -> Ingest:
    return Ingest(
        store=stores.memory,
        ledger=stores.ledger,
        capsules=stores.capsules,
        forgotten=Forgotten(tombstones=stores.ledger, key=given.key),
        names=names,
        embedder=embedder,
        clock=given.clock,
        ids=given.ids,
        auto_observations=settings.organise.auto_observations,
        embed_private=settings.privacy.allow_private_remote or _stays_here(settings.embed),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """What asking needs beside a model."""

    settings: Settings
    stores: SurrealStores
    retrieve: Retrieve
    names: Names
    given: Given


def _makers(
    asking: _Asking,
    model: Callable[[], LlmClient],
    checker: Callable[[], LlmClient | None],
    parts: Parts,
    home: Path,
) -> Makers:
    kept = parts.calibrations or calibrations_of(home)
    checks = cache(lambda: _checks(asking, kept, model(), checker()))
    return Makers(
        ask=cache(lambda: _ask(asking, model(), checks())),
        foresight=cache(lambda: _foresight(asking, kept, parts)),
        calibrating=checks,
        calibrations=kept,
    )


def _ask(asking: _Asking, llm: LlmClient, calibrating: Calibrating | None) -> Ask:
    settings, stores, given = asking.settings, asking.stores, asking.given
    return Ask(
        names=asking.names,
        sessions=ObservedSessions(inner=stores.sessions, telemetry=given.observed.telemetry),
        metrics=stores.metrics,
        retrieve=asking.retrieve,
        pinned=PinnedEvidence(
            held=stores.pins, store=stores.memory, graph=stores.graph, retrieve=asking.retrieve, clock=given.clock
        ),
        llm=llm,
        counter=counter_of(llm.profile),
        prompts=load_prompts(),
        clock=given.clock,
        ids=given.ids,
        settings=ask_settings(settings),
        summaries=_summaries(settings, stores, given.clock),
        key=given.key,
        verifying=verifying_of(settings, calibrating),
        spending=Spending(store=stores.spending, caps=spend_caps(settings), timezone=settings.time.timezone),
    )


def _checks(asking: _Asking, kept: CalibrationStore, llm: LlmClient, checker: LlmClient | None) -> Calibrating | None:
    """Return what tries the verifier that is set up, and with it who that is; None where there is none."""
    return calibrating_of(
        asking.settings,
        checker or llm,
        stores=asking.stores,
        kept=kept,
        clock=asking.given.clock,
        ids=asking.given.ids,
        writes=llm.profile.writes,
        telemetry=asking.given.observed.telemetry,
    )


def _foresight(asking: _Asking, kept: CalibrationStore, parts: Parts) -> Ask:
    """Return what tells what a question would do; of both models it has the figures alone, so it needs no key."""
    settings, today = asking.settings, asking.given.clock.now().date()
    llm = parts.llm or unasked(settings.llm, today)
    checker = parts.checker or unasked(settings.verifier.llm_of(settings.llm), today)
    return _ask(asking, llm, _checks(asking, kept, llm, checker if has_checker(settings) else None))


def _stays_here(settings: EmbedSettings) -> bool:
    """Return whether what is embedded stays on this machine (ruling H)."""
    endpoint = settings.api_base or DEFAULT_API_BASE.get(settings.provider, "")
    return settings.provider in ("local", "hash") or is_loopback(endpoint)


def make_llm(settings: LlmSettings, clock: Clock) -> LlmClient:
    """Return the configured model inside its retry layer; nothing is imported or connected yet.

    Raises:
        ConfigurationError: the provider needs a key and there is none (ruling A23).
    """
    from voice.adapters.llm.factory import config_of, make_client, with_retries

    settings.require_key()
    config = config_of(settings, today=clock.now().date())
    client = make_client(config, unix_time=lambda: clock.now().timestamp())
    return with_retries(client, monotonic_ms=clock.monotonic_ms)
