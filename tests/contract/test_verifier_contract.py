"""The built-in verifier keeps the contract that other packages are held to, and careless ones are caught by it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import count

import pytest

from voice.adapters.verifiers import make_verifier
from voice.core.errors import VerifierFailed
from voice.core.grounding.verifier_values import (
    ClaimOpinion,
    ClaimVerdict,
    DecidingWords,
    VerificationReply,
    VerificationRequest,
    VerifierInfo,
)
from voice.ports.verifier import NOTHING_TO_PAY, CallForeseen, Verifier, VerifierContext, VerifierRequest
from voice.testing.verifiers import VerifierContract

INFO = VerifierInfo(name="foreign", version="1")


class TestLlmJudge(VerifierContract):
    def make_verifier(self, context: VerifierContext) -> Verifier:
        made = make_verifier("llm", context)
        assert made is not None
        return made


@dataclass
class Foreign:
    """Answers what it is told to."""

    answering: Callable[[VerifierRequest], VerificationReply]
    info: VerifierInfo = INFO
    remote: bool = False
    foreseen: CallForeseen = NOTHING_TO_PAY

    def foresee(self, asked: VerificationRequest, *, unwritten: int = 0) -> CallForeseen:
        return self.foreseen

    async def verify(self, request: VerifierRequest) -> VerificationReply:
        return self.answering(request)


def always(request: VerifierRequest, verdict: ClaimVerdict = "not_stated") -> VerificationReply:
    return VerificationReply(
        opinions=tuple(ClaimOpinion(number=one.number, verdict=verdict) for one in request.asked.claims)
    )


def of_verifier(make: Callable[[], Verifier]) -> VerifierContract:
    class Contract(VerifierContract):
        def make_verifier(self, context: VerifierContext) -> Verifier:
            return make()

    return Contract()


_TESTS = sorted(name for name in dir(VerifierContract) if name.startswith("test_"))
_COUNT = count()


def _twice(request: VerifierRequest) -> VerificationReply:
    said = always(request)
    return replace(said, opinions=said.opinions * 2)


def _too_many(request: VerifierRequest) -> VerificationReply:
    said = always(request)
    return replace(said, opinions=(*said.opinions, ClaimOpinion(number=99, verdict="supported")))


def _odd_verdict(request: VerifierRequest) -> VerificationReply:
    return always(request, "perhaps")  # pyright: ignore[reportArgumentType]


def _own_words(request: VerifierRequest) -> VerificationReply:
    words = (DecidingWords(alias="S1", words="The kiln was sold to a museum abroad."),)
    return VerificationReply(opinions=(ClaimOpinion(number=1, verdict="supported", words=words),))


def _drifting(request: VerifierRequest) -> VerificationReply:
    return replace(always(request), answers_question=next(_COUNT) % 2 == 0)


def _contradicting(request: VerifierRequest) -> VerificationReply:
    return always(request, "contradicted")


def _begun(request: VerifierRequest) -> VerificationReply:
    request.meter.begin(Decimal(0))
    return always(request)


def _begun_twice(request: VerifierRequest) -> VerificationReply:
    request.meter.begin(Decimal(0))
    return _begun(request)


def _ends_what_it_did_not_begin(request: VerifierRequest) -> VerificationReply:
    request.meter.end(None, "draft")
    return always(request)


def _dear(request: VerifierRequest) -> VerificationReply:
    request.meter.begin(Decimal(1))
    request.meter.end(None, "draft")
    return always(request)


def _unpriced(request: VerifierRequest) -> VerificationReply:
    request.meter.begin(None)
    request.meter.end(None, "draft")
    return always(request)


def _breaks_at_odd_texts(request: VerifierRequest) -> VerificationReply:
    for one in request.asked.claims:
        one.text.encode("ascii")
    return always(request)


def _wrong_info(**fields: object) -> Callable[[], Verifier]:
    return lambda: Foreign(always, info=replace(INFO, **fields))  # pyright: ignore[reportArgumentType]


WRONG: dict[str, tuple[Callable[[], Verifier], str]] = {
    "no name": (_wrong_info(name=""), "declares"),
    "a name in capitals": (_wrong_info(name="Foreign "), "declares"),
    "no version": (_wrong_info(version=""), "declares"),
    "remote is a word": (lambda: Foreign(always, remote="yes"), "declares"),  # pyright: ignore[reportArgumentType]
    "two verdicts a claim": (lambda: Foreign(_twice), "at_most_one"),
    "a claim that is not there": (lambda: Foreign(_too_many), "at_most_one"),
    "a verdict of its own": (lambda: Foreign(_odd_verdict), "at_most_one"),
    "words of its own": (lambda: Foreign(_own_words), "at_most_one"),
    "it drifts": (lambda: Foreign(_drifting), "asked_again"),
    "it contradicts everything": (lambda: Foreign(_contradicting), "word_for"),
    "it breaks at odd texts": (lambda: Foreign(_breaks_at_odd_texts), "odd_text"),
    "it costs more than it foresees": (lambda: Foreign(_dear), "foresees"),
    "it foresees what nobody knows": (lambda: Foreign(_unpriced), "foresees"),
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
        VerifierContract().test_it_declares_name_version_and_where_it_runs()
