"""Parse settings from flags, environment and file.

Law: flags win over the environment, the environment over the file, the file over the default. Every fault is collected
and told at once; what was merely out of range, unknown or contradictory is put right and warned about (rulings A6,
C16). An empty text is "not set". No message holds a secret.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Literal, cast

from voice.core.errors import ConfigurationError
from voice.core.messages import files as messages
from voice.core.settings.coherence import Correction, ignored_settings, reconcile
from voice.core.settings.readers import Setting, Unreadable, Value
from voice.core.settings.table import BY_NAME, GROUPS, SETTINGS
from voice.core.settings.values import Settings

Origin = Literal["flag", "env", "file", "default"]
_KEYS = {setting.key: setting for setting in SETTINGS}  # as voice.toml names them
_ENVS = {setting.env for setting in SETTINGS}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsResult:
    """The settings in force, where each came from, and what had to be put right."""

    settings: Settings
    origins: Mapping[str, Origin]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raw:
    """What somebody wrote, and how to name the place."""

    setting: Setting
    value: object
    origin: Origin

    @property
    def label(self) -> str:
        if self.origin == "env":
            return self.setting.env
        return messages.in_file(self.setting.key) if self.origin == "file" else messages.option(self.setting.name)


def parse_settings(flags: Mapping[str, object], env: Mapping[str, str], file: Mapping[str, object]) -> SettingsResult:
    """Return the settings in force.

    Args:
        flags: what the command line said, by setting name; None is "not said".
        file: voice.toml as parsed, nested tables.

    Raises:
        ConfigurationError: at least one value is not valid; the message has a line for each.
    """
    leaves = dict(_leaves(file))
    tally = _Tally(warnings=[*_unknown_keys(leaves), *_unknown_variables(env)])
    tally.faults += [messages.unknown_setting(name, hint(name, BY_NAME)) for name in flags if name not in BY_NAME]
    for setting in SETTINGS:
        _read(_raw(setting, flags, env, leaves), tally)
        tally.warnings += _overridden(setting, flags, env, leaves)
    # Also where there are faults, so that a person is told all of them at once.
    coherent = reconcile(_settings(tally.values), places=tally.places, env=env)
    if tally.faults or coherent.faults:
        raise ConfigurationError("; ".join([*tally.faults, *coherent.faults]))
    for name in coherent.keys_found:
        tally.origins.setdefault(name, "env")  # a vendor's variable; what was read has its origin already
    corrections = (*tally.corrections, *coherent.corrections)
    return SettingsResult(
        settings=_with_retrieval_warnings(coherent.settings, corrections),
        origins={name: tally.origins.get(name, "default") for name in BY_NAME},
        warnings=(
            *tally.warnings,
            *(one.message for one in corrections),
            *ignored_settings(coherent.settings, tally.places, flags),
        ),
    )


def _with_retrieval_warnings(settings: Settings, corrections: Iterable[Correction]) -> Settings:
    """Return the settings with what was changed of those of retrieval, for its diagnostics (ruling C16)."""
    said = tuple(one.message for one in corrections if BY_NAME[one.name].group == "retrieve")  # for its diagnostics
    return replace(settings, retrieve=replace(settings.retrieve, warnings=said))


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What has been read so far."""

    warnings: list[str]
    faults: list[str] = field(default_factory=list[str])
    corrections: list[Correction] = field(default_factory=list[Correction])
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    places: dict[str, str] = field(default_factory=dict[str, str])
    origins: dict[str, Origin] = field(default_factory=dict[str, Origin])


def _read(raw: _Raw | None, tally: _Tally) -> None:
    if raw is None:
        return
    try:
        reading = raw.setting.reader.read(raw.value)
    except Unreadable as fault:
        tally.faults.append(f"{raw.label} {fault}")
        return
    name = raw.setting.name
    tally.values[name], tally.origins[name], tally.places[name] = reading.value, raw.origin, raw.label
    if reading.warning is not None:
        tally.corrections.append(Correction(name=name, message=f"{raw.label} {reading.warning}"))


def _raw(
    setting: Setting, flags: Mapping[str, object], env: Mapping[str, str], leaves: Mapping[str, object]
) -> _Raw | None:
    places: tuple[tuple[Origin, object], ...] = (
        ("flag", flags.get(setting.name)),
        ("env", env.get(setting.env)),
        ("file", leaves.get(setting.key) if setting.in_file else None),  # a secret in a file is warned of and not used
    )
    for origin, value in places:
        if value is not None and not (isinstance(value, str) and not value.strip()):  # an empty variable is unset
            return _Raw(setting=setting, value=value, origin=origin)
    return None


def _overridden(
    setting: Setting, flags: Mapping[str, object], env: Mapping[str, str], leaves: Mapping[str, object]
) -> Iterator[str]:
    """Yield where the environment overrides voice.toml (spec nlq, "WARN on env overrides")."""
    said, written = _raw(setting, {}, env, {}), _raw(setting, {}, {}, leaves)  # each place alone
    if said is None or written is None or flags.get(setting.name) is not None:
        return
    with suppress(Unreadable):  # the one that counts is told by who reads it
        if setting.reader.read(said.value).value != setting.reader.read(written.value).value:  # "1" and true are equal
            yield messages.overridden(setting.env, setting.key)


def _settings(values: Mapping[str, Value]) -> Settings:
    settings = Settings()
    for group in GROUPS:
        changed = {BY_NAME[name].field: value for name, value in values.items() if BY_NAME[name].group == group}
        # Frozen: one copy a group.
        settings = replace(settings, **{group: replace(getattr(settings, group), **changed)})
    return settings


def _leaves(tree: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(cast("Mapping[str, object]", value), f"{prefix}{key}.")  # "retrieve." for [retrieve]
        else:
            yield f"{prefix}{key}", value


def _unknown_keys(leaves: Mapping[str, object]) -> Iterator[str]:
    for key in leaves:
        setting = _KEYS.get(key)
        if setting is None:
            yield messages.unknown_key(key, hint(key, _KEYS))
        elif not setting.in_file:
            yield messages.not_from_file(key, setting.env)


def _unknown_variables(env: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(env):
        if name.startswith("SURR_") and name not in _ENVS:  # other programs have variables of other prefixes
            yield messages.unknown_variable(name, hint(name, dict.fromkeys(_ENVS)))


def hint(name: str, known: Mapping[str, object]) -> str:
    """Return which of the known names may be meant, of any group; empty if none is close."""
    last = name.rpartition(".")[2]
    same_field = [candidate for candidate in known if candidate.rpartition(".")[2] == last]  # "llm.mix": "retrieve.mix"
    mistyped = get_close_matches(name, sorted(known), n=1, cutoff=0.9)  # a slip of a letter comes before another group
    close = mistyped or same_field or get_close_matches(name, sorted(known), n=1)
    return messages.did_you_mean(" or ".join(close)) if close else ""
