"""`voice removals`: mark, archive, delete and restore thoughts; compact the store.

Law: deleting is a dry run unless told otherwise; each thought that stays is shown with everything that keeps it; an
archive that does not verify is named. The words of private rows are shown only when asked for. While the store is
compacted nobody has it open, and its index is rebuilt afterwards: the old files hold words of what went.

Source: spec rag-organize 5 (`maintenance_ops`); rulings F, H.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from voice.core.errors import VoiceError
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.memory import tell_unembedded
from voice.entrypoints.cli.terminal.printing import note, print_result, wants_json, zone_here
from voice.entrypoints.cli.terminal.runtime import (
    JsonCommand,
    flag,
    home_of,
    load_settings,
    option,
    progress,
    progress_of,
    require_home,
    run,
)
from voice.entrypoints.shared.removals import (
    excerpt_of,
    exported_json,
    finalised_json,
    marking_json,
    removals_json,
    restored_json,
)

if TYPE_CHECKING:
    from voice.entrypoints.cli.terminal.runtime import Advance
    from voice.ports.removal import ArchiveFormat
    from voice.ports.search_index import IndexStatus
    from voice.services.removal.archives import Exported, Restored
    from voice.services.removal.removals import Finalised, MarkedForRemoval, RemovalCandidate, RemovalList
    from voice.wiring.services import Services

_REASONS = {  # by `Hindrance`
    "not_due": "its retention is not over",
    "candidates_undecided": "candidates from it wait for review",
    "not_archived": "no verified archive holds it; run: voice removals export",
    "changed_since_archived": "it changed after it was archived; run: voice removals export",
}
_dry_run = flag("--dry-run", "Show what would happen, and change nothing.")
_private = flag("--private include_private", "Include the text of private thoughts.")


@click.command(cls=JsonCommand)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@_dry_run
def mark(ids: tuple[str, ...], dry_run: bool) -> None:
    """Mark thoughts for removal.

    Searches no longer find marked thoughts (t:…), and you can delete them after the retention. Their observations stay
    in the graph. The retention (SURR_RETENTION_DAYS) counts from the day of marking; a thought that is already marked
    keeps its day.

    \b
    Example: voice removals mark t:01jq… t:01jr…
    """
    _change_marks(ids, "mark", dry_run=dry_run)


@click.command(cls=JsonCommand)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@_dry_run
def unmark(ids: tuple[str, ...], dry_run: bool) -> None:
    """Remove the mark: searches find the thoughts (t:…) as before.

    \b
    Example: voice removals unmark t:01jq…
    """
    _change_marks(ids, "unmark", dry_run=dry_run)


def _change_marks(ids: tuple[str, ...], verb: str, *, dry_run: bool) -> None:
    async def work(services: "Services") -> "MarkedForRemoval":
        removals = services.archiving.removals
        change = removals.mark if verb == "mark" else removals.unmark
        return await change(await services.resolve_ids(ids), dry_run=dry_run)

    result = run(work)
    count = f"{counted(len(result.changed), 'thought')}{_and_dependents(len(result.along))}"
    due = f"; due on {result.due_on}" if result.due_on and result.changed else ""
    told = f"would {verb} {count}{due}" if dry_run else f"{verb}ed {count}{due}"
    print_result(marking_json(result, dry_run=dry_run), told)
    if result.unchanged and not wants_json():
        note(f"{counted(len(result.unchanged), 'thought')} unchanged: already {verb}ed")


@click.command("list", cls=JsonCommand)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@_private
def list_(ids: tuple[str, ...], include_private: bool) -> None:
    """List the thoughts that are marked for removal.

    Each shows the day it is due, and what prevents its deletion. The command reads every archive from its first byte to
    its last.

    \b
    Example: voice removals list
    """

    async def look(services: "Services") -> "RemovalList":
        thought_ids = await services.resolve_ids(ids)
        with progress_of("reading archives") as reading:
            return await services.archiving.removals.listed(thought_ids, progress=reading)

    listed = run(look)
    _tell_faults(listed.faults)
    print_result(
        removals_json(listed, zone_here(), include_private=include_private),
        (_candidate_line(each, include_private=include_private) for each in listed.candidates),
        none="No thoughts are marked for removal; `voice removals mark` marks them.",
    )


def _and_dependents(along: int) -> str:
    return f" and {counted(along, 'dependent row')}" if along else ""


@click.command("export", cls=JsonCommand)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@option(
    "--format form",
    "Format of the archive; Parquet needs the extra `archive`. Default: the setting archive.format.",
    type=click.Choice(["parquet", "jsonl"]),
)
@_dry_run
def export(ids: tuple[str, ...], form: "ArchiveFormat | None", dry_run: bool) -> None:
    """Archive marked thoughts, or those you name, in a new file.

    The file has a checksum; voice reads it back to check it. It skips what a verified archive already holds unchanged.
    Set the directory with archive.directory (SURR_ARCHIVE_DIR).

    \b
    Example: voice removals export --format jsonl
    """

    async def archive(services: "Services") -> "Exported":
        thought_ids = await services.resolve_ids(ids)
        with progress_of("reading archives") as reading:
            return await services.archiving.export(thought_ids, form=form, dry_run=dry_run, progress=reading)

    exported = run(archive)
    _tell_faults(exported.faults)
    counts = f"{counted(len(exported.thoughts), 'thought')}, {counted(exported.derived, 'dependent row')}"
    archives = (f"{printable(report.path)}  blake3 {report.blake3}" for report in exported.reports)
    lines = [f"would archive {counts}" if dry_run else f"archived {counts}", *archives]
    print_result(exported_json(exported, dry_run=dry_run), lines)
    if exported.already and not wants_json():
        note(f"{counted(len(exported.already), 'thought')} already archived, unchanged")


@click.command(cls=JsonCommand)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@flag("--apply", "Delete them; without this, only show what would be deleted.")
def finalise(ids: tuple[str, ...], apply: bool) -> None:
    """Delete marked thoughts that are due and archived. Without --apply, it changes nothing.

    It first reads the archives from the disk again. It deletes a thought only if one of them holds it unchanged and
    none of its candidates waits for review. What depends on it alone goes with it. Ids and keyed hashes stay.

    \b
    Examples:
      voice removals finalise
      voice removals finalise --apply
    """

    async def take(services: "Services") -> "Finalised":
        thought_ids = await services.resolve_ids(ids)
        with progress() as advance:
            reading, taking = partial(advance, "reading archives"), partial(deletion.tell, advance)
            return await services.archiving.removals.finalise(thought_ids, apply=apply, progress=reading, taking=taking)

    deletion = _DeletionProgress()
    with deletion.told_when_stopped():  # after Ctrl-C, what went is gone
        done = run(take)
    _tell_faults(done.looked_at.faults)
    count = f"{counted(len(done.gone), 'thought')}{_and_dependents(len(done.along))}"
    # Here nobody asked for private words.
    kept = (_candidate_line(each, include_private=False) for each in done.looked_at.candidates if each.hindrances)
    head = f"deleted {count}" if apply else f"would delete {count}; to delete, add --apply"
    print_result(finalised_json(done, zone_here()), [head, *(f"kept {each}" for each in kept)])


@dataclass(slots=True)
class _DeletionProgress:
    """How many thoughts are deleted so far."""

    done: int = 0
    total: int = 0

    def tell(self, advance: "Advance", done: int, total: int) -> None:
        """Show and remember it."""
        self.done, self.total = done, total
        advance("deleting", done, total)

    @contextmanager
    def told_when_stopped(self) -> Generator[None]:
        """Say what is gone and what is left where the block does not come to its end."""
        try:
            yield
        except (VoiceError, KeyboardInterrupt):  # also where the store fails in the middle
            if self.total:  # else nothing was deleted yet
                gone = f"deleted at least {self.done} of {counted(self.total, 'thought')}, which the archive holds"
                left = "`voice removals list` lists what is left; to continue, run the same command again"
                note(f"stopped: {gone}; {left}")
            raise


@click.command(cls=JsonCommand)
@click.argument("file")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@_dry_run
def restore(file: str, ids: tuple[str, ...], dry_run: bool) -> None:
    """Restore thoughts from an archive.

    It restores everything, or the thoughts (t:…) you name, with what depends on them. They return under their ids,
    unmarked. What you forgot stays forgotten, and what is already there stays as it is.

    \b
    Example: voice removals restore archive/removals-20260305T140000Z-3f9a01c2.jsonl --dry-run
    """
    from voice.adapters.system.data_directory import expanded

    path = str(expanded(file).resolve())

    async def bring(services: "Services") -> "Restored":
        thought_ids = await services.resolve_ids(ids)
        with progress_of("restoring") as restoring:
            return await services.archiving.restore(path, thought_ids, dry_run=dry_run, progress=restoring)

    restored = run(bring)
    tell_unembedded(restored.unembedded, restored.embedder_fault)
    for row_id in restored.altered:
        note(f"{row_id} is not restored: what was deleted under that id says something else, or was private")
    counts = f"{counted(len(restored.thoughts), 'thought')} and {counted(len(restored.derived), 'dependent row')}"
    told = f"would restore {counts}" if dry_run else f"restored {counts}"
    print_result(restored_json(restored, dry_run=dry_run), told)
    if restored.there and not wants_json():
        note(f"{counted(restored.there, 'row')} already there")
    if restored.forgotten and not wants_json():
        note(f"{counted(restored.forgotten, 'row')} not restored: forgotten or redacted")


COMMANDS = (mark, unmark, list_, export, finalise, restore)


def _tell_faults(faults: tuple[str, ...]) -> None:
    for fault in faults:
        note(fault)


def _candidate_line(each: "RemovalCandidate", *, include_private: bool) -> str:
    due = f"due on {each.due_on}" if each.due_on else "marked without a day; mark it again"
    excerpt = excerpt_of(each, include_private=include_private) or "private"
    hindrances = "; ".join(_REASONS[reason] for reason in each.hindrances) or "ready to delete"
    return f"{each.thought.id}  {due}  {hindrances}  {printable(excerpt)}"


def require_compactable() -> None:
    """Refuse to go on where the store cannot be compacted. Raises ConfigurationError: it is on no local disk."""
    from voice.wiring.data_directory import check_compactable

    check_compactable(load_settings().settings, home_of())


def compact_and_reindex() -> dict[str, object]:
    """Compact the closed store, make its index anew, and return what came of it as JSON values."""
    import anyio

    from voice.wiring.data_directory import compact

    require_home()  # a mistyped directory is not made
    settings = load_settings().settings
    with progress() as advance:
        report = anyio.run(compact, settings, home_of(), advance)  # the store is closed here: compacting replaces it
    run(rebuild_index)  # the files of the old one hold words of what went
    return {"records": report.records, "bytes_before": report.bytes_before, "bytes_after": report.bytes_after}


async def rebuild_index(services: "Services") -> "IndexStatus":
    """Rebuild the index, and return what it holds."""
    with progress_of("indexing") as indexing:
        return await services.index.rebuild(indexing)
