"""Show settings and findings."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from voice.entrypoints.cli.terminal.printing import printable
from voice.entrypoints.cli.terminal.runtime import console

if TYPE_CHECKING:
    from voice.core.health import Finding
    from voice.core.settings.describe import SettingRow

_SIGN = {"ok": "✓", "remark": "!", "fault": "✗", "unchecked": "?"}
_COLOUR = {"ok": "green", "remark": "yellow", "fault": "red", "unchecked": "cyan"}


def show_settings(rows: "Sequence[SettingRow]") -> None:
    """Print the settings: name, value, where it came from, and the variable that sets it."""
    if not _is_terminal():  # a line a setting, for `grep` and `cut`
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


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _value(row: "SettingRow") -> str:
    return f"{row.value} {row.unit}" if row.unit and row.value != "not set" else row.value  # "not set" has no unit


def show_findings(findings: "Sequence[Finding]") -> None:
    """Print what was found, one thing a line, with what to do about it."""
    for finding in findings:
        sign = click.style(_SIGN[finding.state], fg=_COLOUR[finding.state])
        click.echo(f"{sign} {finding.name:<9} {printable(finding.detail)}")
        if finding.advice:
            click.echo(f"  {'':<9} → {printable(finding.advice)}")
