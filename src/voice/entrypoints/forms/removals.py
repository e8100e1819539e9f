"""Thoughts that are marked, archived, taken away and brought back.

Law: the words of private thoughts are in it only when they are asked for; each thought that stays is told with
everything that keeps it.

Source: spec rag-organize 5 (`maintenance_ops`); rulings F, H.
"""

from typing import TYPE_CHECKING

from voice.core.text.display import truncate
from voice.core.text.instants import in_zone

if TYPE_CHECKING:
    from voice.services.removal.archives import Exported, Restored
    from voice.services.removal.removals import Finalised, MarkedForRemoval, RemovalCandidate, RemovalList

_EXCERPT = 60


def marking_json(done: "MarkedForRemoval", *, dry_run: bool) -> dict[str, object]:
    """Return what marking or unmarking changed as JSON values (schema: schemas/cli/maintain-mark.schema.json)."""
    return {
        "changed": list(done.changed),
        "unchanged": list(done.unchanged),
        "along": len(done.along),
        "due_on": done.due_on.isoformat() if done.due_on else None,
        "dry_run": dry_run,
    }


def removals_json(found: "RemovalList", timezone: str, *, include_private: bool) -> dict[str, object]:
    """Return the marked thoughts as JSON values (schema: schemas/cli/maintain-removals.schema.json)."""
    told = [_candidate_json(each, timezone, include_private=include_private) for each in found.candidates]
    return {"candidates": told, "ready": len(found.ready), "faults": list(found.faults)}


def exported_json(done: "Exported", *, dry_run: bool) -> dict[str, object]:
    """Return what was archived as JSON values (schema: schemas/cli/maintain-export-removals.schema.json)."""
    return {
        "thoughts": list(done.thoughts),
        "already": list(done.already),
        "derived": done.derived,
        "vectors": done.vectors,
        "archives": [
            {"path": each.path, "format": each.format, "bytes": each.bytes, "blake3": each.blake3}
            for each in done.reports
        ],
        "faults": list(done.faults),
        "dry_run": dry_run,
    }


def finalised_json(done: "Finalised", timezone: str) -> dict[str, object]:
    """Return what was taken away and what stayed as JSON values (schema: schemas/cli/maintain-finalise-removals)."""
    kept = [each for each in done.looked_at.candidates if each.hindrances]
    told = [_candidate_json(each, timezone, include_private=False) for each in kept]
    return {
        "gone": list(done.gone),
        "along": list(done.along),
        "kept": told,
        "faults": list(done.looked_at.faults),
        "applied": done.applied,
    }


def restored_json(done: "Restored", *, dry_run: bool) -> dict[str, object]:
    """Return what came back from an archive as JSON values (schema: schemas/cli/maintain-restore-removed)."""
    return {
        "thoughts": list(done.thoughts),
        "derived": list(done.derived),
        "there": done.there,
        "forgotten": done.forgotten,
        "altered": list(done.altered),
        "unembedded": done.unembedded,
        "dry_run": dry_run,
    }


def excerpt_of(each: "RemovalCandidate", *, include_private: bool) -> str | None:
    """Return how a marked thought begins; None where it is private and that was not asked for."""
    if each.thought.is_private and not include_private:
        return None
    return truncate(" ".join(each.thought.content.split()), _EXCERPT)


def _candidate_json(each: "RemovalCandidate", timezone: str, *, include_private: bool) -> dict[str, object]:
    marked_at = each.thought.removal_marked_at
    return {
        "id": each.thought.id,
        "marked_on": f"{in_zone(marked_at, timezone).date()}" if marked_at else None,
        "due_on": each.due_on.isoformat() if each.due_on else None,
        "archive": each.archive,
        "undecided": each.undecided,
        "hindrances": [reason.value for reason in each.hindrances],
        "private": each.thought.is_private,
        "excerpt": excerpt_of(each, include_private=include_private),
    }
