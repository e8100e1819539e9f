"""`voice report`: what past turns cost, and how well they were grounded."""

import csv
import sys
from typing import TYPE_CHECKING, cast

import click

from voice.entrypoints.cli.printing import print_json
from voice.entrypoints.cli.runtime import console, json_option, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.report import Dimension, Report


@click.command()
@click.argument("what", type=click.Choice(["all", "cost", "tokens", "grounding"]), default="all", required=False)
@click.option("--since", metavar="PHRASE", help='From when on, e.g. "last month" or 2026-03-01. Default: everything.')
@click.option(
    "--by",
    type=click.Choice(["session", "model", "day"]),
    default="session",
    show_default=True,
    help="How turns are grouped.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@json_option
@click.pass_context
def report(ctx: click.Context, what: str, since: str | None, by: str, as_csv: bool, as_json: bool) -> None:
    """Cost, tokens and grounding of past turns, from the stored exchanges.

    \b
    Examples:
      voice report
      voice report cost --by day --since "last month" --csv
    """
    made = run(ctx, lambda services: _report(services, since, by))
    from voice.core.render.report import report_json, report_rows

    if as_json:
        print_json(report_json(made))
        return
    if as_csv:
        csv.writer(sys.stdout).writerows(report_rows(made, what))
        return
    from voice.entrypoints.cli.show_report import show_report

    show_report(made, what, console())


async def _report(services: "Services", since: str | None, by: str) -> "Report":
    return await services.report(since=since, by=cast("Dimension", by))
