"""Corrections of rows.

Law: nothing is rewritten: the old value is superseded, with when, why and by whom; the new value is another row with
the same privacy and tags. A superseded row cannot be corrected again. An entity keeps its id; its old value gets a new
one.

  valid_from   `since` if given, else the old one's
  valid_until  `until` if given, else the old one's, if that is later
  old value    valid until `since`; without `since` it was never true
Source: rulings A13, C10, F.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal, TypeVar

from voice.core.errors import InvalidParams
from voice.core.graph.entity_names import KnownNames, ids_of_mentions
from voice.core.graph.row_display import readable_text_of
from voice.core.graph.thoughts.vouching import vouch_of
from voice.core.messages import memory as messages
from voice.core.records import (
    EmbeddingStatus,
    Entity,
    GraphRow,
    Observation,
    Origin,
    Relation,
    Row,
    RowStatus,
    Thought,
    TrustTier,
    require_utc,
)
from voice.core.vouch import Vouch

MAX_REASON_CHARS = 500
_Row = TypeVar("_Row", Thought, Entity, Observation, Relation, GraphRow, Row)
_GraphRow = TypeVar("_GraphRow", Entity, Observation, Relation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A validated correction (`correction_of`)."""

    text: str | None = field(default=None, repr=False)
    """None keeps the words and changes the time."""
    target_id: str | None = None
    """New target of a relation."""
    reason: str | None = field(default=None, repr=False)
    since: datetime | None = None
    until: datetime | None = None
    author: Origin = Origin.HUMAN
    noted_by: str | None = None
    """The correcting program."""
    tags: tuple[str, ...] = ()
    """Added to a thought's tags."""
    is_private: bool = False
    """Makes a thought private; never public."""
    at: datetime

    def __post_init__(self) -> None:
        for name in ("since", "until"):
            moment = self.since if name == "since" else self.until
            if moment is not None:
                object.__setattr__(self, name, require_utc(moment, f"--{name}"))
        if self.since and self.until and self.since >= self.until:
            raise InvalidParams(messages.CORRECTION_REVERSED)
        if self.reason is not None and len(self.reason) > MAX_REASON_CHARS:
            raise InvalidParams(messages.reason_too_long(len(self.reason), MAX_REASON_CHARS))


def require_correctable(row: Row) -> None:
    """Check that a row can be corrected. Raises InvalidParams: it is past, marked, redacted or the inner voice's."""
    if isinstance(row, Thought) and row.is_synthesis:
        raise InvalidParams(messages.own_summary(row.id))
    match row.status:
        case RowStatus.ACTIVE:
            return
        case RowStatus.SUPERSEDED if row.superseded_by is not None:
            raise InvalidParams(messages.already_replaced(row.superseded_by, row.id))
        case RowStatus.SUPERSEDED:
            raise InvalidParams(messages.no_longer_in_use(row.id))
        case RowStatus.REMOVAL:
            raise InvalidParams(messages.marked_for_removal(row.id))
        case _:
            raise InvalidParams(messages.nothing_to_correct(row.id))


_INSTEAD: Final = {  # advice to programs for acts reserved to the owner
    "correct": messages.INSTEAD_OF_CORRECTING,
    "remove": messages.INSTEAD_OF_REMOVING,
    "settle": messages.INSTEAD_OF_SETTLING,
}


def require_untrusted(row: Row, act: Literal["correct", "remove", "settle"] = "correct") -> None:
    """Check that a row is not a person's words or approved by one. Raises InvalidParams: it is."""
    is_vouched = isinstance(row, Thought) and row.vouched in (Vouch.APPROVED, Vouch.PARTLY)
    # Logged rows are green, but no person wrote or approved them.
    if is_vouched or (row.trust is TrustTier.GREEN and row.origin is not Origin.LOGGED):
        raise InvalidParams(messages.words_of_a_person(row.id, act, _INSTEAD[act]))


def corrected_thought(old: Thought, correction: Correction, *, new_id: str) -> Thought:
    """Return the successor of a thought. Raises InvalidParams: nothing changes."""
    text = correction.text or old.content
    _require_change(old.content, text, correction)
    return replace(
        _fresh(old, correction, new_id),
        content=text,
        tags=(*old.tags, *correction.tags),
        is_private=old.is_private or correction.is_private,
        # What was learned of the old words does not hold for the new ones.
        access_count=0,
        last_accessed=None,
        enriched_content=None,
        removal_marked_at=None,
        noted_by=correction.noted_by,
        vouched=vouch_of(correction.author),
        vouched_at=None,
        vouched_spans=(),
        unfound=(),
    )


def corrected_observation(
    old: Observation, correction: Correction, *, new_id: str, names: KnownNames, private: bool
) -> Observation:
    """Return the successor of a statement, in the corrector's words (ruling C10).

    New words have no source thought. Its entities are those mentioned, plus the old ones that were not mentioned
    either.

    Raises InvalidParams: nothing changes, or the period is invalid.
    """
    text = correction.text or old.text
    _require_change(old.text, text, correction)
    mentioned = ids_of_mentions(names.index.mentions(old.text)) if text != old.text else ()
    others = [each for each in old.entity_ids if each not in mentioned]
    return replace(
        _new_version(old, correction, new_id),
        text=text,
        entity_ids=tuple(dict.fromkeys([*ids_of_mentions(names.index.mentions(text)), *others])),
        provenance=old.provenance if text == old.text else (),
        is_private=private,
    )


def corrected_relation(old: Relation, correction: Correction, *, new_id: str, private: bool) -> Relation:
    """Return the successor of an edge. Raises InvalidParams: nothing changes, or the period is invalid."""
    target = correction.target_id or old.target_id
    text = old.description if correction.text is None else correction.text  # "" deletes a description
    if target == old.target_id:
        _require_change(old.description, text, correction)
    sources = old.provenance if (target, text) == (old.target_id, old.description) else ()
    made = _new_version(old, correction, new_id)
    return replace(made, target_id=target, description=text, provenance=sources, is_private=private)


def corrected_entity(old: Entity, correction: Correction) -> Entity:
    """Return the entity described anew, its id kept. Raises InvalidParams: no change, or an invalid period."""
    text = old.description if correction.text is None else correction.text
    _require_change(old.description, text, correction)
    return replace(_new_version(old, correction, old.id), description=text, revision=old.revision + 1)


def past_value(old: Entity, correction: Correction, *, new_id: str) -> Entity:
    """Return the entity's old value under a new id."""
    gone = superseded(replace(old, id=new_id, revision=0), by=old.id, correction=correction)
    return replace(gone, seq=0, embedding_status=EmbeddingStatus.PENDING)  # to the store a new row


def superseded(old: _Row, *, by: str | None, correction: Correction) -> _Row:
    """Return `old` superseded: content unchanged, end of validity set."""
    gone = replace(
        old,
        status=RowStatus.SUPERSEDED,
        superseded_by=by,
        superseded_at=correction.at,
        superseded_reason=correction.reason,
        superseded_author=correction.author,
        revision=old.revision + 1,
    )
    since = correction.since
    if isinstance(gone, Thought) or since is None or (gone.valid_until is not None and gone.valid_until <= since):
        return gone  # a thought has no period; an earlier end stays
    return replace(gone, valid_until=since)


def as_it_stood(row: _Row) -> _Row:
    """Return a superseded row as it was before."""
    return replace(
        row,
        status=RowStatus.ACTIVE,
        superseded_by=None,
        superseded_at=None,
        superseded_reason=None,
        superseded_author=None,
    )


def says_the_same(row: Row, correction: Correction) -> bool:
    """Return whether `row` already has a correction's words and period, for idempotent repeats."""
    words = row.description if isinstance(row, Entity | Relation) else readable_text_of(row)
    if correction.text not in (None, words):
        return False
    if isinstance(row, Thought):
        return correction.since in (None, row.created_at)  # a thought keeps `since` there (`_fresh`)
    return correction.since in (None, row.valid_from) and correction.until in (None, row.valid_until)


def _fresh(old: _Row, correction: Correction, new_id: str) -> _Row:
    """Return a copy with new identity and date, before its content changes."""
    return replace(
        old,
        id=new_id,
        created_at=correction.since or old.created_at,
        recorded_at=correction.at,
        origin=correction.author,
        revision=1,
        seq=0,
        embedding_status=EmbeddingStatus.PENDING,
        away=(),
    )


def _new_version(old: _GraphRow, correction: Correction, new_id: str) -> _GraphRow:
    """Return a copy with new identity, period and trust, before its content changes."""
    start, end = correction.since or old.valid_from, correction.until
    if end is None and old.valid_until is not None and (start is None or old.valid_until > start):
        end = old.valid_until
    if start is not None and end is not None and start >= end:
        raise InvalidParams(messages.CORRECTION_ENDS_FIRST)
    trust = TrustTier.GREEN if correction.author is Origin.HUMAN else old.trust  # only a person's words raise the trust
    return replace(_fresh(old, correction, new_id), valid_from=start, valid_until=end, trust=trust)


def _require_change(before: str, after: str, correction: Correction) -> None:
    if before == after and correction.since is None and correction.until is None:
        raise InvalidParams(messages.CORRECTION_CHANGES_NOTHING)
