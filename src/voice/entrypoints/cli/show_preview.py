"""What an import would bring in, on the terminal: when it was told, whose words it is, and how it begins."""

from datetime import tzinfo
from typing import TYPE_CHECKING, Final

import click

from voice.core.records import Origin
from voice.entrypoints.cli.printing import printable

if TYPE_CHECKING:
    from voice.core.interchange.preview import Person, Preview

_PEOPLE_SHOWN: Final = 8
_WHO: Final = {
    Origin.HUMAN: "you",
    Origin.LOGGED: "a log you vouch for",
    Origin.MODEL: "a model",
    Origin.TOOL: "other people",
}
"""Whose words they are where nobody is named, and beside a name."""


def tell_preview(seen: "Preview", *, links: int, reads: bool, zone: tzinfo) -> None:
    """Say what the thoughts that would come in are.

    Args:
        seen: what was counted of them.
        links: between notes.
        reads: whether the import looks for names in them.
        zone: in which days are told.
    """
    click.echo(f"  dates   {_dates(seen, zone)}")
    shown = list(map(_who, seen.people))
    more = f" and {len(shown) - _PEOPLE_SHOWN:,} more" if len(shown) > _PEOPLE_SHOWN else ""
    click.echo(f"  words   {', '.join(shown[:_PEOPLE_SHOWN])}{more}")
    if seen.private:
        click.echo(f"  private {seen.private:,}")
    if links:
        click.echo(f"  links   {links:,} between notes")
    if reads:
        click.echo("  names   found after the import; review them with `voice kg review`")
    for line in seen.first_lines:
        click.echo(f"  begins  {printable(line)}")


def _dates(seen: "Preview", zone: tzinfo) -> str:
    if seen.earliest is None or seen.latest is None:
        return "none of them has a date"
    first, last = (f"{moment.astimezone(zone):%Y-%m-%d}" for moment in (seen.earliest, seen.latest))
    undated = f", {seen.undated:,} without a date" if seen.undated else ""
    return f"{first if first == last else f'{first} to {last}'}{undated}"


def _who(person: "Person") -> str:
    """Return whose words they are, and how many thoughts: `you 12`, `Paul 3 (somebody else)`."""
    who = _WHO[person.origin]
    return f"{printable(person.name)} {person.thoughts:,} ({who})" if person.name else f"{who} {person.thoughts:,}"
