"""What is awaited apart can hold up nothing: not the loop, not the turn, not the end of the program."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import cast

import anyio
import pytest

from llm_clients import REQUEST
from played_turns import PAID, reply
from present import present
from voice.adapters.llm.scripted import ScriptedClient
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.errors import VerifierFailed
from voice.core.grounding.verifier_values import ClaimOpinion, VerificationReply, VerificationRequest, VerifierInfo
from voice.core.usage import Usage
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile
from voice.ports.verifier import NOTHING_TO_PAY, CallForeseen, CallMeter, Verifier, VerifierRequest
from voice.services.runtime.isolated_calls import CallerLoop, CallerLoopClient, IsolatedCalls
from voice.services.runtime.turn import Trace
from voice.services.verification.draft_verification import DraftVerification
from voice.testing.verifiers import ASKED

pytestmark = pytest.mark.requirement("ruling:D25", "grounding:lapses")
SURE = VerificationReply(opinions=(ClaimOpinion(number=1, verdict="supported"),))


@dataclass
class Blocking:
    """Blocks its thread until it is let go."""

    let_go: threading.Event = field(default_factory=threading.Event)
    came_back: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list[threading.Thread])
    remote: bool = False

    @property
    def info(self) -> VerifierInfo:
        return VerifierInfo(name="blocking", version="1")

    def foresee(self, asked: VerificationRequest, *, unwritten: int = 0) -> CallForeseen:
        return NOTHING_TO_PAY

    async def verify(self, request: VerifierRequest) -> VerificationReply:
        self.threads.append(threading.current_thread())
        self.let_go.wait()
        self.came_back.set()
        return SURE


@pytest.fixture
def verifier() -> Iterator[Blocking]:
    """Give one that blocks, and let it go at the end."""
    made = Blocking()
    yield made
    made.let_go.set()
    for thread in made.threads:
        thread.join()


def turn() -> Trace:
    return Trace(clock=FixedClock(datetime(2026, 1, 1, tzinfo=UTC)))


def hearing(verifier: object, timeout_s: float) -> DraftVerification:
    return DraftVerification(verifier=cast("Verifier", verifier), timeout_s=timeout_s)


async def test_one_that_blocks_its_thread_holds_up_neither_the_turn_nor_the_loop(verifier: Blocking) -> None:
    ticks: list[int] = []

    async def tick() -> None:
        while True:
            ticks.append(1)
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as others:
        others.start_soon(tick)
        heard = await hearing(verifier, 0.05)(ASKED, turn())
        others.cancel_scope.cancel()
        assert present(heard.record).lapse == "late"
        assert heard.reply is None
    assert not verifier.came_back.is_set()
    assert all(thread.daemon for thread in verifier.threads), "the program can end without it"
    assert len(ticks) > 2


async def test_one_that_hangs_is_not_asked_again_before_it_came_back(verifier: Blocking) -> None:
    verifying = hearing(verifier, 0.05)
    lapses = [(await verifying(ASKED, turn())).record for _ in range(3)]
    assert len(verifier.threads) == 1
    verifier.let_go.set()
    verifier.threads[0].join()
    heard = await replace(verifying, timeout_s=60.0)(ASKED, turn())
    assert [each.lapse for each in lapses if each] == ["late"] * 3
    assert present(heard.record).lapse is None
    assert heard.reply == SURE


async def test_one_that_ends_its_thread_has_failed() -> None:
    @dataclass
    class Leaving(Blocking):
        async def verify(self, request: VerifierRequest) -> VerificationReply:
            raise SystemExit(len(request.asked.claims))

    heard = await hearing(Leaving(), 60.0)(ASKED, turn())
    assert present(heard.record).lapse == "failed"


async def test_the_meter_is_kept_at_home_and_refuses_what_comes_too_late() -> None:
    kept: list[CallMeter] = []

    @dataclass
    class Metered(Blocking):
        async def verify(self, request: VerifierRequest) -> VerificationReply:
            own = request.meter
            own.begin(None)
            own.undo()
            own.begin(None)
            own.again()
            own.end(Usage(input_tokens=3), "draft")
            kept.append(own)
            return SURE if own.left is None else VerificationReply(opinions=())

    shared = turn()
    heard = await hearing(Metered(), 60.0)(ASKED, shared)
    assert heard.reply == SURE
    assert [each.usage.input_tokens for each in shared.attempts] == [None, 3]
    said: list[str] = []

    def late() -> None:
        with pytest.raises(VerifierFailed, match="after its time was over") as refused:
            kept[0].begin(None)
        said.append(refused.value.message)

    thread = threading.Thread(target=late)
    thread.start()
    thread.join()
    assert (len(said), len(shared.attempts)) == (1, 2)


class Model:
    """A client that belongs to the thread it is called in."""

    def __init__(self, *, hangs: bool = False) -> None:
        self.threads: list[int] = []
        self.ended: list[bool] = []
        self.hangs = hangs
        self.was_cancelled = False

    @property
    def profile(self) -> ModelProfile:
        return PAID

    async def complete(self, request: LlmRequest) -> LlmReply:
        self.threads.append(threading.get_ident())
        if request.on_retry:
            request.on_retry()
        if self.hangs:
            try:
                await anyio.sleep_forever()
            finally:
                self.was_cancelled = True
        return reply("{}", Usage())

    async def aclose(self) -> None:
        self.ended.append(True)


@dataclass
class Asking(Blocking):
    """Asks a model for its opinion."""

    llm: LlmClient = field(default_factory=lambda: ScriptedClient("{}"))

    async def verify(self, request: VerifierRequest) -> VerificationReply:
        request.meter.begin(None)
        await self.llm.complete(replace(REQUEST, on_retry=request.meter.again))
        request.meter.end(None, "draft")
        return SURE


async def test_a_model_is_called_where_its_connections_are() -> None:
    model, shared = Model(), turn()
    at_home = CallerLoopClient(llm=model)
    heard = await hearing(Asking(llm=at_home), 60.0)(ASKED, shared)
    await at_home.complete(REQUEST)
    await at_home.aclose()
    assert heard.reply == SURE
    assert model.threads == [threading.get_ident()] * 2
    assert [each.outcome for each in shared.attempts] == ["error", "draft"]
    assert (at_home.profile, model.ended) == (PAID, [True])


async def test_a_model_is_asked_no_longer_than_its_verifier_is_waited_for() -> None:
    model = Model(hangs=True)
    heard = await hearing(Asking(llm=CallerLoopClient(llm=model)), 0.05)(ASKED, turn())
    assert present(heard.record).lapse == "late"
    assert model.was_cancelled


async def test_at_home_a_call_is_simply_made() -> None:
    async def work(home: CallerLoop) -> bool:
        return home.is_here or home.call(lambda: home.is_here and home.call(lambda: True))

    assert await IsolatedCalls().run("any", work, broken=False)
