"""A store for LangGraph, kept beside a memory.

    async with Voice.open() as voice:
        graph = builder.compile(store=VoiceStore(voice))

Law: what a graph stores is a record of its program, whoever said it: no note, no evidence, in no prompt of ours. A
batch is one transaction. Forgetting a note takes its words out of stored values. The store finds by namespace and
filter; it makes no vectors, so a `query` orders nothing, as in LangGraph's own store without an `index`, and it keeps a
value until it is deleted.

Source: `langgraph.store.base.BaseStore`.
"""

import json
import operator
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from importlib import import_module
from typing import Any, Final, cast

from anyio import to_thread

from voice.adapters.extras import require_installed
from voice.adapters.system.agent_records import Records, StartsWith
from voice.core.session.agent_records import AgentRecord, RecordKind, json_bytes
from voice.entrypoints.library import Voice

require_installed("langgraph", "voice.integrations.langgraph_store")
_stores: Any = import_module("langgraph.store.base")
_END: Final = "\x1f"  # a control character, which no label holds
_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": lambda held, wanted: float(held) > float(wanted),  # numbers, as in LangGraph's own store
    "$gte": lambda held, wanted: float(held) >= float(wanted),
    "$lt": lambda held, wanted: float(held) < float(wanted),
    "$lte": lambda held, wanted: float(held) <= float(wanted),
}


class VoiceStore(_stores.BaseStore):
    """LangGraph's store of values by namespace and key."""

    def __init__(self, voice: Voice) -> None:
        """Keep values beside an open memory."""
        self._voice = voice

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Carry out operations in one transaction: all that is read is read before anything is written."""
        with self._voice.services.agent_records.transaction() as records:
            asked = list(ops)
            results = [_read(records, each) for each in asked]
            for each in asked:  # after all reading
                if isinstance(each, _stores.PutOp):
                    self._put(records, each)
            return results

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """Do the same from an event loop."""
        return await to_thread.run_sync(self.batch, list(ops))

    def _put(self, records: Records, asked: Any) -> None:
        owner, name = _owner(asked.namespace), asked.key
        if asked.value is None:
            records.remove(RecordKind.STORED, owner, name)
        else:
            records.put(RecordKind.STORED, owner, name, json_bytes(asked.value), self._voice.services.clock.now())


def _read(records: Records, asked: Any) -> Any:
    """Return what an operation reads; nothing for one that writes."""
    if isinstance(asked, _stores.PutOp):
        return None
    if isinstance(asked, _stores.GetOp):
        found = records.find(RecordKind.STORED, _owner(asked.namespace), asked.key)
        return _stores.Item(**_fields(found[0])) if found else None
    if isinstance(asked, _stores.SearchOp):
        return _search(records, asked)
    if isinstance(asked, _stores.ListNamespacesOp):
        return _namespaces(records, asked)
    raise TypeError(f"{type(asked).__name__} is not a store operation")


def _search(records: Records, asked: Any) -> list[Any]:
    beginning = StartsWith(_owner(asked.namespace_prefix)) if asked.namespace_prefix else None
    found = (_fields(each) for each in records.find(RecordKind.STORED, beginning))
    fitting = [each for each in found if _matches_filter(each["value"], asked.filter or {})]
    return [_stores.SearchItem(**each) for each in fitting[asked.offset : asked.offset + asked.limit]]


def _namespaces(records: Records, asked: Any) -> list[tuple[str, ...]]:
    every = (_namespace(owner) for owner in records.owners(RecordKind.STORED))
    fitting = (each for each in every if all(_matches(each, wanted) for wanted in asked.match_conditions or ()))
    found = sorted({each[: asked.max_depth] for each in fitting})  # None is no bound
    return found[asked.offset : asked.offset + asked.limit]


def _matches(namespace: tuple[str, ...], wanted: Any) -> bool:
    path = tuple(wanted.path)
    part = namespace[: len(path)] if wanted.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(part) == len(path) and all(asked in ("*", held) for held, asked in zip(part, path, strict=True))


def _matches_filter(held: Any, wanted: Any) -> bool:
    """Return whether a value is what a filter asks for, member by member; a name with `$` compares."""
    if isinstance(wanted, dict):
        asked = cast("dict[str, Any]", wanted)
        if any(name.startswith("$") for name in asked):
            if unknown := asked.keys() - _COMPARED.keys():
                raise ValueError(f"unknown filter operator {min(unknown)}; use {', '.join(_COMPARED)}")
            return all(_COMPARED[name](held, each) for name, each in asked.items())
        members = cast("dict[str, Any]", held) if isinstance(held, dict) else None
        return members is not None and all(_matches_filter(members.get(name), each) for name, each in asked.items())
    return bool(held == wanted)


def _owner(namespace: Iterable[str]) -> str:
    return "".join(f"{label}{_END}" for label in namespace)  # each label ends, so ("a",) is no beginning of ("ab",)


def _namespace(owner: str) -> tuple[str, ...]:
    return tuple(owner.split(_END)[:-1])  # behind the last one stands nothing


def _fields(record: AgentRecord) -> dict[str, Any]:
    return {
        "namespace": _namespace(record.owner),
        "key": record.name,
        "value": json.loads(record.value),
        "created_at": datetime.fromisoformat(record.made),
        "updated_at": datetime.fromisoformat(record.changed),
    }
