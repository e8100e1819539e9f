"""A write whose answer was lost may still be under way: only a mark settles it, whatever the second sending meets."""

from collections.abc import Awaitable, Callable
from itertools import repeat

import pytest

from voice.adapters.surreal.connection import META, BeingRestored, Connection, Params, ThrownCode, WriteConflict
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.writer import Write, Writer
from voice.core.errors import ConfigurationError, OutcomeUnknown, StoreError, StoreUnavailable, VoiceError
from voice.core.store_holder import MARKS

pytestmark = pytest.mark.requirement("holder:unknown")
LOST = OutcomeUnknown("it is not known whether the store did it, because the store server did not answer in time")
GONE = StoreUnavailable("the store server cannot be reached")
RESTORED = BeingRestored("a backup is being restored into the store")
REFUSED = ConfigurationError("the store server refused the sign-in")
FULL = StoreUnavailable("the disk is full")
Meets = Callable[["Server"], Awaitable[None]]


class Server:
    """A server that goes on with a statement after its client has given up waiting for it."""

    def __init__(self, inner: Connection, *, sendings: "list[Meets]", lookups: "list[Meets] | None" = None) -> None:
        self._inner = inner
        self._sendings = iter([_meets(error=LOST), *sendings])
        self._lookups = iter([*(lookups or []), *repeat(_answers, 99)])
        self._under_way: tuple[str, Params | None] | None = None

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        if purpose == "write":
            self._under_way = self._under_way or (text, params)
            await next(self._sendings, _answers)(self)
        if purpose == "look up a write":
            await next(self._lookups)(self)
        return await self._inner.run(purpose, text, params)

    async def finish(self) -> None:
        """Carry out what was sent first."""
        assert self._under_way is not None
        await self._inner.run("write", *self._under_way)

    async def others(self, *numbers: int) -> None:
        """Let others take so many numbers, write after write."""
        for count in numbers:
            await Writer(self._inner).commit("write", _adding("theirs", count))

    async def aclose(self) -> None:
        await self._inner.aclose()


def _meets(*steps: Meets, error: VoiceError | None = None) -> Meets:
    async def meet(server: Server) -> None:
        for each in steps:
            await each(server)
        if error is not None:
            raise error

    return meet


_answers = _meets()
"""Nothing is in its way."""


def _others(*numbers: int) -> Meets:
    async def write(server: Server) -> None:
        await server.others(*numbers)

    return write


def _adding(what: str, numbers: int = 1, *further: str) -> Callable[[int], Awaitable[Write]]:
    async def decide(_: int) -> Write:
        steps = ("CREATE things SET value = $value RETURN NONE;", *further)
        return Write(steps=steps, params={"value": what}, numbers=numbers)

    return decide


async def _write_unknown(server: Server) -> None:
    """Write what nobody can say afterwards whether it was written, in the words in which that was told first."""
    with pytest.raises(OutcomeUnknown) as told:
        await Writer(server).commit("write", _adding("mine"))
    assert told.value is LOST


async def _mine(inner: Connection) -> object:
    return await inner.run("look", "SELECT VALUE value FROM things WHERE value = 'mine'")


@pytest.mark.requirement("server:outcome-unknown", "server:writes-once")
async def test_a_write_whose_mark_another_one_has_replaced_is_unknown_and_not_decided_again(
    inner: EmbeddedConnection,
) -> None:
    # Base 0; a batch on base 1 takes 255 numbers; the next has base 256 and so the mark's place of base 0.
    server = Server(inner, sendings=[_meets(Server.finish, _others(MARKS - 1, 1))])
    await _write_unknown(server)
    assert await _mine(inner) == ["mine"]


@pytest.mark.requirement("server:writes-once")
async def test_a_write_that_finished_while_it_was_looked_up_is_found_by_its_mark(inner: EmbeddedConnection) -> None:
    server = Server(inner, sendings=[_meets(Server.finish, _others(MARKS - 2))])
    assert await Writer(server).commit("write", _adding("mine")) == 1
    assert await _mine(inner) == ["mine"]


@pytest.mark.requirement("server:writes-once")
async def test_a_write_whose_number_another_one_took_is_decided_again(inner: EmbeddedConnection) -> None:
    server = Server(inner, sendings=[_others(1)])
    assert await Writer(server).commit("write", _adding("mine")) == 2
    with pytest.raises(ThrownCode):
        await server.finish()
    assert await _mine(inner) == ["mine"]


@pytest.mark.requirement("server:outcome-unknown")
@pytest.mark.parametrize("error", [GONE, RESTORED, REFUSED, FULL, StoreError("the store refused it")])
async def test_what_goes_wrong_with_the_second_sending_leaves_the_first_unknown(
    inner: EmbeddedConnection, error: VoiceError
) -> None:
    server = Server(inner, sendings=[_meets(error=error)])
    await _write_unknown(server)


@pytest.mark.requirement("server:outcome-unknown")
@pytest.mark.parametrize("error", [GONE, REFUSED])
async def test_a_write_that_cannot_be_looked_up_any_more_is_unknown(
    inner: EmbeddedConnection, error: VoiceError
) -> None:
    server = Server(inner, sendings=[Server.finish], lookups=[_answers, _meets(error=error)])
    await _write_unknown(server)
    assert await _mine(inner) == ["mine"]


@pytest.mark.requirement("server:writes-once")
@pytest.mark.parametrize("error", [GONE, RESTORED, REFUSED, WriteConflict("another writer was first")])
async def test_a_write_that_happened_is_done_whatever_its_second_sending_met(
    inner: EmbeddedConnection, error: VoiceError
) -> None:
    server = Server(inner, sendings=[_meets(Server.finish, error=error)])
    assert await Writer(server).commit("write", _adding("mine")) == 1
    assert await _mine(inner) == ["mine"]


@pytest.mark.requirement("server:writes-once")
async def test_a_conflict_with_somebody_else_while_in_doubt_sends_the_same_write_again(
    inner: EmbeddedConnection,
) -> None:
    server = Server(inner, sendings=[_meets(error=WriteConflict("another writer was first"))])
    assert await Writer(server).commit("write", _adding("mine")) == 1
    with pytest.raises(ThrownCode):
        await server.finish()
    assert await _mine(inner) == ["mine"]


@pytest.mark.requirement("server:outcome-unknown")
@pytest.mark.parametrize("error", [LOST, WriteConflict("another writer was first")])
async def test_a_write_that_is_never_answered_is_unknown_and_blames_no_holder(
    inner: EmbeddedConnection, error: VoiceError
) -> None:
    server = Server(inner, sendings=[_meets(error=error)] * 99)
    await _write_unknown(server)


async def test_a_write_that_its_own_steps_refuse_did_not_happen_by_either_sending(inner: EmbeddedConnection) -> None:
    server = Server(inner, sendings=[])
    with pytest.raises(ThrownCode) as told:
        await Writer(server).commit("write", _adding("mine", 1, "THROW 'session_conflict';"))
    assert told.value.thrown == "session_conflict"
    with pytest.raises(ThrownCode):
        await server.finish()
    assert await _mine(inner) == []


async def test_a_store_that_lost_its_state_cannot_tell_of_a_write(inner: EmbeddedConnection) -> None:
    async def damaged(server: Server) -> None:
        await inner.run("damage", "DELETE $meta", {"meta": META})

    server = Server(inner, sendings=[], lookups=[damaged])
    with pytest.raises(OutcomeUnknown):
        await Writer(server).commit("write", _adding("mine"))
