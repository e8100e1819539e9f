"""The objects of chat completions, whole and in chunks.

Law: the members that clients of OpenAI's interface read, and one beside them, `voice`, which they pass over.

Source: OpenAI API reference, "The chat completion object", "The chat completion chunk object".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from voice.entrypoints.web.completions.content import Piece
from voice.entrypoints.web.completions.request import MODELS

SINCE: Final = 1_767_225_600
"""Since when the models are there, as their list has to say: the first day of 2026."""
NOTHING_USED: Final[Mapping[str, int]] = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
_OWNER: Final = "voice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What every object of one completion has in common."""

    id: str
    created: int
    model: str

    def whole(
        self, pieces: Sequence[Piece], usage: Mapping[str, int] | None, voice: Mapping[str, object] | None
    ) -> Mapping[str, object]:
        """Return a completion in one object."""
        message = {
            "role": "assistant",
            "content": "".join(piece.text for piece in pieces),
            "refusal": None,
            "annotations": [each.form() for piece in pieces for each in piece.annotations],
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return self._object("chat.completion", [choice], voice=voice, usage=usage)

    def begun(self, *, with_usage: bool) -> Mapping[str, object]:
        """Return the first chunk: who speaks, and nothing of what is said."""
        return self._chunk({"role": "assistant", "content": ""}, with_usage=with_usage)

    def said(self, piece: Piece, *, with_usage: bool) -> Mapping[str, object]:
        """Return a chunk of the content, with its sources."""
        sources = {"annotations": [each.form() for each in piece.annotations]} if piece.annotations else {}
        return self._chunk({"content": piece.text, **sources}, with_usage=with_usage)

    def ended(self, voice: Mapping[str, object] | None, *, with_usage: bool) -> Mapping[str, object]:
        """Return the chunk that ends the content."""
        return {**self._chunk({}, with_usage=with_usage, finish="stop"), **({"voice": voice} if voice else {})}

    def used(self, usage: Mapping[str, int] | None) -> Mapping[str, object]:
        """Return the chunk after the content, with what was used."""
        return self._object("chat.completion.chunk", [], usage=usage)

    def _chunk(
        self, delta: Mapping[str, object], *, with_usage: bool, finish: str | None = None
    ) -> Mapping[str, object]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return self._object("chat.completion.chunk", [choice], **({"usage": None} if with_usage else {}))

    def _object(self, kind: str, choices: Sequence[object], **more: object) -> Mapping[str, object]:
        kept = {name: value for name, value in more.items() if name != "voice" or value is not None}
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "choices": list(choices),
            **kept,
        }


def model_form(name: str) -> Mapping[str, object]:
    """Return a model as it stands in the list of them."""
    return {"id": name, "object": "model", "created": SINCE, "owned_by": _OWNER}


def models_form() -> Mapping[str, object]:
    """Return the list of models."""
    return {"object": "list", "data": [model_form(name) for name in MODELS]}
