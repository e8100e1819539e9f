"""Verifiers are heard within their time, and a lapse is on record."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import cast

import anyio
import pytest

from voice.adapters.system.clock import FixedClock
from voice.core.errors import (
    BudgetExceeded,
    ConfigurationError,
    DeadlineExceeded,
    OpinionMalformed,
    ProviderUnavailable,
    VerifierFailed,
)
from voice.core.grounding.opinions import Opinion
from voice.core.grounding.verification import ClaimPair, Lapse, Scores, Thresholds, VerifierInfo
from voice.core.usage import Price, Usage
from voice.ports.verifier import Verifier, VerifierRequest
from voice.services.spending import Purse, SpendCaps, Spending
from voice.services.turn import Trace
from voice.services.verifying import TurnMeter, Verifying

pytestmark = pytest.mark.anyio

LINES = Thresholds(support=0.9, doubt=0.1, contradiction=0.9)
SURE = Scores(entailed=0.99, contradicted=0.0)
AGAINST = Scores(entailed=0.0, contradicted=0.99)
PAIRS = (ClaimPair(claim="one", evidence=("a",)), ClaimPair(claim="two", evidence=("b",)))
PRICE = Price(input_per_million=Decimal(1), output_per_million=Decimal(10), source="table", as_of="2026-01-01")


@dataclass
class Double:
    name: str
    answering: Callable[[VerifierRequest], object]
    remote: bool = False
    seen: list[VerifierRequest] = field(default_factory=list[VerifierRequest])

    @property
    def info(self) -> VerifierInfo:
        return VerifierInfo(name=self.name, version="1", thresholds=LINES)

    async def score(self, request: VerifierRequest) -> Sequence[Scores | None]:
        self.seen.append(request)
        said = self.answering(request)
        if isinstance(said, BaseException):
            raise said
        if said == "never":
            await anyio.sleep_forever()
        return cast("Sequence[Scores | None]", said)


def sure(request: VerifierRequest) -> list[Scores]:
    return [SURE for _ in request.pairs]


def meter(cap: Decimal | None = None) -> TurnMeter:
    from datetime import UTC, datetime

    purse = Purse(spending=Spending(caps=SpendCaps(turn=cap)), price=PRICE)
    return TurnMeter(trace=Trace(clock=FixedClock(datetime(2026, 1, 1, tzinfo=UTC)), purse=purse))


def hearing(*verifiers: Double, **fields: object) -> Verifying:
    return replace(Verifying(verifiers=cast("tuple[Verifier, ...]", verifiers)), **fields)  # pyright: ignore[reportArgumentType]


async def test_nobody_set_up_leaves_no_trace() -> None:
    heard = await Verifying()(PAIRS, meter())
    assert (heard.opinions, heard.record) == ({}, None)


async def test_opinions_come_by_the_text_of_the_sentence_and_who_was_asked_is_on_record() -> None:
    one, two = Double("one", sure), Double("two", lambda _: [SURE, AGAINST])
    heard = await hearing(one, two)(PAIRS, meter())
    assert heard.opinions == {
        "one": Opinion(effect="supported", by=("one", "two")),
        "two": Opinion(effect="contradicted", by=("two",)),
    }
    assert heard.record is not None
    assert heard.record.verifiers == (one.info, two.info)
    assert (heard.record.asked, heard.record.ensemble, heard.record.lapses) == (2, "all", ())


async def test_where_nothing_is_open_nobody_is_asked() -> None:
    one = Double("one", sure)
    heard = await hearing(one)((), meter())
    assert one.seen == []
    assert heard.record is not None
    assert (heard.record.asked, heard.record.is_degraded) == (0, False)


@pytest.mark.requirement("ruling:D24", "promise:6", "grounding:lapses")
@pytest.mark.parametrize(
    ("said", "lapse"),
    [
        (BudgetExceeded("too dear"), "budget"),
        (DeadlineExceeded("too late"), "late"),
        ("never", "late"),
        (OpinionMalformed("odd"), "malformed"),
        (VerifierFailed("broken"), "failed"),
        (ProviderUnavailable("busy"), "failed"),
        (RuntimeError("a secret memory"), "failed"),
        ([SURE], "malformed"),
        ([SURE, SURE, SURE], "malformed"),
        ([SURE, replace(SURE, entailed=1.01)], "malformed"),
        ([SURE, replace(SURE, contradicted=float("nan"))], "malformed"),
        (None, "malformed"),
        ("supported", "malformed"),
        ("no", "malformed"),
        ([0.9, 0.9], "malformed"),
        ([SURE, {"entailed": 0.9, "contradicted": 0.0}], "malformed"),
        ({0: SURE, 1: SURE}, "malformed"),
        (iter([SURE, SURE]), "malformed"),
        ([SURE, Scores(entailed=cast("float", "sure"), contradicted=0.0)], "failed"),
    ],
)
async def test_one_that_fails_gives_no_opinion_and_the_lapse_is_on_record(said: object, lapse: Lapse) -> None:
    timeout = 0.05 if said == "never" else 10.0
    heard = await hearing(Double("bad", lambda _: said), Double("good", sure), timeout_s=timeout)(PAIRS, meter())
    assert heard.record is not None
    assert heard.record.lapses == (("bad", lapse),)
    assert heard.record.is_degraded
    assert {opinion.effect for opinion in heard.opinions.values()} == {None}
    assert "secret" not in repr(heard)


async def test_most_suffice_where_the_policy_says_so() -> None:
    three = (Double("bad", lambda _: VerifierFailed("broken")), Double("a", sure), Double("b", sure))
    heard = await hearing(*three, ensemble="majority")(PAIRS, meter())
    assert heard.opinions["one"] == Opinion(effect="supported", by=("a", "b"))


@pytest.mark.requirement("ruling:D25")
async def test_a_slow_one_leaves_the_turn_time_to_be_kept() -> None:
    slow = Double("slow", lambda _: "never")
    with anyio.fail_after(0.2):
        heard = await hearing(slow, timeout_s=60.0)(PAIRS, meter())
    assert heard.record is not None
    assert heard.record.lapses == (("slow", "late"),)
    assert 0 < slow.seen[0].timeout_s < 0.2


@pytest.mark.requirement("ruling:H.6")
async def test_private_rows_reach_no_verifier_on_another_machine_without_consent() -> None:
    away = hearing(Double("near", sure), Double("away", sure, remote=True))
    with pytest.raises(ConfigurationError, match="the verifier away; that needs its own consent"):
        away.require_consent(is_private=True, allowed=False)
    away.require_consent(is_private=True, allowed=True)
    away.require_consent(is_private=False, allowed=False)
    hearing(Double("near", sure)).require_consent(is_private=True, allowed=False)


@pytest.mark.requirement("ruling:D8", "ruling:D18")
class TestTheMeter:
    def test_every_call_is_an_attempt_of_the_turn(self) -> None:
        own = meter(Decimal("0.01"))
        own.begin(Decimal("0.004"))
        own.again()
        own.end(Usage(input_tokens=1000, output_tokens=10), "draft")
        own.begin(Decimal("0.002"))
        own.end(None, "error")
        own.begin(Decimal("0.002"))
        own.undo()
        attempts = own.trace.attempts
        assert [(one.purpose, one.outcome) for one in attempts] == [
            ("verify", "error"),
            ("verify", "draft"),
            ("verify", "error"),
        ]
        assert own.left == Decimal("0.01") - Decimal("0.004") - Decimal("0.0011") - Decimal("0.002")

    @pytest.mark.requirement("promise:7")
    def test_a_call_that_the_cap_does_not_pay_for_is_not_begun(self) -> None:
        own = meter(Decimal("0.01"))
        own.begin(Decimal("0.008"))
        own.end(None, "error")
        with pytest.raises(BudgetExceeded, match=r"the spending cap of this turn .* leaves \$0\.0020"):
            own.begin(Decimal("0.003"))
        with pytest.raises(BudgetExceeded, match="price of this call is unknown"):
            own.begin(None)
        assert len(own.trace.attempts) == 1

    @pytest.mark.requirement("promise:7", "spending:caps")
    def test_a_try_that_the_cap_does_not_pay_for_is_not_repeated_and_the_one_before_is_ended(self) -> None:
        own = meter(Decimal("0.01"))
        own.begin(Decimal("0.006"))
        with pytest.raises(BudgetExceeded):
            own.again()
        own.end(None, "error")
        assert [one.outcome for one in own.trace.attempts] == ["error"]
        assert own.left == Decimal("0.004")

    @pytest.mark.parametrize("report", ["end", "undo", "again"])
    def test_what_the_verifier_did_not_begin_it_can_neither_forget_nor_rewrite(self, report: str) -> None:
        own = meter()
        own.trace.begin(Decimal("0.5"))
        own.trace.end()
        draft = own.trace.attempts[:]
        say = {"end": lambda: own.end(Usage(), "draft"), "undo": own.undo, "again": own.again}[report]
        with pytest.raises(VerifierFailed, match="had not begun"):
            say()
        own.begin(None)
        own.end(None, "draft")
        with pytest.raises(VerifierFailed, match="had not begun"):
            say()
        assert own.trace.attempts[:1] == draft
        assert len(own.trace.attempts) == 2

    def test_one_call_is_ended_before_the_next_is_begun(self) -> None:
        own = meter()
        own.begin(None)
        with pytest.raises(VerifierFailed, match="before it ended"):
            own.begin(None)

    async def test_one_that_reports_late_touches_no_call_of_the_next(self) -> None:
        slow = Double("slow", lambda request: request.meter.begin(None) or "never")
        kept: list[str] = []

        def next_one(request: VerifierRequest) -> list[Scores]:
            request.meter.begin(None)
            with pytest.raises(VerifierFailed):
                slow.seen[0].meter.end(Usage(input_tokens=9), "malformed")
            request.meter.end(Usage(input_tokens=5), "draft")
            kept.append("asked")
            return sure(request)

        shared = meter()
        heard = await hearing(slow, Double("next", next_one), timeout_s=0.3)(PAIRS, shared)
        assert kept == ["asked"]
        assert heard.record is not None
        assert heard.record.lapses == (("slow", "late"),)
        assert [(one.outcome, one.usage.input_tokens) for one in shared.trace.attempts] == [
            ("error", None),
            ("draft", 5),
        ]

    def test_without_a_cap_nothing_is_left_out(self) -> None:
        assert meter().left is None
