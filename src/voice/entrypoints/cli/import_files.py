"""`voice import`.

Law: a record that cannot be read is listed with its place and reason, never with its text; what is left out on purpose
is counted by reason, with its first places. A dry run stores nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from voice.core.errors import DataFileError
from voice.core.messages.files import HOW_TO_DATE
from voice.core.text.display import counted, printable
from voice.core.text.instants import render_instant
from voice.entrypoints.cli.memory import tell_owner, tell_reranker, tell_unembedded, tell_unstaged, tell_waiting
from voice.entrypoints.cli.terminal.interrupts import explaining_resumption
from voice.entrypoints.cli.terminal.printing import note, print_json, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonCommand, flag, load_settings, option, progress, run
from voice.entrypoints.shared import notes

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.interchange.foreign.vault import Offers
    from voice.core.interchange.import_plan import Preview
    from voice.entrypoints.cli.terminal.runtime import Advance
    from voice.services.graph.extraction import Arrived
    from voice.services.imports.request import ImportPreview, ImportReport, ImportRequest

_BAD_LINES_SHOWN = 20  # faults told one by one; --json has all
_PLACES_SHOWN = 3  # places of notes that left a folder, or came back
READING_NAMES = "looking for names"
ENTERING_LINKS = "storing links"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """What there is to tell of an import."""

    counts: Mapping[str, int]
    came: "ImportReport | ImportPreview"
    links: int
    """Links between notes that are offered for review."""
    previewed: "ImportPreview | None" = None
    zone: tzinfo = UTC
    """In which days are told."""
    unsynced: Sequence[str] = ()
    """What there is to say of notes that left a folder, or came back."""
    unembedded: int = 0
    fault: str | None = None
    arrived: "Arrived | None" = None
    """What of it was put up for review."""
    reads: bool = False
    """Whether what would come in would be read for that."""


def _parse_vouching(_ctx: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Take `--as logged`; a format has an option of its own."""
    if value in notes.FORMATS:  # `--as obsidian` was meant as a format
        raise click.UsageError(f"name a format with --format {value}; --as takes only the word logged")
    if value not in {None, "logged"}:
        raise click.BadParameter("use --as logged to vouch for a log of your own conversations")
    return value


@click.command("import", cls=JsonCommand)
@click.argument("path")
@option("--format file_format", "Default: recognised from the file's content.", type=click.Choice(notes.FORMATS))
@option("--corpus", "Import only this corpus of a memory-bench file.", "ID")
@option("--me own_names", "Your name or mail address in the files; repeat for several.", "NAME", multiple=True)
@option(
    "--as vouched",
    "Vouch for a log of your own conversations, so that answers can cite all its speakers.",
    "[logged]",
    callback=_parse_vouching,
)
@option(
    "--map fields",
    "For JSON lines: which of their fields holds content, created_at, speaker, …; repeat for several.",
    "OURS=THEIRS",
    multiple=True,
)
@flag("--private is_private", "Make everything it imports private.")
@option("--tag tags", "Tag everything it imports; repeat for several.", "TAG", multiple=True)
@flag("--dry-run", "Show what would be imported, and store nothing.")
def import_(
    path: str,
    file_format: str | None,
    corpus: str | None,
    own_names: tuple[str, ...],
    vouched: str | None,
    fields: tuple[str, ...],
    is_private: bool,
    tags: tuple[str, ...],
    dry_run: bool,
) -> int:
    """Import notes, chats, mail or an export.

    PATH is a file, a folder, an archive (ZIP, tar), or a pipe (`-`). Voice reads notes (Obsidian, Logseq, Notion,
    Evernote, Keep), chats with ChatGPT, Claude or Gemini, messages (WhatsApp, Telegram), mail (mbox), JSON lines and
    plain text.

    It skips what it has imported before. To resume an import that stopped, run it again; to add what is new, import a
    newer export. docs/import.md shows how to export from each program.

    \b
    Examples:
      voice import ~/notes
      voice import conversations.json --dry-run
      voice import sent.mbox --me irma@example.org
      voice import app.jsonl --map content=body --map created_at=ts
      voice import backup.jsonl
      voice import chats.json --me "Irma" --corpus conv-26
    """
    from voice.core.interchange.json_fields import parse_mapping
    from voice.core.interchange.origin import Entrance
    from voice.ports.files import FileFormat
    from voice.services.imports.request import ImportRequest

    mapping, settings = parse_mapping(fields), load_settings().settings
    known = settings.owner.called
    is_folder = Path(path).is_dir()  # a file is never in step with a folder

    async def bring_in(services: "Services") -> ImportOutcome:
        request = ImportRequest(
            path=path,
            entrance=Entrance.CLI,
            format=FileFormat(file_format) if file_format else FileFormat.JSONL if mapping else None,
            zone=ZoneInfo(services.timezone),
            date_order=services.settings.time.date_order,
            corpus=corpus,
            own_speakers=(*own_names, *known),  # names in the settings hold for each import
            vouched=vouched is not None,
            is_private=is_private,
            tags=tags,
            mapping=mapping,
        )
        if is_folder:
            await services.following.require_whole(request)
        return await (_preview(services, request) if dry_run else _store(services, request, is_folder=is_folder))

    outcome = run(bring_in, makes=not dry_run)
    _tell_notices(outcome, None if known else own_names)  # --me is explained where the settings name nobody
    if wants_json():
        print_json(_as_json(outcome))
    elif any(outcome.counts.values()):
        _tell(outcome)
        if is_folder and not dry_run:  # notes, of which questions are asked
            tell_reranker(settings)
    if any(outcome.counts.values()):  # nothing at all is a fault: the path may be wrong
        return 0
    what = "the piped input" if path == "-" else path
    note(f"found nothing to import in {what}; docs/import.md lists what voice can read [{DataFileError.code}]")
    return DataFileError.exit_code


def _tell(outcome: ImportOutcome) -> None:
    click.echo(f"{'would import ' if outcome.previewed else ''}{notes.counts_in_words(outcome.counts)}")
    if outcome.previewed is not None and outcome.previewed.preview.thoughts:
        tell_preview(outcome.previewed.preview, links=outcome.links, reads=outcome.reads, zone=outcome.zone)
    tell_waiting(outcome.arrived.staged if outcome.arrived else None)


def _as_json(outcome: ImportOutcome) -> dict[str, object]:
    came = outcome.came
    document: dict[str, object] = {
        **outcome.counts,
        "bad": [asdict(line) for line in came.bad],
        "left_out": [{"reason": reason, **asdict(each)} for reason, each in came.left_out.items()],
        "undated": asdict(came.undated),
        "links_offered": outcome.links,
    }
    if outcome.arrived is not None:
        staged = outcome.arrived.staged
        document |= {"pending_entities": staged.pending_entities, "pending_relations": staged.pending_relations}
    if outcome.previewed is None:
        return document
    seen = outcome.previewed.preview
    people = [{"name": each.name, "origin": each.origin, "thoughts": each.thoughts} for each in seen.people]
    return {
        **document,
        "preview": {
            "private": seen.private,
            "earliest": render_instant(seen.earliest) if seen.earliest else None,
            "latest": render_instant(seen.latest) if seen.latest else None,
            "undated": seen.undated,
            "people": people,
            "first_lines": list(seen.first_lines),
        },
    }


def _tell_notices(outcome: ImportOutcome, own_names: Sequence[str] | None) -> None:
    """Say on stderr what was left out, what is not complete, and how to say who one is where that is not known."""
    came = outcome.came
    for line in came.bad[:_BAD_LINES_SHOWN]:
        note(f"left out {line.where}: {line.reason}")
    if len(came.bad) > _BAD_LINES_SHOWN:
        note(f"left out {len(came.bad) - _BAD_LINES_SHOWN} more; --json lists all of them")
    for reason, each in came.left_out.items():
        note(f"left out {notes.omitted_in_words(reason, each.count)}: {notes.places_in_words(each)}")
    if came.undated.count:
        hint = f"; {HOW_TO_DATE}" if came.undated.count > 1 else ""
        note(f"{counted(came.undated.count, 'record')} without a date: {notes.places_in_words(came.undated)}{hint}")
    for remark in (*came.notes, *outcome.unsynced):
        note(remark)
    tell_unembedded(outcome.unembedded, outcome.fault)
    tell_unstaged(None if outcome.arrived is None else outcome.arrived.fault)
    if own_names is not None and any(outcome.counts.values()):
        said = next((name for name in own_names if "@" not in name), None)  # an address is no name
        tell_owner(said or came.owner, is_said=said is not None)


async def _store(services: "Services", request: "ImportRequest", *, is_folder: bool) -> ImportOutcome:
    with explaining_resumption("import"), progress(in_lines=True, then=READING_NAMES) as advance:
        for title in ("reading", "storing"):  # both bars stand from the start
            advance(title, 0, None)
        report = await services.transfer.import_memory(
            request, reading=partial(advance, "reading"), storing=partial(advance, "storing")
        )
        arrived = await stage_candidates(services, report.ingested.stored, report.offers, advance)
    return ImportOutcome(
        counts=notes.counts_of(report),
        came=report,
        links=len(report.offers.relations),
        unsynced=await _unsynced(services, request) if is_folder else (),
        unembedded=report.ingested.unembedded,
        fault=report.ingested.embedder_fault,
        arrived=arrived,
    )


async def stage_candidates(
    services: "Services", stored: Sequence[str], offers: "Offers", advance: "Advance"
) -> "Arrived":
    """Let what was stored be read for what it names and links, and tell how far that is."""
    done, links = 0, len(offers.relations)  # links come after all notes
    advance(READING_NAMES, done, len(stored))

    def step(notes: int) -> None:
        nonlocal done
        done += notes
        advance(READING_NAMES, done, len(stored))
        if links and done == len(stored):
            advance(ENTERING_LINKS, 0, links)

    return await services.extracting.arrived(stored, offers, progress=step, linking=partial(advance, ENTERING_LINKS))


async def _unsynced(services: "Services", request: "ImportRequest") -> tuple[str, ...]:
    """Return what to say of the notes that came from a folder before, and are in it no more or again."""
    looked = await services.following.looked_at(request)
    gone = ("from an earlier import {are} no longer in this folder", "to remove {them} from the memory as well")
    back = ("that had left this folder {are} in it again", "to restore {them} in the memory")
    moved = ("from an earlier import {are} now elsewhere in this folder", "to rename {them} in the memory as well")
    moves = [f"{each.before} → {each.place}" for each in looked.moved]
    changes = ((looked.gone, gone), (moves, moved), (looked.back, back))
    return tuple(_left_to_sync(places, request.path, *words) for places, words in changes if places)


def _left_to_sync(places: Sequence[str], folder: str, what: str, goal: str) -> str:
    are, them = ("is", "it") if len(places) == 1 else ("are", "them")
    shown = "; ".join([*map(printable, places[:_PLACES_SHOWN]), *(["…"] if len(places) > _PLACES_SHOWN else [])])
    said = f"{counted(len(places), 'note')} {what.format(are=are)} ({shown})"
    return f"{said}; {goal.format(them=them)}, run `voice sync {folder}`"


async def _preview(services: "Services", request: "ImportRequest") -> ImportOutcome:
    from voice.services.imports.request import PreviewImport

    previewing = PreviewImport(files=services.transfer.files, ingest=services.ingest, edited=services.transfer.edited)
    with progress(in_lines=True) as advance:
        seen = await previewing.preview(request, reading=partial(advance, "reading"))
    return ImportOutcome(
        counts=notes.preview_counts(seen),
        came=seen,
        links=seen.links,
        previewed=seen,
        reads=services.extracting.is_automatic,
        zone=request.zone,
    )


def tell_preview(seen: "Preview", *, links: int, reads: bool, zone: tzinfo) -> None:
    """Print what would be imported; `reads` is whether the import looks for names, `zone` that of the days."""
    click.echo(f"  dates   {notes.dates_in_words(seen, zone)}")
    click.echo(f"  words   {notes.people_in_words(seen.people)}")
    if seen.private:
        click.echo(f"  private {seen.private:,}")
    if links:
        click.echo(f"  links   {links:,} between notes")
    if reads:
        click.echo("  names   found after the import; review them with `voice kg review`")
    for line in seen.first_lines:
        click.echo(f"  begins  {printable(line)}")
