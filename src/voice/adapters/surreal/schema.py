"""The schema's steps, and whether a store that is entered again is the one that was opened.

Law: a step is a file `NNN_name.surql` beside this module; it is taken once, in one transaction with its entry in the
ledger, in the order of the numbers (ruling B7). A step that was taken is never edited: the ledger keeps its BLAKE3, and
a store whose ledger differs from the shipped files is refused rather than guessed at. No step is taken under a process
that fills the store from a backup: it writes the form that it found.

Whether a store that is entered again is still the one that was opened. Between two ways into a store (its holder went
away, another came) anybody may have had it: a newer program that gave it another form, a restore that did not finish,
somebody who put another store in its place. So before the first statement of a new way the store is looked at, and only
looked at: its ledger is what this program ships, its id and its key are those of before, and no restore is unfinished.

Source: rulings A, D20, H; docs/holder.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final, Protocol, cast, runtime_checkable

from blake3 import blake3

from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import Connection, run_repeatable
from voice.adapters.surreal.dialect import META, NOT_RESTORING, block, record
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


LOOK: Final = (
    "RETURN [(SELECT id, checksum FROM migrations ORDER BY id), (SELECT store_id, key_check, restoring FROM $meta)]"
)


@runtime_checkable
class IdentifiedConnection(Protocol):
    """A connection behind which the store may be another one the next time it is entered."""

    async def recognise(self, *, restores: bool = False) -> None:
        """Know the store as it is now from now on: its form, its id, and its key if it has one.

        Args:
            restores: whether this process fills it from a backup, and finds it unfinished until it is done.

        Raises:
            SchemaDrift, StoreDamaged, ConfigurationError: it is not the one that was known before.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreIdentity:
    """What a store is known again by."""

    store_id: str
    key_check: str | None
    """None where it remembered no key yet."""


def verify_identity(
    before: StoreIdentity | None, found: object, steps: Sequence[Migration], *, restores: bool = False, users: str = ""
) -> StoreIdentity:
    """Return what the store is known by, from the result of `LOOK`.

    Args:
        before: what it was known by; None at its first opening.
        found: what was read.
        steps: of the schema that this program ships.
        restores: whether this process fills it from a backup.
        users: who is known to use it, in words.

    Raises:
        SchemaDrift: its form is not the one this program writes.
        StoreDamaged: it does not know itself, or a restore into it did not finish.
        ConfigurationError: it is another store, or remembers another key.
    """
    taken, itself = cast("list[list[Record]]", found)
    if left := remaining(decode_taken(taken), steps):
        raise SchemaDrift(f"the store has no schema step {left[0].name} any more; start this program again")
    if not itself:
        raise StoreDamaged("the store does not know its own state; restore it from a backup")
    if itself[0].get("restoring") and not restores:
        raise StoreDamaged(messages.restore_unfinished(users))
    now = StoreIdentity(
        store_id=cast("str", itself[0]["store_id"]), key_check=cast("str | None", itself[0].get("key_check"))
    )
    if before is None:
        return now
    if now.store_id != before.store_id:
        raise ConfigurationError("another store is in the place of the one that was open; start this program again")
    if before.key_check is not None and now.key_check != before.key_check:
        raise ConfigurationError("the store's hashes are made with another key than before; start this program again")
    return now
