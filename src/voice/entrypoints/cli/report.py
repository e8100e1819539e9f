"""`voice report`: what past turns cost, and how well they were grounded."""

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voice.core.text.display import printable
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.printing import note, print_json, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonCommand, console, flag, option, progress_of, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.report.values import Dimension, Report
    from voice.core.usage import PriceTable

_OFFLINE = "offline"
_WITH_MONEY = ("all", "cost")


@click.command(cls=JsonCommand)
@click.argument("what", type=click.Choice(["all", "cost", "tokens", "grounding"]), default="all", required=False)
@option("--since", 'From the start of this time, e.g. "last month" or 2026-03-01. Default: everything.', "PHRASE")
@option("--until", "To the end of this time; with the same phrase as --since, only that time.", "PHRASE")
@option(
    "--by",
    "How to group the turns.",
    type=click.Choice(["session", "model", "day", "month", "prompt", "stance"]),
    default="session",
)
@option(
    "--prices",
    "Compute the cost again with the prices in a .toml or .json file; stored figures do not change.",
    "FILE",
    type=click.Path(path_type=Path),
)
@flag("--private include_private", "Include the topics of private conversations.")
@flag("--csv as_csv", "Print comma-separated values.")
def report(
    what: str,
    since: str | None,
    until: str | None,
    by: "Dimension",
    prices: Path | None,
    include_private: bool,
    as_csv: bool,
) -> None:
    """Show cost, tokens and grounding of past turns.

    \b
    Examples:
      voice report
      voice report cost --by day --since "last month" --csv
      voice report --by prompt --since "last month" --until "last month"
      voice report cost --by model --prices new-prices.toml
    """
    if as_csv and wants_json():
        raise click.UsageError("choose one of --json and --csv")
    table = None if prices is None else _price_table(prices, what)

    async def add_up(services: "Services") -> "Report":
        with progress_of("Adding up") as adding:
            return await services.report(
                since=since, until=until, by=by, prices=table, include_private=include_private, progress=adding
            )

    made = run(add_up)
    _tell_unpriced(made)
    if wants_json():
        print_json(forms.reports.report_json(made))
    elif as_csv:
        rows = forms.reports.report_rows(made, what)
        csv.writer(sys.stdout).writerows([printable(cell) for cell in row] for row in rows)
    else:
        from voice.entrypoints.cli.show.report import show_report

        show_report(made, what, console())


def _price_table(path: Path, what: str) -> "PriceTable":
    if what not in _WITH_MONEY:
        raise click.UsageError(f"a report on {what} shows no cost, so --prices has no effect; use `voice report cost`")
    from voice.adapters.files.price_table import read_price_table

    return read_price_table(path)


def _tell_unpriced(made: "Report") -> None:
    """Say which prices of a person's own table were not used: what is answered offline costs nothing."""
    if made.repriced_with is None:
        return
    offline = {used.model for used in made.prices if used.source == _OFFLINE}
    if unused := sorted(offline & made.repriced_with.prices.keys()):
        note(f"the price of {', '.join(unused)} has no effect: offline answers cost nothing")
