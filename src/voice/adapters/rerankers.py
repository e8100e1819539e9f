"""Re-rankers by name, and the built-in one: ms-marco-MiniLM-L-12-v2, int8, on this machine's CPU.

Law: the same pair gives the same score, so each pair is run separately. The model file is checked against its sha256
before it is used, and only `voice models install reranker` fetches it. Nothing is imported or loaded before the first
question.

Being about what a question asks is not telling it. So the built-in one reads twice: its own logit says the first, and
small layers of this program, over the states of its tokens below its last two layers, the second. They were fitted by
`python -m bench.answer_layers` on passages of notes and questions that these answer, or nearly do (`data/NOTICE`).

A package brings a re-ranker by an entry point of the group `voice.rerankers`, which is called with a `RerankerContext`
and returns a `Reranker` (see `voice.adapters.extras`). An unknown name, or a re-ranker that cannot be made, is an error
at the first question and in `voice doctor`; no other is used instead. `auto` is the built-in one if its file has been
fetched, and none otherwise.

Source: DESIGN 5 "Re-ranking" (about 21 ms of CPU a pair); promises 5 and 10; ruling A24.
"""

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final, cast

import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from voice.adapters.extras import all_names, installed, make
from voice.adapters.onnx.session import Session, WordPiece, added_output, load_wordpiece, open_session
from voice.core.errors import ConfigurationError, RerankerUnavailable
from voice.core.retrieval.values import PassageScore
from voice.ports.retrieval_provider import Reranker, RerankerInfo

NAME: Final = "ms-marco"
FILE: Final = "ms-marco-MiniLM-L-12-v2-int8.onnx"
SHA256: Final = "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
_INSTALL: Final = "; run: voice models install reranker"
_MAX_PIECES: Final = 256
_PART: Final = 1 << 20  # bytes
_PAIRS_PER_HOP: Final = 8  # pairs scored before the event loop may cancel: about 0.2 s


STATES: Final = "/bert/encoder/layer.9/output/LayerNorm/Add_1_output_0"
"""The model's states of the tokens below its last two layers."""
_WITH_STATES: Final = added_output(STATES)
_Floats = NDArray[np.float32]


class MsMarcoReranker:
    """The re-ranker whose file `voice models install reranker` fetches."""

    info: RerankerInfo = RerankerInfo(name=NAME, version=SHA256[:8])  # a shorter one tells versions apart
    remote: bool = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._model: tuple[PairReader, AnswerLayers] | None = None

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return one logit per passage; only the first 256 word pieces of question and passage count. Raises
        RerankerUnavailable: the model is missing, differs from the pinned one, or cannot run."""
        return [each.relevance for each in await self.read_answers(question, passages)]

    async def read_answers(self, question: str, passages: Sequence[str]) -> list[PassageScore]:
        """Return both logits of each passage, as `score` does one. Raises RerankerUnavailable: as in `score`."""
        scores: list[PassageScore] = []
        for start in range(0, len(passages), _PAIRS_PER_HOP):
            hop = passages[start : start + _PAIRS_PER_HOP]
            scores += await anyio.to_thread.run_sync(self._read_all, question, hop)
        return scores

    def _read_all(self, question: str, passages: Sequence[str]) -> list[PassageScore]:
        with self._lock:  # one session for all threads
            if self._model is None:
                self._model = _load(self._path)
            pairs, layers = self._model
            try:
                read = (pairs.read(question, each) for each in passages)
                return [PassageScore(logit, layers.read(states)) for logit, states in read]
            except Exception as error:  # noqa: BLE001 - the vendor's errors share no base and may quote the input
                failure = RerankerUnavailable(f"the re-ranker failed to run ({type(error).__name__})")
        raise failure  # outside the handler, so that it holds no reference to an error that quotes the input


class PairReader:
    """The model over pairs of question and passage."""

    def __init__(self, path: Path) -> None:
        """Open the model's file. Raises RerankerUnavailable: it is missing or differs from the pinned one; Exception:
        the runtime's error for a file that it cannot use."""
        self._session: Session = open_session(checked_model(path))
        self._tokenizer: WordPiece = load_wordpiece()

    def read(self, question: str, passage: str) -> tuple[float, _Floats]:
        """Return a pair's logit of relevance, and the states of its tokens (tokens × width)."""
        ids, kinds = self._tokenizer.encode_pair(question, passage, _MAX_PIECES)
        pieces = np.array([ids], dtype=np.int64)
        inputs = {
            "input_ids": pieces,
            "attention_mask": np.ones_like(pieces),
            "token_type_ids": np.array([kinds], dtype=np.int64),
        }
        logit, states = self._session.run(None, inputs)
        return float(logit.reshape(-1)[0]), states[0]


class AnswerLayers:
    """A small model that reads whether a passage answers, over the states of a pair's tokens."""

    def __init__(self, model: bytes) -> None:
        """Open it. Raises the runtime's error for a model that it cannot use."""
        self._session: Session = open_session(model)

    def read(self, states: _Floats) -> float:
        """Return the logit that the passage answers, from the states of a pair's tokens (tokens × width)."""
        [logit] = self._session.run(None, {"states": states[None]})
        return float(logit.reshape(-1)[0])


def with_states(model: bytes, name: str) -> bytes:
    """Return the model this program knows so that a run also returns the states of the tokens. Raises
    RerankerUnavailable: it is another model."""
    _require_known(hashlib.sha256(model).hexdigest(), name)
    return model + _WITH_STATES


def _require_known(found: str, name: str, advice: str = "") -> None:
    if found != SHA256:
        raise RerankerUnavailable(f"{name} is not the model this program knows (sha256 differs){advice}")


def checked_model(path: Path) -> Path | bytes:
    """Return what a session is opened over: the model's file, or its content if it was kept before it had states.
    Raises RerankerUnavailable: it is missing or differs from the pinned one."""
    try:
        size, digest = path.stat().st_size - len(_WITH_STATES), hashlib.sha256()
        with path.open("rb") as file:
            while size > 0 and (part := file.read(min(size, _PART))):  # in pieces: the file is not held in memory
                digest.update(part)
                size -= len(part)
            end = file.read()
        digest.update(b"" if end == _WITH_STATES else end)
        _require_known(digest.hexdigest(), str(path), _INSTALL)
        return path if end == _WITH_STATES else path.read_bytes() + _WITH_STATES  # which takes 30 MB more
    except OSError as error:
        raise RerankerUnavailable(
            f"the re-ranker's model cannot be read: {path} ({error.strerror}){_INSTALL}"
        ) from error


def _load(path: Path) -> tuple[PairReader, AnswerLayers]:
    try:
        return PairReader(path), load_layers()
    except RerankerUnavailable:
        raise
    except Exception as error:  # the vendor's errors share no base
        raise RerankerUnavailable(f"the re-ranker could not be started ({type(error).__name__})") from error


def load_layers() -> AnswerLayers:
    """Return the packaged layers."""
    return AnswerLayers((files("voice.adapters.onnx") / "data" / "answer_layers.onnx").read_bytes())


GROUP: Final = "voice.rerankers"


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerContext:
    """The argument of another package's factory."""

    models: Path


def make_reranker(name: str, context: RerankerContext) -> Reranker | None:
    """Return the re-ranker of this name; None for `none`, and for `auto` if the built-in one was not fetched. Raises
    ConfigurationError: there is none of that name, or it cannot be made; RerankerUnavailable: the built-in one is
    named, and its file was not fetched."""
    file = context.models / FILE
    if name == "none" or (name == "auto" and not file.is_file()):
        return None
    if name in {"auto", NAME}:
        if not file.is_file():
            raise RerankerUnavailable(
                f"SURR_RERANKER names {NAME}, and its model is not installed; run: voice models install reranker"
            )
        return MsMarcoReranker(file)
    entry = installed(GROUP).get(name)
    if entry is None:
        known = ", ".join(reranker_names())
        raise ConfigurationError(
            f"SURR_RERANKER names {name!r}, and no such re-ranker is installed; use one of {known}, auto or none"
        )
    return cast("Reranker", make(entry, context, kind="re-ranker", is_one=_is_one))


def reranker_names() -> tuple[str, ...]:
    """Return all names that can be set, the built-in one first."""
    return all_names((NAME,), GROUP)


def _is_one(made: object, name: str) -> bool:
    info, remote = getattr(made, "info", None), getattr(made, "remote", None)
    if not isinstance(info, RerankerInfo) or not isinstance(remote, bool):
        return False
    return callable(getattr(made, "score", None)) and info.name == name and bool(info.version)
