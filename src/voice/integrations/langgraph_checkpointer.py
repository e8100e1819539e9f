"""A checkpointer for LangGraph, kept beside a memory.

    async with Voice.open() as voice:
        graph = builder.compile(checkpointer=VoiceCheckpointer(voice))
        await graph.ainvoke(inputs, {"configurable": {"thread_id": "1"}})

Law: a checkpoint is the state of a program: no note, no evidence, in no prompt of ours. A checkpoint, and the writes of
a task, are one transaction each. Only the framework can take a checkpoint apart, so of a thread that quotes what is
forgotten nothing stays. Threads are deleted whole; pruning and deleting by runs are not offered.

Source: `langgraph.checkpoint.base.BaseCheckpointSaver`.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from anyio import to_thread

from voice.adapters.extras import require_installed
from voice.adapters.system.agent_records import Records, StartsWith
from voice.core.session.agent_records import AgentRecord, RecordKind, pack_parts, unpack_parts
from voice.entrypoints.library import Voice

require_installed("langgraph", "voice.integrations.langgraph_checkpointer")
_savers: Any = import_module("langgraph.checkpoint.base")
_END: Final = "\x1f"  # a control character: no id or namespace holds it


class VoiceCheckpointer(_savers.BaseCheckpointSaver):
    """LangGraph's checkpointer."""

    def __init__(self, voice: Voice, *, serde: Any = None) -> None:
        """Keep the threads of graphs beside an open memory; `serde` is LangGraph's own where it is None."""
        _savers.BaseCheckpointSaver.__init__(self, serde=serde)
        self._voice = voice

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Keep a checkpoint behind the one that `config` names, and return what names it."""
        del new_versions  # each checkpoint is whole
        thread, namespace, parent = _place(config)
        told = _savers.get_checkpoint_metadata(config, metadata)
        value = pack_parts(*self._packed(checkpoint), *self._packed(told), (parent or "").encode())
        with self._voice.services.agent_records.transaction() as records:
            name = f"{namespace}{_END}{checkpoint['id']}"
            records.put(RecordKind.CHECKPOINT, thread, name, value, self._voice.services.clock.now())
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        """Keep what a task wrote after a checkpoint; what it wrote before stays, but for errors and interrupts."""
        thread, namespace, checkpoint = _place(config)
        with self._voice.services.agent_records.transaction() as records:
            for at, (channel, written) in enumerate(writes):
                number = _savers.WRITES_IDX_MAP.get(channel, at)  # errors and interrupts have numbers below 0
                name = _END.join((namespace, str(checkpoint), task_id, str(number)))
                parts = (task_id, channel, task_path, str(number))
                value = pack_parts(*(each.encode() for each in parts), *self._packed(written))
                now = self._voice.services.clock.now()
                records.put(RecordKind.WRITE, thread, name, value, now, over=number < 0)  # only these are replaced

    def get_tuple(self, config: Any) -> Any:
        """Return the checkpoint that `config` names, or the latest of its thread; None where there is none."""
        thread, namespace, checkpoint = _place(config)
        name = StartsWith(f"{namespace}{_END}") if checkpoint is None else f"{namespace}{_END}{checkpoint}"
        with self._voice.services.agent_records.transaction() as records:
            found = records.find(RecordKind.CHECKPOINT, thread, name, last=1)  # the latest
            return self._tuple(records, found[0]) if found else None

    def list(
        self, config: Any, *, filter: Mapping[str, Any] | None = None, before: Any = None, limit: int | None = None
    ) -> Iterator[Any]:
        """Yield checkpoints, the latest first, of a thread or of all."""
        yield from self._listed(config, filter or {}, before, limit)

    def delete_thread(self, thread_id: str) -> None:
        """Take away all that is kept of a thread."""
        with self._voice.services.agent_records.transaction() as records:
            records.remove(RecordKind.CHECKPOINT, str(thread_id))
            records.remove(RecordKind.WRITE, str(thread_id))

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Do as `put`, from an event loop."""
        return await to_thread.run_sync(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        """Do as `put_writes`, from an event loop."""
        await to_thread.run_sync(self.put_writes, config, writes, task_id, task_path)

    async def aget_tuple(self, config: Any) -> Any:
        """Do as `get_tuple`, from an event loop."""
        return await to_thread.run_sync(self.get_tuple, config)

    async def alist(
        self, config: Any, *, filter: Mapping[str, Any] | None = None, before: Any = None, limit: int | None = None
    ) -> AsyncIterator[Any]:
        """Do as `list`, from an event loop."""
        for each in await to_thread.run_sync(self._listed, config, filter or {}, before, limit):
            yield each

    async def adelete_thread(self, thread_id: str) -> None:
        """Do as `delete_thread`, from an event loop."""
        await to_thread.run_sync(self.delete_thread, thread_id)

    def _listed(self, config: Any, wanted: Mapping[str, Any], before: Any, limit: int | None) -> "Sequence[Any]":
        with self._voice.services.agent_records.transaction() as records:
            thread, name = (None, None) if config is None else _listed_place(config)
            found: Sequence[AgentRecord] = records.find(RecordKind.CHECKPOINT, thread, name)
            end = before and _savers.get_checkpoint_id(before)
            tuples = (
                self._tuple(records, each)
                for each in reversed(found)
                if not end or (each.name or "").rpartition(_END)[2] < end  # ids rise with time
            )
            fitting = [each for each in tuples if wanted.items() <= each.metadata.items()]
        return fitting if limit is None else fitting[: max(limit, 0)]

    def _tuple(self, records: Records, found: AgentRecord) -> Any:
        namespace, checkpoint = (found.name or _END).split(_END)
        kind, packed, told_kind, told, parent = unpack_parts(found.value)
        writes = records.find(RecordKind.WRITE, found.owner, StartsWith(f"{found.name}{_END}"))
        parts = sorted((unpack_parts(each.value) for each in writes), key=lambda part: (part[2], part[0], int(part[3])))
        return _savers.CheckpointTuple(
            config=_config(found.owner, namespace, checkpoint),
            checkpoint=self.serde.loads_typed((kind.decode(), packed)),
            metadata=self.serde.loads_typed((told_kind.decode(), told)),
            parent_config=_config(found.owner, namespace, parent.decode()) if parent else None,
            pending_writes=[
                (p[0].decode(), p[1].decode(), self.serde.loads_typed((p[4].decode(), p[5]))) for p in parts
            ],
        )

    def _packed(self, value: Any) -> tuple[bytes, bytes]:
        kind, packed = self.serde.dumps_typed(value)
        return kind.encode(), packed


def _place(config: Any) -> tuple[str, str, str | None]:
    """Return thread, namespace and checkpoint that a configuration names."""
    named = config["configurable"]
    return str(named["thread_id"]), named.get("checkpoint_ns", ""), _savers.get_checkpoint_id(config)


def _listed_place(config: Any) -> tuple[str | None, str | StartsWith | None]:
    named = config["configurable"]
    thread, checkpoint = named.get("thread_id"), _savers.get_checkpoint_id(config)
    if "checkpoint_ns" not in named:  # all namespaces
        return thread and str(thread), None
    begins = f"{named['checkpoint_ns']}{_END}"
    return thread and str(thread), f"{begins}{checkpoint}" if checkpoint else StartsWith(begins)


def _config(thread: str, namespace: str, checkpoint: str) -> Any:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint}}
