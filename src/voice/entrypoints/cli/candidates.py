"""`voice kg candidates`, `approve`, `reject`, `alias`, `edit`: what was found in notes and waits for a person.

Law: nothing that was found is in the graph before a person says so here. Several ids are one batch: all of it happens
or none of it. With `--dry-run` everything is decided and nothing is written. Private candidates show only with
`--private`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from voice.core.text.counting import counted
from voice.entrypoints.cli.memory import tell_unembedded
from voice.entrypoints.cli.printing import note, print_json
from voice.entrypoints.cli.runtime import json_option, moment, run
from voice.entrypoints.cli.show_candidates import step_line, view_lines

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.verdicts import Verdict
    from voice.ports.candidate_store import CandidateFilter
    from voice.services.moderation import Moderated, Page

_IDS = click.argument("ids", nargs=-1, required=True, metavar="C:ID…")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would happen, and change nothing.")
kind_option = click.option("--kind", type=click.Choice(["entity", "relation"]), help="Only these.")
type_option = click.option("--type", "type_", metavar="TYPE", help="Only of this type: person, works_at, …")
least_option = click.option(
    "--min-confidence", type=click.FloatRange(0, 1), metavar="SHARE", help="Only those at least this sure, 0 to 1."
)
most_option = click.option(
    "--max-confidence", type=click.FloatRange(0, 1), metavar="SHARE", help="Only those less sure than this."
)
text_option = click.option("--text", metavar="WORDS", help="Only those in whose name this stands.")
from_option = click.option("--from", "thought_id", metavar="t:…", help="Only those that rest on this thought.")
private_option = click.option("--private", "include_private", is_flag=True, help="Show private ones, too.")


@click.command()
@click.option(
    "--status",
    type=click.Choice(["pending", "approved", "rejected", "all"]),
    default="pending",
    show_default=True,
    help="Which of them.",
)
@kind_option
@type_option
@least_option
@most_option
@text_option
@from_option
@click.option("--since", metavar="WHEN", help="Only those that were found at that time or later.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="At most so many.")
@click.option("--after", metavar="PLACE", help="Go on where a page ended; the page before says where.")
@private_option
@json_option
@click.pass_context
def candidates(
    ctx: click.Context,
    status: str,
    kind: str | None,
    type_: str | None,
    min_confidence: float | None,
    max_confidence: float | None,
    text: str | None,
    thought_id: str | None,
    since: str | None,
    limit: int,
    after: str | None,
    include_private: bool,
    as_json: bool,
) -> None:
    """List what was found and waits, each beside the words it rests on, in the order it was found.

    \b
    Examples:
      voice kg candidates --kind relation --min-confidence 0.7
      voice kg candidates --status rejected --json
    """
    from voice.core.graph.candidates import Cursor
    from voice.entrypoints.forms.candidates import page_json, wanted

    where = wanted(
        status=status,
        kind=kind,
        type_=type_,
        confidence=(min_confidence, max_confidence),
        text=text,
        thought_id=thought_id,
        include_private=include_private,
    )
    place = None if after is None else Cursor.parse(after)
    begins = moment(ctx, since, "--since")

    asked = replace(where, since=begins)

    async def work(services: "Services") -> "tuple[Page, int]":
        moderation, where = services.review.moderation, await resting(services, asked)
        return await moderation.page(where, limit=limit, after=place), await moderation.hidden(where)

    page, hidden = run(ctx, work)
    if as_json:
        print_json(page_json(page))
        return
    tell_hidden(hidden)
    if not page.views and not hidden:
        note("nothing like that waits; `voice kg candidates --status all` lists everything that was ever found")
    for view in page.views:
        click.echo("\n".join(view_lines(view)))
    if page.next is not None:
        note(f"{page.total} in all; --after {page.next} goes on")


@click.command()
@_IDS
@click.option("--with-ends", is_flag=True, help="Approve the entities that a relation needs and that wait, too.")
@_DRY_RUN
@json_option
@click.pass_context
def approve(ctx: click.Context, ids: tuple[str, ...], with_ends: bool, dry_run: bool, as_json: bool) -> None:
    """Put candidates into the graph: each becomes a row, or part of the one that is there already.

    Entities come before relations, whatever order you name them in. Approving again changes nothing.

    \b
    Example: voice kg approve c:01ab… c:7f3c… --dry-run
    """
    from voice.core.graph.verdicts import Approve

    _carry_out(ctx, ids, lambda each: Approve(candidate_id=each), with_ends=with_ends, dry_run=dry_run, as_json=as_json)


@click.command()
@_IDS
@click.option("--reason", default="", metavar="WORDS", help="Why; it is kept beside them.")
@_DRY_RUN
@json_option
@click.pass_context
def reject(ctx: click.Context, ids: tuple[str, ...], reason: str, dry_run: bool, as_json: bool) -> None:
    """Reject candidates; they are remembered and not brought up again. Approving one later is possible.

    \b
    Example: voice kg reject c:01ab… --reason "not a person"
    """
    from voice.core.graph.verdicts import Reject

    _carry_out(ctx, ids, lambda each: Reject(candidate_id=each, reason=reason), dry_run=dry_run, as_json=as_json)


@click.command()
@_IDS
@click.option("--of", "entity", required=True, metavar="NAME", help="The entity: its id, name or another name.")
@_DRY_RUN
@json_option
@click.pass_context
def alias(ctx: click.Context, ids: tuple[str, ...], entity: str, dry_run: bool, as_json: bool) -> None:
    """Say that candidates are other names of an entity that is in the graph already.

    \b
    Example: voice kg alias c:01ab… --of "Anna Lund"
    """
    from voice.core.graph.verdicts import Alias
    from voice.services.graph import resolve_entity

    async def meant(services: "Services") -> "list[Verdict]":
        named = await services.meant.one(entity)
        entity_id = resolve_entity(named, (await services.review.moderation.names.known()).nodes).id
        return [Alias(candidate_id=each, entity_id=entity_id) for each in dict.fromkeys(await services.meant(ids))]

    async def work(services: "Services") -> "Moderated":
        return await _decided(services, await meant(services), with_ends=False, dry_run=dry_run)

    _tell(run(ctx, work), as_json=as_json)


@click.command()
@_IDS
@click.option("--name", metavar="NAME", help="An entity's name.")
@click.option("--type", "type_", metavar="TYPE", help="An entity's or a relation's type.")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="An entity's other names, in place of all.")
@click.option("--source", metavar="NAME", help="A relation's source, by name or id.")
@click.option("--target", metavar="NAME", help="A relation's target, by name or id.")
@click.option("--description", metavar="TEXT", help="One sentence about it.")
@_DRY_RUN
@json_option
@click.pass_context
def edit(
    ctx: click.Context,
    ids: tuple[str, ...],
    name: str | None,
    type_: str | None,
    aliases: tuple[str, ...],
    source: str | None,
    target: str | None,
    description: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put candidates right; they still wait. What was found stays beside the edit.

    \b
    Example: voice kg edit c:01ab… --name "Anna Lund" --type person
    """
    from voice.core.graph.candidates import CandidateKind
    from voice.core.graph.verdicts import Changes, Edit

    async def work(services: "Services") -> "Moderated":
        meant = await services.meant(ids)
        held = await services.review.moderation.candidates.fetch(meant)
        said: list[Verdict] = []
        for each in dict.fromkeys(meant):
            is_relation = each in held and held[each].kind is CandidateKind.RELATION
            changes = Changes(
                name=name,
                entity_type=None if is_relation else type_,
                rel_type=type_ if is_relation else None,
                aliases=aliases or None,
                source=source,
                target=target,
                description=description,
            )
            said.append(Edit(candidate_id=each, changes=changes))
        return await _decided(services, said, with_ends=False, dry_run=dry_run)

    _tell(run(ctx, work), as_json=as_json)


def tell_hidden(private: int) -> None:
    """Say on stderr how many private candidates are left out, if any."""
    if private:
        note(f"{counted(private, 'private one')} left out; --private shows them")


async def resting(services: "Services", where: "CandidateFilter") -> "CandidateFilter":
    """Return what is asked for, with the whole id of the thought that it is to rest on."""
    thought_id = where.thought_id
    return where if thought_id is None else replace(where, thought_id=await services.meant.one(thought_id))


def _carry_out(
    ctx: click.Context,
    ids: Sequence[str],
    verdict: "Callable[[str], Verdict]",
    *,
    dry_run: bool,
    as_json: bool,
    with_ends: bool = False,
) -> None:
    async def work(services: "Services") -> "Moderated":
        said = [verdict(each) for each in dict.fromkeys(await services.meant(ids))]
        return await _decided(services, said, with_ends=with_ends, dry_run=dry_run)

    _tell(run(ctx, work), as_json=as_json)


async def _decided(services: "Services", said: "Sequence[Verdict]", *, with_ends: bool, dry_run: bool) -> "Moderated":
    from voice.core.interchange.arrival import Entrance, ceiling_of

    by = ceiling_of(Entrance.CLI)
    return await services.review.moderation.decide(said, by=by, with_ends=with_ends, dry_run=dry_run)


def _tell(done: "Moderated", *, as_json: bool) -> None:
    tell_unembedded(done.unembedded, done.fault)
    if as_json:
        from voice.entrypoints.forms.candidates import moderated_json

        print_json(moderated_json(done))
        return
    for step in done.steps:
        click.echo(step_line(step, dry_run=done.dry_run))
