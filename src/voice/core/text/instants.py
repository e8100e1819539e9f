"""How an instant is written for programs.

Law: one form everywhere: in UTC, ending in `Z` (spec inner_voice.retrieve, Output Schema). A zone is named beside it
where days of a zone are meant.
"""

from datetime import UTC, datetime


def render_instant(moment: datetime) -> str:
    """Return an instant as `2026-03-05T14:00:00Z`, with a fraction of a second only where there is one."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
