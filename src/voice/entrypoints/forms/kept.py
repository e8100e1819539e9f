"""What was kept of something new, and what was staged of it.

Law: true counts of what was stored; nothing of the words. What was kept without a vector is said (ruling C17).

Source: DESIGN 8; rulings A21, C17, F, H.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voice.services.extracting import Arrived
    from voice.services.ingest_values import IngestReport
    from voice.services.staging import Staged


def remembered_json(report: "IngestReport", arrived: "Arrived") -> dict[str, object]:
    """Return what became of one thought as JSON values (schema: schemas/cli/remember.schema.json)."""
    staged = arrived.staged
    return {
        "id": report.stored[0] if report.stored else None,
        "observations": report.observations,
        "forgotten": bool(report.forgotten),
        "unembedded": report.unembedded,
        "pending_entities": staged.pending_entities,
        "pending_relations": staged.pending_relations,
    }


def staged_json(staged: "Staged", *, dry_run: bool) -> dict[str, object]:
    """Return what reading stored notes staged as JSON values (schema: schemas/cli/kg-stage.schema.json)."""
    return {
        "pending_entities": staged.pending_entities,
        "pending_relations": staged.pending_relations,
        "grown": staged.grown,
        "unchanged": staged.unchanged,
        "rejected": staged.rejected,
        "forgotten": staged.forgotten,
        "unsure": staged.unsure,
        "unsupported": staged.unsupported,
        "unread": staged.unread,
        "dry_run": dry_run,
    }
