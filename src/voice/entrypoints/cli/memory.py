"""`voice remember`, `voice import` and `voice export`.

Law: what comes in here is the person's own (origin `human`, ruling H), and it is stored whatever becomes of its vector
(ruling C17). A record that cannot be read is listed with its place and reason, never with its text.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from voice.entrypoints.cli.printing import note, print_json, printable
from voice.entrypoints.cli.runtime import json_option, moment, progress, run, stdin_text

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.interchange import BadLine
    from voice.ports.files import ReadBatch
    from voice.services.ingest import IngestReport
    from voice.services.transfer import ImportReport, ImportRequest

_BAD_LINES_SHOWN = 20
_FORMATS = ("inner-voice-memory/1", "markdown", "memory-bench/1")
_EXIT_NOTHING = 1


def tell_unembedded(rows: int, fault: str | None) -> None:
    """Say on stderr that rows were kept without their vectors, if so (ruling C17)."""
    if rows:
        why = f" ({fault})" if fault else ""
        note(f"{rows} rows were kept without a vector{why}; run `voice maintain embed-pending` once that is mended")


@click.command()
@click.argument("text", required=False)
@click.option("--kind", default="note", show_default=True, help="What it is: note, diary, decision, …")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; as often as needed.")
@click.option("--private", "is_private", is_flag=True, help="Leave it out wherever private rows are not asked for.")
@click.option("--at", metavar="WHEN", help='When it was: 2026-03-05, 2026-03-05T14:00 or "last Friday". Default: now.')
@click.option("--thread", metavar="NAME", help="The conversation or notebook it belongs to.")
@click.option("--speaker", metavar="NAME", help="Who says it.")
@json_option
@click.pass_context
def remember(
    ctx: click.Context,
    text: str | None,
    kind: str,
    tags: tuple[str, ...],
    is_private: bool,
    at: str | None,
    thread: str | None,
    speaker: str | None,
    as_json: bool,
) -> int:
    """Store a thought, and its sentences as observations that answers can cite. TEXT is `-` or left out to read a pipe.

    \b
    Examples:
      voice remember "Moved the kiln to the shed." --tag studio
      voice remember "Anna starts on the 3rd." --at "last Friday" --private
      pbpaste | voice remember --kind diary
    """
    from voice.core.interchange import Entrance, ceiling_of
    from voice.services.ingest import NewThought

    content = stdin_text(text, what="what to remember")

    async def store(services: "Services") -> "IngestReport":
        thought = NewThought(
            content=content,
            origin=ceiling_of(Entrance.CLI),
            created_at=moment(services, at, "--at"),
            kind=kind,
            tags=tags,
            is_private=is_private,
            thread=thread,
            speaker=speaker,
        )
        return await services.ingest.remember([thought])

    report = run(ctx, store)
    tell_unembedded(report.unembedded, report.embedder_fault)
    if as_json:
        print_json(
            {
                "id": report.stored[0] if report.stored else None,
                "observations": report.observations,
                "forgotten": bool(report.forgotten),
                "unembedded": report.unembedded,
            }
        )
    elif report.stored:
        click.echo(f"{report.stored[0]}  {_citable(report.observations)}")
    if report.forgotten:
        note("this was forgotten before and stays forgotten; say it in other words to keep it after all")
    return 0 if report.stored else _EXIT_NOTHING


def _citable(observations: int) -> str:
    if observations == 0:
        return "kept; it holds no sentence that an answer could cite"
    return f"kept; {observations} sentence{'s' if observations != 1 else ''} can be cited"


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

    async def bring_in(services: "Services") -> "ImportReport | ReadTally":
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

    report = run(ctx, bring_in)
    counts, bad = (report.counts(), report.bad) if isinstance(report, ReadTally) else (_counts(report), report.bad)
    _tell_bad(bad)
    if not isinstance(report, ReadTally):
        for line in report.notes:
            note(line)
        tell_unembedded(report.ingested.unembedded, report.ingested.embedder_fault)
    if as_json:
        print_json({**counts, "bad": [{"where": line.where, "reason": line.reason} for line in bad]})
    else:
        click.echo(
            ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count) or "nothing"
        )
    return 0 if any(counts.values()) else _nothing_in(path)


def _nothing_in(path: str) -> int:
    note(f"nothing in {path} could be imported; docs/formats.md says what can be [data_file_error]")
    return _EXIT_NOTHING


async def _store(services: "Services", request: "ImportRequest") -> "ImportReport":
    with progress() as advance:
        return await services.transfer.import_memory(
            request,
            reading=lambda done, total: advance("reading", done, total),
            storing=lambda done, total: advance("storing", done, total),
        )


def _counts(report: "ImportReport") -> dict[str, int]:
    return {
        "thoughts": len(report.ingested.stored),
        "entities": report.entities,
        "observations": report.observations + report.ingested.observations,
        "relations": report.relations,
        "tombstones": report.tombstones,
        "already_known": report.ingested.already_known + report.graph_known,
        "forgotten": report.ingested.forgotten,
    }


class ReadTally:
    """What a file holds, counted without storing it."""

    def __init__(self) -> None:
        self._kinds = Counter[str]()
        self.bad: list[BadLine] = []

    def add(self, batch: "ReadBatch") -> None:
        """Count a batch of records."""
        from voice.core.interchange import BadLine

        for line in batch.lines:
            if isinstance(line, BadLine):
                self.bad.append(line)
            else:
                self._kinds[type(line.record).__name__] += 1

    def counts(self) -> dict[str, int]:
        """Return how many records there are of each kind, under the names of a real import."""
        return {
            "thoughts": self._kinds["ThoughtLine"],
            "entities": self._kinds["EntityLine"],
            "observations": self._kinds["ObservationLine"],
            "relations": self._kinds["RelationLine"],
            "tombstones": self._kinds["Tombstone"],
            "already_known": 0,
            "forgotten": 0,
        }


async def _read_only(services: "Services", request: "ImportRequest") -> ReadTally:
    from voice.ports.files import ReadRequest

    files = services.transfer.files
    wanted = ReadRequest(
        path=request.path,
        format=request.format or await files.detect(request.path),
        zone=request.zone,
        corpus=request.corpus,
    )
    tally = ReadTally()
    with progress() as advance:
        async for batch in files.read(wanted):
            tally.add(batch)
            advance("reading", batch.done, batch.total)
    return tally


def _tell_bad(bad: "Sequence[BadLine]") -> None:
    for line in bad[:_BAD_LINES_SHOWN]:
        note(f"left out {line.where}: {line.reason}")
    if len(bad) > _BAD_LINES_SHOWN:
        note(f"and {len(bad) - _BAD_LINES_SHOWN} more were left out; --json lists all of them")


@click.command()
@click.argument("path")
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
@json_option
@click.pass_context
def export(ctx: click.Context, path: str, force: bool, as_json: bool) -> None:
    """Write every row of the memory, private ones too, to one file that only you can read. PATH is `-` for a pipe.

    \b
    Examples:
      voice export memory.jsonl
      voice export - | gzip > memory.jsonl.gz
    """
    if path == "-" and as_json:
        raise click.UsageError("--json and an export to standard output do not go together; name a file")
    report = run(ctx, lambda services: services.transfer.export_memory(path, overwrite=force))
    if as_json:
        print_json({"path": report.path, "rows": report.rows, "bytes": report.bytes})
        return
    if path == "-":
        note(f"{report.rows} rows, {report.bytes:,} bytes")
    else:
        click.echo(f"{report.rows} rows, {report.bytes:,} bytes in {printable(report.path)}")
