"""The findings of a check-up: data directory, settings, endpoints and the open memory.

Law: looking is all it does, and each look is a finding, not a failure. What is asked of an open memory is asked through
the one who has it open; nothing is sent anywhere.

Source: DESIGN 8 `doctor`; rulings A8, C17, H.
"""

from collections.abc import AsyncIterator

from anyio.to_thread import run_sync

from voice.adapters.files import prompt_registry, prompts
from voice.adapters.system.machine import knows_timezone
from voice.bootstrap import Services
from voice.core.context.prompt_templates import check_templates
from voice.core.errors import ConfigurationError, SchemaDrift, StoreDamaged, VoiceError
from voice.core.health import (
    Finding,
    HomeFacts,
    judge_disk,
    judge_endpoint,
    judge_home,
    judge_home_taken,
    judge_key,
    judge_prompts,
    judge_rights,
    judge_settings,
    judge_timezone,
)
from voice.core.messages.asking import RERANKER_MISSING
from voice.core.model_endpoints import endpoint_label
from voice.core.render.verification import advice_of, belief_line
from voice.core.settings.parse import SettingsResult
from voice.core.settings.values import Settings
from voice.ports.files import CalibrationStore, EndpointStore
from voice.ports.retrieval_provider import RetrievalProviders
from voice.wiring.data_directory import reranker_of
from voice.wiring.verification import configured_verifier

_BACKUP = "restore a backup: voice maintain restore-backup FILE"
_BRING_BACK = f"close every program that uses it, then put the store back if it was moved, or {_BACKUP}"


def check_home(facts: HomeFacts, *, program: str = "voice") -> list[Finding]:
    """Return what is found without opening anything in the data directory, prompts included."""
    home = judge_home(facts, program=program)
    disk = judge_disk(facts.free_bytes, facts.data_bytes)
    if facts.kind != "directory":  # without one there is no key and no right to judge
        return [home, disk, _prompts()]
    return [home, judge_key(facts), judge_rights(facts), disk, _prompts()]


def check_open_home(facts: HomeFacts) -> list[Finding]:
    """Return what is found around a memory that is open; its data directory can be gone only since it was opened."""
    home, *others = check_home(facts)
    return [judge_home_taken(facts) if facts.kind == "missing" else home, *others]


async def check_settings(result: SettingsResult, *, kept: CalibrationStore, program: str = "voice") -> list[Finding]:
    """Return what is found of the settings: what was put right, zone, provider, verifier, re-ranker."""
    settings = result.settings
    init = f"{program} init" if is_before_init(result) else None
    return [
        *judge_settings(result.warnings, enabled=settings.gate.enabled, init=init),
        judge_timezone(settings.time.timezone, is_known=knows_timezone(settings.time.timezone)),
        _provider(result, program),
        # Before `init` there is no provider to check with, and nothing is asked.
        *([] if init else [*await _verifier(settings, kept, program), await _reranker(settings, program)]),
    ]


def endpoints_asked(settings: Settings) -> tuple[str, ...]:
    """Return the labels of the endpoints that write and check."""
    writer = settings.llm
    asked = [writer, *([settings.verifier.llm_of(writer)] if settings.verifier.has_checker else [])]
    # Writer and verifier may share an endpoint.
    return tuple(dict.fromkeys(endpoint_label(each.provider, each.model, each.api_base) for each in asked))


def check_endpoints(settings: Settings, kept: EndpointStore, *, program: str = "voice") -> list[Finding]:
    """Return what was learned of the endpoints that the settings name; nothing where they take all that is sent."""
    learned = [record for record in map(kept.of, endpoints_asked(settings)) if record is not None]
    return [judge_endpoint(record, program=program) for record in learned]


async def check_memory(services: Services, settings: Settings) -> list[Finding]:
    """Return what is found in an open memory, its index up to date. Raises StoreError: it cannot be read."""
    return [*await services.checkup(), _retrieval(services.providers, settings.retrieve.provider)]


async def check_open_memory(services: Services, settings: Settings) -> AsyncIterator[Finding]:
    """Yield what is found in an open memory, as it is looked at, changing nothing; an unreadable store is found too."""
    try:
        async for finding in services.checkup.looks():
            yield finding
        yield _retrieval(services.providers, settings.retrieve.provider)
    except VoiceError as fault:  # a store can go while it is open
        yield unreadable_store(fault)


def unreadable_store(fault: VoiceError) -> Finding:
    """Return what keeps a memory from being opened or read: what was set is put right, what is lost is in a backup."""
    if isinstance(fault, SchemaDrift):
        advice = "install the version of voice that wrote this store, or a newer one"
        return Finding(name="schema", state="fault", detail=fault.message, advice=advice)
    if isinstance(fault, ConfigurationError):
        advice = "fix that; see: voice config"
    else:
        advice = _BRING_BACK if isinstance(fault, StoreDamaged) else f"fix that, or {_BACKUP}"
    return Finding(name="store", state="fault", detail=f"{fault.message} [{fault.code}]", advice=advice)


def finding_json(finding: Finding) -> dict[str, object]:
    """Return a finding as JSON values (schema: schemas/cli/doctor.schema.json)."""
    return {"name": finding.name, "state": finding.state, "detail": finding.detail, "advice": finding.advice}


def _prompts() -> Finding:
    try:
        return judge_prompts(check_templates(prompts.load_prompts(), prompt_registry.load_registry()))
    except ConfigurationError as fault:
        return Finding(name="prompts", state="fault", detail=fault.message, advice="install voice again")


def _provider(result: SettingsResult, program: str) -> Finding:
    llm = result.settings.llm
    try:
        llm.require_key()
    except ConfigurationError as fault:
        if is_before_init(result):  # a missing key is no fault before a provider was chosen
            advice = f"run: {program} init"
            return Finding(name="provider", state="unchecked", detail="none is set up yet", advice=advice)
        return Finding(name="provider", state="fault", detail=fault.message, advice="set the key, then ask")
    # "extractive" is its own model.
    name = llm.provider if llm.model == llm.provider else f"{llm.provider}, model {llm.model}"
    return Finding(name="provider", state="ok", detail=name)


def is_before_init(result: SettingsResult) -> bool:
    """Return whether nobody chose a provider yet: `voice init` does, into the file, and switches the inner voice on."""
    is_chosen = any(origin != "default" for name, origin in result.origins.items() if name.startswith("llm."))
    return not (is_chosen or "file" in result.origins.values() or result.settings.gate.enabled)


async def _verifier(settings: Settings, kept: CalibrationStore, program: str) -> list[Finding]:
    """Return who checks what is not quoted, and whether that one is believed; nothing where nobody does, or could."""
    try:
        verifier = configured_verifier(settings)
    except VoiceError as fault:
        advice = "fix that, or set SURR_VERIFIER=none"
        return [Finding(name="verifier", state="fault", detail=fault.message, advice=advice)]
    if verifier is None:
        return []
    label = verifier.info.label
    record = await run_sync(kept.of, label)  # reads a file
    if record is None:
        detail = f"{label} has not been tested; the first answer that needs it tests it once"
        return [Finding(name="verifier", state="unchecked", detail=detail, advice=f"or run: {program} verifier check")]
    state, advice = ("ok", "") if record.is_believed else ("remark", advice_of(record))
    return [Finding(name="verifier", state=state, detail=f"{label} {belief_line(record)}", advice=advice)]


async def _reranker(settings: Settings, program: str) -> Finding:
    """Return whether the re-ranker works: one on this machine scores a pair, one elsewhere is not asked."""
    try:
        made = reranker_of(settings)
        if made is not None and not made.remote:
            await made.score("Where is the key?", ["The key is under the mat."])
    except VoiceError as fault:
        advice = "fix that, or set SURR_RERANKER=none"
        return Finding(name="reranker", state="fault", detail=fault.message, advice=advice)
    if made is None and settings.retrieve.reranker != "none":
        advice = f"run: {program} models install reranker"
        return Finding(name="reranker", state="remark", detail=RERANKER_MISSING, advice=advice)
    return Finding(name="reranker", state="ok", detail="none, as you set it" if made is None else made.info.name)


def _retrieval(providers: "RetrievalProviders", name: str) -> Finding:
    try:
        providers.named(name)
    except VoiceError as fault:
        advice = "fix that, or choose another one with SURR_INNER_VOICE_RETRIEVAL"
        return Finding(name="retrieval", state="fault", detail=fault.message, advice=advice)
    return Finding(name="retrieval", state="ok", detail=f"{name} is there")
