"""What removal, archiving and forgetting take away, as JSON and in words.

Law: the words of private thoughts are in it only when they are asked for; each thought that stays is told with
everything that keeps it.

What forgetting and redacting reach, in the words of every door. A person must know what goes: rows that go are told by
their first words and by why they go, what loses something beside them is counted. Of a private row no word is told
unless private rows are asked for (promise 6).

Source: spec rag-organize 5 (`maintenance_ops`); rulings F, H; docs/forgetting.md; promise 6.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from voice.core.graph.row_display import readable_text_of
from voice.core.records import Entity, Relation, Row, RowStatus
from voice.core.text.display import context_of, printable, truncate
from voice.core.text.instants import in_zone

if TYPE_CHECKING:
    from voice.core.graph.removal.forget_cascade import RemainingMention
    from voice.services.removal.archives import Exported, Restored
    from voice.services.removal.forget import ForgetReach
    from voice.services.removal.removals import Finalised, MarkedForRemoval, RemovalCandidate, RemovalList

_EXCERPT = 60  # characters of a marked thought


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
        "archives": [asdict(each) for each in done.reports],
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


SHOWN_CHARS: Final = 60  # characters of a row that goes, and of words that stay
_AROUND_CHARS: Final = 30  # characters on either side of these
PRIVATE: Final = "(private)"
WHY_ALONG: Final[Mapping[str, str]] = {
    "sentence": "a sentence of {}, which goes as a whole",
    "rests": "found only in {}",
    "earlier": "an earlier version of {}",
    "summary": "a summary of {}",
    "end": "starts or ends at {}",
    "same_words": "says the same as {}",
}
"""Why a row goes along, by `Tie`; the other row's name is put in."""


def row_kind(row: Row) -> str:
    """Return what a row is: a thought, an observation, an entity or a relation."""
    return type(row).__name__.lower()


def names_of_removed_entities(found: "ForgetReach") -> Mapping[str, str]:
    """Return the names of the entities that go and may be told, by their ids."""
    rows = (row for row in found.rows.going if row.id not in found.private)
    return {row.id: row.name for row in rows if isinstance(row, Entity) and row.name}  # a redacted one has none


def first_words(row: Row, found: "ForgetReach", named: Mapping[str, str]) -> str:
    """Return the first words of a row that goes; of a relation between what and what it is, by name where that goes."""
    if row.id in found.private:
        return PRIVATE
    said = readable_text_of(row)
    if row.status is RowStatus.REDACTED and not said.strip():
        return "(redacted)"
    if isinstance(row, Relation) and not said:
        ends = [named.get(end, end) for end in (row.source_id, row.target_id)]  # of one that stays, the id
        said = f"{ends[0]} --{row.rel_type}--> {ends[1]}"
    return truncate(printable(said), SHOWN_CHARS)


def affected_counts(found: "ForgetReach") -> list[str]:
    """Return how much goes with what was meant, and loses something by it, kind by kind; nothing of a kind: no word."""
    rows = found.rows
    beside = (
        (len(rows.derived), "copy or derived entry", "copies or derived entries"),
        (len(rows.changed), "entry that stays but loses its link to it", "entries that stay but lose their link to it"),
        (len(found.exchanges), "turn of a session", "turns of sessions"),
        (len(found.sessions), "session's topic or summary", "sessions' topics or summaries"),
        (len(found.pins_removed) + len(found.pins_changed), "pin", "pins"),
        (len(found.capsules), "capsule", "capsules"),
        *((len(ids), kind.removesuffix("s"), kind) for kind, ids in found.elsewhere.items()),  # "archives"
        (len(found.taken), "archived entry that cannot come back", "archived entries that cannot come back"),
    )
    return [f"{count:,} {one if count == 1 else many}" for count, one, many in beside if count]


def words_still_said(each: "RemainingMention", *, is_private: bool) -> str:
    """Return the words that a row which stays says, too, and what stands around them; none of a private row."""
    said = readable_text_of(each.row)
    words = truncate(said[each.start : each.end], SHOWN_CHARS)
    if is_private:
        return PRIVATE
    before, behind = context_of(said, each.start, each.end, _AROUND_CHARS)
    return f"{before}«{words}»{behind}" if words else truncate(said, SHOWN_CHARS)
