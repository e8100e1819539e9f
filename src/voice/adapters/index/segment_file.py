"""A segment on disk: one file, read by memory map.

Law: a file is written once, synced, and never changed. What is read back is what was written or it is `TornFile`: the
header carries a checksum for itself and one per array. Arrays of a small file are all verified when it is opened; of a
large one the vectors and postings are left to `verify_file`, so that opening stays quick.

    magic (8) | header length (8) | header checksum (32) | header, JSON | arrays, each at a multiple of 64

Source: DESIGN 4 ("opens by memory map", "correct after kill -9 at any point"); ruling H (file modes).
"""

import json
import mmap
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypedDict, cast

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from voice.adapters.index.postings import Postings
from voice.adapters.index.ragged import Ragged
from voice.adapters.index.segment import Segment, Timeline, Vectors

MAGIC: Final = b"VOICEIX1"
_PREFIX_BYTES: Final = len(MAGIC) + 8 + 32
_ALIGNMENT: Final = 64
_SMALL_FILE_BYTES: Final = 32 << 20
_LARGE_ARRAYS: Final = frozenset({"vectors.matrix", "postings.rows", "postings.counts", "postings.terms", "ids.values"})
FILE_MODE: Final = 0o600

Arrays = Mapping[str, NDArray[np.generic]]


class TornFile(Exception):
    """A file of the index is not what was written; the index is thrown away and folded anew."""


class _ArrayHeader(TypedDict):
    """Where an array stands in the file; a dtype is a name or, for records, a list of fields."""

    dtype: object
    shape: list[int]
    offset: int
    bytes: int
    blake3: str


@dataclass(frozen=True, slots=True)
class _Layout:
    headers: dict[str, _ArrayHeader]
    total: int


def create_file(path: Path) -> BinaryIO:
    """Open a file for writing that only its owner may read (ruling H)."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE), "wb")


def write_segment(path: Path, segment: Segment) -> int:
    """Write the segment to a new file, sync it, and return its size.

    Raises:
        OSError: it could not be written; a rest may be left behind under a name nothing refers to.
    """
    arrays = _arrays(segment)
    layout = _layout(arrays)
    header = _header_bytes(layout)
    with create_file(path) as file:
        file.write(header)
        for name, array in arrays.items():
            file.seek(len(header) + layout.headers[name]["offset"])
            file.write(_raw(array).data)
        file.truncate(len(header) + layout.total)
        file.flush()
        os.fsync(file.fileno())
    return len(header) + layout.total


def read_segment(path: Path, size: int) -> Segment:
    """Return the segment in the file of `size` bytes, mapped, not read.

    Raises:
        TornFile: the file is missing, short, foreign or does not verify.
    """
    try:
        arrays = dict(_mapped_arrays(path, size, every=size <= _SMALL_FILE_BYTES))
        return _segment(arrays)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TornFile(f"{path.name}: {type(error).__name__}") from error


def verify_file(path: Path, size: int) -> bool:
    """Return whether every byte of the file is as it was written."""
    try:
        return bool(dict(_mapped_arrays(path, size, every=True)))
    except (TornFile, OSError, ValueError, KeyError, TypeError):
        return False


def _arrays(segment: Segment) -> Arrays:
    return {
        "facts": segment.facts,
        "key_order": segment.key_order,
        "ids.starts": segment.ids.starts,
        "ids.values": segment.ids.values,
        "tags.starts": segment.tags.starts,
        "tags.values": segment.tags.values,
        "mentions.starts": segment.mentions.starts,
        "mentions.values": segment.mentions.values,
        "timeline.keys": segment.timeline.keys,
        "timeline.rows": segment.timeline.rows,
        "vectors.rows": segment.vectors.rows,
        "vectors.matrix": segment.vectors.matrix,
        "postings.terms": segment.postings.terms,
        "postings.starts": segment.postings.starts,
        "postings.rows": segment.postings.rows,
        "postings.counts": segment.postings.counts,
    }


def _segment(arrays: Arrays) -> Segment:
    def ragged(name: str) -> Ragged[np.uint64]:
        return Ragged(
            cast("NDArray[np.uint64]", arrays[f"{name}.starts"]), cast("NDArray[np.uint64]", arrays[f"{name}.values"])
        )

    return Segment(
        facts=cast("NDArray[np.void]", arrays["facts"]),
        key_order=cast("NDArray[np.uint32]", arrays["key_order"]),
        ids=cast("Ragged[np.uint8]", ragged("ids")),
        tags=ragged("tags"),
        mentions=ragged("mentions"),
        timeline=Timeline(
            cast("NDArray[np.bytes_]", arrays["timeline.keys"]), cast("NDArray[np.uint32]", arrays["timeline.rows"])
        ),
        vectors=Vectors(
            cast("NDArray[np.uint32]", arrays["vectors.rows"]), cast("NDArray[np.float32]", arrays["vectors.matrix"])
        ),
        postings=Postings(
            terms=cast("NDArray[np.uint64]", arrays["postings.terms"]),
            starts=cast("NDArray[np.uint64]", arrays["postings.starts"]),
            rows=cast("NDArray[np.uint32]", arrays["postings.rows"]),
            counts=cast("NDArray[np.uint16]", arrays["postings.counts"]),
        ),
    )


def _layout(arrays: Arrays) -> _Layout:
    """Return the array headers, with offsets from the end of the file's header."""
    headers: dict[str, _ArrayHeader] = {}
    offset = 0
    for name, array in arrays.items():
        headers[name] = {
            "dtype": array.dtype.descr if array.dtype.names else array.dtype.str,
            "shape": list(array.shape),
            "offset": offset,
            "bytes": array.nbytes,
            "blake3": blake3(_raw(array).data).hexdigest(),
        }
        offset += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    return _Layout(headers, offset)


def _header_bytes(layout: _Layout) -> bytes:
    text = json.dumps({"arrays": layout.headers, "total": layout.total}).encode()
    text = text.ljust(-(-(_PREFIX_BYTES + len(text)) // _ALIGNMENT) * _ALIGNMENT - _PREFIX_BYTES)
    return MAGIC + len(text).to_bytes(8, "little") + blake3(text).digest() + text


def _mapped_arrays(path: Path, size: int, *, every: bool) -> Iterator[tuple[str, NDArray[np.generic]]]:
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if len(mapped) != size:
        raise TornFile(f"{path.name}: {len(mapped)} bytes, expected {size}")
    start, headers = _read_header(mapped, path)
    for name, header in headers.items():
        raw = np.frombuffer(mapped, dtype=np.uint8)[start + header["offset"] :][: header["bytes"]]
        if (every or name not in _LARGE_ARRAYS) and blake3(raw.data).hexdigest() != header["blake3"]:
            raise TornFile(f"{path.name}: {name} does not verify")
        yield name, raw.view(_dtype(header["dtype"])).reshape(header["shape"])


def _read_header(mapped: mmap.mmap, path: Path) -> tuple[int, dict[str, _ArrayHeader]]:
    end = _PREFIX_BYTES + int.from_bytes(mapped[8:16], "little")
    text = mapped[_PREFIX_BYTES:end]
    if mapped[:8] != MAGIC or blake3(text).digest() != mapped[16:_PREFIX_BYTES]:
        raise TornFile(f"{path.name}: not a segment of this version")
    return end, cast("dict[str, _ArrayHeader]", json.loads(text)["arrays"])


def _raw(array: NDArray[np.generic]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _dtype(described: object) -> np.dtype[np.generic]:
    if isinstance(described, str):
        return np.dtype(described)
    fields = cast("list[list[object]]", described)
    return np.dtype([(field[0], field[1], *(tuple(cast("list[int]", more)) for more in field[2:])) for field in fields])  # pyright: ignore[reportArgumentType, reportCallIssue]
