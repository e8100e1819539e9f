"""What the owner of a memory decided about a thought that a program noted: approved, in part, or declined.

Law: what a program notes counts for nothing in answers until its owner says so (ruling J2): all of it, some of its
sentences, or none. Those sentences are named by where they stand in the thought.

Source: rulings J2, C10, H.
"""

from enum import StrEnum

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages


class Vouch(StrEnum):
    """What became of a thought that somebody has to vouch for."""

    WAITING = "waiting"
    APPROVED = "approved"
    PARTLY = "partly"
    """Some of its sentences count."""
    DECLINED = "declined"
    """It counts for nothing and is found no more."""


def require_vouched_spans(vouched: Vouch | None, spans: tuple[int, ...]) -> None:
    """Check that just a thought that counts in part names its parts' starts and ends. Raises InvalidParams: not so."""
    if (vouched is Vouch.PARTLY) != bool(spans) or len(spans) % 2:  # pairs of start and end
        raise InvalidParams(messages.PARTS_UNNAMED)
