"""A small cross-encoder from a file: claim and evidence in, one probability out.

Law: the file is the person's own choice and is never fetched; it says by itself what it is (its metadata), and one
that says nothing, or asks for other inputs, is refused by name before it is used. Its sha256 is its version, so that a
record tells which file it was. One thread, one pair a run: the same pair gives the same number whatever stands beside
it. What it adds is stacked on the lexical score, never against it: the more a claim lacks, the lower its probability.

Source: GROUNDING step 5 (i); DESIGN 6 stage 5; docs/verifiers.md; promises 8 and 10.
"""

import hashlib
import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio.to_thread
import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from voice.adapters.onnx.session import Session, load_wordpiece, open_session
from voice.adapters.verifiers.pair_encoding import encode_pair
from voice.core.errors import ConfigurationError, VerifierFailed
from voice.core.grounding.verification import ClaimPair, Scores, Thresholds, VerifierInfo
from voice.ports.verifier import VerifierRequest

NAME: Final = "cross-encoder"
METADATA_KEY: Final = "voice.verifier"
LEXICAL_CAP: Final = 6.0
"""Above this the lexical score says nothing more; training uses the same."""
_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_MOST_BYTES: Final = 200_000_000
_EXTRA: Final = "inner-voice[verifier]"
_HOW_TO_MAKE: Final = "make one with: python -m bench.verifier --data FILE --output FILE.onnx (docs/verifiers.md)"


class Metadata(BaseModel):
    """What a model file says of itself, under `METADATA_KEY`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
    format: int
    """1: pieces and marks as `pair_encoding` makes them."""
    slope: float
    """What one unit of the lexical score weighs; never negative."""
    weight: float
    """What one unit of the model's logit weighs beside it; never negative."""
    bias: float
    support: float
    """`entailed` from which a claim counts as supported."""
    doubt: float
    """`entailed` under which it does not."""


class CrossEncoder:
    """A verifier that runs a model file on this machine."""

    def __init__(self, session: Session, metadata: Metadata, *, sha256: str) -> None:
        """Take a session that `open_cross_encoder` has checked."""
        self._session = session
        self._metadata = metadata
        self._sha256 = sha256
        self._lock = threading.Lock()

    @property
    def info(self) -> VerifierInfo:
        """The file's sha256 is the version; it cannot tell a contradiction from a lack of support."""
        lines = Thresholds(support=self._metadata.support, doubt=self._metadata.doubt, contradiction=None)
        return VerifierInfo(name=NAME, version=f"sha256:{self._sha256}", thresholds=lines)

    @property
    def remote(self) -> bool:
        """Nothing leaves this machine."""
        return False

    async def score(self, request: VerifierRequest) -> Sequence[Scores | None]:
        """Return a probability per pair; see `Verifier.score`. Between two pairs the caller may cancel.

        Raises:
            VerifierFailed: the model cannot run.
        """
        return [await anyio.to_thread.run_sync(self._score, pair) for pair in request.pairs]

    def _score(self, pair: ClaimPair) -> Scores:
        ids = encode_pair(load_wordpiece(), pair.claim, pair.evidence)
        pieces, marks = (np.array([row], dtype=np.int64) for row in ids)
        inputs = {"input_ids": pieces, "attention_mask": np.ones_like(pieces), "token_type_ids": marks}
        try:
            with self._lock:
                logit = float(self._session.run(None, inputs)[0].reshape(-1)[0])
        except Exception as error:  # noqa: BLE001 - the vendor's errors share no base and may quote the input
            failure = VerifierFailed(f"the cross-encoder failed to run ({type(error).__name__})")
        else:
            return Scores(entailed=entailed(logit, pair.lexical, self._metadata), contradicted=0.0)
        raise failure  # outside the handler: nothing that quotes the input hangs on to it


def entailed(logit: float, lexical: float, metadata: Metadata) -> float:
    """Return the probability that a claim is supported, of the model's logit and the lexical score beside it."""
    odds = metadata.bias + metadata.slope * min(lexical, LEXICAL_CAP) + metadata.weight * logit
    return 0.5 * (1.0 - math.tanh(odds / 2)) if math.isfinite(odds) else math.nan


def open_cross_encoder(path: Path) -> CrossEncoder:
    """Return the verifier in a model file.

    Raises:
        ConfigurationError: the file cannot be read, is no model, or is another model than this program can use; or
            what runs models is not installed.
    """
    model = _read(path)
    try:
        session = open_session(model)
        inputs = frozenset(one.name for one in session.get_inputs())
        said = session.get_modelmeta().custom_metadata_map.get(METADATA_KEY, "")
    except ImportError as error:
        raise ConfigurationError(
            f"the verifier {NAME} needs the package onnxruntime, which is not installed: pip install '{_EXTRA}'"
        ) from error
    except Exception as error:
        raise ConfigurationError(
            f"SURR_VERIFIER_MODEL: {path} is not a model that can be run ({type(error).__name__}); {_HOW_TO_MAKE}"
        ) from error
    try:
        metadata = Metadata.model_validate_json(said)
    except ValidationError:
        metadata = None
    if metadata is None or metadata.format != 1 or min(metadata.slope, metadata.weight) < 0 or inputs != _INPUTS:
        raise ConfigurationError(
            f"SURR_VERIFIER_MODEL: {path} is a model, but not a cross-encoder of this program; {_HOW_TO_MAKE}"
        )
    return CrossEncoder(session, metadata, sha256=hashlib.sha256(model).hexdigest())


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ConfigurationError(f"SURR_VERIFIER_MODEL: {path} is larger than {_MOST_BYTES // 1_000_000} MB")
        return path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"SURR_VERIFIER_MODEL: {path} cannot be read ({error.strerror}); {_HOW_TO_MAKE}"
        ) from error
