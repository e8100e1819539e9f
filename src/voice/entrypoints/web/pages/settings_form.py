"""The form that changes settings: its fields, their faults, and what is written.

Law: a handful of settings that show or spend nothing unforeseen; no secret is among them. What is written goes the way
of `voice config`, is understood together with the rest of the file before, and holds when the program starts again.
What the environment or the command says is theirs.
Source: DESIGN 8 Web; rulings A8, H.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from voice.adapters.system.config_file import CONFIG_NAME, read_config
from voice.core.errors import ConfigurationError
from voice.core.settings.describe import describe
from voice.core.settings.parse import SettingsResult, parse_settings
from voice.core.settings.readers import Setting, Unreadable
from voice.core.settings.table import BY_NAME
from voice.entrypoints.shared.setting_changes import change_setting, reset_setting

LABELS: Final[Mapping[str, str]] = {
    "owner.names": "Your names in your notes", "time.timezone": "Time zone",
    "grounding.single_source": "One source is enough", "llm.provider": "Provider", "llm.model": "Model",
    "llm.max_turn_cost": "Cap per turn", "llm.max_session_cost": "Cap per session", "llm.max_day_cost": "Cap per day",
    "llm.max_month_cost": "Cap per month", "llm.on_unknown_price": "Unknown prices", "verifier.name": "Verifier",
    "verifier.model": "Verifier model",
}  # fmt: skip
"""What is changed here, by the name of the setting, in the order in which it is shown."""
_WITH_CHOICES: Final = frozenset({"grounding.single_source", "llm.on_unknown_price"})  # one of a few words
_SET, _WAS = "set.", "was."  # what a field says, and what it showed


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """One setting as its field shows it."""

    name: str
    label: str
    about: str
    accepts: str
    unit: str
    now: str
    typed: str
    written: str
    """What voice.toml says; empty: nothing."""
    waits: str
    """What holds from the next start on; empty: what is in force."""
    choices: tuple[str, ...]
    locked: str
    """Why it cannot be changed here; empty: it can."""
    fault: str = ""


def setting_fields(
    result: SettingsResult, home: Path, typed: Mapping[str, str], faults: Mapping[str, str]
) -> tuple[SettingField, ...]:
    """Return the settings that can be changed, as their fields show them; none where there is no voice.toml.

    Args:
        typed: what a form said that could not be carried out.
        faults: why not, by the name of the setting.

    Raises:
        ConfigurationError: voice.toml cannot be read.
    """
    if not (home / CONFIG_NAME).exists():
        return ()
    written = _written(home)
    rows = {row.name: row for row in describe(result)}
    next_values = _from_next_start(result, home)
    fields: list[SettingField] = []
    for name, label in LABELS.items():
        setting, row, text = BY_NAME[name], rows[name], written.get(name, "")
        locked = _locked(setting, result)
        next_value = next_values.get(name, row.value)
        fields.append(
            SettingField(
                name=name,
                label=label,
                about=setting.about,
                accepts=setting.reader.accepts,
                unit=setting.unit or "",
                now=row.value,
                typed=typed.get(f"{_SET}{name}", text),  # a refused form shows what was typed
                written=text,
                waits="" if locked or next_value == row.value else next_value,  # what is in force is no news
                choices=tuple(setting.reader.accepts.split(", ")) if name in _WITH_CHOICES else (),
                locked=locked,
                fault=faults.get(name, ""),
            )
        )
    return tuple(fields)


def changes_in(form: Mapping[str, str]) -> dict[str, str]:
    """Return what a form sets anew, by the name of the setting: what differs from what it showed."""
    typed = {name: form.get(f"{_SET}{name}", "").strip() for name in LABELS if f"{_SET}{name}" in form}
    return {name: value for name, value in typed.items() if value != form.get(f"{_WAS}{name}", "").strip()}


def faults_of(changes: Mapping[str, str], result: SettingsResult, home: Path) -> dict[str, str]:
    """Return why changes cannot be carried out, by the name of the setting; empty: they can.

    Raises:
        ConfigurationError: there is no voice.toml, or it cannot be read.
    """
    path = home / CONFIG_NAME
    if not path.exists():
        raise ConfigurationError(f"there is no {path}. To create it, run `voice init`")
    faults = {name: why for name in changes if (why := _locked(BY_NAME[name], result))}
    for name, value in changes.items():
        try:
            parse_settings({name: value}, {}, {})  # each alone, for its own fault
        except ConfigurationError as error:
            faults.setdefault(name, error.message.removeprefix(f"the option {name} "))
    if not faults and changes:  # then all, with the rest of the file
        try:
            parse_settings(dict(changes), dict(os.environ), read_config(path))
        except ConfigurationError as error:
            faults[next(iter(changes))] = error.message  # of the whole: told at the first
    return faults


def write_changes(changes: Mapping[str, str], home: Path) -> None:
    """Write changes that have no faults into voice.toml; ConfigurationError: it cannot be changed."""
    for name, value in changes.items():
        if value:
            change_setting(home / CONFIG_NAME, BY_NAME[name], value)
        else:
            reset_setting(home / CONFIG_NAME, BY_NAME[name])


def _locked(setting: Setting, result: SettingsResult) -> str:
    if os.environ.get(setting.env, "").strip():  # the environment wins: a change would have no effect
        return f"Set by `{setting.env}` in the environment; change it there."
    if result.origins[setting.name] == "flag":  # so does an option
        return "Set by an option of the command that serves this page; change it there."
    return ""


def _from_next_start(result: SettingsResult, home: Path) -> dict[str, str]:
    """Return what holds from the next start on, by the name of the setting, as what is in force is told.

    A setting that another one gives its value has it then, too: the offline provider is its own model. Where what
    stands in voice.toml is not understood, nothing is known.
    """
    current = {row.name: row.value for row in describe(result)}
    flags = {
        name: current[name] for name in LABELS if result.origins[name] == "flag" and current[name] != _in_words(None)
    }
    try:
        upcoming = parse_settings(flags, dict(os.environ), read_config(home / CONFIG_NAME))
    except ConfigurationError:
        return {}
    return {row.name: row.value for row in describe(upcoming)}


def _written(home: Path) -> dict[str, str]:
    """Return what voice.toml says of what is changed here, by the name of the setting."""
    tree = read_config(home / CONFIG_NAME)
    found: dict[str, str] = {}
    for name in LABELS:
        group = tree.get(BY_NAME[name].group)
        value = cast("Mapping[str, object]", group).get(BY_NAME[name].field) if isinstance(group, Mapping) else None
        if value not in (None, ""):
            found[name] = _read_value(BY_NAME[name], value)
    return found


def _read_value(setting: Setting, value: object) -> str:
    """Return a value of the file as it is understood; one that is not, as it stands there."""
    try:
        return _in_words(setting.reader.read(value).value)
    except Unreadable:
        return str(value)


def _in_words(value: object) -> str:
    return "not set" if value is None else str(value)
