"""`voice import`.

Law: what can be read comes in; a record that cannot be read is listed with its place and reason, never with its text.
A dry run reads and counts, and stores nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from voice.entrypoints.cli.memory import tell_unembedded
from voice.entrypoints.cli.printing import note, print_json
from voice.entrypoints.cli.runtime import json_option, progress, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.interchange import BadLine
    from voice.services.transfer import ImportReport, ImportRequest

_BAD_LINES_SHOWN = 20
_FORMATS = ("inner-voice-memory/1", "markdown", "memory-bench/1")
_EXIT_NOTHING = 1
_ONE = {
    "thoughts": "thought",
    "entities": "entity",
    "observations": "observation",
    "relations": "relation",
    "tombstones": "tombstone",
}
_KNOWN_ANEW = {"made_private": "of them made private", "tagged": "of them given tags"}
_KIND_OF_LINE = {
    "ThoughtLine": "thoughts",
    "EntityLine": "entities",
    "ObservationLine": "observations",
    "RelationLine": "relations",
    "Tombstone": "tombstones",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What there is to tell of an import."""

    counts: Mapping[str, int]
    bad: Sequence["BadLine"]
    notes: Sequence[str] = ()
    unembedded: int = 0
    fault: str | None = None


@click.command("import")
@click.argument("path")
@click.option("--format", "file_format", type=click.Choice(_FORMATS), help="Default: found by looking into the file.")
@click.option("--corpus", metavar="ID", help="Only this corpus of a memory-bench file.")
@click.option(
    "--me", "own_names", multiple=True, metavar="NAME", help="Your own name in the files; as often as needed."
)
@click.option("--as", "vouched", type=click.Choice(["logged"]), help="You vouch for a log of your own conversations.")
@click.option("--private", "is_private", is_flag=True, help="Make every thought private.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Add a tag to every thought.")
@click.option("--dry-run", is_flag=True, help="Read and report, store nothing.")
@json_option
@click.pass_context
def import_(
    ctx: click.Context,
    path: str,
    file_format: str | None,
    corpus: str | None,
    own_names: tuple[str, ...],
    vouched: str | None,
    is_private: bool,
    tags: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> int:
    """Bring in a file or a folder: an export, Markdown notes, or a memory-bench set. PATH is `-` for a pipe.

    What was imported before is skipped, so an import that was interrupted is resumed by running it again.

    \b
    Examples:
      voice import ~/notes
      voice import backup.jsonl
      voice import chats.json --me "Irma" --corpus conv-26
    """
    from voice.core.interchange import Entrance
    from voice.ports.files import FileFormat
    from voice.services.transfer import ImportRequest

    async def bring_in(services: "Services") -> Outcome:
        request = ImportRequest(
            path=path,
            entrance=Entrance.CLI,
            format=FileFormat(file_format) if file_format else None,
            zone=ZoneInfo(services.find.timezone),
            corpus=corpus,
            own_speakers=own_names,
            vouched=vouched is not None,
            is_private=is_private,
            tags=tags,
        )
        return await (_read_only(services, request) if dry_run else _store(services, request))

    outcome = run(ctx, bring_in, makes=not dry_run)
    _tell_beside(outcome)
    if as_json:
        bad = [{"where": line.where, "reason": line.reason} for line in outcome.bad]
        print_json({**outcome.counts, "bad": bad})
    elif any(outcome.counts.values()):
        click.echo(f"{'would bring in ' if dry_run else ''}{_in_words(outcome.counts)}")
    if any(outcome.counts.values()):
        return 0
    note(f"nothing in {path} could be imported; docs/formats.md says what can be [data_file_error]")
    return _EXIT_NOTHING


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {_named(name, count)}" for name, count in counts.items() if count)


def _named(name: str, count: int) -> str:
    one = _ONE.get(name, name) if count == 1 else name
    return _KNOWN_ANEW.get(name, one.replace("_", " "))


def _tell_beside(outcome: Outcome) -> None:
    """Say on stderr what was left out, and what is not complete."""
    for line in outcome.bad[:_BAD_LINES_SHOWN]:
        note(f"left out {line.where}: {line.reason}")
    if len(outcome.bad) > _BAD_LINES_SHOWN:
        note(f"and {len(outcome.bad) - _BAD_LINES_SHOWN} more were left out; --json lists all of them")
    for remark in outcome.notes:
        note(remark)
    tell_unembedded(outcome.unembedded, outcome.fault)


async def _store(services: "Services", request: "ImportRequest") -> Outcome:
    with progress() as advance:
        report = await services.transfer.import_memory(
            request,
            reading=lambda done, total: advance("reading", done, total),
            storing=lambda done, total: advance("storing", done, total),
        )
    return Outcome(
        counts=_counts(report),
        bad=report.bad,
        notes=report.notes,
        unembedded=report.ingested.unembedded,
        fault=report.ingested.embedder_fault,
    )


def _counts(report: "ImportReport") -> dict[str, int]:
    return {
        "thoughts": len(report.ingested.stored),
        "entities": report.entities,
        "observations": report.observations + report.ingested.observations,
        "relations": report.relations,
        "tombstones": report.tombstones,
        "already_known": report.ingested.already_known + report.graph_known,
        "made_private": report.restricted.made_private,
        "tagged": report.restricted.tagged,
        "forgotten": report.ingested.forgotten,
    }


async def _read_only(services: "Services", request: "ImportRequest") -> Outcome:
    """Read the file and count what stands in it."""
    from voice.core.interchange import BadLine
    from voice.ports.files import ReadRequest

    files = services.transfer.files
    wanted = ReadRequest(
        path=request.path,
        format=request.format or await files.detect(request.path),
        zone=request.zone,
        corpus=request.corpus,
    )
    kinds, bad = Counter[str](), list[BadLine]()
    with progress() as advance:
        async for batch in files.read(wanted):
            bad += [line for line in batch.lines if isinstance(line, BadLine)]
            kinds.update(type(line.record).__name__ for line in batch.lines if not isinstance(line, BadLine))
            advance("reading", batch.done, batch.total)
    counts = {name: kinds[line] for line, name in _KIND_OF_LINE.items()}
    return Outcome(counts={**counts, "already_known": 0, "made_private": 0, "tagged": 0, "forgotten": 0}, bad=bad)
