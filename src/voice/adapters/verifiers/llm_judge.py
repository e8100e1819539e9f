"""The language model as a judge of single claims.

Law: it is asked through the same port as drafts are, with its own template, at temperature 0 and within what is left of
the turn's spending cap; every call is metered. It sees claims and evidence and not the question, the history or the
draft as a whole; nothing in them ends a line of the prompt, opens a tag or hides. What it was asked once it is not
asked again (by hash of claim, evidence, model and template; nothing readable is held). Its reply is one of three words
a pair; a reply of another shape is no opinion on any of them.

Source: GROUNDING step 5 (iii); rulings A3, D8, D18, D22; promise 6.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from blake3 import blake3
from pydantic import BaseModel, ConfigDict, ValidationError

from voice.core.context.template import PromptTemplate
from voice.core.errors import OpinionMalformed, VerifierFailed, VoiceError
from voice.core.grounding.values import Stance
from voice.core.grounding.verification import ClaimPair, Scores, Thresholds, VerifierInfo
from voice.core.text.comparable import visible
from voice.core.usage import worst_case_cost
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, TokenCounter
from voice.ports.verifier import CallMeter, VerifierRequest

NAME: Final = "llm"
TEMPLATE: Final = "verify"
PAIRS_PER_CALL: Final = 12
_OUTPUT_TOKENS: Final = 2048
"""Room for models that think before they speak; three words a pair need 20 tokens each."""
_REMEMBERED: Final = 4096
THRESHOLDS: Final = Thresholds(support=0.5, doubt=0.5, contradiction=0.5)
_SAID: Mapping[str, Scores] = {
    "supported": Scores(entailed=1.0, contradicted=0.0),
    "unsupported": Scores(entailed=0.0, contradicted=0.0),
    "contradicted": Scores(entailed=0.0, contradicted=1.0),
}
VERDICT_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pair": {"type": "integer", "description": "The pair's number."},
                    "verdict": {"type": "string", "enum": list(_SAID)},
                },
                "required": ["pair", "verdict"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<\u0085\u2028\u2029"}
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class _Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    pair: int
    verdict: Literal["supported", "unsupported", "contradicted"]


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    verdicts: list[_Verdict]


class LlmJudge:
    """A verifier that asks a language model."""

    def __init__(self, llm: LlmClient, *, counter: TokenCounter, template: PromptTemplate) -> None:
        """Make the judge.

        Args:
            llm: who is asked; closed by whoever made it.
            counter: never under-counts (ruling D15).
            template: the latest `verify` prompt.
        """
        self._llm = llm
        self._counter = counter
        self._template = template
        self._known: OrderedDict[bytes, Scores] = OrderedDict()

    @property
    def info(self) -> VerifierInfo:
        """The model and the template are its version."""
        profile = self._llm.profile
        version = f"{profile.provider}/{profile.model} {self._template.label} {self._template.template_hash[:12]}"
        return VerifierInfo(name=NAME, version=version, thresholds=THRESHOLDS)

    @property
    def remote(self) -> bool:
        """Whether the model runs on another machine."""
        return self._llm.profile.remote

    async def score(self, request: VerifierRequest) -> Sequence[Scores | None]:
        """Return what the model says of each pair; see `Verifier.score`.

        Raises:
            OpinionMalformed: a reply has the wrong shape.
            ProviderError: the model failed, or the call would cost too much.
        """
        keys = [self._key(pair) for pair in request.pairs]
        fresh = [at for at, key in enumerate(keys) if key not in self._known]
        for start in range(0, len(fresh), PAIRS_PER_CALL):
            some = fresh[start : start + PAIRS_PER_CALL]
            said = await self._ask([request.pairs[at] for at in some], request)
            self._remember({keys[at]: scores for at, scores in zip(some, said, strict=True)})
        return [self._known.get(key) for key in keys]

    def _key(self, pair: ClaimPair) -> bytes:
        """Return what an answer is remembered by: a hash of everything that the model would be shown."""
        shown = json.dumps([self.info.version, pair.claim, *_dated(pair)])
        return blake3(shown.encode()).digest()

    def _remember(self, said: Mapping[bytes, Scores]) -> None:
        self._known |= said
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)

    async def _ask(self, pairs: Sequence[ClaimPair], request: VerifierRequest) -> list[Scores]:
        call = self._call(pairs, request)
        tokens = self._counter.count(call.system) + self._counter.count(call.prompt)
        meter, price = request.meter, self._llm.profile.price
        meter.begin(worst_case_cost(tokens, call.max_output_tokens, price))
        reply = await self._reply(call, meter)
        try:
            said = _scores_in(reply.text, len(pairs))
        except OpinionMalformed:
            meter.end(reply.usage, "malformed")
            raise
        meter.end(reply.usage, "draft")
        return said

    async def _reply(self, call: LlmRequest, meter: CallMeter) -> LlmReply:
        """Call the model; what a client lets through against its contract may hold the prompt and is dropped."""
        try:
            return await self._llm.complete(call)
        except VoiceError:
            meter.end(None, "error")
            raise
        except Exception as error:  # noqa: BLE001 - nothing of it is passed on but its type (promise 6)
            broken = type(error).__name__
        meter.end(None, "error")
        raise VerifierFailed(f"the client of {self._llm.profile.provider} failed in a way it should not ({broken})")

    def _call(self, pairs: Sequence[ClaimPair], request: VerifierRequest) -> LlmRequest:
        lines = [_line(number, pair) for number, pair in enumerate(pairs, 1)]
        return LlmRequest(
            system=self._template.render("system", {}),
            prompt=self._template.render("user", {"pairs": "\n".join(lines)}),
            question="",
            evidence=(),
            stance=Stance.SYNTHESIZE,
            schema=VERDICT_SCHEMA,
            temperature=0.0,
            max_output_tokens=min(_OUTPUT_TOKENS, self._llm.profile.max_output_tokens),
            timeout_s=request.timeout_s,
            on_retry=request.meter.again,
        )


def _line(number: int, pair: ClaimPair) -> str:
    """Return a pair as one line of JSON; `<` is escaped, since the marks of chat templates begin with it."""
    shown = {"pair": number, "claim": visible(pair.claim), "evidence": [visible(text) for text in _dated(pair)]}
    return json.dumps(shown, ensure_ascii=False).translate(_ESCAPED)


def _dated(pair: ClaimPair) -> list[str]:
    """Return the evidence of a pair, each piece behind the day it was written on, as the other prompts show it."""
    days = (*pair.days, *(None for _ in pair.evidence[len(pair.days) :]))
    return [f"[{day.isoformat()}] {text}" if day else text for day, text in zip(days, pair.evidence, strict=True)]


def _scores_in(text: str, wanted: int) -> list[Scores]:
    """Return the verdicts of a reply in the order of the pairs.

    Raises:
        OpinionMalformed: it is not the object that was asked for, or does not hold every pair once.
    """
    found = _OBJECT.search(text)
    try:
        reply = _Reply.model_validate_json(found.group() if found else text)
    except ValidationError:
        reply = None
    if reply is None or sorted(one.pair for one in reply.verdicts) != list(range(1, wanted + 1)):
        raise OpinionMalformed("the model's verdicts do not have the shape that was asked for")
    said = {one.pair: _SAID[one.verdict] for one in reply.verdicts}
    return [said[number] for number in range(1, wanted + 1)]
