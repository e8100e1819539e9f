"""Which conversation a request goes on in.

Law: one that is named is gone on with: by the header, as every door names a session, or by `user`, whose name is then
its topic. A request that names none has its history with it: where that ends with an answer of ours, the conversation
that was answered in goes on; any other begins one of its own and never goes on in the person's. What was answered is
known by hashes, for as long as the server runs, the newest thousand of them.

Source: rulings D21, A6.
"""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from hashlib import blake2b
from weakref import WeakValueDictionary

import anyio

from voice.core.errors import NoSession, UnknownId
from voice.core.session.lifecycle import clean_topic, topic_of
from voice.core.text.normalise import norm_v1
from voice.entrypoints.web.completions.request import Message, words_of
from voice.services.sessions.lifecycle import SessionLife, Wanted

_MOST_KNOWN = 1_000
_MOST_ALIKE = 100
"""Open sessions whose topics hold a name, among which the one of that name is looked for."""
_ID = "s:"
_SIDES = frozenset({"user", "assistant"})
Place = tuple[str | None, str | None]
"""The session to go on in, or else the topic of a new one."""


class Conversations:
    """The conversations that clients of one server are in."""

    def __init__(self, life: SessionLife) -> None:
        self._life = life
        self._answered: OrderedDict[bytes, str] = OrderedDict()
        self._beginning: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def place(
        self, question: str, before: Sequence[Message], *, session: str | None, user: str | None
    ) -> AsyncGenerator[Place]:
        """Tell where a question is asked; questions under one name are asked one after the other.

        Args:
            question: what is asked.
            before: the messages before it.
            session: what the header names.
            user: whose name the body gives.

        Raises:
            UnknownId: the header has the form of an id, and there is no such session.
            InvalidParams: what the header names could mean several.
        """
        name = session or user
        if name is None:
            yield await self._unnamed(question, before)
            return
        lock = self._beginning.setdefault(name, anyio.Lock())
        async with lock:
            yield await (self._named(name) if session else self._of_user(name))

    def answered(self, question: str, before: Sequence[Message], answer: str, session_id: str) -> None:
        """Take note of what was answered where, so that the next request of the same history goes on there."""
        said = (*_told(before), ("user", question), ("assistant", answer))
        key = _digest(said)
        self._answered[key] = session_id
        self._answered.move_to_end(key)
        if len(self._answered) > _MOST_KNOWN:
            self._answered.popitem(last=False)

    async def _named(self, name: str) -> Place:
        try:
            found = await self._life.named(name)
        except UnknownId:
            if name.startswith(_ID):
                raise
            return None, name
        return found.id, None

    async def _of_user(self, user: str) -> Place:
        """Return the live conversation of that name, the one that was last gone on with."""
        topic = clean_topic(user)
        alike = await self._life.listed(limit=_MOST_ALIKE, wanted=Wanted(status="open", about=topic))
        same = [each.id for each in alike if norm_v1(each.thread_topic) == norm_v1(topic)]
        return (same[0], None) if same else (None, topic)

    async def _unnamed(self, question: str, before: Sequence[Message]) -> Place:
        anew = topic_of(question, include_private=False)
        known = self._answered.get(_digest(_told(before)))
        if known is None:
            return None, anew
        try:
            is_open = (await self._life.named(known)).status != "closed"
        except (UnknownId, NoSession):
            return None, anew
        return (known, None) if is_open else (None, anew)


def _told(messages: Sequence[Message]) -> tuple[tuple[str, str], ...]:
    """Return what both sides said, of a history that ends with an answer; spaces may have been lost on the way."""
    return tuple((each.role, words_of(each.content)) for each in messages if each.role in _SIDES)


def _digest(said: Sequence[tuple[str, str]]) -> bytes:
    digest = blake2b(digest_size=32)
    for role, words in said:
        part = f"{role} {' '.join(words.split())}".encode("utf-8", "surrogatepass")
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()
