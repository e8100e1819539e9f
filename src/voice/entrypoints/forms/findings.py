"""What a check-up found.

Source: DESIGN 8 `doctor`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voice.core.health import Finding


def finding_json(finding: "Finding") -> dict[str, object]:
    """Return a finding as JSON values (schema: schemas/cli/doctor.schema.json)."""
    return {"name": finding.name, "state": finding.state, "detail": finding.detail, "advice": finding.advice}
