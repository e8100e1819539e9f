"""`voice correct`: say what is true instead.

Law: the person's own words take the place of a row, and the old ones stay, superseded (ruling F). What is printed are
ids and counts, and what other rows say that contradicts it or still says the old words: never what a private row says.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from voice.core.text.counting import counted
from voice.entrypoints.cli.memory import tell_unembedded, tell_unstaged, waiting
from voice.entrypoints.cli.printing import note, print_json, printable
from voice.entrypoints.cli.runtime import json_option, moment, run, stdin_text

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.services.correcting import Corrected
    from voice.services.extracting import Arrived
    from voice.services.staging import Staged


@click.command()
@click.argument("row_id", metavar="ID")
@click.argument("text", required=False)
@click.option("--reason", metavar="WORDS", help="Why; kept with what was replaced.")
@click.option("--since", metavar="WHEN", help="Since when it is true; the old value was true until then.")
@click.option("--until", metavar="WHEN", help="From when on it is no longer true.")
@click.option("--to", "target", metavar="NAME", help="Where a relation points instead: an entity's id, name or alias.")
@click.option("--dry-run", is_flag=True, help="Change nothing; say what would follow.")
@json_option
@click.pass_context
def correct(
    ctx: click.Context,
    row_id: str,
    text: str | None,
    reason: str | None,
    since: str | None,
    until: str | None,
    target: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put other words in the place of a thought, a statement or a relation, or of what is said of an entity.

    ID is t:…, o:…, r:… or e:…, as `voice retrieve` and `voice kg show` print them. TEXT is the new wording (of a
    relation or an entity: its description); `-` reads a pipe; left out, only the time or the target changes. The old
    value stays and can be asked for with --as-of; statements distilled from a corrected thought, pins and summaries
    follow.

    \b
    Examples:
      voice correct o:01jq… "Anna lives in Lisbon." --since 2026-06-01 --reason "she moved"
      voice correct t:01jq… "The kiln runs at cone 10." --reason "misheard"
      voice correct r:01jq… --to "Clay Co" --since 2026-01-01
    """
    from voice.core.interchange.arrival import Entrance, ceiling_of
    from voice.services.correcting import CorrectRequest

    words = stdin_text(text, what="what is true instead") if text == "-" else text
    if words is None and not (since or until or target):
        raise click.UsageError("say what is true instead, or since when, until when or where to")
    request = CorrectRequest(
        row_id=row_id,
        text=words,
        target=target,
        reason=reason,
        since=moment(ctx, since, "--since"),
        until=moment(ctx, until, "--until"),
        author=ceiling_of(Entrance.CLI),
    )

    async def work(services: "Services") -> "tuple[Corrected, Arrived | None]":
        meant = await services.meant.one(row_id)
        to = None if target is None else await services.meant.one(target)
        done = await services.correcting(replace(request, row_id=meant, target=to), dry_run=dry_run)
        is_read = done.row_id.startswith("t:") and not dry_run
        return done, await services.extracting.arrived([done.row_id]) if is_read else None

    done, arrived = run(ctx, work)
    tell_unembedded(1 if done.fault else 0, done.fault)
    if arrived is not None:
        tell_unstaged(arrived.fault)
        _tell_staged(arrived.staged)
    if as_json:
        from voice.entrypoints.forms.graph import corrected_json

        print_json(corrected_json(done, dry_run=dry_run))
        return
    _tell(done, dry_run=dry_run)
    for other in done.contradicts:
        click.echo(f"    against {other.id}  {printable(other.said)}")
    for other in done.still_says:
        click.echo(f"    {other.id} still says this, so correct it, too: {printable(other.said)}")


def _tell_staged(staged: "Staged") -> None:
    if staged.pending_entities or staged.pending_relations:
        note(f"the new words name {waiting(staged.pending_entities, staged.pending_relations)}")


def _tell(done: "Corrected", *, dry_run: bool) -> None:
    if done.is_repeated:
        note(f"{done.replaced} was corrected like this before")
    followed = [
        f"{counted(len(done.superseded), 'row')} superseded with it" if done.superseded else "",
        f"{counted(len(done.moved), 'row')} moved along" if done.moved else "",
        f"{counted(done.pins, 'pin')} moved along" if done.pins else "",
    ]
    said = ", ".join(part for part in followed if part)
    if dry_run:
        click.echo(f"{done.replaced} would be replaced{': ' + said if said else ''}")
    else:
        click.echo(f"{done.row_id}  replaces {done.replaced}{', ' + said if said else ''}")
