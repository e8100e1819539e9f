"""What became of a session that was deleted.

Law: figures and what a list shows; a dry run tells the same of what would go.

Source: docs/sessions.md; DESIGN 8.
"""

from typing import TYPE_CHECKING

from voice.entrypoints.forms.sessions import item_json

if TYPE_CHECKING:
    from voice.services.sessions.lifecycle import Deletion


def deletion_json(going: "Deletion", *, dry_run: bool) -> dict[str, object]:
    """Return what was deleted, or would be, as JSON values (schema: schemas/cli/sessions-delete.schema.json)."""
    return {
        "sessions": [item_json(item) for item in going.sessions],
        "turns": going.turns,
        "deleted": bool(going.sessions) and not dry_run,
        "dry_run": dry_run,
        "needs_with_forks": going.needs_forks is not None,
    }
