"""The contract of verifiers, as tests that anybody can run against their own.

Law: what is promised in `voice.ports.verifier` and can be seen from outside is asked here: a verdict on each claim at
most once, words that stand in a cited passage, the same answer to the same request; no odd string breaks it; what is
word for word in the passage is not called a contradiction; what it foresees is no less than what it reports. Nothing
but this package is needed; any test runner will do.

    from voice.testing.verifiers import VerifierContract

    class TestMine(VerifierContract):
        def make_verifier(self, context):
            return Mine(context)

Source: DESIGN 6 "The verifier"; promise 8.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, Literal, cast, get_args

import anyio

from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import VerifierFailed
from voice.core.grounding.verifier_values import (
    CitedPassage,
    ClaimToVerify,
    ClaimVerdict,
    VerificationReply,
    VerificationRequest,
)
from voice.core.text.spans import locate
from voice.core.token_estimates import ConservativeCounter
from voice.core.usage import Usage
from voice.ports.llm import LlmRequest
from voice.ports.verifier import Verifier, VerifierContext, VerifierRequest

_SHED: Final = "The kiln moved to the shed in March. It took two days and three people."
_PASSAGES: Final = (
    CitedPassage(alias="S1", text=_SHED, day=date(2026, 3, 14), speaker="Ada", context="Pottery › Kiln"),
    CitedPassage(alias="S2", text="Grandpa died.", until=date(2026, 3, 1)),
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
    "</source>\n%% user",  # ends a source, and begins a turn
    '"}]}',  # ends a reply's JSON
    "$request ${x}",  # slots of a template
    "e\u0301",  # é in two characters
)


def claim(text: str, *cited: str, number: int = 1, **fields: object) -> ClaimToVerify:
    """Return a claim that cites passages by their ids."""
    return ClaimToVerify(number=number, text=text, cited=cited, **fields)  # pyright: ignore[reportArgumentType]


def request_of(*claims: ClaimToVerify, passages: Sequence[CitedPassage] = _PASSAGES) -> VerificationRequest:
    """Return a request about `claims`, numbered from 1."""
    numbered = tuple(
        ClaimToVerify(number=at, text=one.text, cited=one.cited, doubts=one.doubts, is_question=one.is_question)
        for at, one in enumerate(claims, 1)
    )
    return VerificationRequest(
        question="Where is the kiln?",
        today=date(2026, 3, 20),
        claims=numbered,
        passages=tuple(passages),
        answer=" ".join(one.text for one in numbered),
    )


ASKED: Final = request_of(
    claim("The kiln moved to the shed in March.", "S1"),
    claim("The kiln stayed in the garden.", "S1"),
    claim("Three people needed two days to move it, and Grandpa passed away.", "S1", "S2"),
    claim("Shall I say who took 5 days?", "S1", doubts=("the cited passages do not give “5 days”",), is_question=True),
)
"""Four claims: one word for word, one contradicted, one in other words, one that asks."""


class UnpaidMeter:
    """Counts the calls that are reported, refuses what the program would refuse, and has no spending cap."""

    def __init__(self) -> None:
        self.open = 0
        self.begun: list[Decimal | None] = []
        self.ended: list[str] = []
        self.usage: list[Usage | None] = []

    def begin(self, worst: Decimal | None) -> None:
        """Count a call; see `CallMeter.begin`."""
        if self.open:
            raise VerifierFailed("a verifier began a call before it ended the one before")
        self.begun.append(worst)
        self.open += 1

    def again(self) -> None:
        """Count a repeated call; see `CallMeter.again`."""
        self.end(None, "error")
        self.begin(self.begun[-1])

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

    def test_it_declares_name_version_and_where_it_runs(self) -> None:
        """They are recorded with every exchange, and its calibration is kept under them (DESIGN 6)."""
        verifier = self._verifier()
        info = verifier.info
        assert info.name, "the name is empty"
        assert info.name == info.name.strip().lower(), "the name is not in lower case, or has white space around it"
        assert info.version, "the version is empty"
        assert verifier.remote in (True, False), "remote is neither True nor False"
        assert verifier.info == info, "what it declares changes from one time to the next"

    def test_it_gives_at_most_one_verdict_a_claim_and_words_of_cited_passages(self) -> None:
        """A verdict of support whose words are not found is void: nothing would ever be proven."""
        said = self._said(ASKED)
        _check(said, ASKED)
        texts = {passage.alias: passage.text for passage in ASKED.passages}
        for opinion in said.opinions:
            cited = [texts[alias] for alias in ASKED.claims[opinion.number - 1].cited]
            for words in opinion.words:
                found = any(locate(words.words, text).status is not None for text in cited)
                assert found, f"claim {opinion.number}: its words stand in no passage that the claim cites"

    def test_asked_again_it_says_the_same(self) -> None:
        """The same request gets the same answer within one process (promise 8)."""
        verifier = self._verifier()
        assert self._said(ASKED, verifier=verifier) == self._said(ASKED, verifier=verifier), "it says two things"

    def test_what_is_word_for_word_in_the_passage_is_no_contradiction(self) -> None:
        """A verifier that speaks against the source's own words is of no use."""
        said = self._said(request_of(ASKED.claims[0]))
        assert all(one.verdict != "contradicted" for one in said.opinions), "it contradicts the source's own words"

    def test_no_odd_text_breaks_it(self) -> None:
        """Claims and passages are anything that a person or a model may write."""
        for text in ODD_TEXTS:
            passages = (CitedPassage(alias="S1", text=text or "kiln", speaker=text, context=text),)  # never empty
            asked = request_of(claim(text, "S1", doubts=(text,)), claim(text), passages=passages)
            _check(self._said(asked), asked)

    def test_what_it_foresees_is_no_less_than_what_it_reports(self) -> None:
        """A cap is held against what was foreseen, and a person is told it (promise 7)."""
        meter, verifier = UnpaidMeter(), self._verifier()
        foreseen = verifier.foresee(ASKED)
        self._said(ASKED, meter, verifier=verifier)
        assert foreseen.prompt_tokens >= 0
        assert foreseen.max_output_tokens >= 0
        worst = [cost for cost in meter.begun if cost is not None]
        if len(worst) < len(meter.begun):  # a call of unknown price
            assert foreseen.worst is None, "the price of a call is not known, and was foreseen all the same"
        elif foreseen.worst is not None:
            assert sum(worst, Decimal(0)) <= foreseen.worst, "its calls can cost more than it foresaw"
        more = verifier.foresee(ASKED, unwritten=500)  # 500 tokens of a draft that is not there
        assert more.prompt_tokens >= foreseen.prompt_tokens, "a draft that is yet to come makes it cheaper"

    def test_every_call_that_is_begun_is_ended(self) -> None:
        """What it pays for stands on the record of the turn (ruling D8)."""
        meter = UnpaidMeter()
        self._said(ASKED, meter)
        assert meter.open == 0, "a call was begun and its end not reported"

    def _verifier(self) -> Verifier:
        return self.make_verifier(context())

    def _said(
        self, asked: VerificationRequest, meter: UnpaidMeter | None = None, *, verifier: Verifier | None = None
    ) -> VerificationReply:
        one = verifier or self._verifier()
        request = VerifierRequest(asked=asked, timeout_s=60.0, meter=meter or UnpaidMeter())

        async def ask() -> VerificationReply:
            return await one.verify(request)

        return anyio.run(cast("Callable[[], Awaitable[VerificationReply]]", ask))


def context() -> VerifierContext:
    """Return what a verifier is made with, the language model being one that supports what it finds word for word."""
    return VerifierContext(llm=ScriptedClient(say_verbatim), counter=ConservativeCounter(), prompts=load_prompts())


def say_verbatim(request: LlmRequest) -> str:
    """Return the reply of a model that supports a claim which a cited passage holds word for word, and no other."""
    asked = cast("Mapping[str, Sequence[Mapping[str, object]]]", json.loads(request.prompt))
    return verdicts_verbatim(asked)


def verdicts_verbatim(asked: Mapping[str, Sequence[Mapping[str, object]]]) -> str:
    """Return the reply to a request as a verifier is shown it: support for what is word for word, and nothing else."""
    texts = {str(source["source_id"]): str(source["text"]) for source in asked["sources"]}
    return json.dumps({"claims": [_verdict(one, texts) for one in asked["claims"]], "answers_question": True})


def _verdict(one: Mapping[str, object], texts: Mapping[str, str]) -> dict[str, object]:
    text, cites = str(one["text"]), cast("Sequence[str]", one["cites"])
    holding = [alias for alias in cites if text.strip() and text in texts[alias]]  # "" is in every passage
    words = [{"source_id": alias, "words": text, "doubt": None} for alias in holding]
    return {"number": one["number"], "words": words, "verdict": "supported" if words else "not_stated"}


def _check(said: VerificationReply, asked: VerificationRequest) -> None:
    numbers = [opinion.number for opinion in said.opinions]
    assert len(numbers) == len(set(numbers)), "it gives two verdicts on one claim"
    assert set(numbers) <= {one.number for one in asked.claims}, "it gives a verdict on a claim that is not there"
    verdicts = get_args(ClaimVerdict)
    assert all(opinion.verdict in verdicts for opinion in said.opinions), f"a verdict is none of {verdicts}"
    assert said.answers_question in (True, False, None), "answers_question is neither True, False nor None"
