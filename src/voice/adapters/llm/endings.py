"""What a provider's word for the end of a reply means.

Law: a pure table of what vendors' documents name. A limit of tokens cuts a reply; a few words say that it ended of
itself; every other one, a new one too, says that the provider ended it (ruling J3).
"""

from voice.core.grounding.values import Ending

_CUT = frozenset({
    "compaction", "length", "max_output_tokens", "max_tokens", "model_context_window_exceeded", "model_length",
})  # fmt: skip
_OF_ITSELF = frozenset({
    "complete", "end_turn", "eos", "eos_token", "finish_reason_unspecified", "function_call", "load", "stop",
    "stop_sequence", "tool_call", "tool_calls", "tool_use", "unload",
})  # fmt: skip


def ending_of(word: str | None) -> Ending:
    """Return how a reply ended, of the provider's word for it; without one, of itself."""
    named = (word or "stop").lower()
    if named in _CUT:
        return "cut"
    return "complete" if named in _OF_ITSELF else "declined"
