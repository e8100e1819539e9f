"""Render settings for people: `voice config` and a voice.toml.

Law: both follow from the table. A secret is shown as "set" or "not set", nothing more (promise 6).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import cast

from voice.core.settings.parse import Origin, SettingsResult
from voice.core.settings.providers import key_names
from voice.core.settings.readers import Setting, Value
from voice.core.settings.table import BY_NAME, GROUPS, SETTINGS, STANCES
from voice.core.settings.values import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRow:
    """One line of `voice config`."""

    name: str
    env: str
    value: str
    origin: Origin
    unit: str | None
    about: str


def describe(result: SettingsResult) -> tuple[SettingRow, ...]:
    """Return each setting with its effective value and where it came from (ruling A8)."""
    return tuple(
        SettingRow(
            name=setting.name,
            env=" or ".join(_variables(setting, result.settings)),
            value=_effective(setting, result.settings),
            origin=result.origins[_deciding_setting(setting, result.settings)],
            unit=setting.unit,
            about=setting.about,
        )
        for setting in SETTINGS
    )


def with_places(rows: Iterable[SettingRow], places: Mapping[str, str]) -> tuple[SettingRow, ...]:
    """Return the rows with the directories that are used, by the name of their setting, as they resolve."""
    return tuple(replace(row, value=places.get(row.name, row.value)) for row in rows)


def effective_values(settings: Settings, places: Mapping[str, str]) -> Mapping[str, str]:
    """Return the effective value of each setting by name, without secrets; `places` are the directories in use."""
    return {**{setting.name: _effective(setting, settings) for setting in SETTINGS}, **places}


def _deciding_setting(setting: Setting, settings: Settings) -> str:
    """Return the setting that decides: a stance's own, or that of all stances while it is not set."""
    is_inherited = setting.group in STANCES and value_of(settings, setting) is None
    return f"grounding.{setting.field}" if is_inherited else setting.name


def _effective(setting: Setting, settings: Settings) -> str:
    decided = BY_NAME[_deciding_setting(setting, settings)]
    shown = _shown(decided, value_of(settings, decided))
    return shown if decided is setting else f"{shown} (as {decided.name})"


def value_of(settings: Settings, setting: Setting) -> Value:
    """Return what `setting` is in `settings`."""
    return cast("Value", getattr(getattr(settings, setting.group), setting.field))


def _variables(setting: Setting, settings: Settings) -> tuple[str, ...]:
    # The variables of the provider that is chosen count as well.
    if setting.name == "llm.api_key":
        return (setting.env, *key_names(settings.llm.provider))
    if setting.name == "embed.api_key":
        return (setting.env, *key_names(settings.embed.provider))
    return (setting.env,)


def _shown(setting: Setting, value: Value) -> str:
    if setting.secret:  # promise 6: a secret is never shown
        return "not set" if value is None else "set"
    if value is None:
        return "not set"
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_toml(chosen: Mapping[str, Value] | None = None) -> str:
    """Return a voice.toml: `chosen` (by setting name) written out, the rest and None as comments with the defaults."""
    values = {name: value for name, value in (chosen or {}).items() if value is not None}
    lines = ["# Settings of the inner voice. Environment variables and options win over this file.", ""]
    for group in GROUPS:
        rows = [setting for setting in SETTINGS if setting.group == group and setting.in_file]
        if group != "gate":  # keys without a table stand before the first table in TOML: `gate` is the first group
            lines += [f"[{group}]"]
        for setting in rows:
            lines += _toml_lines(setting, values.get(setting.name))
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _toml_lines(setting: Setting, value: Value) -> Iterator[str]:
    key = setting.key.rpartition(".")[2]
    unit = f" In {setting.unit}." if setting.unit else ""
    yield f"# {setting.about}{unit} ({setting.reader.accepts})"
    if value is not None:
        yield f"{key} = {toml_value(value)}"
    else:
        default = setting.default
        yield f"# {key} = {'' if default is None else toml_value(default)}".rstrip()  # no default: "# key =", no blank


def toml_value(value: Value) -> str:
    """Return a value as it is written in voice.toml."""
    if isinstance(value, Decimal):
        return f'"{value}"'  # as a text: a float of TOML would round it
    return json.dumps(value, ensure_ascii=False)  # texts, numbers, true and false are written alike in JSON and TOML
