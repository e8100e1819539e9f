"""`voice kg merge` and `voice kg unmerge`: two entities made one, and two again.

Law: only what a person named is merged; `voice kg duplicates` suggests and changes nothing (ruling F).
"""

from typing import TYPE_CHECKING

import click

from voice.core.text.display import counted
from voice.core.text.instants import render_instant
from voice.entrypoints.cli.memory import tell_unembedded
from voice.entrypoints.cli.terminal.printing import day_of, note, print_json, printable
from voice.entrypoints.cli.terminal.runtime import cli_origin, former, json_option, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.entities.merge import Merge
    from voice.core.records import Entity
    from voice.services.graph.entity_merge import Merged

_REASON = click.option("--reason", metavar="WORDS", help="Why; kept with the old entries.")
_ANYTHING = "concept"
"""The type of what nobody said more of; it may be part of anything."""
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Change nothing; say what would follow.")


@click.command()
@click.argument("kept", metavar="ENTITY", required=False)
@click.argument("absorbed", metavar="OTHER", required=False)
@click.option("--list", "lists", is_flag=True, help="List merges, the latest first, with those that were undone.")
@_REASON
@click.option(
    "--private",
    "allow_private",
    is_flag=True,
    help="Merge a private entity with one that is not; the result is private.",
)
@_DRY_RUN
@json_option
@click.pass_context
def merge(
    ctx: click.Context,
    kept: str | None,
    absorbed: str | None,
    lists: bool,
    reason: str | None,
    allow_private: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Merge OTHER into ENTITY, which keeps its id, name and type and takes over OTHER's names, words and sources.

    Both are ids, names or aliases; if a name fits several entities, give ids. `voice ask --as-of` still finds the
    state before; `voice kg unmerge` undoes the merge.

    \b
    Examples:
      voice kg merge "Anna Lund" Anna --dry-run
      voice kg merge e:01jq… e:01jr… --reason "the same person"
      voice kg merge --list
    """
    if lists:
        if kept:
            raise click.UsageError("--list goes without entities")
        _list(ctx, as_json=as_json)
        return
    if kept is None or absorbed is None:
        raise click.UsageError("name two entities, or say --list")
    named = (kept, absorbed)

    async def work(services: "Services") -> "Merged":
        one, other = await services.resolve_ids(named)
        return await services.merging.merge(
            one, other, reason=reason, by=cli_origin(), allow_private=allow_private, dry_run=dry_run
        )

    merged = run(ctx, work)
    _tell(merged, "would become part of" if dry_run else "is part of", dry_run=dry_run, as_json=as_json)


merges = former(merge, "merges", "kg merge --list", keeps="as_json", lists=True)


@click.command()
@click.argument("merge_id", metavar="m:ID")
@_REASON
@_DRY_RUN
@json_option
@click.pass_context
def unmerge(ctx: click.Context, merge_id: str, reason: str | None, dry_run: bool, as_json: bool) -> None:
    """Undo a merge: both entities are as they were before it.

    What you have added since stays with the remaining entity; the command lists it, so that you can move it.

    \b
    Example: voice kg unmerge m:01jq…
    """

    async def work(services: "Services") -> "Merged":
        whole_id = await services.resolve_ids.one(merge_id)
        return await services.merging.unmerge(whole_id, reason=reason, by=cli_origin(), dry_run=dry_run)

    merged = run(ctx, work)
    _tell(merged, "would no longer be part of" if dry_run else "is no longer part of", dry_run=dry_run, as_json=as_json)


def _list(ctx: click.Context, *, as_json: bool) -> None:
    entries = run(ctx, lambda services: services.merging.merges())
    if as_json:
        print_json([_merge_json(each) for each, _, _ in entries])
        return
    if not entries:
        note("nothing was merged; `voice kg duplicates` suggests what may be one")
    for each, kept, absorbed in entries:
        undone = f", taken back {day_of(each.undone_at)}" if each.undone_at else ""
        both = f"{_named(absorbed, each.absorbed)} part of {_named(kept, each.kept)}"
        click.echo(f"{each.id}  {day_of(each.at)}  {printable(both)}{undone}")


def _named(entity: "Entity | None", row_id: str) -> str:
    """Return an entity as the list calls it; a private one, and one that is gone, by its id alone."""
    return row_id if entity is None or entity.is_private else f"{entity.name} ({row_id})"


def _tell(merged: "Merged", became_words: str, *, dry_run: bool, as_json: bool) -> None:
    tell_unembedded(1 if merged.fault else 0, merged.fault)
    if as_json:
        print_json(_merged_json(merged, dry_run=dry_run))
        return
    undone = merged.merge.undone_at is not None
    parts = [
        f"{counted(len(merged.moved), 'row')} moved {'back' if undone else 'along'}" if merged.moved else "",
        *_ended(merged),
        f"{counted(merged.pins, 'pin')} moved along" if merged.pins else "",
    ]
    effects = "".join(f", {part}" for part in parts if part)
    head = "" if dry_run else f"{merged.merge.id}  "
    both = f"{_named(merged.absorbed, merged.absorbed.id)} {became_words} {_named(merged.kept, merged.kept.id)}"
    click.echo(head + printable(f"{both}{effects}"))
    types = {merged.kept.entity_type, merged.absorbed.entity_type}
    if not undone and len(types) > 1 and _ANYTHING not in types:
        became, hint = (
            ("would become", "") if dry_run else ("became", f"; if that is wrong: voice kg unmerge {merged.merge.id}")
        )
        note(f"a {merged.absorbed.entity_type} {became} part of a {merged.kept.entity_type}{hint}")
    if merged.stayed:
        note(
            f"said since and still about {merged.kept.id}: {', '.join(merged.stayed)}; `voice correct` puts them right"
        )


def _ended(merged: "Merged") -> list[str]:
    """Return what is told of relations: those that one of the two says already, and those that led between them."""
    if merged.merge.undone_at is not None:
        return [f"{counted(len(merged.ended), 'relation')} again"] if merged.ended else []
    repeated = sum(each.into is not None for each in merged.merge.ended)
    between = len(merged.merge.ended) - repeated
    return [
        f"{counted(repeated, 'relation')} said the same" if repeated else "",
        f"{counted(between, 'relation')} between the two ended" if between else "",
    ]


def _merged_json(merged: "Merged", *, dry_run: bool) -> dict[str, object]:
    return {
        **_merge_json(merged.merge),
        "id": None if dry_run and merged.merge.undone_at is None else merged.merge.id,
        "moved": [*merged.moved],
        "ended": [*merged.ended],
        "stayed": [*merged.stayed],
        "pins": merged.pins,
        "embedded": merged.fault is None,
        "dry_run": dry_run,
    }


def _merge_json(each: "Merge") -> dict[str, object]:
    return {
        "id": each.id,
        "kept": each.kept,
        "absorbed": each.absorbed,
        "at": render_instant(each.at),
        "by": each.by.value,
        "undone_at": None if each.undone_at is None else render_instant(each.undone_at),
    }
