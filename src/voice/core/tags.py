"""Limits of a tag.

Law: what somebody tags a row with is bounded; what is stored already may be longer.
"""

from typing import Final

from voice.core.errors import InvalidParams

MAX_TAG_CHARS: Final = 200


def require_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags that somebody gives a row; what is stored already may be longer.

    Raises:
        InvalidParams: one of them is longer than `MAX_TAG_CHARS`.
    """
    longest = max(map(len, tags), default=0)
    if longest > MAX_TAG_CHARS:
        raise InvalidParams(f"tags: one has {longest:,} characters; a tag has at most {MAX_TAG_CHARS}")
    return tags
