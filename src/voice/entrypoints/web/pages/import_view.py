"""What the pages of an import show.

Law: values in, values out. Names and places in files are shown, never obeyed; where the upload lay on the disk is no
part of what is told.
Source: DESIGN 8 Web; docs/import.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from voice.core.text.display import counted
from voice.entrypoints.shared.notes import (
    counts_in_words,
    counts_of,
    dates_in_words,
    omitted_in_words,
    people_in_words,
    places_in_words,
    preview_counts,
)
from voice.entrypoints.web.pages.addresses import digest_of
from voice.entrypoints.web.pages.import_jobs import ImportJob, Phase
from voice.services.imports.request import UNKNOWN_FIELD, ImportPreview, ImportReport
from voice.services.imports.withdrawn_notes import UndoneImport

MOST_LEFT_OUT: Final = 30  # lines of what was left out
MOST_FIRST: Final = 10  # thoughts an undo shows
TITLES: Final = {
    Phase.LOOKING: "Reading your files",
    Phase.LOOKED: "Import this?",
    Phase.RUNNING: "Importing",
    Phase.DONE: "Imported",
    Phase.FAILED: "Not imported",
    Phase.UNDONE: "Import undone",
}


_STAYS: Final = {"already_known": "Already known", "forgotten": "Stays forgotten"}  # counted, but not brought in


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportView:
    """What the page of an import shows."""

    url: str
    title: str
    names: str
    summary: str
    facts: tuple[tuple[str, str], ...] = ()
    first_lines: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    left_out_more: int = 0
    notes: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    """The fields that were not read, each with how often it was there."""
    error: str | None = None
    can_run: bool = False
    """Whether it can be started: something would come in, and what was uploaded is still here."""
    can_undo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoView:
    """What the preview of an undo shows."""

    thoughts: int
    along: int
    stay: int
    digest: str
    first: tuple[str, ...]
    private: int


def job_url(job: ImportJob) -> str:
    """Return the address of an import."""
    return f"/import/{job.id}"


def view_of(job: ImportJob, timezone: str, *, reads: bool) -> ImportView:
    """Return what the page of an import shows, days in `timezone`; `reads`: names are looked for in what comes in."""
    left_out, notes = list(_left_out(job)), list(_notes(job))
    preview = job.seen if job.report is None else None
    counts = counts_of(job.report) if job.report else preview_counts(preview) if preview else {}
    return ImportView(
        url=job_url(job),
        title=TITLES[job.phase],
        names=named(job),
        summary=counts_in_words({name: count for name, count in counts.items() if name not in _STAYS}),
        facts=(
            *(_facts(preview, timezone, reads=reads) if preview else _arrival_facts(job)),
            *((name, f"{counts[key]:,}") for key, name in _STAYS.items() if counts.get(key)),
            *_undated_facts(job),
        ),
        first_lines=preview.preview.first_lines if preview else (),
        left_out=tuple(left_out[:MOST_LEFT_OUT]),
        left_out_more=max(0, len(left_out) - MOST_LEFT_OUT),
        notes=tuple(note for note in notes if not note.startswith(UNKNOWN_FIELD)),
        ignored=tuple(note.removeprefix(f"{UNKNOWN_FIELD} ") for note in notes if note.startswith(UNKNOWN_FIELD)),
        error=_without_place(job, job.error.message) if job.error and job.phase is Phase.FAILED else None,
        # Without new rows there may still be known ones to make private or to tag: `preview_counts` counts them, too.
        can_run=job.room is not None
        and (job.phase is Phase.FAILED or (job.seen is not None and any(preview_counts(job.seen).values()))),
        can_undo=job.phase is Phase.DONE and bool(job.stored),
    )


def undo_view(found: UndoneImport) -> UndoView:
    """Return what the preview of an undo shows."""
    public = [each.content for each in found.thoughts if not each.is_private]  # private words are counted, never shown
    return UndoView(
        thoughts=len(found.thoughts),
        along=len(found.along),
        stay=found.stay,
        digest=digest_of(each.id for each in found.thoughts),  # what is confirmed is this set
        first=tuple(public[:MOST_FIRST]),
        private=len(found.thoughts) - len(public),
    )


def named(job: ImportJob) -> str:
    """Return what was uploaded, in words."""
    if len(job.names) == 1:
        return job.names[0]
    return f"{job.names[0]} and {len(job.names) - 1:,} more" if job.names else "nothing"


def _facts(preview: ImportPreview, timezone: str, *, reads: bool) -> Iterator[tuple[str, str]]:
    if preview.preview.thoughts:
        yield "Dates", dates_in_words(preview.preview, ZoneInfo(timezone))
        yield "Said by", people_in_words(preview.preview.people)
    if preview.preview.private:
        yield "Private", f"{preview.preview.private:,}"
    if preview.links:
        yield "Links", f"{preview.links:,} between notes"
    if reads and preview.preview.thoughts:
        yield "Entities", "voice finds them after the import; you review them"


def _undated_facts(job: ImportJob) -> Iterator[tuple[str, str]]:
    found: ImportPreview | ImportReport | None = job.report or job.seen
    if found is not None and found.undated.count:
        yield "Without a date", f"{found.undated.count:,}: {places_in_words(found.undated)}"


def _arrival_facts(job: ImportJob) -> Iterator[tuple[str, str]]:
    if job.arrived is None:
        return
    staged = job.arrived.staged
    if staged.linked:
        yield "Links", f"{staged.linked:,} between notes, now in the graph"
    if waiting := staged.pending_entities + staged.pending_relations:
        yield "Review", f"{counted(waiting, 'candidate')} {'waits' if waiting == 1 else 'wait'} for you"


def _left_out(job: ImportJob) -> Iterator[str]:
    yield from (f"{name or 'a file'}: {why}" for name, why in job.refused)
    found: ImportPreview | ImportReport | None = job.report or job.seen
    if found is None:
        return
    yield from (f"{_without_place(job, line.where)}: {line.reason}" for line in found.bad)
    yield from (
        f"{omitted_in_words(reason, each.count)}: {places_in_words(each)}" for reason, each in found.left_out.items()
    )


def _notes(job: ImportJob) -> Iterator[str]:
    found: ImportPreview | ImportReport | None = job.report or job.seen
    yield from found.notes if found is not None else ()
    if job.report is not None and (rows := job.report.ingested.unembedded):
        why = f" ({job.report.ingested.embedder_fault})" if job.report.ingested.embedder_fault else ""
        yield f"{counted(rows, 'entry', 'entries')} without a vector{why}: searches find them only by their words"
    if job.arrived is not None and job.arrived.fault is not None:
        yield f"voice did not search every note for entities ({job.arrived.fault}); to try again, run `voice kg stage`"


def _without_place(job: ImportJob, text: str) -> str:
    return text.replace(f"{job.place}/", "").replace(job.place, "the upload")  # where it lay is not told
