"""A `Session` for the OpenAI Agents SDK whose conversation is kept beside a memory.

    async with Voice.open() as voice:
        session = VoiceSession("support-7", voice)
        agent = Agent(name="Helper", tools=agent_tools(voice))
        await Runner.run(agent, "Where did I move the kiln?", session=session)

Law: an item of the conversation is a record of the program that runs the agent, whoever said it: no note, no evidence,
in no prompt of ours. It is kept as it is, one transaction a call, in the order of the calls. Forgetting a note takes
the words out of items that quote it; the items stay, so that each call keeps its output.

Source: the protocol `agents.memory.Session`.
"""

import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from anyio import CancelScope, to_thread

from voice.adapters.extras import require_installed
from voice.core.session.agent_records import RecordKind, json_bytes
from voice.entrypoints.library import Voice
from voice.integrations.tools import tools_of


class VoiceSession:
    """One conversation of an agent; it implements the SDK's `Session` and needs nothing of the SDK itself."""

    def __init__(self, session_id: str, voice: Voice, session_settings: Any = None) -> None:
        """Know which conversation it is; nothing is read yet.

        Args:
            session_id: the name of the conversation; the same name goes on with it.
            voice: the open memory beside which it is kept.
            session_settings: the SDK's `SessionSettings`: how many items are read where a call does not say.
        """
        self.session_id = session_id
        self.session_settings: Any = session_settings
        self._voice = voice

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items in their order; with a limit the latest of them."""
        most = self.session_settings.limit if limit is None and self.session_settings is not None else limit
        return await to_thread.run_sync(self._read, -1 if most is None else most)  # -1: all

    async def add_items(self, items: Sequence[Any]) -> None:
        """Keep items behind those that are there; all of them, or none.

        Raises:
            TypeError: one of them is nothing that JSON can say; none was kept.
            StoreUnavailable: the disk takes no more; none was kept.
        """
        if items:
            await self._change(self._append, [json_bytes(item) for item in items])  # first, as it may fail

    async def pop_item(self) -> Any:
        """Take the latest item away and return it; None where there is none."""
        return await self._change(self._pop)

    async def clear_session(self) -> None:
        """Take every item away."""
        await self._change(self._clear)

    def _read(self, last: int) -> list[Any]:
        with self._voice.services.agent_records.transaction() as records:
            found = records.find(RecordKind.ITEM, self.session_id, last=last)
        return [json.loads(each.value) for each in found]

    def _append(self, values: list[bytes]) -> None:
        now = self._voice.services.clock.now()
        with self._voice.services.agent_records.transaction() as records:
            for value in values:
                records.put(RecordKind.ITEM, self.session_id, None, value, now)

    def _pop(self) -> Any:
        with self._voice.services.agent_records.transaction() as records:
            latest = records.find(RecordKind.ITEM, self.session_id, last=1)
            records.remove_ids(each.id for each in latest)
            return json.loads(latest[0].value) if latest else None

    def _clear(self) -> None:
        with self._voice.services.agent_records.transaction() as records:
            records.remove(RecordKind.ITEM, self.session_id)

    @staticmethod
    async def _change(change: Any, *arguments: Any) -> Any:
        """Carry out a change to its end: a run that is withdrawn meanwhile learns of it afterwards."""
        with CancelScope(shield=True):
            return await to_thread.run_sync(change, *arguments)


def agent_tools(voice: Voice) -> list[Any]:
    """Return the memory as tools for `Agent(tools=…)`: retrieve, recall, ask and remember.

    Raises:
        ConfigurationError: the SDK is not installed.
    """
    require_installed("agents", "agent_tools")
    function_tool: Any = import_module("agents").function_tool
    return [function_tool(each) for each in tools_of(voice)]
