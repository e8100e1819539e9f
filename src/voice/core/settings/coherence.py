"""Make settings agree, and warn of those that have no effect.

Law: what can be put right is put right and warned about; a choice that lacks its other half is a fault that names what
to set. What somebody set that changes nothing is told, unless a flag set it aside for this call.
Source: spec inner_voice.retrieve, Config validation; spec stateful-design-v2, 8; spec nlq, Logging & Metrics; rulings
A23, C4, C16, D24.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from voice.core.messages import files as messages
from voice.core.retrieval.params import RetrieveDefaults
from voice.core.retrieval.selection_rules import floors_of
from voice.core.settings.providers import LlmSettings, find_key
from voice.core.settings.values import Settings

_LEAST_CANDIDATES = 150  # the spec's default, and its least where a setting was too small


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """One value that was changed (ruling C16)."""

    name: str
    """The setting's."""
    message: str
    """What was changed, in words that name the place where it was set."""


@dataclass(slots=True, kw_only=True)
class ReconciledSettings:
    """Settings that agree, with what was put right and what could not be."""

    settings: Settings
    places: Mapping[str, str]
    corrections: list[Correction] = field(default_factory=list[Correction])
    faults: list[str] = field(default_factory=list[str])
    keys_found: list[str] = field(default_factory=list[str])
    """Names of the secrets that the vendors' own variables gave."""

    def correct(self, name: str, change: str) -> None:
        """Keep that the setting `name` was changed; `change` goes on after the place where it was set."""
        place = self.places.get(name, messages.default_of(name))
        self.corrections.append(Correction(name=name, message=f"{place} {change}"))


def reconcile(settings: Settings, *, places: Mapping[str, str], env: Mapping[str, str]) -> ReconciledSettings:
    """Return the settings made to agree.

    Args:
        places: where a setting was set, in words, by its name; what nobody set is not there.
        env: the environment, for the chosen providers' keys only.
    """
    result = ReconciledSettings(settings=settings, places=places)
    _retrieval(result)
    _limits(result)
    _keep_capped_costs(result)
    _language_model(result, env)
    _verifier(result, env)
    _embedder(result, env)
    return result


def _retrieval(result: ReconciledSettings) -> None:
    group = _with_floors(result)
    if group.max_candidates_per_source < group.top_k:
        enough = max(3 * group.top_k, _LEAST_CANDIDATES)  # the spec's formula for what is set too small
        is_few = messages.too_few_candidates(group.max_candidates_per_source, group.top_k, enough)
        result.correct("retrieve.max_candidates_per_source", is_few)
        group = replace(group, max_candidates_per_source=enough)
    if group.min_floor > group.floor:
        result.correct("retrieve.min_floor", messages.floor_too_high(group.min_floor, group.floor))
        group = replace(group, min_floor=group.floor)
    result.settings = replace(result.settings, retrieve=group)


def _with_floors(result: ReconciledSettings) -> RetrieveDefaults:
    """Return the settings of retrieval with the encoder's own floors where nobody set one (ruling C4)."""
    group, own = result.settings.retrieve, floors_of(result.settings.embed.encoder)
    return replace(
        group,
        floor=group.floor if "retrieve.floor" in result.places else own.floor,
        min_floor=group.min_floor if "retrieve.min_floor" in result.places else own.min_floor,
    )


def _limits(result: ReconciledSettings) -> None:
    nlq, session = result.settings.nlq, result.settings.session
    if nlq.default_limit > nlq.max_limit:
        result.correct("nlq.default_limit", messages.above(nlq.default_limit, "max_limit", nlq.max_limit))
        nlq = replace(nlq, default_limit=nlq.max_limit)
    if session.window_keep > session.window_limit:
        message = messages.above(session.window_keep, "window_limit", session.window_limit)
        result.correct("session.window_keep", message)
        session = replace(session, window_keep=session.window_limit)
    result.settings = replace(result.settings, nlq=nlq, session=session)


def _keep_capped_costs(result: ReconciledSettings) -> None:
    """Keep costs where a cap counts them: nobody can hold a month to what was not kept (promise 7)."""
    group = result.settings.llm
    if not group.cost_tracking and group.caps_what_was_spent:
        result.correct("llm.cost_tracking", messages.COSTS_KEPT)
        result.settings = replace(result.settings, llm=replace(group, cost_tracking=True))


def _language_model(result: ReconciledSettings, env: Mapping[str, str]) -> None:
    group = result.settings.llm
    # A model of the default provider means nothing to another; the offline ones bear their provider's name.
    if "llm.model" not in result.places and group.provider != LlmSettings().provider:
        if group.provider not in OWN_MODEL:
            result.faults.append(messages.model_missing(group.provider))
        group = replace(group, model=group.provider)
    key = find_key(group.provider, own=group.api_key, has_api_base=group.api_base is not None, env=env)
    if key is not None:
        result.keys_found.append("llm.api_key")
    result.settings = replace(result.settings, llm=replace(group, api_key=key))


def _verifier(result: ReconciledSettings, env: Mapping[str, str]) -> None:
    """Give the model that checks its provider's key; one of the provider that writes shares that one's."""
    group, writer = result.settings.verifier, result.settings.llm
    if group.model is None:
        return
    provider, _, model = group.model.partition("/")
    if not provider or not model.strip():  # "gemini" and "gemini/" name no model
        place = result.places.get("verifier.model", "SURR_VERIFIER_MODEL")
        result.faults.append(messages.must_be_provider_and_model(place, group.model))
        return
    if provider == writer.provider:  # it shares the writer's key (`VerifierSettings.llm_of`)
        return
    key = find_key(provider, own=group.api_key, has_api_base=False, env=env)
    if key is not None:
        result.keys_found.append("verifier.api_key")
    result.settings = replace(result.settings, verifier=replace(group, api_key=key))


def _embedder(result: ReconciledSettings, env: Mapping[str, str]) -> None:
    group = result.settings.embed
    if group.provider not in OWN_ENCODER:
        # Only the offline encoders have a default.
        needs = {"model": ("SURR_EMBED_MODEL", group.model), "dimension": ("SURR_EMBED_DIM", group.dim)}
        result.faults += (
            messages.encoder_lacks(group.provider, what, variable)
            for what, (variable, value) in needs.items()
            if value is None
        )
    key = find_key(group.provider, own=group.api_key, has_api_base=group.api_base is not None, env=env)
    if key is not None:
        result.keys_found.append("embed.api_key")
    result.settings = replace(result.settings, embed=replace(group, api_key=key))


OWN_MODEL: Final = frozenset({"extractive", "scripted"})
"""Providers of drafts that have no model to choose."""
OWN_ENCODER: Final = frozenset({"local", "hash"})
"""Encoders that have no model to choose."""


class _Rule(NamedTuple):
    name: str
    decided_by: str  # the setting that makes it one that changes nothing
    is_ignored: Callable[[Settings], bool]
    why: str  # ends the sentence "SURR_X is ignored: …"; may name the value of what decided as `{}`


def _has_own_encoder(settings: Settings) -> bool:
    return settings.embed.provider in OWN_ENCODER


def _names_another_encoder(settings: Settings) -> bool:
    # Naming the model it has anyway is no fault.
    return _has_own_encoder(settings) and settings.embed.model != settings.embed.encoder


def _reads_no_file(settings: Settings) -> bool:
    return settings.embed.provider != "local"


def _has_own_model(settings: Settings) -> bool:
    return settings.llm.provider in OWN_MODEL


def _names_a_model(settings: Settings) -> bool:
    return _has_own_model(settings) and settings.llm.model != settings.llm.provider


def _is_no_server(settings: Settings) -> bool:
    return (settings.store.url or "").partition("://")[0] not in ("ws", "wss")  # only a server has users


def _has_no_checker(settings: Settings) -> bool:
    return settings.verifier.model is None


def _has_no_verifier(settings: Settings) -> bool:
    return settings.verifier.name == "none"


_RULES: Final = (
    _Rule("embed.model", "embed.provider", _names_another_encoder, messages.ENCODER_FIXED),
    _Rule("embed.api_base", "embed.provider", _has_own_encoder, messages.ENCODER_FIXED),
    _Rule("embed.api_key", "embed.provider", _has_own_encoder, messages.ENCODER_FIXED),
    _Rule("embed.path", "embed.provider", _reads_no_file, messages.ENCODER_WITHOUT_FILE),
    _Rule("llm.model", "llm.provider", _names_a_model, messages.PROVIDER_FIXED),
    _Rule("llm.api_base", "llm.provider", _has_own_model, messages.PROVIDER_FIXED),
    _Rule("llm.api_key", "llm.provider", _has_own_model, messages.PROVIDER_FIXED),
    _Rule("store.user", "store.url", _is_no_server, messages.STORE_ON_DISK),
    _Rule("store.password", "store.url", _is_no_server, messages.STORE_ON_DISK),
    _Rule("verifier.model", "verifier.name", _has_no_verifier, messages.VERIFIER_IS),
    _Rule("verifier.timeout_s", "verifier.name", _has_no_verifier, messages.VERIFIER_IS),
    _Rule("verifier.api_key", "verifier.model", _has_no_checker, messages.NO_CHECKER),
)


def ignored_settings(settings: Settings, places: Mapping[str, str], flags: Mapping[str, object]) -> Iterator[str]:
    """Yield a warning for each setting in `places` that changes nothing; `flags`: what the command line said."""
    for rule in _RULES:
        is_said_here = flags.get(rule.decided_by) is not None  # a flag decides for this call alone
        if rule.name in places and not is_said_here and rule.is_ignored(settings):
            group, _, field = rule.decided_by.partition(".")
            decided: object = getattr(getattr(settings, group), field)
            yield messages.ignored(places[rule.name], rule.why.format(decided))
