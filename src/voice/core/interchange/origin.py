"""Settle the origin of what comes in, and the limits of its tags: a claim can only lower what the entrance allows.

Law: origin is set by the entrance. A file may claim one, and the claim can only lower what the entrance allows, never
raise it: `settled = min(claim, ceiling of the entrance)` in the order human > logged > tool > model. Where a file
claims nothing, the words decide: the person's own are human, an assistant's model, other people's and devices' tool.
A person may vouch for a log of their own conversations; that makes other people's words `logged`, and never touches
what a model wrote. What the inner voice wrote itself is `model`, whatever a file says.

Limits of a tag. What somebody tags a row with is bounded; what is stored already may be longer.

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
    """The way something came in."""

    CLI = "cli"
    PAGE = "page"
    MCP = "mcp"
    HTTP = "http"
    HOOK = "hook"
    """The transcript of a session that ended: a file that an agent can write."""


_RANK: Final = {Origin.HUMAN: 3, Origin.LOGGED: 2, Origin.TOOL: 1, Origin.MODEL: 0}
_OWNERS: Final = frozenset({Entrance.CLI, Entrance.PAGE})

OWN_TURN: Final = "chat"
"""The kind of what the person says in a conversation with an assistant."""
ASSISTANT_KINDS: Final = frozenset({"agent_chat", "assistant", "assistant_chat", "chatbot"})
"""Kinds whose words a model wrote, unless one of the person's own names speaks."""
ASSISTANT_SPEAKERS: Final = frozenset({"assistant", "agent", "ai", "bot", "chatbot", "model", "system"})
"""Speakers that are no people."""
OTHERS_KINDS: Final = frozenset({"call", "email", "message", "notification", "photo", "push", "sms", "tool", "web"})
"""Kinds that, with nobody named as speaker, mix other people's and devices' words with the person's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """How an import came in, and what the person said about it."""

    entrance: Entrance
    now: datetime
    own_speakers: frozenset[str] = frozenset()
    """The person's own names in the files (`--me`); compared without case."""
    vouched: bool = False
    """The person vouches for a log of their own conversations (`--as logged`)."""
    mcp_origin: Origin = Origin.TOOL
    """The owner may set `mcp_origin = logged` (ruling H)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "own_speakers", frozenset(name.casefold() for name in self.own_speakers))


def ceiling_of(entrance: Entrance, *, mcp_origin: Origin = Origin.TOOL) -> Origin:
    """Return the highest origin an entrance can give: the CLI and the page `human`, all others `tool` (ruling H).

    `mcp_origin` may raise MCP to `logged`, never to `human`.
    """
    if entrance in _OWNERS:
        return Origin.HUMAN
    if entrance is Entrance.MCP:
        return _lower(mcp_origin, Origin.LOGGED)
    return Origin.TOOL


def origin_for(entrance: Entrance, claimed: str | None, *, mcp_origin: Origin = Origin.TOOL) -> Origin:
    """Return the origin of something that claims to be `claimed`.

    A missing claim gets what the entrance gives; an unknown one is `model` (ruling A12); a known one is kept when the
    entrance allows it and lowered when not.
    """
    ceiling = ceiling_of(entrance, mcp_origin=mcp_origin)
    return ceiling if claimed is None else _lower(Origin.parse(claimed), ceiling)


def origin_of_words(arrival: Arrival, *, kind: str, speaker: str | None) -> Origin:
    """Return the origin of imported words about which the file claims nothing (ruling H)."""
    name = speaker.casefold() if speaker else None
    if name is not None and name in arrival.own_speakers:
        return _below_ceiling(arrival, Origin.HUMAN)
    if kind in ASSISTANT_KINDS or name in ASSISTANT_SPEAKERS:
        return Origin.MODEL
    if name is None and kind not in OTHERS_KINDS:
        return _below_ceiling(arrival, Origin.HUMAN)
    return _below_ceiling(arrival, Origin.LOGGED if arrival.vouched else Origin.TOOL)


def settle_origin(arrival: Arrival, *, claimed: str | None, kind: str = "note", speaker: str | None = None) -> Origin:
    """Return the origin an imported row gets: by its claim where it has one, else by whose words it is."""
    if claimed is not None:
        return origin_for(arrival.entrance, claimed, mcp_origin=arrival.mcp_origin)
    return origin_of_words(arrival, kind=kind, speaker=speaker)


def _below_ceiling(arrival: Arrival, origin: Origin) -> Origin:
    return _lower(origin, ceiling_of(arrival.entrance, mcp_origin=arrival.mcp_origin))


def _lower(one: Origin, other: Origin) -> Origin:
    return min(one, other, key=_RANK.__getitem__)


MAX_TAG_CHARS: Final = 200


def require_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags that somebody gives a row; what is stored already may be longer.

    Raises:
        InvalidParams: one of them is longer than `MAX_TAG_CHARS`.
    """
    longest = max(map(len, tags), default=0)
    if longest > MAX_TAG_CHARS:
        raise InvalidParams(messages.tag_too_long(longest, MAX_TAG_CHARS))
    return tags
