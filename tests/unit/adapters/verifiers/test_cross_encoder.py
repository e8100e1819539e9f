"""The cross-encoder: what it reads, what it adds, and which files it refuses."""

import hashlib
import math
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_file import METADATA, write_onnx
from voice.adapters.onnx.session import load_wordpiece
from voice.adapters.verifiers.cross_encoder import CrossEncoder, Metadata, entailed, open_cross_encoder
from voice.adapters.verifiers.pair_encoding import (
    CLAIM_HELD,
    CLAIM_NEW,
    EVIDENCE_ONLY,
    EVIDENCE_SHARED,
    MAX_PIECES,
    encode_pair,
)
from voice.core.errors import ConfigurationError, VerifierFailed
from voice.core.grounding.verification import ClaimPair
from voice.ports.verifier import VerifierRequest
from voice.testing.verifiers import UnpaidMeter

DATA = Metadata.model_validate(METADATA)
TEXTS = st.text(max_size=400)


class TestWhatIsRead:
    def test_each_piece_says_its_side_and_whether_the_other_side_has_it(self) -> None:
        ids = encode_pair(load_wordpiece(), "the kiln broke", ["the old kiln"])
        assert len(ids.pieces) == len(ids.marks)
        assert ids.marks[0] == CLAIM_HELD
        assert ids.marks[-1] == EVIDENCE_ONLY
        said = [mark for mark in ids.marks if mark in (CLAIM_HELD, CLAIM_NEW)]
        assert said.count(CLAIM_NEW) == 1
        assert ids.marks.count(EVIDENCE_SHARED) == len(said) - 3

    @given(TEXTS, st.lists(TEXTS, max_size=3))
    def test_no_text_is_too_long_and_marks_agree_with_pieces(self, claim: str, evidence: list[str]) -> None:
        pieces, marks = encode_pair(load_wordpiece(), claim, evidence)
        assert len(pieces) == len(marks) <= MAX_PIECES
        middle = marks.index(EVIDENCE_ONLY) if EVIDENCE_ONLY in marks else len(marks)
        new = {piece for piece, mark in zip(pieces, marks, strict=True) if mark == CLAIM_NEW}
        theirs = {piece for piece, mark in zip(pieces, marks, strict=True) if mark in (EVIDENCE_ONLY, EVIDENCE_SHARED)}
        assert middle > 0
        assert not new & (theirs - {pieces[-1]})

    def test_the_claim_is_never_cut_for_long_evidence(self) -> None:
        short = encode_pair(load_wordpiece(), "the kiln broke", ["kiln"]).pieces[:5]
        assert encode_pair(load_wordpiece(), "the kiln broke", ["kiln " * 1000]).pieces[:5] == short


class TestWhatItAdds:
    @given(st.floats(-20, 20), st.floats(0, 10), st.floats(0, 5))
    def test_the_more_a_claim_lacks_the_less_it_is_entailed(self, logit: float, lexical: float, more: float) -> None:
        assert entailed(logit, lexical + more, DATA) <= entailed(logit, lexical, DATA)
        assert 0.0 <= entailed(logit, lexical, DATA) <= 1.0

    def test_the_odds_are_the_sum_of_bias_lexical_score_and_logit(self) -> None:
        assert entailed(0.5, 2.0, DATA) == pytest.approx(1 / (1 + math.exp(-1.5 + 2.0 + 0.5)))

    def test_a_model_may_weigh_less_than_its_logit_says(self) -> None:
        light = DATA.model_copy(update={"weight": 0.25})
        assert entailed(4.0, 2.0, light) == pytest.approx(entailed(1.0, 2.0, DATA))

    def test_a_model_that_gives_no_number_gives_none(self) -> None:
        assert math.isnan(entailed(math.nan, 0.0, DATA))

    @pytest.mark.anyio
    async def test_the_file_is_run_on_the_pair(self, tmp_path: Path) -> None:
        verifier = open_cross_encoder(write_onnx(tmp_path / "m.onnx"))
        pairs = (
            ClaimPair(claim="the kiln", evidence=("the kiln moved",)),
            ClaimPair(claim="the kiln broke", evidence=("the kiln moved",), lexical=1.0),
        )
        held, lacking = await verifier.score(VerifierRequest(pairs=pairs, timeout_s=5.0, meter=UnpaidMeter()))
        assert held is not None
        assert lacking is not None
        assert held.entailed == pytest.approx(entailed(0.0, 0.0, DATA))
        assert lacking.entailed == pytest.approx(entailed(1.0, 1.0, DATA))
        assert (held.contradicted, lacking.contradicted) == (0.0, 0.0)


class TestTheFile:
    def test_its_hash_is_its_version_and_it_stays_here(self, tmp_path: Path) -> None:
        path = write_onnx(tmp_path / "m.onnx")
        verifier = open_cross_encoder(path)
        assert verifier.info.version == f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        assert (verifier.info.thresholds.support, verifier.info.thresholds.doubt) == (0.9, 0.1)
        assert verifier.info.thresholds.contradiction is None
        assert not verifier.remote

    def test_one_that_is_not_there_is_named_with_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match=r"gone\.onnx cannot be read .*python -m bench\.verifier"):
            open_cross_encoder(tmp_path / "gone.onnx")

    def test_one_that_is_no_model_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "text.onnx"
        path.write_text("I am a diary.")
        with pytest.raises(ConfigurationError, match="is not a model that can be run") as caught:
            open_cross_encoder(path)
        assert "diary" not in str(caught.value)

    def test_one_of_any_size_is_not_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("voice.adapters.verifiers.cross_encoder._MOST_BYTES", 10)
        with pytest.raises(ConfigurationError, match="is larger than"):
            open_cross_encoder(write_onnx(tmp_path / "m.onnx"))

    @pytest.mark.parametrize(
        "metadata",
        [
            None,
            "not JSON",
            {},
            {**METADATA, "format": 2},
            {**METADATA, "slope": -1.0},
            {**METADATA, "weight": -1.0},
            {**METADATA, "bias": "much"},
            {**METADATA, "more": 1},
        ],
    )
    def test_one_that_does_not_say_what_it_is_is_refused(self, metadata: object, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="is a model, but not a cross-encoder of this program"):
            open_cross_encoder(write_onnx(tmp_path / "m.onnx", metadata))

    def test_one_that_asks_for_something_else_is_refused(self, tmp_path: Path) -> None:
        foreign = write_onnx(tmp_path / "m.onnx", inputs=("input_ids", "token_type_ids"))
        with pytest.raises(ConfigurationError, match="not a cross-encoder of this program"):
            open_cross_encoder(foreign)

    def test_without_what_runs_models_the_extra_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
        with pytest.raises(ConfigurationError, match=r"pip install 'inner-voice\[verifier\]'"):
            open_cross_encoder(write_onnx(tmp_path / "m.onnx"))

    @pytest.mark.requirement("promise:6")
    @pytest.mark.anyio
    async def test_a_failing_run_does_not_quote_the_text(self) -> None:
        class Broken:
            def run(self, *inputs: object) -> object:
                raise RuntimeError("the kiln")

        verifier = CrossEncoder(Broken(), DATA, sha256="0")  # pyright: ignore[reportArgumentType]
        pair = ClaimPair(claim="the kiln", evidence=())
        with pytest.raises(VerifierFailed, match="failed to run") as caught:
            await verifier.score(VerifierRequest(pairs=(pair,), timeout_s=5.0, meter=UnpaidMeter()))
        assert "kiln" not in str(caught.value)
        assert caught.value.__context__ is None
