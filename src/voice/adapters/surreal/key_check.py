"""Whether a store is opened with its own key.

Law: a store remembers what its key makes of a fixed text, and is not opened with a key that makes something else of it:
the hashes of forgotten rows and of prompts were made with the one it had (rulings D20, H). The value tells nothing of
the key.
"""

from contextlib import suppress
from pathlib import Path
from typing import Final, cast

from voice.adapters.surreal.connection import Connection, WriteConflict, run_repeatable
from voice.adapters.surreal.dialect import META, NOT_RESTORING, block
from voice.adapters.surreal.recognition import Recognising
from voice.core.errors import ConfigurationError

_HELD: Final = "SELECT VALUE key_check FROM $meta"
_HOLD: Final = block(NOT_RESTORING, "UPDATE $meta SET key_check = $check WHERE key_check = NONE RETURN NONE;")


async def require_key(connection: Connection, check: str, *, home: Path) -> None:
    """Compare `check`, what the key in `home` makes of a fixed text, with what the store remembers.

    A store that remembers nothing yet remembers this.

    Raises:
        ConfigurationError: the store was made with another key.
        BeingRestored: it remembers none, and a backup is being restored into it.
    """
    if await _held(connection) is None:
        with suppress(WriteConflict):  # another process made the store its own a moment earlier; then it is asked
            await run_repeatable(connection, "remember its key", _HOLD, {"meta": META, "check": check})
    if await _held(connection) != check:
        raise ConfigurationError(
            f"the key in {home} is not the one that this store's hashes were made with: put that one there from your "
            "own copy (one that was made just now may be overwritten)"
        )
    if isinstance(connection, Recognising):
        await connection.recognise()


async def _held(connection: Connection) -> str | None:
    found = cast("list[str | None]", await connection.run("read its key's check", _HELD, {"meta": META}))
    return found[0] if found else None
