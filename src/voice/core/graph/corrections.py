"""What a correction makes of a row.

Law: nothing is rewritten. The old value stays, superseded, with the time it held, by what, when, why and by whom it was
replaced; the new value is a row beside it, as private and as tagged as the old one. A row is corrected once: what was
superseded is not corrected again, what took its place is. An entity is named by other rows, so it keeps its id and its
old value moves to a new one; every other row that is new has a new id.

    valid_from   `since` where it was said, else the old one's
    valid_until  `until` where it was said, else the old one's, if that lies later
    old value    valid until `since`: it was true and is no longer. Without `since` it was wrong from the start

Source: rulings A13, C10, F.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal, TypeVar

from voice.core.errors import InvalidParams
from voice.core.graph.entity_names import KnownNames, ids_of_mentions
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
    """What is said instead, checked (`correction_of`)."""

    text: str | None = field(default=None, repr=False)
    """The new words; None keeps the old ones and changes their time."""
    target_id: str | None = None
    """Where an edge points instead; of a relation alone."""
    reason: str | None = field(default=None, repr=False)
    since: datetime | None = None
    until: datetime | None = None
    author: Origin = Origin.HUMAN
    noted_by: str | None = None
    """The program that corrects."""
    tags: tuple[str, ...] = ()
    """Added to those of a thought."""
    is_private: bool = False
    """Whether a thought is private from now on; none is made public."""
    at: datetime
    """When it was corrected."""

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
    """Check that a row can be corrected as it stands.

    Raises:
        InvalidParams: it was superseded, marked for removal or redacted, or the inner voice wrote it.
    """
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


_INSTEAD: Final = {"correct": messages.INSTEAD_OF_CORRECTING, "remove": messages.INSTEAD_OF_REMOVING}
"""What a program does in the place of an act that is its owner's."""


def require_untrusted(row: Row, act: Literal["correct", "remove"] = "correct") -> None:
    """Check that a row is neither a person's own words nor what a person approved: those are theirs to change.

    Raises:
        InvalidParams: it is one of them.
    """
    is_vouched = isinstance(row, Thought) and row.vouched in (Vouch.APPROVED, Vouch.PARTLY)
    if is_vouched or (row.trust is TrustTier.GREEN and row.origin is not Origin.LOGGED):
        raise InvalidParams(messages.words_of_a_person(row.id, act, _INSTEAD[act]))


def corrected_thought(old: Thought, correction: Correction, *, new_id: str) -> Thought:
    """Return the thought that takes the place of `old`: the same note, with other words.

    Raises:
        InvalidParams: it says what it says already.
    """
    text = correction.text or old.content
    _require_change(old.content, text, correction)
    return replace(
        _fresh(old, correction, new_id),
        content=text,
        tags=(*old.tags, *correction.tags),
        is_private=old.is_private or correction.is_private,
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
    """Return the statement that takes the place of `old`, as the words of whoever corrects it (ruling C10).

    It rests on no thought any more: these words stand in none. It is about what it mentions, and about what the old
    statement was about without mentioning it.

    Args:
        correction: what is said instead.
        names: whose mentions are looked for.
        private: whether what it says may be told only where private rows are asked for.

    Raises:
        InvalidParams: it says what it says already, or its time is none.
    """
    text = correction.text or old.text
    _require_change(old.text, text, correction)
    mentioned = ids_of_mentions(names.index.mentions(old.text))
    kept = [each for each in old.entity_ids if each not in mentioned] if text != old.text else list(old.entity_ids)
    about = tuple(dict.fromkeys([*ids_of_mentions(names.index.mentions(text)), *kept]))
    rests_on = old.provenance if text == old.text else ()
    made = _timed(_fresh(old, correction, new_id), old, correction)
    return replace(
        made, text=text, entity_ids=about, provenance=rests_on, is_private=private, trust=_trust(old, correction)
    )


def corrected_relation(old: Relation, correction: Correction, *, new_id: str, private: bool) -> Relation:
    """Return the edge that takes the place of `old`; the new words are its description.

    Raises:
        InvalidParams: it says what it says already, or its time is none.
    """
    target = correction.target_id or old.target_id
    text = old.description if correction.text is None else correction.text
    if target == old.target_id:
        _require_change(old.description, text, correction)
    rests_on = old.provenance if (target, text) == (old.target_id, old.description) else ()
    made = _timed(_fresh(old, correction, new_id), old, correction)
    trust = _trust(old, correction)
    return replace(made, target_id=target, description=text, provenance=rests_on, is_private=private, trust=trust)


def corrected_entity(old: Entity, correction: Correction) -> Entity:
    """Return the node with its new description, under its own id; its old value goes to another (`past_value`).

    Raises:
        InvalidParams: it says what it says already, or its time is none.
    """
    text = old.description if correction.text is None else correction.text
    _require_change(old.description, text, correction)
    made = _timed(_fresh(old, correction, old.id), old, correction)
    return replace(made, description=text, revision=old.revision + 1, trust=_trust(old, correction))


def past_value(old: Entity, correction: Correction, *, new_id: str) -> Entity:
    """Return what the node said before, under an id of its own."""
    gone = superseded(replace(old, id=new_id, revision=0), by=old.id, correction=correction)
    return replace(gone, seq=0, embedding_status=EmbeddingStatus.PENDING)


def superseded(old: _Row, *, by: str | None, correction: Correction) -> _Row:
    """Return `old` as it stands once it was corrected: nothing of what it says is changed, only how long it held."""
    gone = replace(
        old,
        status=RowStatus.SUPERSEDED,
        superseded_by=by,
        superseded_at=correction.at,
        superseded_reason=correction.reason,
        superseded_author=correction.author,
        revision=old.revision + 1,
    )
    return gone if isinstance(gone, Thought) else _ended(gone, correction.since)


def as_it_stood(row: _Row) -> _Row:
    """Return a superseded row as the memory had it before: live, and replaced by nothing."""
    return replace(
        row,
        status=RowStatus.ACTIVE,
        superseded_by=None,
        superseded_at=None,
        superseded_reason=None,
        superseded_author=None,
    )


def says_the_same(row: Row, correction: Correction) -> bool:
    """Return whether `row` is what that correction made: its words and its time; asked where one is repeated."""
    if correction.text is not None and correction.text != _words(row):
        return False
    if isinstance(row, Thought):
        return correction.since in (None, row.created_at)
    return correction.since in (None, row.valid_from) and correction.until in (None, row.valid_until)


def _words(row: Row) -> str:
    match row:
        case Thought():
            return row.content
        case Observation():
            return row.text
        case _:
            return row.description


def _fresh(old: _Row, correction: Correction, new_id: str) -> _Row:
    """Return the row as it is before anything of it is said anew."""
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


def _timed(made: _GraphRow, old: _GraphRow, correction: Correction) -> _GraphRow:
    starts = correction.since or old.valid_from
    ends = correction.until
    if ends is None and old.valid_until is not None and (starts is None or old.valid_until > starts):
        ends = old.valid_until
    if starts is not None and ends is not None and starts >= ends:
        raise InvalidParams(messages.CORRECTION_ENDS_FIRST)
    return replace(made, valid_from=starts, valid_until=ends)


def _ended(gone: _GraphRow, since: datetime | None) -> _GraphRow:
    if since is None or (gone.valid_until is not None and gone.valid_until <= since):
        return gone
    return replace(gone, valid_until=since)


def _trust(old: GraphRow, correction: Correction) -> TrustTier:
    return TrustTier.GREEN if correction.author is Origin.HUMAN else old.trust


def _require_change(before: str, after: str, correction: Correction) -> None:
    if before == after and correction.since is None and correction.until is None:
        raise InvalidParams(messages.CORRECTION_CHANGES_NOTHING)
