"""The built-in verifiers keep the contract that other packages are held to, and careless ones are caught by it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import pytest

from onnx_file import write_onnx
from voice.adapters.verifiers.installed import make_verifiers
from voice.core.errors import VerifierFailed
from voice.core.grounding.verification import Scores, Thresholds, VerifierInfo
from voice.ports.verifier import Verifier, VerifierContext, VerifierRequest
from voice.testing.verifiers import VerifierContract

SURE = Scores(entailed=1.0, contradicted=0.0)
INFO = VerifierInfo(name="foreign", version="1", thresholds=Thresholds(support=0.5, doubt=0.5, contradiction=0.5))


class TestLlmJudge(VerifierContract):
    def make_verifier(self, context: VerifierContext) -> Verifier:
        return make_verifiers(("llm",), context)[0]


class TestCrossEncoder(VerifierContract):
    @pytest.fixture(autouse=True)
    def model(self, tmp_path: Path) -> None:
        self.path = write_onnx(tmp_path / "counts.onnx")

    def make_verifier(self, context: VerifierContext) -> Verifier:
        return make_verifiers(("cross-encoder",), replace(context, model=self.path))[0]


@dataclass
class Foreign:
    """Answers what it is told to."""

    answering: Callable[[VerifierRequest], Sequence[Scores | None]]
    info: VerifierInfo = INFO
    remote: bool = False
    asked: int = field(default=0)

    async def score(self, request: VerifierRequest) -> Sequence[Scores | None]:
        self.asked += 1
        return self.answering(request)


def always(request: VerifierRequest) -> list[Scores | None]:
    return [SURE for _ in request.pairs]


def of_verifier(make: Callable[[], Verifier]) -> VerifierContract:
    class Contract(VerifierContract):
        def make_verifier(self, context: VerifierContext) -> Verifier:
            return make()

    return Contract()


_TESTS = sorted(name for name in dir(VerifierContract) if name.startswith("test_"))
_COUNT = count()


def _by_place(request: VerifierRequest) -> list[Scores | None]:
    return [Scores(entailed=1 / (1 + place), contradicted=0.0) for place, _ in enumerate(request.pairs)]


def _drifting(request: VerifierRequest) -> list[Scores | None]:
    return [Scores(entailed=1 / (1 + next(_COUNT)), contradicted=0.0) for _ in request.pairs]


def _begun(request: VerifierRequest) -> list[Scores | None]:
    if request.pairs:
        request.meter.begin(None)
    return always(request)


def _begun_twice(request: VerifierRequest) -> list[Scores | None]:
    request.meter.begin(None)
    return _begun(request)


def _ends_what_it_did_not_begin(request: VerifierRequest) -> list[Scores | None]:
    request.meter.end(None, "draft")
    return always(request)


def _calls_for_nothing(request: VerifierRequest) -> list[Scores | None]:
    request.meter.begin(None)
    request.meter.end(None, "draft")
    return always(request)


def _breaks_at_odd_texts(request: VerifierRequest) -> list[Scores | None]:
    for pair in request.pairs:
        pair.claim.encode("ascii")
    return always(request)


def _wrong_info(**fields: object) -> Callable[[], Verifier]:
    return lambda: Foreign(always, info=replace(INFO, **fields))  # pyright: ignore[reportArgumentType]


WRONG: dict[str, tuple[Callable[[], Verifier], str]] = {
    "no name": (_wrong_info(name=""), "declares"),
    "a name in capitals": (_wrong_info(name="Foreign "), "declares"),
    "no version": (_wrong_info(version=""), "declares"),
    "no thresholds": (
        _wrong_info(thresholds=Thresholds(support=None, doubt=None, contradiction=None)),
        "declares",
    ),
    "a threshold of 2": (_wrong_info(thresholds=Thresholds(support=2.0, doubt=None, contradiction=None)), "declares"),
    "it doubts what it supports": (
        _wrong_info(thresholds=Thresholds(support=0.4, doubt=0.6, contradiction=None)),
        "declares",
    ),
    "remote is a word": (lambda: Foreign(always, remote="yes"), "declares"),  # pyright: ignore[reportArgumentType]
    "one answer too few": (lambda: Foreign(lambda r: always(r)[:-1]), "one_answer"),
    "a number over 1": (lambda: Foreign(lambda r: [replace(SURE, entailed=1.5) for _ in r.pairs]), "one_answer"),
    "a number below 0": (lambda: Foreign(lambda r: [replace(SURE, contradicted=-0.1) for _ in r.pairs]), "one_answer"),
    "not a number": (
        lambda: Foreign(lambda r: [replace(SURE, entailed=float("nan")) for _ in r.pairs]),
        "one_answer",
    ),
    "it answers by place": (lambda: Foreign(_by_place), "order"),
    "it drifts": (lambda: Foreign(_drifting), "asked_again"),
    "it vetoes everything": (lambda: Foreign(lambda r: [replace(SURE, contradicted=1.0) for _ in r.pairs]), "word_for"),
    "it breaks at odd texts": (lambda: Foreign(_breaks_at_odd_texts), "odd_text"),
    "it calls for nothing": (lambda: Foreign(_calls_for_nothing), "nothing_is_answered"),
    "it leaves a call open": (lambda: Foreign(_begun), "begun"),
    "it begins a second call": (lambda: Foreign(_begun_twice), "begun"),
    "it ends what it did not begin": (lambda: Foreign(_ends_what_it_did_not_begin), "begun"),
}


@pytest.mark.parametrize("name", _TESTS)
def test_one_that_keeps_the_contract_passes(name: str) -> None:
    getattr(of_verifier(lambda: Foreign(always)), name)()


@pytest.mark.parametrize(("make", "test"), WRONG.values(), ids=WRONG)
def test_a_careless_one_is_caught(make: Callable[[], Verifier], test: str) -> None:
    (name,) = [name for name in _TESTS if test in name]
    with pytest.raises((AssertionError, UnicodeEncodeError, VerifierFailed)):
        getattr(of_verifier(make), name)()


def test_one_that_nobody_says_how_to_make_is_told_so() -> None:
    with pytest.raises(NotImplementedError, match="say how your verifier is made"):
        VerifierContract().test_it_declares_name_version_thresholds_and_where_it_runs()
