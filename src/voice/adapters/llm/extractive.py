"""The provider without a model: it answers with the memory's own sentences (DESIGN 7; ruling A23).

Law: nothing leaves the machine, nothing is paid, and the same request gives the same reply. It reads the evidence and
the question of a request, never the rendered prompt, and replies in the wire schema like every other provider, so that
its words are parsed and judged as theirs are.
"""

from anyio.to_thread import run_sync

from voice.adapters.llm.streaming import deliver_whole
from voice.core.answering.layout_draft import compose_layout
from voice.core.answering.passage_draft import compose_passages
from voice.core.grounding.extractive.answer_composition import compose_answer, draft_json
from voice.core.grounding.values import Draft
from voice.core.usage import FREE, NO_USAGE
from voice.ports.llm import LlmReply, LlmRequest, ModelProfile

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

    @property
    def profile(self) -> ModelProfile:
        """Free, local, and always the same."""
        return EXTRACTIVE_PROFILE

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the composed draft as JSON; a question that nothing speaks to is refused, never an error.

        It is there all at once, so nothing of it is stopped.
        """
        draft = await run_sync(_draft, request)
        text, model = draft_json(draft), EXTRACTIVE_PROFILE.model
        return deliver_whole(LlmReply(text=text, usage=NO_USAGE, model=model, finish_reason="stop"), request.on_text)

    async def aclose(self) -> None:
        """Hold nothing, release nothing."""


def _draft(request: LlmRequest) -> Draft:
    """Return the draft as it is laid out, or of passages where the evidence is made of them, else of what fits."""
    if request.layout is not None:
        return compose_layout(request.layout, request.evidence, now=request.now)
    if any(row.passage is not None for row in request.evidence):
        return compose_passages(request.question, request.evidence, request.stance, now=request.now)
    return compose_answer(request.question, request.evidence, request.stance, now=request.now)
