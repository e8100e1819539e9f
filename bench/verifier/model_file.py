"""What a model file says of itself, written into the file without any package that knows ONNX.

Law: an ONNX file is one protobuf message, and messages that are joined are merged: a field that is put at the end is a
field of the model. Field 14 holds pairs of a key and a value.

Source: the ONNX format, ModelProto.metadata_props; the protobuf encoding, "last one wins" and merging.
"""

from voice.adapters.verifiers.cross_encoder import METADATA_KEY

_METADATA, _KEY, _VALUE = 14, 1, 2


def with_metadata(model: bytes, said: str) -> bytes:
    """Return the model file with `said` under this program's key."""
    return model + _field(_METADATA, _field(_KEY, METADATA_KEY.encode()) + _field(_VALUE, said.encode()))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
