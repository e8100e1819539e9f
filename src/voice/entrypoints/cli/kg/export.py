"""`voice kg export` and `voice kg graph`: the knowledge graph for other programs, and for the eye.

Law: what leaves is what may be seen: private rows only with `--private`, and that some were left out is said. A file is
written whole or not at all, is its owner's alone, and takes no other file's place unasked.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from voice.core.text.display import counted, printable
from voice.entrypoints.cli.terminal.printing import note, print_result, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonCommand, flag, option, progress_of, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.subgraph import Subgraph
    from voice.entrypoints.shared.graph_picture import Page

_Form = Literal["jsonld", "graphml"]
_FORM_OF_SUFFIX: dict[str, _Form] = {".jsonld": "jsonld", ".json": "jsonld", ".graphml": "graphml", ".xml": "graphml"}
_MOST_HOPS = 6
_MOST_CARDS = 60
_private = flag("--private include_private", "Include private entries.")
_force = flag("--force", "Replace an existing file.")


@click.command(cls=JsonCommand)
@option("--out path", "Write to a file that only you can read. Default: print it.", "FILE")
@option(
    "--format form", "The format. Default: from the name of FILE, or jsonld.", type=click.Choice(["jsonld", "graphml"])
)
@option("--around", "Only the graph around this entity: an id, a name or an alias.", "ENTITY")
@option("--hops", "With --around: how many steps away. Default: 1.", type=click.IntRange(1, _MOST_HOPS))
@_private
@_force
def export(
    path: str | None, form: _Form | None, around: str | None, hops: int | None, include_private: bool, force: bool
) -> None:
    """Write the knowledge graph as JSON-LD or GraphML.

    JSON-LD holds everything about each entry; GraphML opens in Gephi, yEd and networkx. You cannot import either again;
    use `voice export` for that. --json describes the file on stdout.

    \b
    Examples:
      voice kg export --out graph.jsonld
      voice kg export --around "Anna Lund" --hops 2 --out anna.graphml
    """
    if hops is not None and around is None:  # a default of 1 counts nothing without an entity
        raise click.UsageError("--hops counts from an entity; name it with --around")
    if path is None and wants_json():
        raise click.UsageError("--json cannot be combined with a graph on standard output; name a file with --out")
    chosen = form or _FORM_OF_SUFFIX.get(Path(path).suffix.lower() if path else "", "jsonld")

    async def leave(services: "Services") -> tuple["Subgraph", str]:
        from voice.core.render.kg_export import graph_graphml, graph_jsonld

        part = await _part(services, around, hops or 1, include_private)
        if chosen == "graphml":
            part = _for_graphml(part)  # GraphML has edges, so a row without an end has no place
        text = graph_jsonld(part) if chosen == "jsonld" else graph_graphml(part)
        if path is not None:
            await services.transcripts.files.write(path, text, overwrite=force)
        return part, text

    part, text = run(leave)
    _tell_private(part, include_private)
    if path is None:
        click.echo(text, nl=False)
        return
    size = len(text.encode())  # bytes, not characters
    document = {"path": path, "format": chosen, **_counts(part), "bytes": size}
    print_result(document, f"{_in_words(part)}, {counted(size, 'byte')} in {printable(path)}")


async def _part(services: "Services", around: str | None, hops: int, include_private: bool) -> "Subgraph":
    if around is not None:
        return (await services.portraits.around(around, hops=hops, include_private=include_private)).part
    with progress_of("reading") as reading:
        return await services.portraits.whole(
            include_private=include_private, progress=lambda done: reading(done, None)
        )


def _for_graphml(part: "Subgraph") -> "Subgraph":
    if unlinked := len(part.observations) - len(part.linked.observations):
        are = "is" if unlinked == 1 else "are"
        note(f"{counted(unlinked, 'observation')} about no entity {are} left out; JSON-LD has them")
    return part.linked


@click.command(cls=JsonCommand)
@click.argument("entity")
@option("--hops", "How many steps from ENTITY.", type=click.IntRange(1, _MOST_HOPS), default=2)
@option(
    "--most",
    "How many entities to draw at most; the most connected ones stay.",
    type=click.IntRange(2, _MOST_CARDS),
    default=30,
)
@option("--out path", "Write to a file that only you can read. Default: print it.", "FILE")
@flag("--open opens", "Open it in the browser; without --out from a temporary file.")
@option("--seed", "Seed of the layout; another number gives another layout.", type=click.IntRange(0, 9999), default=0)
@_private
@_force
def graph(
    entity: str, hops: int, most: int, path: str | None, opens: bool, seed: int, include_private: bool, force: bool
) -> None:
    """Draw the graph around an entity as one HTML page.

    The page needs no network. It shows entities as cards, relations as arrows and, on each card, its observations with
    their days; below the picture it says the same in words. ENTITY is an id, a name or an alias.

    \b
    Examples:
      voice kg graph "Anna Lund" --open
      voice kg graph Anna --hops 1 --out anna.html
    """
    if path is None and not opens and wants_json():
        raise click.UsageError("--json cannot be combined with a page on standard output; name a file with --out")

    async def draw(services: "Services") -> tuple["Page", str | None]:
        from tempfile import mkdtemp

        page = await _page(services, entity, hops, most, seed, include_private)
        # Without a file of the person's own: a directory that only its owner can enter.
        place = path or (str(Path(mkdtemp(prefix="voice-")) / "graph.html") if opens else None)
        if place is not None:
            await services.transcripts.files.write(place, page.html, overwrite=force)
        return page, place

    page, place = run(draw)
    _tell_private(page.shown, include_private)
    if place is None:
        click.echo(page.html, nl=False)
        return
    has_opened = opens and _has_opened(place)  # before the JSON is printed, which says so
    cut = page.entities_in_reach - len(page.shown.entities)
    more = f" ({cut:,} less connected left out; --most sets how many)" if cut else ""
    left_out = {"entities_in_reach": page.entities_in_reach, "names_without_room": page.hidden_names}
    document = {"path": place, **_counts(page.shown), **left_out, "opened": has_opened}
    print_result(document, f"{_in_words(page.shown)}{more} in {printable(place)}")


async def _page(services: "Services", entity: str, hops: int, most: int, seed: int, include_private: bool) -> "Page":
    from voice.entrypoints.shared.graph_picture import View, picture_page

    found = await services.portraits.around(entity, hops=hops, include_private=include_private)
    view = View(
        focus=found.focus,
        hops=hops,
        limit=most,
        now=services.clock.now(),
        timezone=services.timezone,
        seed=seed,
        include_private=include_private,
    )
    return picture_page(found.part, view)


def _has_opened(path: str) -> bool:
    import webbrowser

    if webbrowser.open(Path(path).absolute().as_uri()):  # False where the machine has no browser
        return True
    note(f"could not open a browser; open {path} yourself")
    return False


def _tell_private(part: "Subgraph", include_private: bool) -> None:
    if part.private_left_out and not include_private:  # with --private none is left out
        are, them = ("is", "it") if part.private_left_out == 1 else ("are", "them")
        note(f"{counted(part.private_left_out, 'private row')} {are} left out; --private includes {them}")


def _counts(part: "Subgraph") -> dict[str, object]:
    return {
        "entities": len(part.entities),
        "relations": len(part.relations),
        "observations": len(part.observations),
        "private_left_out": part.private_left_out,
    }


def _in_words(part: "Subgraph") -> str:
    entities = counted(len(part.entities), "entity", "entities")
    return f"{entities}, {counted(len(part.relations), 'relation')}, {counted(len(part.observations), 'observation')}"
