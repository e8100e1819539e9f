"""Context paths for observations of before there were any (ruling I1).

Law: a path is a function of the thought (`voice.core.text.context_path`), so it is made again from what is stored and
may be made twice. It is no part of what an observation says: neither its hash nor its `seq` changes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import META, PAGE, key_of
from voice.adapters.surreal.reading import record_pages
from voice.adapters.surreal.writer import Writer
from voice.core.records import PREFIX_OF_TABLE, Table
from voice.core.text.context_path import context_paths, stands_at

_UNPLACED: Final = "SELECT VALUE unplaced FROM $meta"
_PLACED: Final = "UPDATE $meta SET unplaced = NONE RETURN NONE;"
_OF_THOUGHTS: Final = (
    "SELECT VALUE [id, thought_ids, spans] FROM kg_observations WHERE thought_ids CONTAINSANY $thoughts"
)
_PLACE: Final = "FOR $each IN $placed { UPDATE $each.id SET context_path = $each.path RETURN NONE };"

_Cut = tuple[object, list[str], list[int]]
"""An observation's record, the thoughts it rests on, and where in them, start and end in turn."""


async def place_observations(connection: Connection, writer: Writer) -> None:
    """Give every observation of a store from before context paths its own; once.

    Raises:
        StoreUnavailable: another process wrote meanwhile.
    """
    if await connection.run("read its state", _UNPLACED, {"meta": META}) != [True]:
        return

    async def place(seq: int) -> int:
        async for thoughts in record_pages(connection, Table.THOUGHTS):
            await _place_those_of(connection, {_id_of(each): each for each in thoughts})
        await connection.run("say where all observations stand", _PLACED, {"meta": META})
        return seq

    await writer.exclusively("say where observations stand", place)


async def _place_those_of(connection: Connection, thoughts: Mapping[str, Record]) -> None:
    result = await connection.run("list observations", _OF_THOUGHTS, {"thoughts": list(thoughts)})
    placed = list(_placed(cast("list[_Cut]", result), thoughts))
    for start in range(0, len(placed), PAGE):
        await connection.run("say where observations stand", _PLACE, {"placed": placed[start : start + PAGE]})


def _placed(cuts: Sequence[_Cut], thoughts: Mapping[str, Record]) -> Iterator[Record]:
    """Yield each observation that has a path with it; its first place counts."""
    of_thought: dict[str, list[tuple[int, object]]] = {}
    for observation, thought_ids, spans in cuts:
        if thought_ids and thought_ids[0] in thoughts:
            at = stands_at(str(thoughts[thought_ids[0]]["content"]), spans[0], spans[1])
            of_thought.setdefault(thought_ids[0], []).append((at, observation))
    for thought_id, found in of_thought.items():
        found.sort(key=lambda one: one[0])
        thought = thoughts[thought_id]
        source_ref = cast("str | None", thought.get("source_ref"))
        paths = context_paths(str(thought["content"]), [start for start, _ in found], source_ref=source_ref)
        yield from (
            {"id": observation, "path": list(path)} for (_, observation), path in zip(found, paths, strict=True)
        )


def _id_of(thought: Record) -> str:
    return f"{PREFIX_OF_TABLE[Table.THOUGHTS]}:{key_of(thought['id'])}"
