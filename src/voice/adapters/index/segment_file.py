"""A segment on disk: one memory-mapped file.

Law: written once, synced, immutable. Reads verify checksums of the header and of each array, or raise
`DamagedIndexFile`; large arrays of large files are left to `verify_file`, so that opening stays fast.

  magic (8) | header length (8) | header checksum (32) | header, JSON | arrays, each at a multiple of 64
Source: DESIGN 4 ("opens by memory map", "correct after kill -9 at any point"); ruling H (file modes).
"""

import json
import mmap
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO, Final, TypedDict, cast

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from voice.adapters.disk.private_files import FILE_MODE
from voice.adapters.index.columns import Facts, Postings, Ragged
from voice.adapters.index.segment import MappedArray, QuantisedVectors, Segment, SortedKeys, Vectors

MAGIC: Final = b"VOICEIX3"
_PREFIX_BYTES: Final = len(MAGIC) + 8 + 32  # magic, length of the header, its checksum
_ALIGNMENT: Final = 64
_SMALL_FILE_BYTES: Final = 32 << 20  # a file up to this size is checked as a whole when it is opened
_LARGE_ARRAYS: Final = frozenset(
    {"vectors.matrix", "vectors.codes", "postings.rows", "postings.counts", "postings.terms", "ids.values"}
)

_RAGGED: Final = ("ids", "tags", "mentions", "spoken")
Arrays = Mapping[str, NDArray[np.generic]]


class DamagedIndexFile(Exception):
    """An index file is corrupt; the index is discarded and rebuilt."""


class _ArrayHeader(TypedDict):
    """Location of an array in the file."""

    dtype: str
    shape: list[int]
    offset: int
    bytes: int
    blake3: str


@dataclass(frozen=True, slots=True)
class _MappedFile:
    mapped: mmap.mmap
    start: int  # offset of the arrays
    headers: dict[str, _ArrayHeader]


def create_file(path: Path) -> BinaryIO:
    """Open a file for writing, readable only by its owner (ruling H)."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE), "wb")


def write_segment(path: Path, segment: Segment) -> int:
    """Write and sync a segment; return the file size. Raises OSError: a partial, unreferenced file may remain."""
    arrays = _arrays(segment)
    headers, total = _layout(arrays)
    header = _header_bytes(headers, total)
    with create_file(path) as file:
        file.write(header)
        for name, array in arrays.items():
            file.seek(len(header) + headers[name]["offset"])
            file.write(_raw(array).data)
        file.truncate(len(header) + total)  # up to the end of the last array's padding
        file.flush()
        os.fsync(file.fileno())
    return len(header) + total


def read_segment(path: Path, size: int) -> Segment:
    """Map a segment of `size` bytes. Raises DamagedIndexFile: missing, wrong size, foreign, or corrupt."""
    try:
        file = _mapped(path, size)
        arrays = dict(_read_arrays(file, path, every=size <= _SMALL_FILE_BYTES))
        matrix = file.headers["vectors.matrix"]
        lease = MappedArray(file.mapped, file.start + matrix["offset"], matrix["bytes"])
        lease.release()  # pages that checking the sums brought in
        lease.read_at_random()
        return _segment(arrays, lease)
    # Whatever a damaged header can cause.
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedIndexFile(f"{path.name}: {type(error).__name__}") from error


def verify_file(path: Path, size: int) -> bool:
    """Return whether all arrays match their checksums."""
    try:
        return bool(dict(_read_arrays(_mapped(path, size), path, every=True)))
    except (DamagedIndexFile, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def _arrays(segment: Segment) -> Arrays:
    vectors = segment.vectors
    return {
        **{f"facts.{field.name}": getattr(segment.facts, field.name) for field in fields(Facts)},
        "keys.keys": segment.keys.keys,
        "keys.rows": segment.keys.rows,
        **{
            f"{name}.{part}": getattr(getattr(segment, name), part) for name in _RAGGED for part in ("starts", "values")
        },
        "moments": segment.moments,
        "vectors.rows": vectors.rows,
        "vectors.codes": vectors.sketch.codes,
        "vectors.scales": vectors.sketch.scales,
        "vectors.errors": vectors.sketch.errors,
        "vectors.matrix": vectors.matrix,
        **{f"postings.{field.name}": getattr(segment.postings, field.name) for field in fields(Postings)},
    }


def _segment(arrays: Arrays, lease: MappedArray) -> Segment:
    def array(name: str) -> NDArray[Any]:
        return arrays[name]

    return Segment(
        facts=Facts(**{field.name: array(f"facts.{field.name}") for field in fields(Facts)}),
        keys=SortedKeys(array("keys.keys"), array("keys.rows")),
        **{name: Ragged(array(f"{name}.starts"), array(f"{name}.values")) for name in _RAGGED},
        moments=array("moments"),
        vectors=Vectors(
            array("vectors.rows"),
            array("vectors.matrix"),
            QuantisedVectors(array("vectors.codes"), array("vectors.scales"), array("vectors.errors")),
            lease,
        ),
        postings=Postings(**{field.name: array(f"postings.{field.name}") for field in fields(Postings)}),
    )


def _layout(arrays: Arrays) -> tuple[dict[str, _ArrayHeader], int]:
    """Return array headers, with offsets from the end of the file header, and the total size."""
    headers: dict[str, _ArrayHeader] = {}
    offset = 0
    for name, array in arrays.items():
        headers[name] = {
            "dtype": array.dtype.str,
            "shape": list(array.shape),
            "offset": offset,
            "bytes": array.nbytes,
            "blake3": blake3(_raw(array).data).hexdigest(),
        }
        offset += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    return headers, offset


def _header_bytes(headers: dict[str, _ArrayHeader], total: int) -> bytes:
    text = json.dumps({"arrays": headers, "total": total}).encode()
    # Spaces, so that the arrays are aligned.
    text = text.ljust(-(-(_PREFIX_BYTES + len(text)) // _ALIGNMENT) * _ALIGNMENT - _PREFIX_BYTES)
    return MAGIC + len(text).to_bytes(8, "little") + blake3(text).digest() + text


def _mapped(path: Path, size: int) -> _MappedFile:
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # stays mapped when the file is closed
    if len(mapped) != size:
        raise DamagedIndexFile(f"{path.name}: {len(mapped)} bytes, expected {size}")
    end = _PREFIX_BYTES + int.from_bytes(mapped[8:16], "little")
    text = mapped[_PREFIX_BYTES:end]
    if mapped[:8] != MAGIC or blake3(text).digest() != mapped[16:_PREFIX_BYTES]:
        raise DamagedIndexFile(f"{path.name}: this is not a segment of this version")
    return _MappedFile(mapped, end, cast("dict[str, _ArrayHeader]", json.loads(text)["arrays"]))


def _read_arrays(file: _MappedFile, path: Path, *, every: bool) -> Iterator[tuple[str, NDArray[np.generic]]]:
    for name, header in file.headers.items():
        # Shorter if the file was cut, so `reshape` fails.
        raw = np.frombuffer(file.mapped, dtype=np.uint8)[file.start + header["offset"] :][: header["bytes"]]
        if (every or name not in _LARGE_ARRAYS) and blake3(raw.data).hexdigest() != header["blake3"]:
            raise DamagedIndexFile(f"{path.name}: the checksum of {name} differs")
        yield name, raw.view(np.dtype(header["dtype"])).reshape(header["shape"])


def _raw(array: NDArray[np.generic]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
