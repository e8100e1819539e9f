"""Values for the tests of pins and capsules."""

import math
from dataclasses import replace

from store_values import FIRST_DAY, LAST_DAY, NOON
from voice.core.recall.values import Capsule, Pin, Summary, summary_id
from voice.core.records import Scope

EVERYWHERE = Scope(session_id="s", repo_id="r", agent_id="a", user_id="u")


def pin(key: str = "1", target_id: str = "t:1", **members: object) -> Pin:
    base = Pin(id=f"p:{key}", target_id=target_id, reason="read this first", created_at=NOON)
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def full_pin() -> Pin:
    """A pin with no field at its default but `seq`, which the store decides."""
    return pin(
        "full",
        "m:c:1",
        reason="ünï 中文\nline",
        created_at=FIRST_DAY,
        expires_at=LAST_DAY,
        scope=EVERYWHERE,
        is_private=True,
    )


def capsule(key: str = "1", **members: object) -> Capsule:
    """A capsule that was never saved."""
    base = Capsule(id=f"c:{key}", intent="mend the login", opened_at=NOON)
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def summary(capsule_id: str = "c:1", **members: object) -> Summary:
    base = Summary(
        id=summary_id(capsule_id),
        capsule_id=capsule_id,
        content="The login is mended.",
        confidence=0.5,
        evidence_refs=(),
        created_at=NOON,
    )
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def full_capsule() -> Capsule:
    """A capsule with no field at its default but `seq`, which the store decides."""
    written = summary(
        "c:full",
        content="ünï 中文\nline",
        confidence=math.pi / 4,
        evidence_refs=("t:2", "o:1"),
        created_at=LAST_DAY,
        scope=EVERYWHERE,
        is_private=True,
    )
    return capsule(
        "full", opened_at=FIRST_DAY, closed_at=LAST_DAY, scope=EVERYWHERE, summary=written, intent="é", revision=1
    )
