"""What becomes of one note when its folder is synced, decided from values, and what is told of a sync.

Law: nothing here awaits. The same words are the same thought; where one thought is left over on either side, it is the
one edited; of several nobody can tell, so the old ones go and the new ones come.

Source: ruling I4.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from voice.core.interchange.offers import Offers
from voice.core.records import RowStatus, Thought
from voice.core.settings.values import Gone
from voice.services.importing import ImportReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is to be done about one note, or was."""

    place: str
    before: str | None
    kind: str
    told: tuple[Thought, ...] = ()
    """What its file says."""
    become: tuple[tuple[Thought, Thought], ...] = ()
    """Stored thoughts, each with what it says and is now."""
    store: tuple[Thought, ...] = ()
    mark: tuple[str, ...] = ()
    unmark: tuple[str, ...] = ()
    now: Mapping[str, str] = field(default_factory=dict[str, str])
    """What each thought of the file is called in the memory, by the id it was read with; known once it was done."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The thoughts that it is known by: of one without words those that it was."""
        return tuple(self.now.values()) if self.told else self.mark

    @property
    def is_nothing(self) -> bool:
        """Whether the memory says all of it already."""
        is_same = all(_is_same(old, new) for old, new in self.become)
        return is_same and not (self.store or self.mark or self.unmark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A note whose words somebody corrected in the memory."""

    place: str
    row_id: str
    """What says it in the memory."""
    stands: bool
    """Whether the correction stands, because the file says nothing new; else the file's new words took its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedAt:
    """What an import left to a sync of a folder, by place."""

    gone: tuple[str, ...] = ()
    """Notes that are in the folder no more."""
    back: tuple[str, ...] = ()
    """Those that had left it and are there again, and that the memory keeps out of its answers still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Notes by what became of them."""

    new: int = 0
    changed: int = 0
    renamed: int = 0
    back: int = 0
    gone: int = 0
    unchanged: int = 0

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], *, unchanged: int) -> "Counts":
        """Return how many there are of each kind; a note of which nothing came is unchanged."""
        done = Counter(kind_of(each) for each in outcomes)
        return cls(
            new=done["new"],
            changed=done["changed"],
            renamed=done["renamed"],
            back=done["back"],
            gone=done["gone"],
            unchanged=unchanged + done["unchanged"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What came of a sync."""

    root: str
    within: str
    counts: Counts
    outcomes: tuple[Outcome, ...]
    moved: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where renamed notes were before, by their place now."""
    conflicts: tuple[Conflict, ...] = ()
    came: ImportReport = ImportReport()
    """What was left out, could not be read or has no vector."""
    offers: Offers = Offers()
    gone_become: Gone = "keep"
    dry_run: bool = False

    @property
    def is_news(self) -> bool:
        """Whether something became of a note, or could not be read."""
        return self.counts != Counts(unchanged=self.counts.unchanged) or bool(self.came.bad)

    @property
    def fresh(self) -> tuple[str, ...]:
        """The thoughts that say something new, or again."""
        same = {
            old.id
            for each in self.outcomes
            for old, new in each.become
            if old.content == new.content and old.id not in each.unmark
        }
        every = (row_id for each in self.outcomes for row_id in each.now.values())
        return tuple(row_id for row_id in every if row_id not in same)

    def places(self, kind: str) -> tuple[str, ...]:
        """Return the places of the notes of one kind."""
        return tuple(each.place for each in self.outcomes if kind_of(each) == kind)


def kind_of(outcome: Outcome) -> str:
    """Return which count of a sync a note adds to."""
    if outcome.kind == "gone" or not outcome.is_nothing:
        return outcome.kind
    return "unchanged"


def outcome_of(kind: str, held: Sequence[Thought], told: Sequence[Thought], place: str, before: str | None) -> Outcome:
    """Return what is to be done about one note.

    Args:
        kind: what the folder says of it.
        held: the thoughts that it was.
        told: the thoughts that its file says now.
        place: where it is.
        before: where it was.
    """
    left = list(held)
    become: list[tuple[Thought, Thought]] = []
    fresh: list[Thought] = []
    for thought in told:
        same = next((old for old in left if old.content == thought.content), None)
        if same is None:
            fresh.append(thought)
        else:
            left.remove(same)
            become.append((same, thought))
    if len(left) == 1 and len(fresh) == 1:
        become.append((left.pop(), fresh.pop()))
    return Outcome(
        place=place,
        before=before,
        kind=kind,
        told=tuple(told),
        become=tuple(become),
        store=tuple(fresh),
        mark=tuple(old.id for old in left),
        unmark=tuple(old.id for old, _ in become if old.status is RowStatus.REMOVAL),
    )


def sizes_of(outcomes: Sequence[Outcome]) -> list[int]:
    """Return how long each step is of doing what is to be done: one a note, then one for each thought that is new."""
    corrected = [sum(len(new.content) for old, new in each.become if old.content != new.content) for each in outcomes]
    return corrected + [len(row.content) for each in outcomes for row in each.store]


def _is_same(old: Thought, new: Thought) -> bool:
    said, says = (
        (row.content, row.source_ref, row.created_at, row.kind, row.speaker, row.thread) for row in (old, new)
    )
    return said == says and old.is_private >= new.is_private and set(new.tags) <= set(old.tags)
