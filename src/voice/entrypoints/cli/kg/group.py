"""`voice kg`: the knowledge graph by hand.

Law: what is entered here is the person's own and green (ruling C10). A name that could mean several entities is an
error that lists them. Private rows are shown only with `--private`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from voice.core.records import Entity, GraphRow, Observation
from voice.core.text.display import printable
from voice.entrypoints.cli.kg.candidates import alias, approve, candidates, edit, reject
from voice.entrypoints.cli.kg.export import export, graph
from voice.entrypoints.cli.kg.review import review
from voice.entrypoints.cli.memory import tell_unembedded
from voice.entrypoints.cli.organise import merge, merges, stage, unmerge
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.printing import day_of, print_result, wants_json
from voice.entrypoints.cli.terminal.request_options import option_group
from voice.entrypoints.cli.terminal.runtime import JsonGroup, cli_origin, flag, moment, option, run, stdin_text
from voice.requests import filled

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.services.graph.browse import Neighbourhood, SuggestedMerge
    from voice.services.graph.editor import Added, Backing, GraphEditor

    _Adding = Callable[[GraphEditor, tuple[str, ...], Backing], Awaitable[Added]]


class BackingOptions(TypedDict):
    """The options every `kg add` shares, as click hands them over."""

    thought_ids: tuple[str, ...]
    quote: str | None
    tags: tuple[str, ...]
    is_private: bool
    at: str | None
    valid_from: str | None
    valid_until: str | None


_backing_options = option_group(
    option("--from thought_ids", "The note it comes from.", "t:…", multiple=True),
    option("--quote", "The words of that note that support it.", "WORDS"),
    option("--tag tags", "A tag; repeat for several.", "TAG", multiple=True),
    flag("--private is_private", "Keep it private: it stays out unless you ask for private notes."),
    option("--at", "When it was said. Default: the note's time, or now.", "WHEN"),
    option("--valid-from", "When it became true.", "WHEN"),
    option("--valid-until", "When it stops being true.", "WHEN"),
)
private_option = flag("--private include_private", "Include private entries.")


def _backing(options: BackingOptions) -> "Backing":
    from voice.services.graph.editor import Backing

    starts = moment(options["valid_from"], "--valid-from")
    ends = moment(options["valid_until"], "--valid-until")
    if starts and ends and starts >= ends:  # an interval that holds no moment
        raise click.UsageError("--valid-until must be later than --valid-from")
    said = {**options, "created_at": moment(options["at"], "--at"), "valid_from": starts, "valid_until": ends}
    return filled(Backing(origin=cli_origin()), said)  # the person's own, whatever the note's origin


def _add(options: BackingOptions, names: Sequence[str], add: "_Adding") -> None:
    """Add a row that is about what is named, by a name, an id or the start of one."""
    backing = _backing(options)

    async def store(services: "Services") -> "Added":  # in one opening of the memory
        named = await services.resolve_ids(names)
        rests = replace(backing, thought_ids=await services.resolve_ids(backing.thought_ids))
        return await add(services.graph_editor, named, rests)

    added = run(store, makes=True)
    tell_unembedded(1 if added.fault else 0, added.fault)  # stored either way (ruling C17)
    print_result(lambda: forms.rows.added_json(added), added.row.id)


@click.group(cls=JsonGroup)
def kg() -> None:
    """Show, extend and review the knowledge graph.

    \b
    Example: voice kg show Anna
    """


@kg.group(cls=JsonGroup)
def add() -> None:
    """Add an entity, an observation or a relation.

    \b
    Example: voice kg add entity Anna --type person
    """


@add.command("entity")
@click.argument("name")
@option("--type entity_type", "person, project, place, tool, …", default="concept")
@option("--description", "One sentence about it; answers cannot cite an entity without one.", default="")
@option("--alias aliases", "Another name; repeat for several.", "NAME", multiple=True)
@_backing_options
def add_entity(
    name: str, entity_type: str, description: str, aliases: tuple[str, ...], **options: Unpack[BackingOptions]
) -> None:
    """Add an entity, such as a person, a place or a project.

    \b
    Example: voice kg add entity "Anna Lund" --type person --alias Anna --description "Runs the pottery in Porto."
    """
    own = {"entity_type": entity_type, "description": description}
    _add(options, (), lambda editor, _, rests: editor.add_entity(name, **own, aliases=aliases, backing=rests))


@add.command("observation")
@click.argument("text", required=False)
@option("--about", "The entity it is about; repeat for several.", "NAME", multiple=True)
@_backing_options
def add_observation(text: str | None, about: tuple[str, ...], **options: Unpack[BackingOptions]) -> None:
    """Add one self-contained statement. To read a pipe, leave TEXT out or give `-`.

    \b
    Example: voice kg add observation "Anna fires at cone 6." --about Anna --from t:01jq…
    """
    statement = stdin_text(text, what="what was observed")  # "-" or nothing reads a pipe
    _add(options, about, lambda editor, named, rests: editor.add_observation(statement, about=named, backing=rests))


@add.command("relation")
@click.argument("source")
@click.argument("rel_type", metavar="TYPE")
@click.argument("target")
@option("--description", "One sentence that describes it.", default="")
@_backing_options
def add_relation(source: str, rel_type: str, target: str, description: str, **options: Unpack[BackingOptions]) -> None:
    """Add a relation between two entities. Name each by id, name or alias.

    \b
    Example: voice kg add relation Anna works_with "Kiln project" --valid-from 2026-01-01
    """

    def add(editor: "GraphEditor", ends: tuple[str, ...], rests: "Backing") -> "Awaitable[Added]":
        return editor.add_relation(ends[0], rel_type, ends[1], description=description, backing=rests)

    _add(options, (source, target), add)


@kg.command("list")
@option("--type entity_type", "Only entities of this type.", "TYPE")
@private_option
def list_(entity_type: str | None, include_private: bool) -> None:
    """List the entities by name.

    \b
    Example: voice kg list --type person
    """
    entities = run(lambda services: services.browse.entities(entity_type=entity_type, include_private=include_private))
    print_result(
        lambda: [forms.rows.row_json(entity) for entity in entities],
        map(_entity_line, entities),
        none="No entities; `voice kg add entity` adds one.",
    )


def _entity_line(entity: Entity) -> str:
    also = f" (also {', '.join(entity.aliases)})" if entity.aliases else ""  # other names beside the first
    return f"{entity.id}  {printable(entity.entity_type):<12} {printable(entity.name + also)}"


@kg.command()
@click.argument("name")
@option("--as-of as_of", "Show what the memory held at that time.", "WHEN")
@private_option
def show(name: str, as_of: str | None, include_private: bool) -> None:
    """Show an entity, its relations and its observations.

    It also shows corrections. NAME is an id, a name or an alias.

    \b
    Examples:
      voice kg show "Anna Lund"
      voice kg show "Anna Lund" --as-of 2026-03-01
    """
    at = moment(as_of, "--as-of")

    async def look(services: "Services") -> "Neighbourhood":
        entity_id = await services.resolve_ids.one(name)
        return await services.browse.around(entity_id, include_private=include_private, as_of=at)

    found = run(look)
    print_result(lambda: forms.rows.neighbourhood_json(found), _neighbourhood_lines(found))


@kg.command()
@private_option
def duplicates(include_private: bool) -> None:
    """List entities that may be the same, most similar first. It changes nothing.

    \b
    Example: voice kg duplicates
    """
    pairs = run(lambda services: services.duplicates(include_private=include_private))
    print_result(lambda: forms.rows.duplicates_json(pairs), map(_pair_line, pairs), none="No duplicates found.")
    if pairs and not wants_json():  # only where there is something to merge
        click.echo("`voice kg merge ENTITY OTHER` merges two of them; `voice kg show` shows each.", err=True)


def _pair_line(each: "SuggestedMerge") -> str:
    both = " ~ ".join(f"{row.name} ({row.entity_type}) {row.id}" for row in (each.one, each.other))
    return printable(f"{each.pair.score:.2f}  {both}  {each.pair.likeness.value}")


def _neighbourhood_lines(found: "Neighbourhood") -> list[str]:
    entity, names = found.entity, dict(found.names)
    head = f"{entity.name} ({entity.entity_type}) {entity.id}{_sureness(found, entity)}"
    lines = [f"{head}: {entity.description}" if entity.description else head]
    if entity.aliases:
        lines.append(f"also: {', '.join(entity.aliases)}")
    for relation in found.relations:
        edge = f"{names[relation.source_id]} --{relation.rel_type}--> {names[relation.target_id]}"
        lines.append(f"{edge}  {relation.id}{_validity(relation)}{_sureness(found, relation)}")
    observations = ((row, f"{row.text}  {row.id}{_validity(row)}{_sureness(found, row)}") for row in found.observations)
    lines += [f"{day_of(row.created_at)}  {told}" for row, told in observations]
    lines += [f"before: {_past_line(row, names)}" for row in found.history]
    return [printable(line) for line in lines]


def _sureness(found: "Neighbourhood", row: GraphRow) -> str:
    confidence = found.confidences.get(row.id)
    return f"  ({confidence.message})" if confidence is not None and confidence.message else ""


def _past_line(row: GraphRow, names: Mapping[str, str]) -> str:
    """Return what a row said until it was corrected, and when, by whom, why and by what."""
    match row:
        case Entity():
            also = f", also {', '.join(row.aliases)}" if row.aliases else ""
            said = f"{row.name} ({row.entity_type}{also})" + (f": {row.description}" if row.description else "")
        case Observation():
            said = row.text
        case _:
            said = f"{names[row.source_id]} --{row.rel_type}--> {names[row.target_id]}"
    when = f"corrected {day_of(row.superseded_at)}" if row.superseded_at else "corrected"
    who = f" by {row.superseded_author.value}" if row.superseded_author else ""
    why = f": {row.superseded_reason}" if row.superseded_reason else ""
    by = f" → {row.superseded_by}" if row.superseded_by else ""
    return f"{said}  {row.id}{_validity(row)}  ({when}{who}{why}){by}"


def _validity(row: GraphRow) -> str:
    starts = f" from {day_of(row.valid_from)}" if row.valid_from else ""
    ends = f" until {day_of(row.valid_until)}" if row.valid_until else ""  # an open end is not told
    return f"  [true{starts}{ends}]" if starts or ends else ""


for _command in (export, graph, stage, candidates, approve, reject, alias, edit, review, merge, unmerge, merges):
    kg.add_command(_command)
