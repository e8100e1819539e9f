"""What somebody set that changes nothing, because of another setting.

Law: nothing that was set is passed over in silence (ruling C16). Where a flag decided for one call, what it set aside
is not told: the person has just said so.

Source: ruling C16; spec nlq, Logging & Metrics.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from voice.core.settings.values import Settings

OWN_MODEL: Final = frozenset({"extractive", "scripted"})
"""Providers of drafts that have no model to choose."""
OWN_ENCODER: Final = frozenset({"local", "hash"})
"""Encoders that have no model to choose."""


class _Rule(NamedTuple):
    name: str
    decided_by: str
    """The setting that makes it one that changes nothing."""
    is_ignored: Callable[[Settings], bool]
    why: str
    """Ends the sentence "SURR_X is ignored: …"; may name the value of what decided as `{}`."""


def _has_own_encoder(settings: Settings) -> bool:
    return settings.embed.provider in OWN_ENCODER


def _names_another_encoder(settings: Settings) -> bool:
    return _has_own_encoder(settings) and settings.embed.model != settings.embed.encoder


def _reads_no_file(settings: Settings) -> bool:
    return settings.embed.provider != "local"


def _has_own_model(settings: Settings) -> bool:
    return settings.llm.provider in OWN_MODEL


def _names_a_model(settings: Settings) -> bool:
    return _has_own_model(settings) and settings.llm.model != settings.llm.provider


def _is_no_server(settings: Settings) -> bool:
    return (settings.store.url or "").partition("://")[0] not in ("ws", "wss")


def _has_no_verifier(settings: Settings) -> bool:
    return settings.verifier.name == "none"


def _has_no_checker(settings: Settings) -> bool:
    return settings.verifier.model is None


_ENCODER = "the encoder {} has one model of its own and runs here"
_WRITER = "the provider {} has no model and runs here"
_SERVER = "the store is no server's"
_CHECKER = "it is for the model that checks, and SURR_VERIFIER_MODEL names none"
_RULES: Final = (
    _Rule("embed.model", "embed.provider", _names_another_encoder, _ENCODER),
    _Rule("embed.api_base", "embed.provider", _has_own_encoder, _ENCODER),
    _Rule("embed.api_key", "embed.provider", _has_own_encoder, _ENCODER),
    _Rule("embed.path", "embed.provider", _reads_no_file, "the encoder {} reads no file of that kind"),
    _Rule("llm.model", "llm.provider", _names_a_model, _WRITER),
    _Rule("llm.api_base", "llm.provider", _has_own_model, _WRITER),
    _Rule("llm.api_key", "llm.provider", _has_own_model, _WRITER),
    _Rule("store.user", "store.url", _is_no_server, _SERVER),
    _Rule("store.password", "store.url", _is_no_server, _SERVER),
    _Rule("verifier.model", "verifier.name", _has_no_verifier, "the verifier is {}"),
    _Rule("verifier.timeout_s", "verifier.name", _has_no_verifier, "the verifier is {}"),
    _Rule("verifier.api_key", "verifier.model", _has_no_checker, _CHECKER),
)


def ignored_settings(settings: Settings, places: Mapping[str, str], flags: Mapping[str, object]) -> Iterator[str]:
    """Yield a warning for each setting that somebody set and that changes nothing.

    Args:
        settings: those in force.
        places: where a setting was set, in words, by its name; what nobody set is not there.
        flags: what the command line said, by setting name; None is "not said".
    """
    for rule in _RULES:
        is_said_here = flags.get(rule.decided_by) is not None
        if rule.name in places and not is_said_here and rule.is_ignored(settings):
            group, _, field = rule.decided_by.partition(".")
            decided: object = getattr(getattr(settings, group), field)
            yield f"{places[rule.name]} is ignored: {rule.why.format(decided)}"
