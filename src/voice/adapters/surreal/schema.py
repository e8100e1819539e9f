"""The schema's steps, and the identity of the store that they were taken in.

Law: a step is a file `NNN_name.surql` beside this module; it is taken once, in one transaction with its entry in the
ledger, in the order of the numbers (ruling B7). A step that was taken is never edited: the ledger keeps its BLAKE3, and
a store whose ledger differs from the shipped files is refused. No step is taken while a backup is restored into the
store: the restore writes the form that it found.

While a store has no holder anybody may change it: a newer program migrates it, a restore does not finish, somebody puts
another store in its place. So the first statement of a new connection reads, and only reads, whether its ledger is what
this program ships, its id and its key are the known ones, and no restore is unfinished.

Source: rulings A, D20, H; docs/holder.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final, Protocol, cast, runtime_checkable

from blake3 import blake3

from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import META, NOT_RESTORING, Connection, block, record, run_repeatable
from voice.core.errors import ConfigurationError, SchemaDrift, StoreDamaged, StoreError
from voice.core.messages import memory as messages

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
    found = [each for each in folder.iterdir() if each.name.endswith(".surql")]
    in_order = sorted(found, key=lambda each: each.name)  # three digits: names sort by number
    texts = ((each.name.removesuffix(".surql"), each.read_text(encoding="utf-8")) for each in in_order)
    return tuple(Migration(name=name, checksum=blake3(text.encode()).hexdigest(), text=text) for name, text in texts)


async def migrate(connection: Connection, steps: Sequence[Migration]) -> None:
    """Bring the store's schema to `steps`, one transaction per step. Raises SchemaDrift: the store took a step that is
    not among `steps`, or another version of one; BeingRestored: steps remain, and a backup is being restored into the
    store."""
    await run_repeatable(connection, "prepare its ledger", block(*_LEDGER))
    done = await taken(connection)
    is_new = not done  # the first step makes the table that NOT_RESTORING reads
    for step in remaining(done, steps):
        await _take(connection, step, *([] if is_new else [NOT_RESTORING]))
        is_new = False


async def taken(connection: Connection) -> list[tuple[str, str]]:
    """Return the (name, checksum) of the steps that the store has taken, in order."""
    return decode_taken(cast("list[dict[str, object]]", await connection.run("read its ledger", _TAKEN)))


def decode_taken(found: Sequence[Mapping[str, object]]) -> list[tuple[str, str]]:
    """Return the (name, checksum) of the records of steps."""
    # The name is the record's key.
    return [(str(getattr(each["id"], "id", "")), str(each["checksum"])) for each in found]


def remaining(done: Sequence[tuple[str, str]], steps: Sequence[Migration]) -> list[Migration]:
    """Return the `steps` that follow those in `done`. Raises SchemaDrift: `steps` does not begin with `done`."""
    for place, (name, checksum) in enumerate(done):
        if place >= len(steps) or steps[place].name != name:
            raise SchemaDrift(
                f"the store has taken schema step {name}, which this version of voice does not know; "
                "use the version that wrote it"
            )
        if steps[place].checksum != checksum:
            raise SchemaDrift(f"schema step {name} differs from the one that the store took; reinstall voice")
    return list(steps[len(done) :])


async def _take(connection: Connection, step: Migration, *unless: str) -> None:
    params = {"step": record("migrations", step.name), "checksum": step.checksum, "meta": META}
    try:
        await connection.run(f"take schema step {step.name}", block(*unless, step.text, _TAKE), params)
    except StoreError:
        # Another process may have taken the step a moment earlier, which is fine.
        if (step.name, step.checksum) not in await taken(connection):
            raise


LOOK: Final = (
    "RETURN [(SELECT id, checksum FROM migrations ORDER BY id), (SELECT store_id, key_check, restoring FROM $meta)]"
)


@runtime_checkable
class IdentifiedConnection(Protocol):
    """A connection behind which another store may be found when it is opened again."""

    async def recognise(self, *, restores: bool = False) -> None:
        """Remember the store as it is now: its schema, its id, and its key if it has one; it may be unfinished where
        this process `restores` it. Raises SchemaDrift, StoreDamaged, ConfigurationError: it is not the store remembered
        before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreIdentity:
    """What a store is recognised by."""

    store_id: str
    key_check: str | None  # from `opening.require_key`
    """None if the store has no key yet."""


def verify_identity(
    before: StoreIdentity | None, found: object, steps: Sequence[Migration], *, restores: bool = False, users: str = ""
) -> StoreIdentity:
    """Return the store's identity from the result of `LOOK`, checked against the one before, if any. `restores`: this
    process fills it from a backup; `users` says who uses it. Raises SchemaDrift: its schema is not the one that this
    program writes; StoreDamaged: it has no state, or a restore into it did not finish; ConfigurationError: it is
    another store, or has another key."""
    taken, itself = cast("list[list[Record]]", found)
    if left := remaining(decode_taken(taken), steps):
        raise SchemaDrift(f"the store no longer has schema step {left[0].name}; start this program again")
    if not itself:
        raise StoreDamaged("the store has lost its own state; restore it from a backup")
    if itself[0].get("restoring") and not restores:
        raise StoreDamaged(messages.restore_unfinished(users))
    now = StoreIdentity(
        store_id=cast("str", itself[0]["store_id"]), key_check=cast("str | None", itself[0].get("key_check"))
    )
    if before is None:
        return now
    if now.store_id != before.store_id:
        raise ConfigurationError("another store has replaced the one that was open; start this program again")
    if before.key_check is not None and now.key_check != before.key_check:
        raise ConfigurationError("the store's hashes are made with another key than before; start this program again")
    return now
