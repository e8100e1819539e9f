"""A model that looks its word pieces up before it turns them into floats, not after.

Law: the numbers stay the same, bit for bit: `Gather(Mul(Cast(rows), scales), ids)` works on each row by itself, so the
gathering may come first. As the file has it, the runtime turns all 30,522 rows into floats when it opens the model, of
which a text needs some dozen: 85 MB and 70 ms of every process (measured).

Only names are exchanged, in the bare encoding of protobuf: a model holds its graph, a graph its steps, a step the names
of what it takes and returns.

Source: DESIGN 11 (start-up is budgeted); ONNX IR, `ModelProto`.
"""

from collections.abc import Iterator, Mapping
from typing import Final

_GRAPH: Final = 7
_STEP: Final = 1
_INPUT, _OUTPUT, _NAME = 1, 2, 3
_LENGTHS: Final = {1: 8, 5: 4}
_SIZED: Final = 2
_MORE: Final = 0x80
_Bytes = bytes | memoryview


def looked_up_first(model: bytes, table: str) -> bytes:
    """Return the model with the rows of a table gathered before they are cast and scaled.

    Args:
        model: the bytes of a model file.
        table: the name of the table, made of the rows `{table}_q` and of one scale for each, `{table}_scale`.

    Raises:
        ValueError: no such table is made and gathered from.
    """
    parts: list[_Bytes] = []
    for number, body, raw in _members(memoryview(model)):
        parts += _sized(_GRAPH, _reordered(body, table)) if number == _GRAPH else [raw]
    return b"".join(parts)


def _reordered(graph: memoryview, table: str) -> list[_Bytes]:
    rows, scales, floats = f"{table}_q", f"{table}_scale", f"{table}_f"
    parts: list[_Bytes] = []
    steps: dict[str, memoryview] = {}
    for number, body, raw in _members(graph):
        role = _role(body, table, floats) if number == _STEP else None
        if role is None:
            parts.append(raw)
        else:
            steps[role] = body
    if len(steps) != len(("cast", "scale", "gather")):
        raise ValueError(f"the model does not gather from {table}")
    [found] = _names(steps["gather"], _OUTPUT)
    for body, names in (
        (steps["gather"], {table: rows, found: f"{rows}_found"}),
        (steps["gather"], {table: scales, found: f"{scales}_found"}),
        (steps["cast"], {rows: f"{rows}_found"}),
        (steps["scale"], {scales: f"{scales}_found", table: found}),
    ):
        parts += _sized(_STEP, _renamed(body, names))
    return parts


def _role(step: memoryview, table: str, floats: str) -> str | None:
    """Return which of the three steps it is."""
    if _names(step, _OUTPUT) == [floats]:
        return "cast"
    if _names(step, _OUTPUT) == [table]:
        return "scale"
    return "gather" if table in _names(step, _INPUT) else None


def _names(step: memoryview, wanted: int) -> list[str]:
    return [str(body, "utf-8") for number, body, _ in _members(step) if number == wanted]


def _renamed(step: memoryview, names: Mapping[str, str]) -> list[_Bytes]:
    """Return the step with other names; its own name, which only reports use, goes."""
    parts: list[_Bytes] = []
    for number, body, raw in _members(step):
        if number in (_INPUT, _OUTPUT):
            name = str(body, "utf-8")
            parts += _sized(number, [names.get(name, name).encode()])
        elif number != _NAME:
            parts.append(raw)
    return parts


def _members(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Yield each member of a message: its number, what it holds, and the bytes of both."""
    at = 0
    while at < len(message):
        begun = at
        key, at = _varint(message, at)
        kind = key & 7
        length = _LENGTHS.get(kind, 0)
        if kind == _SIZED:
            length, at = _varint(message, at)
        elif not length:
            _, at = _varint(message, at)
        yield key >> 3, message[at : at + length], message[begun : at + length]
        at += length


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Return the number that begins there, and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= byte % _MORE << shift
        at, shift = at + 1, shift + 7
        if byte < _MORE:
            return value, at


def _sized(number: int, parts: list[_Bytes]) -> list[_Bytes]:
    """Return the parts as one member of that number."""
    length = sum(map(len, parts))
    return [_encoded(number << 3 | _SIZED), _encoded(length), *parts]


def _encoded(value: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first."""
    groups = bytearray()
    while value >= _MORE:
        groups.append(value % _MORE | _MORE)
        value //= _MORE
    return bytes([*groups, value])
