"""The contract of verifiers, as tests that anybody can run against their own.

Law: what is promised in `voice.ports.verifier` and can be seen from outside is asked here: one answer a pair, in order,
in range, the same whatever else was asked; no odd string breaks it; what is word for word in the evidence is not called
a contradiction. Nothing but this package is needed; any test runner will do.

    from voice.testing.verifiers import VerifierContract

    class TestMine(VerifierContract):
        def make_verifier(self, context):
            return Mine(context)

Source: GROUNDING step 5; DESIGN 6 stage 5.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from typing import Final, Literal, cast

import anyio

from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import VerifierFailed
from voice.core.tokens import ConservativeCounter
from voice.core.usage import Usage
from voice.ports.llm import LlmRequest
from voice.ports.verifier import ClaimPair, Scores, Verifier, VerifierContext, VerifierRequest

_EVIDENCE: Final = ("Ada: The kiln moved to the shed in March.", "Ada: It took two days and three people.")
VERBATIM: Final = ClaimPair(claim="The kiln moved to the shed in March.", evidence=_EVIDENCE)
PAIRS: Final = (
    VERBATIM,
    ClaimPair(claim="The kiln stayed in the garden.", evidence=_EVIDENCE, lexical=2.1),
    ClaimPair(claim="Three people needed two days to move it.", evidence=_EVIDENCE, lexical=1.2),
    ClaimPair(claim="Grandpa passed away.", evidence=("Grandpa died.",), lexical=1.9),
)
_LONG: Final = "kiln " * 2_000
ODD_TEXTS: Final = (
    "",
    " ",
    "\x00kiln",
    "🏺",
    "ログイン",
    "a" * 5_000,
    _LONG,
    "[SEP] [CLS]",
    '"}]}',
    "$pairs ${x}",
    "e\u0301",
)


class UnpaidMeter:
    """Counts the calls that are reported, refuses what the program would refuse, and has no spending cap."""

    def __init__(self) -> None:
        self.open = 0
        self.ended: list[str] = []
        self.usage: list[Usage | None] = []

    def begin(self, worst: Decimal | None) -> None:
        """Count a call; see `CallMeter.begin`."""
        del worst
        if self.open:
            raise VerifierFailed("a verifier began a call before it ended the one before")
        self.open += 1

    def again(self) -> None:
        """Count a repeated call; see `CallMeter.again`."""
        self.end(None, "error")
        self.begin(None)

    def end(self, usage: Usage | None, outcome: Literal["draft", "malformed", "error"]) -> None:
        """Count what became of a call; see `CallMeter.end`."""
        self.undo()
        self.ended.append(outcome)
        self.usage.append(usage)

    def undo(self) -> None:
        """Take a call back; see `CallMeter.undo`."""
        if not self.open:
            raise VerifierFailed("a verifier reported on a call that it had not begun")
        self.open -= 1

    @property
    def left(self) -> Decimal | None:
        """There is no cap."""
        return None


class VerifierContract:
    """Tests of one verifier; a subclass says how it is made."""

    def make_verifier(self, context: VerifierContext) -> Verifier:
        """Return the verifier under test, made as the program makes it."""
        raise NotImplementedError("say how your verifier is made")

    def test_it_declares_name_version_thresholds_and_where_it_runs(self) -> None:
        """They are recorded with every exchange, so that a verdict can be traced (DESIGN 6)."""
        verifier = self._verifier()
        info = verifier.info
        assert info.name, "the name is empty"
        assert info.name == info.name.strip().lower(), "the name is not in lower case, or has white space around it"
        assert info.version, "the version is empty"
        lines = (info.thresholds.support, info.thresholds.doubt, info.thresholds.contradiction)
        assert all(line is None or 0.0 <= line <= 1.0 for line in lines), "a threshold is no probability"
        assert any(line is not None for line in lines), "without a threshold it can never vote"
        if info.thresholds.support is not None and info.thresholds.doubt is not None:
            assert info.thresholds.doubt <= info.thresholds.support, "it would doubt what it supports"
        assert verifier.remote in (True, False), "remote is neither True nor False"
        assert verifier.info == info, "what it declares changes from one time to the next"

    def test_there_is_one_answer_a_pair_and_every_number_is_a_probability(self) -> None:
        """`None` is no opinion; anything else is in [0, 1]."""
        _check(self._said(PAIRS), len(PAIRS))

    def test_nothing_is_answered_when_nothing_is_asked(self) -> None:
        """An empty request costs nothing."""
        meter = UnpaidMeter()
        assert list(self._said((), meter)) == []
        assert meter.ended == [], "it called somebody without being asked anything"

    def test_answers_stand_in_the_order_of_the_pairs(self) -> None:
        """Each pair has its own answer, wherever it stands and whatever stands beside it."""
        forward, backward = list(self._said(PAIRS)), list(self._said(PAIRS[::-1]))
        assert forward == backward[::-1], "an answer depends on the order of the pairs"
        for pair, answer in zip(PAIRS, forward, strict=True):
            assert list(self._said((pair,))) == [answer], "an answer depends on what was asked beside it"

    def test_asked_again_it_says_the_same(self) -> None:
        """The same pair gives the same numbers within one process (promise 8)."""
        verifier = self._verifier()
        first, second = self._said(PAIRS, verifier=verifier), self._said(PAIRS, verifier=verifier)
        assert list(first) == list(second), "asked twice, it says two things"

    def test_what_is_word_for_word_in_the_evidence_is_no_contradiction(self) -> None:
        """A verifier that vetoes the source's own words is of no use."""
        (answer,) = self._said((VERBATIM,))
        line = self._verifier().info.thresholds.contradiction
        if answer is not None and line is not None:
            assert answer.contradicted < line, "it vetoes the source's own words"

    def test_no_odd_text_breaks_it(self) -> None:
        """Claims and evidence are anything that a person or a model may write."""
        pairs = tuple(ClaimPair(claim=text, evidence=(text, "The kiln moved.")) for text in ODD_TEXTS)
        _check(self._said(pairs), len(pairs))
        bare = tuple(ClaimPair(claim=text, evidence=()) for text in ODD_TEXTS)
        _check(self._said(bare), len(bare))

    def test_every_call_that_is_begun_is_ended(self) -> None:
        """What it pays for stands on the record of the turn (ruling D8)."""
        meter = UnpaidMeter()
        self._said(PAIRS, meter)
        assert meter.open == 0, "a call was begun and its end not reported"

    def _verifier(self) -> Verifier:
        return self.make_verifier(context())

    def _said(
        self, pairs: Sequence[ClaimPair], meter: UnpaidMeter | None = None, *, verifier: Verifier | None = None
    ) -> Sequence[Scores | None]:
        asked = verifier or self._verifier()
        request = VerifierRequest(pairs=tuple(pairs), timeout_s=60.0, meter=meter or UnpaidMeter())

        async def ask() -> Sequence[Scores | None]:
            return await asked.score(request)

        return anyio.run(cast("Callable[[], Awaitable[Sequence[Scores | None]]]", ask))


def context() -> VerifierContext:
    """Return what a verifier is made with, the language model being one that supports what it finds word for word."""
    return VerifierContext(
        model=None, llm=ScriptedClient(say_verbatim), counter=ConservativeCounter(), prompts=load_prompts()
    )


def say_verbatim(request: LlmRequest) -> str:
    """Return the verdicts of a model that supports a claim which the evidence holds word for word, and no other."""
    lines = request.prompt.partition("\n")[2].splitlines()
    pairs = [cast("Mapping[str, object]", json.loads(line)) for line in lines if line.startswith("{")]
    said = [
        {"pair": pair["pair"], "verdict": "supported" if str(pair["claim"]) in str(pair["evidence"]) else "unsupported"}
        for pair in pairs
    ]
    return json.dumps({"verdicts": said})


def _check(said: Sequence[Scores | None], wanted: int) -> None:
    assert len(said) == wanted, f"{len(said)} answers to {wanted} pairs"
    for answer in said:
        if answer is not None:
            assert 0.0 <= answer.entailed <= 1.0, f"entailed is {answer.entailed}"
            assert 0.0 <= answer.contradicted <= 1.0, f"contradicted is {answer.contradicted}"
