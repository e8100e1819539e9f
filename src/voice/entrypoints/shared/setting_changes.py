"""Change a setting in voice.toml.

Law: a value is understood before it is written, as when a command starts with it; one line of the file changes, and a
secret is never written.

Source: rulings A8, H.
"""

from pathlib import Path

from voice.adapters.system.config_file import change_config
from voice.core.errors import ConfigurationError
from voice.core.settings.describe import toml_value
from voice.core.settings.parse import parse_settings
from voice.core.settings.readers import Setting, Unreadable


def change_setting(path: Path, setting: Setting, value: str) -> str | None:
    """Write a value into voice.toml, and return what had to be put right of it; None: nothing.

    Raises:
        ConfigurationError: it is not valid, is not read from there, or the file cannot be changed.
    """
    if not setting.in_file:
        raise ConfigurationError(f"voice.toml cannot hold {setting.name}; set {setting.env} in the environment")
    parse_settings({setting.name: value}, {}, {})  # raises as a start would, before the file changes
    try:
        reading = setting.reader.read(value)
    except Unreadable as fault:
        raise ConfigurationError(f"{setting.name} {fault}") from None
    _write(path, setting, toml_value(reading.value))
    return reading.warning


def reset_setting(path: Path, setting: Setting) -> None:
    """Write an empty value into voice.toml: the default holds. Raises ConfigurationError: it cannot be changed."""
    _write(path, setting, '""')


def _write(path: Path, setting: Setting, value: str) -> None:
    # Settings of the gate stand at the top of the file, in no table.
    change_config(path, "" if setting.key != setting.name else setting.group, setting.field, value)
