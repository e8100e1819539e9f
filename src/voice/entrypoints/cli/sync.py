"""`voice sync`: keep the memory in step with a folder of notes.

Law: the folder is the truth of its notes (ruling I4): what became of each is counted, what is gone is named, and a dry
run changes nothing. Under `--watch` a line is said for each time that something changed, until it is stopped.
"""

from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from voice.core.errors import DataFileError
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.import_files import READING_NAMES, stage_candidates
from voice.entrypoints.cli.memory import tell_unembedded, tell_unstaged, tell_waiting
from voice.entrypoints.cli.terminal.interrupts import explaining_resumption
from voice.entrypoints.cli.terminal.printing import note, print_json, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonCommand, flag, option, progress, run
from voice.entrypoints.shared.notes import omitted_in_words, places_in_words

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.services.graph.extraction import Arrived
    from voice.services.imports.report import Conflict, SyncReport
    from voice.services.imports.request import ImportRequest
    from voice.services.imports.sync import FolderSync

_SHOWN = 5  # places told of each kind
_NAMED = ("new", "changed", "back", "gone")  # kinds of which places are told
_SHOWN_AS = {"back": "restored", "gone": "deleted"}  # a person's words, where these are others than JSON's
_FORGETS = "the memory would forget them for good (setting sync.gone)"
_FORGOT = "the memory has forgotten them (setting sync.gone)"


@click.command(cls=JsonCommand)
@click.argument("folder", metavar="DIR")
@flag("--watch", "Keep running, and sync again after each save. Stop with Ctrl-C.")
@flag("--dry-run", "Show what would change, and change nothing.")
@flag("--private is_private", "Make all notes of this folder private, now and in later syncs.")
@option("--tag tags", "Tag all notes of this folder, now and in later syncs.", "TAG", multiple=True)
def sync(folder: str, watch: bool, dry_run: bool, is_private: bool, tags: tuple[str, ...]) -> None:
    """Update the memory from a folder of notes.

    If you edited a note, its new words replace the old ones, which --as-of still finds. If you renamed or moved it, it
    keeps its pins and everything you approved. If you deleted it, only --as-of still finds it; it is marked for removal
    (`voice removals list`) and returns when its file does. With the setting sync.gone = forget, a sync forgets it
    instead. What you corrected in the memory stays until you change that sentence in the file; what you forgot stays
    forgotten. A folder inside a vault syncs as that part of the vault. docs/import.md says more.

    \b
    Examples:
      voice sync ~/notes --dry-run
      voice sync ~/notes
      voice sync ~/notes --watch
    """
    if watch and dry_run:
        raise click.UsageError("--dry-run runs once, so it cannot be combined with --watch")

    async def work(services: "Services") -> None:
        from voice.core.interchange.origin import Entrance
        from voice.services.imports.request import ImportRequest

        request = ImportRequest(
            path=folder,
            entrance=Entrance.CLI,
            zone=ZoneInfo(services.timezone),
            date_order=services.settings.time.date_order,
            is_private=is_private,
            tags=tags,
        )
        # A watch goes on by itself; a dry run has nothing to resume.
        with nullcontext() if watch or dry_run else explaining_resumption("sync"):
            report, arrived = await _synced(services, request, dry_run=dry_run)  # once at first, also for --watch
        _report(report, arrived, in_one_line=watch)
        if watch:
            await _sync_after_saves(services, request)

    run(work, makes=not dry_run)


async def _sync_after_saves(services: "Services", request: "ImportRequest") -> None:
    """Sync after each save, and say what came of it where something did."""
    following: FolderSync = services.following
    folder = await following.folders.root_of(request.path, request.format)
    note(f"watching {printable(folder.root)}; press Ctrl-C to stop")  # as resolved: it may be a part of a vault
    async for _ in following.folders.watch(folder):
        try:
            report, arrived = await _synced(services, request)
        except DataFileError as error:  # no note is left, or the disk is away: it may come back
            note(str(error))
            continue
        if report.is_news:  # a save that changed no word is no news
            _report(report, arrived, in_one_line=True)


async def _synced(
    services: "Services", request: "ImportRequest", *, dry_run: bool = False
) -> "tuple[SyncReport, Arrived | None]":
    with progress(in_lines=True, then=None if dry_run else READING_NAMES) as advance:
        advance("syncing", 0, None)
        report = await services.following.sync(request, dry_run=dry_run, storing=partial(advance, "syncing"))
        return report, None if dry_run else await stage_candidates(services, report.fresh, report.offers, advance)


def _report(report: "SyncReport", arrived: "Arrived | None", *, in_one_line: bool) -> None:
    _tell_notices(report, arrived)
    if wants_json():  # a document a line, for programs that read along
        print_json(_as_json(report, arrived), indent=None if in_one_line else 2)
    else:
        _tell(report, arrived)


def _as_json(report: "SyncReport", arrived: "Arrived | None") -> dict[str, object]:
    """Return what came of a sync as JSON values (schema: schemas/cli/sync.schema.json)."""
    came = report.came
    staged = None if arrived is None else arrived.staged
    return {
        "folder": report.root,
        "within": report.within,
        **asdict(report.counts),
        "gone_become": "forgotten" if report.gone_become == "forget" else "kept",  # by the setting sync.gone
        "forgotten": came.ingested.forgotten,
        "places": {kind: list(report.places(kind)) for kind in _NAMED},
        "renames": [{"from": before, "to": place} for place, before in sorted(report.moved.items())],
        "conflicts": [
            {"place": each.place, "id": each.row_id, "stands": "correction" if each.stands else "file"}
            for each in report.conflicts
        ],
        "bad": [asdict(line) for line in came.bad],
        "left_out": [{"reason": reason, **asdict(each)} for reason, each in came.left_out.items()],
        "pending_entities": 0 if staged is None else staged.pending_entities,
        "pending_relations": 0 if staged is None else staged.pending_relations,
        "dry_run": report.dry_run,
    }


def _tell(report: "SyncReport", arrived: "Arrived | None") -> None:
    counts = [f"{number:,} {_SHOWN_AS.get(kind, kind)}" for kind, number in asdict(report.counts).items() if number]
    where = printable(report.within or report.root)
    told = f"{', '.join(counts)}  ({where})" if counts else f"found no notes in {where}; voice sync reads .md and .txt"
    click.echo(f"{'dry run: ' if report.dry_run else ''}{told}")
    for kind in _NAMED:
        _tell_places(_SHOWN_AS.get(kind, kind), [printable(place) for place in report.places(kind)])
        if kind == "gone" and report.counts.gone and report.gone_become == "forget":
            click.echo(f"           {_FORGETS if report.dry_run else _FORGOT}")
    _tell_places("renamed", [f"{printable(old)} → {printable(new)}" for new, old in sorted(report.moved.items())])
    tell_waiting(None if arrived is None else arrived.staged, width=9)


def _tell_places(kind: str, places: list[str]) -> None:
    if places:
        more = f" and {len(places) - _SHOWN:,} more" if len(places) > _SHOWN else ""
        click.echo(f"  {kind:<8} {'; '.join(places[:_SHOWN])}{more}")


def _conflict_line(conflict: "Conflict", *, is_gone: bool) -> str:
    """Return what became of a correction whose note's file says otherwise, or is deleted."""
    was = f"you corrected {printable(conflict.place)} in the memory ({conflict.row_id})"
    if conflict.stands:
        return f"{was}; the correction stays, although the file still has the old words"
    if is_gone:
        return f"{was}; its file is deleted, so the correction goes with the note"
    return f"{was}, but the file has changed since; its new words replace the correction"


def _tell_folders(report: "SyncReport") -> None:
    for each in map(printable, report.taken):
        note(f"took over the notes of {each}, which came in by itself before")
    for each in map(printable, report.apart):
        note(f"left out {each}, which is followed by itself: `voice sync {each}`")


def _tell_notices(report: "SyncReport", arrived: "Arrived | None") -> None:
    """Say on stderr what was left out, what is not complete, and what says otherwise in the memory."""
    came = report.came
    for line in came.bad[:_SHOWN]:
        note(f"skipped {line.where}: {line.reason}")
    if len(came.bad) > _SHOWN:
        note(f"{len(came.bad) - _SHOWN} more could not be read; --json lists all of them")
    for reason, each in came.left_out.items():
        note(f"left out {omitted_in_words(reason, each.count)}: {places_in_words(each)}")
    _tell_folders(report)
    gone = frozenset(report.places("gone"))
    for each in report.conflicts[:_SHOWN]:
        note(_conflict_line(each, is_gone=each.place in gone))
    if len(report.conflicts) > _SHOWN:
        note(f"you corrected {len(report.conflicts) - _SHOWN} more in the memory; --json lists all of them")
    if came.ingested.forgotten:
        stays = "stays out: you forgot it" if came.ingested.forgotten == 1 else "stay out: you forgot them"
        note(f"{counted(came.ingested.forgotten, 'note')} {stays}")
    tell_unembedded(came.ingested.unembedded, came.ingested.embedder_fault)
    tell_unstaged(None if arrived is None else arrived.fault)
