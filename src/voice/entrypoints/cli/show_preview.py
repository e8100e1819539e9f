"""What an import would bring in, on the terminal: when it was told, whose words it is, and how it begins."""

from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from voice.entrypoints.cli.printing import printable
from voice.entrypoints.shared.imports import dates_in_words, people_in_words

if TYPE_CHECKING:
    from voice.core.interchange.import_preview import Preview


def tell_preview(seen: "Preview", *, links: int, reads: bool, zone: tzinfo) -> None:
    """Say what the thoughts that would come in are.

    Args:
        seen: what was counted of them.
        links: between notes.
        reads: whether the import looks for names in them.
        zone: in which days are told.
    """
    click.echo(f"  dates   {dates_in_words(seen, zone)}")
    click.echo(f"  words   {people_in_words(seen.people)}")
    if seen.private:
        click.echo(f"  private {seen.private:,}")
    if links:
        click.echo(f"  links   {links:,} between notes")
    if reads:
        click.echo("  names   found after the import; review them with `voice kg review`")
    for line in seen.first_lines:
        click.echo(f"  begins  {printable(line)}")
