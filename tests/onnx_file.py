"""A model file of a few hundred bytes, written by hand: its logit is the number of the claim's new pieces.

Only what the tests need of the ONNX format is here: three inputs, four operators, one output, and metadata.
"""

import json
from pathlib import Path

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
METADATA = {"format": 1, "slope": 1.0, "weight": 1.0, "bias": -1.5, "support": 0.9, "doubt": 0.1}


def onnx_bytes(metadata: object = METADATA, *, inputs: tuple[str, ...] = INPUTS) -> bytes:
    """Return a model that counts the marks 2, with `metadata` under this program's key (None: without any)."""
    graph = b"".join(
        (
            _field(1, _node("Constant", (), "two", _field(5, _constant_two()))),
            _field(1, _node("Equal", (inputs[-1], "two"), "new")),
            _field(1, _node("Cast", ("new",), "ones", _field(5, _int_attribute("to", 1)))),
            _field(1, _node("ReduceSum", ("ones",), "logit", _field(5, _int_attribute("keepdims", 0)))),
            _field(2, b"counts"),
            *(_field(11, _tensor_info(name, 7, ("batch", "pieces"))) for name in inputs),
            _field(12, _tensor_info("logit", 1, ())),
        )
    )
    said = metadata if isinstance(metadata, str) else json.dumps(metadata)
    notes = b"" if metadata is None else _field(14, _field(1, b"voice.verifier") + _field(2, said.encode()))
    return _number(1, 8) + _field(7, graph) + _field(8, _number(2, 13)) + notes


def write_onnx(path: Path, metadata: object = METADATA, *, inputs: tuple[str, ...] = INPUTS) -> Path:
    """Write such a model and return its path."""
    path.write_bytes(onnx_bytes(metadata, inputs=inputs))
    return path


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _node(operator: str, inputs: tuple[str, ...], output: str, attribute: bytes = b"") -> bytes:
    named = b"".join(_field(1, name.encode()) for name in inputs)
    return named + _field(2, output.encode()) + _field(4, operator.encode()) + attribute


def _int_attribute(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _number(3, value) + _number(20, 2)


def _constant_two() -> bytes:
    tensor = _number(2, 7) + _field(7, _varint(2))
    return _field(1, b"value") + _field(5, tensor) + _number(20, 4)


def _tensor_info(name: str, kind: int, sides: tuple[str, ...]) -> bytes:
    shape = b"".join(_field(1, _field(2, side.encode())) for side in sides)
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))
