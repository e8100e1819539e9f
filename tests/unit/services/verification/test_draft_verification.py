"""A verifier is heard within its time where it is believed, and a lapse is on record."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import cast

import anyio
import pytest

from played_turns import Calibrations, passed
from present import present
from voice.adapters.llm.scripted import SCRIPTED_PROFILE
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.core.errors import (
    BudgetExceeded,
    ConfigurationError,
    DeadlineExceeded,
    OpinionMalformed,
    ProviderUnavailable,
    VerifierFailed,
)
from voice.core.grounding.verifier_values import (
    CalibrationRecord,
    ClaimOpinion,
    Lapse,
    VerificationReply,
    VerificationRequest,
    VerifierInfo,
)
from voice.core.usage import Price, Usage
from voice.ports.verifier import NOTHING_TO_PAY, CallForeseen, VerifierRequest
from voice.services.runtime.isolated_calls import IsolatedCalls
from voice.services.runtime.spending import SpendCaps, Spending, TurnBudget
from voice.services.runtime.turn import Trace
from voice.services.verification.draft_verification import DraftVerification, TurnMeter
from voice.services.verification.outside_turns import Belief, Calibrating
from voice.testing.verifiers import ASKED

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PRICE = Price(input_per_million=Decimal(1), output_per_million=Decimal(10), source="table", as_of="2026-01-01")
REPLY = VerificationReply(opinions=(ClaimOpinion(number=1, verdict="supported"),), answers_question=True)


@dataclass
class Double:
    answering: Callable[[VerifierRequest], object] = lambda _: REPLY
    remote: bool = False
    info: VerifierInfo = VerifierInfo(name="double", version="1")
    seen: list[VerifierRequest] = field(default_factory=list[VerifierRequest])

    def foresee(self, asked: VerificationRequest, *, unwritten: int = 0) -> CallForeseen:
        return NOTHING_TO_PAY

    async def verify(self, request: VerifierRequest) -> VerificationReply:
        self.seen.append(request)
        said = self.answering(request)
        if isinstance(said, BaseException):
            raise said
        if said == "never":
            await anyio.sleep_forever()
        return cast("VerificationReply", said)


def trace(cap: Decimal | None = None) -> Trace:
    purse = TurnBudget(spending=Spending(caps=SpendCaps(turn=cap)), price=PRICE)
    return Trace(clock=FixedClock(NOW), purse=purse)


def tried(verifier: Double, *records: CalibrationRecord) -> DraftVerification:
    calibrating = Calibrating(
        verifier=verifier,
        profile=SCRIPTED_PROFILE,
        kept=Calibrations(*records),
        claims=lambda: (),
        spending=Spending(),
        clock=FixedClock(NOW),
        ids=CountingIds(),
        timeout_s=1.0,
        apart=IsolatedCalls(),
    )
    return DraftVerification(verifier=verifier, belief=Belief(calibrating=calibrating))


async def test_nobody_set_up_leaves_no_trace() -> None:
    heard = await DraftVerification()(ASKED, trace())
    assert (heard.reply, heard.record) == (None, None)


async def test_where_nothing_is_open_nobody_is_asked() -> None:
    one = Double()
    heard = await DraftVerification(verifier=one)(None, trace())
    assert (one.seen, heard.reply, heard.record) == ([], None, None)


async def test_what_it_says_comes_back_and_who_was_asked_is_on_record() -> None:
    one = Double()
    heard = await DraftVerification(verifier=one)(ASKED, trace())
    assert heard.reply == REPLY
    assert heard.record is not None
    assert (heard.record.verifier, heard.record.asked) == (one.info, len(ASKED.claims))
    assert (heard.record.answers_question, heard.record.lapse) == (True, None)
    assert one.seen[0].asked == ASKED


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
        (None, "malformed"),
        ("supported", "malformed"),
        ({"claims": []}, "malformed"),
    ],
)
async def test_one_that_fails_gives_no_opinion_and_the_lapse_is_on_record(said: object, lapse: Lapse) -> None:
    timeout = 0.05 if said == "never" else 10.0
    heard = await DraftVerification(verifier=Double(lambda _: said), timeout_s=timeout)(ASKED, trace())
    assert heard.reply is None
    assert present(heard.record).lapse == lapse
    assert "secret" not in repr(heard)


@pytest.mark.requirement("ruling:D25")
async def test_a_slow_one_leaves_the_turn_time_to_be_kept() -> None:
    slow = Double(lambda _: "never")
    with anyio.fail_after(0.2):
        heard = await DraftVerification(verifier=slow, timeout_s=60.0)(ASKED, trace())
    assert present(heard.record).lapse == "late"
    assert 0 < slow.seen[0].timeout_s < 0.2


@pytest.mark.requirement("ruling:H.6")
async def test_private_rows_reach_no_verifier_on_another_machine_without_consent() -> None:
    away = DraftVerification(verifier=Double(remote=True))
    with pytest.raises(ConfigurationError, match="the verifier double; that needs its own consent"):
        away.require_consent(is_private=True, allowed=False)
    away.require_consent(is_private=True, allowed=True)
    away.require_consent(is_private=False, allowed=False)
    DraftVerification(verifier=Double()).require_consent(is_private=True, allowed=False)


@pytest.mark.requirement("grounding:verifier:belief")
async def test_one_that_passed_is_asked_and_how_it_did_is_on_record() -> None:
    one = Double()
    heard = await tried(one, passed("double 1", false_support=0.1))(ASKED, trace())
    assert heard.reply == REPLY
    assert present(heard.record).false_support == 0.1


@pytest.mark.requirement("grounding:verifier:belief")
@pytest.mark.parametrize(
    "record", [passed("double 1", false_support=0.101), replace(passed("double 1"), unanswered=20)]
)
async def test_one_that_did_not_pass_is_not_asked_and_the_record_says_why(record: CalibrationRecord) -> None:
    one = Double()
    heard = await tried(one, record)(ASKED, trace())
    assert (one.seen, heard.reply) == ([], None)
    assert heard.record is not None
    assert (heard.record.lapse, heard.record.false_support) == ("not_believed", record.false_support)


@pytest.mark.requirement("ruling:D8", "ruling:D18")
class TestTheMeter:
    def test_every_call_is_an_attempt_of_the_turn(self) -> None:
        own = TurnMeter(trace=trace(Decimal("0.01")))
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
        own = TurnMeter(trace=trace(Decimal("0.01")))
        own.begin(Decimal("0.008"))
        own.end(None, "error")
        with pytest.raises(BudgetExceeded, match=r"the spending cap of this turn .* leaves \$0\.0020"):
            own.begin(Decimal("0.003"))
        with pytest.raises(BudgetExceeded, match="price of this call is unknown"):
            own.begin(None)
        assert len(own.trace.attempts) == 1

    @pytest.mark.requirement("promise:7", "spending:caps")
    def test_a_try_that_the_cap_does_not_pay_for_is_not_repeated_and_the_one_before_is_ended(self) -> None:
        own = TurnMeter(trace=trace(Decimal("0.01")))
        own.begin(Decimal("0.006"))
        with pytest.raises(BudgetExceeded):
            own.again()
        own.end(None, "error")
        assert [one.outcome for one in own.trace.attempts] == ["error"]
        assert own.left == Decimal("0.004")

    @pytest.mark.parametrize("report", ["end", "undo", "again"])
    def test_what_the_verifier_did_not_begin_it_can_neither_forget_nor_rewrite(self, report: str) -> None:
        own = TurnMeter(trace=trace())
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
        own = TurnMeter(trace=trace())
        own.begin(None)
        with pytest.raises(VerifierFailed, match="before it ended"):
            own.begin(None)

    async def test_one_that_reports_late_touches_no_call_of_the_next(self) -> None:
        slow, shared, kept = Double(lambda request: request.meter.begin(None) or "never"), trace(), list[str]()

        def next_one(request: VerifierRequest) -> VerificationReply:
            request.meter.begin(None)
            with pytest.raises(VerifierFailed):
                slow.seen[0].meter.end(Usage(input_tokens=9), "malformed")
            request.meter.end(Usage(input_tokens=5), "draft")
            kept.append("asked")
            return REPLY

        heard = await DraftVerification(verifier=slow, timeout_s=0.3)(ASKED, shared)
        await DraftVerification(verifier=Double(next_one))(ASKED, shared)
        assert kept == ["asked"]
        assert present(heard.record).lapse == "late"
        assert [(one.outcome, one.usage.input_tokens) for one in shared.attempts] == [("error", None), ("draft", 5)]

    def test_without_a_cap_nothing_is_left_out(self) -> None:
        assert TurnMeter(trace=trace()).left is None
        assert TurnMeter(trace=trace(Decimal("0.01"))).left == Decimal("0.01")
