"""Wires what takes away: forgetting, and compacting a store that nobody has open.

Law: every store of what was derived from rows and is no row is registered here, in `_elsewhere`, and forgetting reaches
it.

Source: DESIGN 3; rulings G, H.
"""

from collections.abc import Callable
from pathlib import Path

from voice.adapters.files.synced_notes import FOLDERS_NAME
from voice.adapters.surreal.compaction import compact_store, require_compactable
from voice.adapters.surreal.location import swap_paths
from voice.adapters.system.agent_records import RECORD_FILES
from voice.adapters.system.config_file import CONFIG_NAME
from voice.adapters.system.data_directory import KEY_NAME, STORE_NAME
from voice.adapters.system.forgettable_files import ForgottenRecords, LocalTraceFiles
from voice.adapters.system.import_marks import IMPORTS_FOLDER
from voice.core.settings.values import Settings
from voice.ports.removal import CompactionReport, DerivedStore
from voice.services.removal.derived_stores import ForgottenArchives, ForgottenCandidates, ForgottenConflicts
from voice.services.removal.forget import Forget
from voice.services.removal.removals import Removals
from voice.wiring.open_memory import INDEX_FOLDER, OpenMemory


def make_forget(opened: OpenMemory, removals: Removals) -> Forget:
    """Return what forgets in an open memory, and in the archives of what was taken away from it."""
    stores, home, embedder = opened.stores, opened.home, opened.embedder
    names = (INDEX_FOLDER, KEY_NAME, CONFIG_NAME, FOLDERS_NAME, IMPORTS_FOLDER, STORE_NAME, *RECORD_FILES)
    kept = {home / name for name in names}
    store = set[Path]() if stores.directory is None else {stores.directory, *swap_paths(stores.directory)}
    return Forget(
        store=stores.memory,
        tombstones=stores.ledger,
        sessions=stores.sessions,
        words=stores.words,
        pins=stores.pins,
        capsules=stores.capsules,
        index=opened.index,
        files=LocalTraceFiles(home=home, apart=frozenset(kept | store)),
        clock=removals.clock,
        encoding=(embedder.model, embedder.dim),
        key=removals.key,
        shelved=ForgottenArchives(shelf=removals.shelf),
        elsewhere=_elsewhere(opened),
    )


def _elsewhere(opened: OpenMemory) -> tuple[DerivedStore, ...]:
    """Return every store of what was derived from rows and is no row."""
    candidates = opened.stores.candidates
    return (
        ForgottenCandidates(store=candidates, removal=candidates),
        ForgottenConflicts(log=opened.stores.conflicts),
        ForgottenRecords(file=opened.agent_records),
    )


async def compact(settings: Settings, home: Path, tell: Callable[[str, int, int], None]) -> CompactionReport:
    """Copy the live rows of the closed store in `home` to a fresh directory, verify them, and put it in place.

    Raises:
        ConfigurationError: it is no store on this machine's disk, or there is none.
        StoreHeld: somebody has it open.
        StoreError: it cannot be copied, or is at fault; it stays as it is.
    """
    return await compact_store(
        settings.store.url or home / STORE_NAME,
        home=home,
        namespace=settings.store.namespace,
        database=settings.store.database,
        tell=tell,
    )


def check_compactable(settings: Settings, home: Path) -> None:
    """Check that there can be compacted at all.

    Raises:
        ConfigurationError: the store is not on this machine's disk.
    """
    require_compactable(settings.store.url or home / STORE_NAME, home=home)
