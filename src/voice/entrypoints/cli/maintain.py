"""`voice maintain`: keeping a memory safe and in order.

Law: a backup holds everything but the key (rulings D20, H); nothing that is there is overwritten unless that was asked
for; a fault that is found is told and ends with a failure. What is kept, checked or made anew must be there: a mistyped
data directory is not made, and never called sound. Only restoring makes one, and says what a new key cannot do.
"""

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

import click

from voice.core.errors import DataFileError, StoreHeld
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.removals import COMMANDS, compact_and_reindex, rebuild_index
from voice.entrypoints.cli.terminal.printing import note, print_result
from voice.entrypoints.cli.terminal.runtime import JsonGroup, flag, former, home_of, option, progress, progress_of, run
from voice.entrypoints.shared.notes import half_note_in_words, half_note_json

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.thoughts.distillation import PartialNote
    from voice.ports.stores import BackupReport

_EXIT_FAULT = 1
_BATCH = 256  # entries between two pauses
_ALL = 1_000_000  # more entries than a store has


class _Encode(Protocol):
    async def __call__(self, *, limit: int) -> int: ...


@click.group(cls=JsonGroup)
def maintain() -> None:
    """Back up, restore, verify, rebuild and compact the store.

    \b
    Example: voice maintain backup ~/backups/voice-2026-03-05.backup
    """


@maintain.command()
@click.argument("file")
@flag("--force", "Replace an existing file.")
def backup(file: str, force: bool) -> None:
    """Back up all notes, sessions and vectors to one file.

    The file has a checksum; voice reads it back to check it. It does not contain the key of the data directory: keep a
    copy of the file `key` in another place.

    \b
    Example: voice maintain backup ~/backups/voice-2026-03-05.backup
    """
    from voice.adapters.system.data_directory import expanded

    path = expanded(file).absolute()  # absolute: another process may write it, elsewhere
    if path.is_dir():
        raise DataFileError(f"{path} is a directory; name a file in it")
    if path.exists() and not force:  # checked here, before a long backup
        raise DataFileError(f"{path} already exists; choose another name, or add --force")
    if not path.parent.is_dir():
        raise DataFileError(f"{path.parent} is not a directory; create it first")
    _tell_backup(run(lambda services: services.maintenance.backup(str(path))))
    note(f"the backup does not contain the key; keep a copy of {home_of() / 'key'} in another place")


@maintain.command("restore-backup")
@click.argument("file")
def restore_backup(file: str) -> None:
    """Fill an empty memory from a backup.

    First put your copy of the file `key` into the new data directory (mode 0600). Without it, voice cannot prove old
    prompts, or recognise what you forgot.

    \b
    Example: voice --home ~/voice-new maintain restore-backup ~/backups/voice-2026-03-05.backup
    """
    from voice.adapters.system.data_directory import expanded

    path = str(expanded(file).absolute())
    key = home_of() / "key"
    had_key = key.is_file()  # before restoring makes one
    _tell_backup(run(lambda services: _restored(services, path), makes=True))
    if not had_key:
        note(
            f"{key} was missing, so voice made a new key; with it, voice cannot prove old prompts or recognise what "
            "you forgot. If you have a copy of the old key, put it into an empty data directory (mode 0600) and "
            "restore into that directory instead"
        )


async def _restored(services: "Services", path: str) -> "BackupReport":
    """Restore a backup, and index it: an index that is there has seen another store."""
    report = await services.maintenance.restore(path)
    await rebuild_index(services)
    return report


def _tell_backup(report: "BackupReport") -> None:
    document = {"path": report.path, "rows": report.rows, "sha256": report.sha256}
    print_result(document, f"{counted(report.rows, 'row')}  {printable(report.path)}  sha256 {report.sha256}")


@maintain.command()
@flag("--mend", "Repair the sums behind the spending caps, and notes stored only in part.")
def verify(mend: bool) -> int:
    """Check that every entry is complete and every hash is right.

    It reads every entry and conversation, and then opens the store once more. It also adds up again what you spent and
    compares it with the sums behind the spending caps. If a killed command stored part of a note, it tells you what
    --mend would do: text that exists nowhere else becomes a note of its own, and the rest goes. If an import was
    killed, import the file again first; that completes its notes.

    \b
    Example: voice maintain verify
    """
    found = _verify_and_reopen(mend=mend)
    torn = [half_note_in_words(note) for note in found.torn]
    faults = [*found.lost, *([] if mend else [*found.miscounted, *torn])]  # with --mend, these are repaired
    if astray := found.astray:
        note(f"{counted(astray, 'pin')} without a target (not a fault); `voice pins list --all` shows them")
    if found.unended:
        calls = "a call" if found.unended == 1 else f"{found.unended} calls"
        note(f"{calls} with an unknown outcome (not a fault): caps count the worst case; `voice report` shows it")
    if mend:
        for fault in [*found.miscounted[:1], *torn]:  # the first is enough: all sums are made anew
            note(f"{fault}; repaired")
    document = {"sound": not faults, "faults": faults, "torn": list(map(half_note_json, found.torn))}
    sound = ["Voice read every record; every text, count and chain is right."]
    print_result(document, map(printable, faults or sound))
    if found.lost:
        note(f"{counted(len(found.lost), 'fault')}; restore a backup: `voice maintain restore-backup` [store_damaged]")
    elif faults:
        note("no text is lost; repair it with: voice maintain verify --mend")
    return _EXIT_FAULT if faults else 0


class _Findings(NamedTuple):
    """What a look at the whole store found."""

    lost: list[str]
    miscounted: list[str]
    """What can be counted anew."""
    torn: "list[PartialNote]"
    """Notes that were stored in part."""
    astray: int
    unended: int = 0
    """Calls whose end is unknown."""


def _verify_and_reopen(*, mend: bool) -> _Findings:
    """Read the whole store, and open it again: what the engine keeps beside records is read by nothing but that."""
    found = run(lambda services: _verify(services, mend=mend))
    if not found.lost:
        try:
            run(lambda services: services.store.head())
        except StoreHeld as held:
            # An opening on a full disk keeps its lock until the process ends.
            note(f"voice could not open the store once more: {held.message}")
    return found


async def _verify(services: "Services", *, mend: bool) -> _Findings:
    with progress() as advance:
        lost = await services.maintenance.verify(partial(advance, "Reading records"))
        lost = lost or await services.transcripts.faults(partial(advance, "Checking sessions"))
        if lost:
            # A turn that is damaged cannot be counted: sums that were right would be put wrong by it.
            return _Findings(lost, [], [], 0)
        miscounted = await services.maintenance.recount(mend=mend, progress=partial(advance, "Adding up the costs"))
    torn = await (services.torn.mend() if mend else services.torn.found())
    return _Findings([], miscounted, torn, (await services.pins.astray())[1], len(await services.report.unended()))


@maintain.command()
@click.argument("what", type=click.Choice(["index", "vectors"]), default="index")
@option("-n --limit", "With vectors: encode at most this many entries.", type=click.IntRange(1))
@option(
    "--pause",
    f"With vectors: wait after every {_BATCH} entries, to leave the machine or a paid encoder to other programs.",
    "SECONDS",
    type=click.FloatRange(0, 3600),
)
def rebuild(what: str, limit: int | None, pause: float | None) -> None:
    """Rebuild the search index (default) or the vectors. Nothing is lost.

    `vectors` encodes the entries that have no vector because the encoder failed, and those of another encoder, after
    you changed it. Until then, only words find them. If you interrupt it, it keeps what it has done.

    \b
    Examples:
      voice maintain rebuild
      voice maintain rebuild vectors
    """
    if what == "index":
        if limit is not None or pause is not None:
            raise click.UsageError("--limit and --pause need `vectors`")
        _rebuild_index()
        return
    embedded, waiting = run(lambda services: _ENCODERS[what](services, limit or _ALL, pause or 0.0))
    told = _ENCODED[what].format(rows=counted(embedded, "row"), waiting=f"{waiting:,}")
    print_result({"embedded": embedded, "waiting": waiting}, told)


def _rebuild_index() -> None:
    status = run(rebuild_index)
    rows = {table.value: count for table, count in status.rows.items()}
    document = {"rows": rows, "vectors": status.vectors, "folded_seq": status.folded_seq}
    print_result(document, f"{counted(sum(rows.values()), 'row')}, {counted(status.vectors, 'vector')} in the index")


async def _encode_all(services: "Services", limit: int, pause: float) -> tuple[int, int]:
    """Encode what has no vector, then what has one of another encoder."""
    new, waiting = await _embed_pending(services, limit, pause)
    anew, foreign = await _reembed(services, limit - new, pause) if new < limit else (0, await _count_foreign(services))
    return new + anew, waiting + foreign


async def _embed_pending(services: "Services", limit: int, pause: float) -> tuple[int, int]:
    total = min(limit, (await services.store.status()).pending_embeddings)  # what is there to do, for the bar
    done = await _in_batches(services.ingest.embed_pending, limit, total, pause)
    return done, (await services.store.status()).pending_embeddings


async def _reembed(services: "Services", limit: int, pause: float) -> tuple[int, int]:
    total = min(limit, await _count_foreign(services))
    done = await _in_batches(services.ingest.reembed, limit, total, pause)
    return done, await _count_foreign(services)


async def _in_batches(encode: "_Encode", limit: int, total: int, pause: float) -> int:
    """Encode at most so many entries, pausing (seconds) after each batch; return how many."""
    import anyio

    done = 0
    with progress_of("embedding") as embedding:
        while done < limit and (some := await encode(limit=min(_BATCH, limit - done))):
            done += some
            embedding(done, total)
            if pause and done < total:
                await anyio.sleep(pause)
    return done


async def _count_foreign(services: "Services") -> int:
    status = await services.store.status()  # its encodings count vectors by model and dimension
    return status.vectors - status.encodings.get((services.ingest.embedder.model, services.ingest.embedder.dim), 0)


@maintain.command()
def compact() -> None:
    """Rewrite the store without what you deleted or forgot.

    Until then, the disk keeps what was deleted, forgotten or rewritten. Voice copies the store to a fresh directory,
    verifies the copy, and replaces the store with it. No other program may have the memory open. If the command is
    stopped or killed, the store is complete: the old one or the new one.

    \b
    Example: voice maintain compact
    """
    report = compact_and_reindex()
    print_result(report, f"{report['bytes_before']:,} bytes before, {report['bytes_after']:,} bytes now")


# Two of these are what names of an earlier release did.
_ENCODERS = {"vectors": _encode_all, "missing": _embed_pending, "foreign": _reembed}
_ENCODED = {
    "vectors": "{rows} encoded, {waiting} still waiting",
    "missing": "{rows} encoded, {waiting} still waiting",
    "foreign": "{rows} encoded again, {waiting} still with another encoder's vector",
}
_OF_REMOVALS = ("mark", "unmark", "removals", "export-removals", "finalise-removals", "restore-removed")
for _command in (
    former(rebuild, "reindex", "maintain rebuild", keeps="as_json", what="index"),
    former(rebuild, "embed-pending", "maintain rebuild vectors", keeps="limit pause as_json", what="missing"),
    former(rebuild, "reembed", "maintain rebuild vectors", keeps="limit pause as_json", what="foreign"),
    *(former(now, then, f"removals {now.name}") for now, then in zip(COMMANDS, _OF_REMOVALS, strict=True)),
):
    maintain.add_command(_command)
