"""Verifiers by name: a language model, which is built in, and those of other packages.

Law: a package brings a verifier by an entry point of the group `voice.verifiers`, which is called with a
`VerifierContext` and returns a `Verifier` (see `voice.adapters.extras`). An unknown name, or a verifier that cannot be
made, is an error at the first question and in `voice doctor`; no other is used instead.

The model is called through the same port as for drafts, with its own template, at temperature 0, once per draft, within
the rest of the turn's spending cap; every call is metered. Nothing that it is shown can end a line of the prompt, open
a tag or be invisible. Replies are remembered by a hash of everything that was sent, so that nothing readable is kept
and no call is repeated. A reply of another shape than was asked for is no opinion.

Source: DESIGN 6 "The verifier"; rulings A3, A24, D8, D18, D22, D24; promise 6.
"""

import json
from collections import OrderedDict
from typing import Final, cast

from blake3 import blake3

from voice.adapters.extras import all_names, installed, make
from voice.core.context.prompt_templates import PromptTemplate, latest_template
from voice.core.errors import ConfigurationError, OpinionMalformed, VerifierFailed, VoiceError
from voice.core.grounding.claim_verification import MAX_CLAIMS, VERDICT_SCHEMA, parse_reply, request_json
from voice.core.grounding.values import Stance
from voice.core.grounding.verifier_values import VerificationReply, VerificationRequest, VerifierInfo
from voice.core.text.normalise import strip_invisible
from voice.core.usage import Usage, cost_of, worst_case_cost
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, TokenCounter
from voice.ports.verifier import CallForeseen, CallMeter, Verifier, VerifierContext, VerifierRequest

NAME: Final = "llm"
TEMPLATE: Final = "verify"
_THINKING_TOKENS: Final = 3000  # for models that think before they answer
_TOKENS_A_CLAIM: Final = 128  # for the reply about one claim, including its words
_USUAL_TOKENS_A_CLAIM: Final = 80  # of most replies, for a cost foreseen
_USUAL_CLAIMS: Final = 4  # of most drafts, before one is written
_FRAME_TOKENS: Final = 40  # for what surrounds a claim in the request
_REMEMBERED: Final = 4096
# Unicode's line ends and the sign that opens a tag; JSON escapes the others itself.
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<\u0085\u2028\u2029"}


class LlmJudge:
    """A verifier that asks a language model."""

    def __init__(self, llm: LlmClient, *, counter: TokenCounter, template: PromptTemplate) -> None:
        """Make the verifier; `counter` must never under-count (ruling D15), and the caller closes `llm`."""
        self._llm = llm
        self._counter = counter
        self._template = template
        self._known: OrderedDict[bytes, VerificationReply] = OrderedDict()

    @property
    def info(self) -> VerifierInfo:
        """The verifier's name, with the model and the template as its version."""
        profile = self._llm.profile
        version = f"{profile.provider}/{profile.model} {self._template.label} {self._template.template_hash[:12]}"
        return VerifierInfo(name=NAME, version=version)

    @property
    def remote(self) -> bool:
        """Whether the model runs on another machine."""
        return self._llm.profile.remote

    async def verify(self, request: VerifierRequest) -> VerificationReply:
        """Return the model's opinion of the claims; see `Verifier.verify`."""
        call = self._call(request)
        # A hash, so that nothing readable is kept.
        key = blake3(f"{self.info.version}\n{call.system}\n{call.prompt}".encode()).digest()
        if key not in self._known:
            self._known[key] = await self._ask(call, request)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]

    def foresee(self, asked: VerificationRequest, *, unwritten: int = 0) -> CallForeseen:
        """Return what the call would take; see `Verifier.foresee`."""
        # A draft's words are in the prompt twice: as a whole, and claim by claim.
        system, prompt = self._texts(asked)
        claims = MAX_CLAIMS if unwritten else len(asked.claims)
        tokens = self._tokens(system, prompt) + (2 * unwritten + _FRAME_TOKENS * claims if unwritten else 0)
        most, price = self._room(claims), self._llm.profile.price
        usual = min(most, _USUAL_TOKENS_A_CLAIM * (_USUAL_CLAIMS if unwritten else claims))
        return CallForeseen(
            prompt_tokens=tokens,
            max_output_tokens=most,
            expected=cost_of(Usage(input_tokens=tokens, output_tokens=usual), price),
            worst=worst_case_cost(tokens, most, price),
        )

    def _tokens(self, system: str, prompt: str) -> int:
        return self._counter.count(system) + self._counter.count(prompt)

    def _room(self, claims: int) -> int:
        wanted = _THINKING_TOKENS + _TOKENS_A_CLAIM * claims
        return min(wanted, self._llm.profile.max_output_tokens)

    async def _ask(self, call: LlmRequest, request: VerifierRequest) -> VerificationReply:
        tokens = self._tokens(call.system, call.prompt)
        meter, price = request.meter, self._llm.profile.price
        # Before the call, so that a cap can refuse it.
        meter.begin(worst_case_cost(tokens, call.max_output_tokens, price))
        reply = await self._reply(call, meter)
        try:
            opinion = parse_reply(reply.text, len(request.asked.claims))
        except OpinionMalformed:
            meter.end(reply.usage, "malformed")  # paid for all the same
            raise
        meter.end(reply.usage, "draft")
        return opinion

    async def _reply(self, call: LlmRequest, meter: CallMeter) -> LlmReply:
        """Call the model; an exception that breaks the client's contract may hold the prompt and is dropped."""
        try:
            return await self._llm.complete(call)
        except VoiceError:
            meter.end(None, "error")
            raise
        except Exception as error:  # noqa: BLE001 - nothing of it is passed on but its type (promise 6)
            broken = type(error).__name__
        meter.end(None, "error")
        raise VerifierFailed(f"the client of {self._llm.profile.provider} failed in a way it should not ({broken})")

    def _call(self, request: VerifierRequest) -> LlmRequest:
        system, prompt = self._texts(request.asked)
        return LlmRequest(
            system=system,
            prompt=prompt,
            question="",
            evidence=(),
            stance=Stance.SYNTHESIZE,
            schema=VERDICT_SCHEMA,
            temperature=0.0,
            max_output_tokens=self._room(len(request.asked.claims)),
            timeout_s=request.timeout_s,
            on_retry=request.meter.again,
        )

    def _texts(self, asked: VerificationRequest) -> tuple[str, str]:
        shown = json.dumps(request_json(asked), ensure_ascii=False).translate(_ESCAPED)
        return self._template.render("system", {}), self._template.render("user", {"request": strip_invisible(shown)})


GROUP: Final = "voice.verifiers"


def make_verifier(name: str, context: VerifierContext) -> Verifier | None:
    """Return the verifier of this name; None for `none`, and for `auto` without a model that writes. Raises
    ConfigurationError: there is none of that name, or it cannot be made."""
    if name == "none" or (name == "auto" and not context.llm.profile.writes):
        return None
    if name in ("auto", NAME):
        return _llm_judge(context)
    entry = installed(GROUP).get(name)
    if entry is None:
        known = ", ".join(verifier_names())
        raise ConfigurationError(
            f"SURR_VERIFIER names {name!r}, and no such verifier is installed; use one of {known}, or none"
        )
    return cast("Verifier", make(entry, context, kind="verifier", is_one=_is_one))


def verifier_names() -> tuple[str, ...]:
    """Return all names that can be set, the built-in ones first."""
    return all_names((NAME,), GROUP)


def _llm_judge(context: VerifierContext) -> Verifier:
    profile = context.llm.profile
    if not profile.writes:
        raise ConfigurationError(
            f"the verifier llm needs a language model, and {profile.provider} is none: set SURR_VERIFIER_MODEL "
            "or SURR_INNER_VOICE_PROVIDER, or set SURR_VERIFIER=none"
        )
    return LlmJudge(context.llm, counter=context.counter, template=latest_template(context.prompts, TEMPLATE))


def _is_one(made: object, name: str) -> bool:
    info, remote = getattr(made, "info", None), getattr(made, "remote", None)
    if not isinstance(info, VerifierInfo) or not isinstance(remote, bool):
        return False
    if not callable(getattr(made, "verify", None)) or not callable(getattr(made, "foresee", None)):
        return False
    return info.name == name and bool(info.version)
