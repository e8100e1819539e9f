"""The fake provider's whole replies and errors, in four vendors' dialects."""

from collections.abc import Mapping
from typing import Any, Literal

Dialect = Literal["gemini", "openai", "anthropic", "ollama_chat"]
USAGE = {"input": 100, "output": 20, "cached": 40}


def reply_body(
    dialect: Dialect, model: str, text: str, *, filtered: bool, usage: Mapping[str, int] = USAGE
) -> dict[str, Any]:
    """Return a whole successful reply in a vendor's dialect."""
    if dialect == "gemini":
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [] if filtered else [{"text": text}]},
                    "finishReason": "SAFETY" if filtered else "STOP",
                }
            ],
            "usageMetadata": {
                "promptTokenCount": usage["input"],
                "candidatesTokenCount": usage["output"] - 5,
                "thoughtsTokenCount": 5,
                "cachedContentTokenCount": usage["cached"],
                "totalTokenCount": usage["input"] + usage["output"],
            },
            "modelVersion": model,
        }
    if dialect == "openai":
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "content_filter" if filtered else "stop",
                    "message": {"role": "assistant", "content": None if filtered else text},
                }
            ],
            "usage": {
                "prompt_tokens": usage["input"],
                "completion_tokens": usage["output"],
                "total_tokens": usage["input"] + usage["output"],
                "prompt_tokens_details": {"cached_tokens": usage["cached"]},
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
        }
    if dialect == "anthropic":
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [] if filtered else [{"type": "text", "text": text}],
            "stop_reason": "refusal" if filtered else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": usage["input"] - usage["cached"],
                "output_tokens": usage["output"],
                "cache_read_input_tokens": usage["cached"],
                "cache_creation_input_tokens": 0,
            },
        }
    return {
        "model": model,
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": usage["input"],
        "eval_count": usage["output"],
    }


def error_body(dialect: Dialect, kind: str, message: str, status: int, echo: str) -> dict[str, Any]:
    """Return an error in a vendor's dialect; like real ones, it repeats a part of what was sent."""
    said = f"{message}: {echo}"
    if dialect == "gemini":
        return {"error": {"code": status, "message": said, "status": kind.upper()}}
    if dialect == "openai":
        code = "context_length_exceeded" if "context" in message else None
        return {"error": {"message": said, "type": kind, "code": code, "param": None}}
    if dialect == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": said}}
    return {"error": said}
