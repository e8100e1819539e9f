"""Providers without a model: verbatim sentences of the memory, and scripts for tests and demonstrations.

Law: they keep the port's contract, errors and usage included, and store no prompt; a caller who wants the requests
passes a `seen` list.

The extractive provider answers with the memory's own sentences (DESIGN 7; ruling A23). Nothing leaves the machine,
nothing is paid, and equal requests give equal replies. It reads a request's evidence and question, never the rendered
prompt, and replies in the wire schema, so that its words are parsed and judged like any other provider's.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from anyio.lowlevel import checkpoint
from anyio.to_thread import run_sync

from voice.adapters.llm.provider_messages import StreamedText, deliver_whole
from voice.core.answering.passage_draft import compose_reading
from voice.core.errors import ProviderRejected, VoiceError
from voice.core.grounding.extractive.answer_composition import compose_answer, draft_json
from voice.core.grounding.values import Draft
from voice.core.usage import FREE, NO_USAGE, Usage
from voice.ports.llm import LlmReply, LlmRequest, ModelProfile, OnText

Line = str | LlmReply | VoiceError
"""The result of one call: a reply's text, a reply, or an error to raise."""
Script = Iterable[Line] | Callable[[LlmRequest], Line]

SCRIPTED_PROFILE = ModelProfile(
    provider="scripted", model="scripted-1", context_tokens=128_000, max_output_tokens=8_192, remote=False, price=FREE
)


class ScriptedClient:
    """Plays a script: a line per call, or a function from the request to a line."""

    def __init__(
        self,
        script: Script,
        *,
        profile: ModelProfile = SCRIPTED_PROFILE,
        usage: Usage | None = None,
        seen: list[LlmRequest] | None = None,
        piece_chars: int | None = None,
    ) -> None:
        """Remember the script: lines in order, or a function that is called each time. `usage` is that of a reply given
        as text; `seen` gets every request. `piece_chars`: the length of a piece, if replies are wanted piece by piece;
        a stopped one has no usage, which is reported at its end."""
        self.calls = 0
        self.closed = False
        self.profile = profile
        self._usage = usage or Usage()
        self._seen = seen
        self._piece_chars = piece_chars
        self._speak = script if callable(script) else _one_by_one(iter(script))

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the script's next line. Raises VoiceError: the line is an error; ProviderRejected: the script is at
        its end."""
        self.calls += 1
        if self._seen is not None:
            self._seen.append(request)
        line = self._speak(request)
        if isinstance(line, VoiceError):
            raise line
        if not isinstance(line, LlmReply):
            line = LlmReply(text=line, usage=self._usage, model=self.profile.model, finish_reason="stop")
        return await self._deliver(line, request.on_text)

    async def _deliver(self, reply: LlmReply, on_text: OnText | None) -> LlmReply:
        if on_text is None or self._piece_chars is None:
            return deliver_whole(reply, on_text)
        streamed, size = StreamedText(on_text), self._piece_chars
        for start in range(0, len(reply.text), size):
            await checkpoint()  # where a real client waits, so that it can be cancelled
            if streamed.add(reply.text[start : start + size]):
                return replace(reply, text=streamed.text, usage=Usage(), finish_reason=None, stopped=True)
        return reply

    async def aclose(self) -> None:
        """Note that it was closed."""
        self.closed = True


def _one_by_one(lines: Iterator[Line]) -> Callable[[LlmRequest], Line]:
    def speak(_: LlmRequest) -> Line:
        line = next(lines, None)
        if line is None:
            raise ProviderRejected("the scripted provider has no line left; give it a longer script")
        return line

    return speak


EXTRACTIVE_PROFILE = ModelProfile(
    provider="extractive",
    model="extractive-1",
    context_tokens=1_000_000,
    max_output_tokens=8_192,
    remote=False,
    price=FREE,
    writes=False,
)


class ExtractiveClient:
    """Composes answers from verbatim sentences of the evidence."""

    profile: ModelProfile = EXTRACTIVE_PROFILE

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the draft as JSON; a question without evidence is refused, never an error. It cannot be stopped."""
        draft = await run_sync(_draft, request)  # takes CPU time
        text, model = draft_json(draft), EXTRACTIVE_PROFILE.model
        return deliver_whole(LlmReply(text=text, usage=NO_USAGE, model=model, finish_reason="stop"), request.on_text)

    async def aclose(self) -> None:
        """Do nothing."""


def _draft(request: LlmRequest) -> Draft:
    """Return a draft of the layout, or of passages if the evidence has some, or of single sentences."""
    if request.layout is not None or any(row.passage is not None for row in request.evidence):
        return compose_reading(
            request.question, request.evidence, request.stance, now=request.now, layout=request.layout
        )
    return compose_answer(request.question, request.evidence, request.stance, now=request.now)
