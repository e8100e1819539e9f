"""Settle the origin of imported rows, and limit their tags.

Law: `settled = min(claim, ceiling of the entrance)`, in the order human > logged > tool > model. Without a claim the
speaker decides: the person human, an assistant model, others and devices tool. Vouching for a log makes others' words
`logged`, never a model's. The inner voice's own writings are always `model`.
Source: rulings A12, A13, A21, H.2.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages
from voice.core.records import Origin


class Entrance(StrEnum):
    """How something came in."""

    CLI = "cli"
    PAGE = "page"
    MCP = "mcp"
    HTTP = "http"
    HOOK = "hook"
    """Transcript of an ended session, a file that an agent can write."""


_RANK: Final = {Origin.HUMAN: 3, Origin.LOGGED: 2, Origin.TOOL: 1, Origin.MODEL: 0}
_OWNERS: Final = frozenset({Entrance.CLI, Entrance.PAGE})

OWN_TURN: Final = "chat"
"""Kind of the person's messages to an assistant."""
ASSISTANT_KINDS: Final = frozenset({"agent_chat", "assistant", "assistant_chat", "chatbot"})
"""Kinds whose text a model wrote, unless the speaker is the person."""
ASSISTANT_SPEAKERS: Final = frozenset({"assistant", "agent", "ai", "bot", "chatbot", "model", "system"})
"""Speakers that are not people."""
OTHERS_KINDS: Final = frozenset({"call", "email", "message", "notification", "photo", "push", "sms", "tool", "web"})
"""Kinds that, without a speaker, mix the person's words with others'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """How an import came in, and the person's statements about it."""

    entrance: Entrance
    now: datetime
    own_speakers: frozenset[str] = frozenset()
    """The person's own names in the files (`--me`), case-insensitive."""
    vouched: bool = False
    """Whether the person vouches for a log of their conversations (`--as logged`)."""
    mcp_origin: Origin = Origin.TOOL
    """The owner may set `mcp_origin = logged` (ruling H)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "own_speakers", frozenset(name.casefold() for name in self.own_speakers))


def ceiling_of(entrance: Entrance, *, mcp_origin: Origin = Origin.TOOL) -> Origin:
    """Return the highest origin of an entrance: `human` for CLI and page, else `tool` (ruling H).

    `mcp_origin` may raise MCP to `logged`, never to `human`.
    """
    if entrance in _OWNERS:
        return Origin.HUMAN
    if entrance is Entrance.MCP:
        return _lower(mcp_origin, Origin.LOGGED)
    return Origin.TOOL


def origin_for(entrance: Entrance, claimed: str | None, *, mcp_origin: Origin = Origin.TOOL) -> Origin:
    """Return the origin for a claim.

    Missing: the ceiling; unknown: `model` (ruling A12); else at most the ceiling.
    """
    ceiling = ceiling_of(entrance, mcp_origin=mcp_origin)
    return ceiling if claimed is None else _lower(Origin.parse(claimed), ceiling)


def origin_of_words(arrival: Arrival, *, kind: str, speaker: str | None) -> Origin:
    """Return the origin of imported words without a claim (ruling H)."""
    name = speaker.casefold() if speaker else None
    if name is not None and name in arrival.own_speakers:
        return _below_ceiling(arrival, Origin.HUMAN)
    if kind in ASSISTANT_KINDS or name in ASSISTANT_SPEAKERS:
        return Origin.MODEL
    if name is None and kind not in OTHERS_KINDS:
        return _below_ceiling(arrival, Origin.HUMAN)
    return _below_ceiling(arrival, Origin.LOGGED if arrival.vouched else Origin.TOOL)


def settle_origin(arrival: Arrival, *, claimed: str | None, kind: str = "note", speaker: str | None = None) -> Origin:
    """Return an imported row's origin: by its claim, else by its speaker."""
    if claimed is not None:
        return origin_for(arrival.entrance, claimed, mcp_origin=arrival.mcp_origin)
    return origin_of_words(arrival, kind=kind, speaker=speaker)


def _below_ceiling(arrival: Arrival, origin: Origin) -> Origin:
    return _lower(origin, ceiling_of(arrival.entrance, mcp_origin=arrival.mcp_origin))


def _lower(one: Origin, other: Origin) -> Origin:
    return min(one, other, key=_RANK.__getitem__)


MAX_TAG_CHARS: Final = 200


def require_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return new tags if valid; stored ones may be longer.

    Raises:
        InvalidParams: a tag is longer than `MAX_TAG_CHARS`.
    """
    longest = max(map(len, tags), default=0)
    if longest > MAX_TAG_CHARS:
        raise InvalidParams(messages.tag_too_long(longest, MAX_TAG_CHARS))
    return tags
