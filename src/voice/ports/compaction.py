"""What compacting a store came to.

Source: DESIGN 4; docs/forgetting.md.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionReport:
    """A store that was copied, verified and put in place."""

    records: int
    bytes_before: int
    bytes_after: int
