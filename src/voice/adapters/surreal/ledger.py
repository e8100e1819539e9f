"""The schema's ledger: which numbered steps a store has taken.

Law: a step is a file `NNN_name.surql` beside this module; it is taken once, in one transaction with its entry in the
ledger, in the order of the numbers (ruling B7). A step that was taken is never edited: the ledger keeps its BLAKE3, and
a store whose ledger differs from the shipped files is refused rather than guessed at. No step is taken under a process
that fills the store from a backup: it writes the form that it found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import cast

from blake3 import blake3

from voice.adapters.surreal.connection import Connection, run_repeatable
from voice.adapters.surreal.dialect import META, NOT_RESTORING, block, record
from voice.core.errors import SchemaDrift, StoreError

_LEDGER = (
    "DEFINE TABLE IF NOT EXISTS migrations SCHEMAFULL;",
    "DEFINE FIELD IF NOT EXISTS checksum ON migrations TYPE string;",
    "DEFINE FIELD IF NOT EXISTS taken_at ON migrations TYPE datetime;",
)
_TAKEN = "SELECT id, checksum FROM migrations ORDER BY id"
_TAKE = "CREATE $step SET checksum = $checksum, taken_at = time::now();"


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the schema."""

    name: str
    checksum: str
    text: str = field(repr=False)


def shipped() -> tuple[Migration, ...]:
    """Return the steps that this program ships, in order."""
    folder = files("voice.adapters.surreal") / "migrations"
    texts = {
        each.name.removesuffix(".surql"): each.read_text(encoding="utf-8")
        for each in folder.iterdir()
        if each.name.endswith(".surql")
    }
    return tuple(
        Migration(name=name, checksum=blake3(texts[name].encode()).hexdigest(), text=texts[name])
        for name in sorted(texts)
    )


async def migrate(connection: Connection, steps: Sequence[Migration]) -> None:
    """Bring the store's schema to `steps`, one transaction per step.

    Raises:
        SchemaDrift: the store took a step that is not among `steps`, or took another version of one.
        BeingRestored: a step is left to take, and a backup is being restored into the store.
    """
    await run_repeatable(connection, "prepare its ledger", block(*_LEDGER))
    done = await taken(connection)
    is_new = not done  # the first step makes what says whether a backup is being restored
    for step in remaining(done, steps):
        await _take(connection, step, *([] if is_new else [NOT_RESTORING]))
        is_new = False


async def taken(connection: Connection) -> list[tuple[str, str]]:
    """Return the (name, checksum) of the steps that the store has taken, in order."""
    return decode_taken(cast("list[dict[str, object]]", await connection.run("read its ledger", _TAKEN)))


def decode_taken(found: Sequence[Mapping[str, object]]) -> list[tuple[str, str]]:
    """Return the (name, checksum) of the records of steps."""
    return [(str(getattr(each["id"], "id", "")), str(each["checksum"])) for each in found]


def remaining(done: Sequence[tuple[str, str]], steps: Sequence[Migration]) -> list[Migration]:
    """Return the steps that are still to take.

    Raises:
        SchemaDrift: what was done is not how `steps` begins.
    """
    for place, (name, checksum) in enumerate(done):
        if place >= len(steps) or steps[place].name != name:
            raise SchemaDrift(
                f"the store has taken schema step {name}, which this version of voice does not know; "
                "use the version that wrote it"
            )
        if steps[place].checksum != checksum:
            raise SchemaDrift(f"schema step {name} was another one when the store took it; reinstall voice")
    return list(steps[len(done) :])


async def _take(connection: Connection, step: Migration, *unless: str) -> None:
    params = {"step": record("migrations", step.name), "checksum": step.checksum, "meta": META}
    try:
        await connection.run(f"take schema step {step.name}", block(*unless, step.text, _TAKE), params)
    except StoreError:
        # Another process may have taken the step a moment earlier; then nothing is wrong.
        if (step.name, step.checksum) not in await taken(connection):
            raise
