"""What parts of a request a model's endpoint does not take, and what was learned of it.

Law: a part that is not taken is left out, and nothing else of the request changes. What was learned holds for one model
at one address; its label holds no key.
Source: DESIGN 7; rulings D24, J3.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal
from urllib.parse import urlsplit

from voice.core.messages import files as messages

RequestPart = Literal[
    "schema", "stream", "usage_in_streams", "temperature", "max_tokens", "max_completion_tokens", "thinking", "system"
]
REPLACEMENTS: Final[Mapping[RequestPart, str]] = {
    "schema": messages.NO_REPLY_SCHEMA,
    "stream": messages.NO_STREAMING,
    "usage_in_streams": messages.NO_STREAM_OPTIONS,
    "temperature": messages.NO_TEMPERATURE,
    "max_tokens": messages.COMPLETION_TOKENS,
    "max_completion_tokens": messages.MAX_TOKENS,
    "thinking": messages.NO_THINKING_LIMIT,
    "system": messages.NO_SYSTEM_MESSAGE,
}
"""What an endpoint takes that does not take a part, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedEndpoint:
    """What one endpoint was seen to reject."""

    endpoint: str
    untaken: tuple[RequestPart, ...]
    learned_on: date


def endpoint_label(provider: str, model: str, api_base: str | None) -> str:
    """Return what an endpoint is known by: provider, model and address, without what may be a secret of the address."""
    # Through litellm the model's own name bears its vendor: "groq/llama-3". Elsewhere a person may write it twice.
    named = model if provider == "litellm" else f"{provider}/{model.removeprefix(f'{provider}/')}"
    if api_base is None:
        return named
    return f"{named} at {public_address(api_base)}"


def public_address(api_base: str) -> str:
    """Return the address of an endpoint, without what may be a secret of it."""
    parts = urlsplit(api_base)  # a key may stand before the "@", or in the query
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


def describe_endpoint(learned: LearnedEndpoint) -> str:
    """Return what was learned of an endpoint, in words."""
    taken = ", ".join(REPLACEMENTS[part] for part in learned.untaken)
    return messages.endpoint_takes(learned.endpoint, taken, learned.learned_on)
