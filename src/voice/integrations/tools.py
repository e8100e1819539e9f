"""A memory as four tools for a model, as any framework takes them: functions with types and a docstring.

Law: each calls one service and returns JSON that the service's door documents. What the model has remembered is its own
claim (origin `model`): it is evidence only after its owner vouches for it (ruling J2). Private rows are read by no
tool. What cannot be done is told to the model in a sentence, not raised at the program: it can do something else.

Source: rulings A1, A12, J2.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Final

from voice.core.errors import VoiceError
from voice.core.records import Origin
from voice.core.session.values import DialogueExchange
from voice.entrypoints.library import Voice
from voice.services.memory.ingest_values import NewThought

Tool = Callable[..., Awaitable[dict[str, Any]]]
NAMES: Final = ("retrieve", "recall", "ask", "remember")


def tools_of(voice: Voice) -> tuple[Tool, ...]:
    """Return the four tools over an open memory."""

    async def retrieve(query: str, limit: int = 5) -> dict[str, Any]:
        """Find word-for-word snippets of the person's notes, with their origin and trust.

        Args:
            query: What to search for.
            limit: Return at most this many snippets.
        """
        return dict(await voice.retrieve(query, top_k=limit))  # S0's name for it

    async def recall(query: str, token_budget: int = 1000) -> dict[str, Any]:
        """Return the person's pins, the current summary and the best notes for a task, within a budget of tokens.

        Args:
            query: The topic of the task.
            token_budget: The most tokens of the whole result.
        """
        return dict(await voice.recall(query, token_budget=token_budget))

    async def ask(question: str) -> dict[str, Any]:
        """Answer a question from the person's notes alone, each sentence with its quote, or refuse.

        Args:
            question: One question in plain words.
        """
        return _answer_json((await voice.ask(question, new_topic=question)).exchange)

    async def remember(content: str) -> dict[str, Any]:
        """Store a note for the person. Answers cite it only after the person approves it.

        Args:
            content: One self-contained statement.
        """
        report = await voice.services.ingest.remember([NewThought(content=content, origin=Origin.MODEL)])
        await voice.services.extracting.arrived(report.stored)  # what it names waits for review
        return {"stored": list(report.stored), "origin": Origin.MODEL.value, "waits_for_approval": True}

    return tuple(_with_errors_returned(each) for each in (retrieve, recall, ask, remember))


def _answer_json(exchange: DialogueExchange) -> dict[str, Any]:
    told: dict[str, Any] = {
        "refused": exchange.refused,
        "reason": None if exchange.reason is None else exchange.reason.value,
        "answer": exchange.answer,
        "sources": [{"id": each.source_id, "span": each.span} for each in exchange.sources],
    }
    found = [{"id": each.source_id, "span": each.span} for each in exchange.evidence_found]
    return {**told, "notes": exchange.notes, "evidence_found": found} if exchange.refused else told


# Told, not raised: the model can do something else.
def _with_errors_returned(tool: Tool) -> Tool:
    @wraps(tool)
    async def call(*arguments: Any, **named: Any) -> dict[str, Any]:
        try:
            return await tool(*arguments, **named)
        except VoiceError as error:
            return {"error": {"code": error.code, "message": error.message}}

    return call
