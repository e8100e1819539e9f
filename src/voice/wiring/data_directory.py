"""What is read and done of a data directory whose memory is not open: its small records, its holder, its
compaction; and the re-ranker for all memories.

Law: a function imports what it uses when it is called. Source: DESIGN 3, 8.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from voice.core.settings.values import Settings

if TYPE_CHECKING:
    from voice.core.store_holder import HolderState
    from voice.ports.files import CalibrationStore, EndpointStore
    from voice.ports.removal import CompactionReport
    from voice.ports.retrieval_provider import Reranker


def calibrations_of(home: Path) -> "CalibrationStore":
    """Return how the verifiers of a data directory did when they were tried."""
    from voice.adapters.system.state_files import CalibrationFile

    return CalibrationFile(home)


def endpoints_of(home: Path) -> "EndpointStore":
    """Return what was learned of the endpoints that a data directory's models are asked at."""
    from voice.adapters.system.state_files import EndpointFile

    return EndpointFile(home)


def reranker_of(settings: Settings) -> "Reranker | None":
    """Return the re-ranker that the settings name; None where they name none, or none is installed. Raises
    ConfigurationError, RerankerUnavailable: the one that they name is not there."""
    from voice.adapters.rerankers import RerankerContext, make_reranker
    from voice.adapters.system.data_directory import models_directory

    return make_reranker(settings.retrieve.reranker, RerankerContext(models=models_directory()))


def lacks_reranker(settings: Settings) -> bool:
    """Return whether a re-ranker is wanted and none is installed."""
    return settings.retrieve.reranker == "auto" and reranker_of(settings) is None


async def holder_of(settings: Settings, home: Path) -> "HolderState":
    """Return who holds the store that the settings name. Raises ConfigurationError: its address is not understood."""
    from voice.adapters.surreal.location import OnDisk, parse_address
    from voice.adapters.surreal.sharing.holder import find_holder, own_card
    from voice.adapters.system.data_directory import STORE_NAME
    from voice.core.store_holder import HolderState

    store = settings.store
    # Without an address, the store lies in the data directory.
    address = OnDisk(directory=home / STORE_NAME) if store.url is None else parse_address(store.url, home=home)
    if not isinstance(address, OnDisk):
        return HolderState(state="elsewhere")  # a server, or in memory
    return await find_holder(address.directory, own_card(store.namespace, store.database), wait_s=store.wait_s)


async def compact(settings: Settings, home: Path, tell: Callable[[str, int, int], None]) -> "CompactionReport":
    """Copy the live rows of the closed store in `home` to a fresh directory, verify them, and put it in place. Raises
    ConfigurationError: it is no store on this machine's disk, or there is none; StoreHeld: somebody has it open;
    StoreError: it cannot be copied, or is at fault; it stays as it is."""
    from voice.adapters.surreal.compaction import compact_store
    from voice.adapters.system.data_directory import STORE_NAME

    return await compact_store(
        settings.store.url or home / STORE_NAME,  # no address: in the data directory
        home=home,
        namespace=settings.store.namespace,
        database=settings.store.database,
        tell=tell,
    )


def check_compactable(settings: Settings, home: Path) -> None:
    """Check that there can be compacted at all. Raises ConfigurationError: the store is not on this machine's disk."""
    from voice.adapters.surreal.compaction import require_compactable
    from voice.adapters.system.data_directory import STORE_NAME

    require_compactable(settings.store.url or home / STORE_NAME, home=home)
