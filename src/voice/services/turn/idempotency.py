"""Give a call that is repeated under its idempotency key its first answer.

Law: whoever repeats the call: while the first still runs it waits; afterwards, and in another process, the answer is
read from the store, where one turn alone can bear the key's hash. Keys are kept as keyed hashes; another question under
a key, or another session, is an error. What ended for want of a provider, of time or of money, or was cancelled, is no
answer: under its key the question is asked again.

Source: docs/sessions.md, "When things go wrong"; rulings D20, D21, D25.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio

from voice.core.errors import AlreadyAsked, InvalidParams, KeyReused, StoreDamaged
from voice.core.grounding.values import RefusalReason
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import DEFAULT_ORDER, NlqSettings
from voice.core.retrieval.params import order_meant
from voice.core.retrieval.values import Order
from voice.core.session.turn_traces import canonical_json, plain_json
from voice.core.session.values import DialogueExchange
from voice.core.text.normalise import keyed_hash
from voice.ports.stores import SessionStore
from voice.services.runtime.turn import AskRequest, Turn
from voice.services.sessions.lookup import load_session

MAX_KEY_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedRequest:
    """The hashes by which a turn knows the call that asked for it."""

    idempotency: str
    request_hash: str
    """Keyed hash of everything about the question that its answer depends on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentTurns:
    """Asks once under one key."""

    sessions: SessionStore
    key: bytes = field(repr=False)
    nlq: NlqSettings
    timezone: str
    running: dict[str, anyio.Event]
    """The calls of this process that have not ended, by the hash of their key."""

    async def __call__(self, request: AskRequest, ask: Callable[[KeyedRequest], Awaitable[Turn]]) -> Turn:
        """Return the first answer under the request's key, or what `ask` returns where there is none yet. Raises
        InvalidParams: the key is none; KeyReused: it was used for another question or in another session."""
        mark = keyed_request(request, self.key)
        # Not `if`: of several that waited for one call, the first to wake is the next that runs.
        while (other := self.running.get(mark.idempotency)) is not None:
            await other.wait()
        ended = self.running[mark.idempotency] = anyio.Event()
        try:
            return await self._first(request, mark) or await self._ask_once(request, mark, ask)
        finally:
            del self.running[mark.idempotency]
            ended.set()  # after the entry is gone: who wakes must not find it

    async def earlier(self, request: AskRequest) -> Turn | None:
        """Return the turn that answers under the request's key; None where it would be asked; raises as a call does."""
        return await self._first(request, keyed_request(request, self.key))

    async def _ask_once(
        self, request: AskRequest, mark: KeyedRequest, ask: Callable[[KeyedRequest], Awaitable[Turn]]
    ) -> Turn:
        try:
            return await ask(mark)
        except AlreadyAsked:  # another process was faster
            first = await self._first(request, mark)
        if first is None:
            raise AlreadyAsked("the turn of this idempotency key was deleted meanwhile; ask again")
        return first

    async def _first(self, request: AskRequest, mark: KeyedRequest) -> Turn | None:
        found = await self.sessions.exchanges(idempotency=mark.idempotency)
        if not found:
            return None
        (exchange,) = found
        if exchange.request_hash != mark.request_hash:
            raise KeyReused(
                f"this idempotency key was used for another question, or with other options ({exchange.id}); use a new"
                " key for a new question"
            )
        if request.session_id is not None:  # the session is no part of the hash
            named = await load_session(self.sessions, request.session_id, window=0, timezone=self.timezone)
            if named.id != exchange.session_id:
                raise KeyReused(
                    f"this idempotency key was used in another session ({exchange.session_id}); use a new key"
                )
        session = await self.sessions.load(exchange.session_id, window=0)
        if session is None:
            raise StoreDamaged(f"{exchange.id} is stored, but its session is not; run `voice maintain verify`")
        return Turn(
            session=session,
            exchange=exchange,
            parsed=None,
            selection=None,
            plan=None,
            order=self._order(request, exchange),
            replayed=True,
        )

    def _order(self, request: AskRequest, exchange: DialogueExchange) -> Order:
        """Return the order of its sources, as the question implied it when it was asked."""
        if (order := order_meant(request.order)) is not None:
            return order
        now = exchange.timestamp  # "yesterday" as it was then
        parsed = parse_query(exchange.my_query, now=now, timezone=self.timezone, settings=self.nlq, when=request.when)
        return parsed.order or DEFAULT_ORDER


def keyed_request(request: AskRequest, key: bytes) -> KeyedRequest:
    """Return what a turn bears of `request`; which session is gone on with, and how it is shown, is no part of it.
    Raises InvalidParams: its idempotency key is empty or too long."""
    idempotency_key = request.idempotency_key or ""
    if not idempotency_key.strip() or len(idempotency_key) > MAX_KEY_CHARS:
        raise InvalidParams(f"an idempotency key has 1 to {MAX_KEY_CHARS} characters, and not spaces alone")
    asked = (
        request.question,
        request.new_topic,
        request.stance.value,
        request.when,
        request.limit,
        request.shape,
        request.include_private,
        request.include_tags,
        request.exclude_tags,
        request.scope,
        *([] if request.as_of is None else [request.as_of]),  # left out where not said: earlier hashes stay valid
    )
    return KeyedRequest(
        idempotency=keyed_hash(key, f"idempotency\n{idempotency_key}"),
        request_hash=keyed_hash(key, f"request\n{canonical_json(plain_json(asked))}"),
    )


def is_final(exchange: DialogueExchange) -> bool:
    """Return whether a turn answers its question for good: with an answer, or with what the memory does not hold."""
    return exchange.status != "error" and exchange.reason not in _FOR_NOW


_FOR_NOW = (RefusalReason.BUDGET, RefusalReason.CUT, RefusalReason.DECLINED)  # no word on the memory (J3)
