"""`voice config`: show and change settings.

Law: what is changed is one line of voice.toml, once its value is understood; what the environment says instead is told.
No secret is printed or written.
"""

from collections.abc import Sequence
from dataclasses import asdict

import click

from voice.core.errors import ConfigurationError
from voice.core.settings.describe import SettingRow, describe, with_places
from voice.core.settings.parse import hint
from voice.core.settings.readers import Setting
from voice.core.settings.table import BY_NAME
from voice.core.text.display import printable
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.printing import is_terminal, note, print_json, wants_json
from voice.entrypoints.cli.terminal.runtime import (
    JsonCommand,
    config_path,
    console,
    home_of,
    init_command,
    load_settings,
    read_settings,
)
from voice.wiring.data_directory import calibrations_of


@click.command(cls=JsonCommand)
@click.argument("key", required=False)
@click.argument("value", required=False)
def config(key: str | None, value: str | None) -> None:
    """Show or change settings.

    Without KEY, it shows every setting, its value and where that comes from: flag, env, file or default; never a
    secret. With KEY, it shows that setting; with KEY and VALUE, it first writes it to voice.toml.

    \b
    Examples:
      voice config
      voice config owner.names "Irma Sauer, Irma"
    """
    setting = None if key is None else _find_setting(key)
    if setting is not None and value is not None:
        _change(setting, value)  # below, the new value shows
    # With --json, warnings stand in the document; a person gets them on stderr.
    result = load_settings() if wants_json() else read_settings()
    home = home_of()
    from voice.adapters.system.data_directory import places_of

    every = with_places(describe(result), places_of(result.settings, home))
    rows = [row for row in every if setting is None or row.name == setting.name]
    calibrations = calibrations_of(home).read() if setting is None else ()  # shown with all settings alone
    if wants_json():
        print_json(
            {
                "home": str(home),
                "file": str(config_path(home)),
                "settings": [asdict(row) for row in rows],
                "warnings": list(result.warnings),
                "calibrations": [forms.verification.render_calibration(record) for record in calibrations],
            }
        )
        return
    if not config_path(home).exists():
        note(f"{config_path(home)} does not exist; `{init_command()}` makes it")
    _show(rows)
    for record in calibrations:
        note(f"tested: {record.verifier} {forms.verification.belief_line(record)}")


def _show(rows: Sequence[SettingRow]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not is_terminal():  # a line a setting, for `grep` and `cut`
        for row in rows:
            click.echo("\t".join((row.name, printable(_value(row)), row.origin, row.env)))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("setting", no_wrap=True)
    table.add_column("value", overflow="fold", min_width=12)  # folded, not cut: a value is copied whole
    table.add_column("from", no_wrap=True)
    table.add_column("variable", overflow="fold")
    for row in rows:
        style = "dim" if row.origin == "default" else ""
        table.add_row(row.name, Text(printable(_value(row))), row.origin, Text(row.env), style=style)
    console().print(table)


def _value(row: SettingRow) -> str:
    return f"{row.value} {row.unit}" if row.unit and row.value != "not set" else row.value  # "not set" has no unit


def _find_setting(key: str) -> Setting:
    known = {**{setting.key: setting for setting in BY_NAME.values()}, **BY_NAME}
    if key not in known:  # "gate.enabled" or "enabled", as voice.toml has it
        raise click.UsageError(f"unknown setting {key}{hint(key, known)}; `voice config` lists all settings")
    return known[key]


def _change(setting: Setting, value: str) -> None:
    from voice.entrypoints.shared.setting_changes import change_setting

    path = config_path(home_of())
    if setting.in_file and not path.exists():  # a secret is refused below, whether or not there is a file
        raise ConfigurationError(f"{path} does not exist; `{init_command()}` makes it")
    warning = change_setting(path, setting, value)
    if warning is not None:
        note(f"{setting.name} {warning}")
