"""The progress of an import, what a sync does with one note, and the report of a sync.

Law: the same words are the same thought; where one thought is left over on either side, it is the one edited; of
several nobody can tell, so the old ones go and the new ones come. A note is the thoughts that it was known by, as they
are now, corrections followed; where such a thought is no more, what was found at the note's place is the note. Progress
is told of what is stored, for reading is quick and storing is not.

Source: rulings I4, I9; docs/import.md, "While an import runs".
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from voice.core.interchange.foreign.vault import Offers
from voice.core.interchange.import_plan import FollowedFolder, Move
from voice.core.records import RowStatus, Thought
from voice.core.settings.values import Gone
from voice.ports.files import ReadBatch, ReportStored
from voice.ports.row_queries import HistoryStore
from voice.ports.stores import MemoryStore
from voice.services.imports.request import ImportReport, Progress
from voice.services.retrieval.row_lookups import fetch_thoughts


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a sync does, or did, with one note."""

    place: str
    before: str | None
    kind: str
    told: tuple[Thought, ...] = ()
    become: tuple[tuple[Thought, Thought], ...] = ()
    """Its stored thoughts, each with its present version."""
    store: tuple[Thought, ...] = ()
    mark: tuple[str, ...] = ()
    unmark: tuple[str, ...] = ()
    now: Mapping[str, str] = field(default_factory=dict[str, str])
    """The memory's id of each thought, by the id it was read with; filled in when done."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The thoughts that stand for it; for an emptied note those it had before."""
        return tuple(self.now.values()) if self.told else self.mark

    @property
    def is_nothing(self) -> bool:
        """Whether the memory already holds all of it."""
        is_same = all(_is_same(old, new) for old, new in self.become)
        return is_same and not (self.store or self.mark or self.unmark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A note that the person corrected in the memory."""

    place: str
    row_id: str
    stands: bool
    """Whether the correction stands; False: the file changed, and its new words replaced the correction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteState:
    """Notes that an import leaves to a sync of the folder, by place."""

    gone: tuple[str, ...] = ()
    moved: tuple[Move, ...] = ()
    """Notes that are in the memory under both places."""
    back: tuple[str, ...] = ()
    """Notes that have come back, and that the memory still keeps out of answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many notes were new, changed, renamed, restored, deleted or unchanged."""

    new: int = 0
    changed: int = 0
    renamed: int = 0
    back: int = 0
    gone: int = 0
    unchanged: int = 0

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], *, unchanged: int) -> "Counts":
        """Return the counts of outcomes; a note without any effect is unchanged, if the memory has anything of it."""
        done = Counter(kind_of(each) for each in outcomes)
        counts = {kind: done[kind] for kind in ("new", "changed", "renamed", "back", "gone")}
        return cls(**counts, unchanged=unchanged + done["unchanged"])


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """The report of a sync."""

    root: str
    within: str
    counts: Counts
    outcomes: tuple[Outcome, ...]
    moved: Mapping[str, str] = field(default_factory=dict[str, str])
    """The earlier places of renamed notes, by their present place."""
    conflicts: tuple[Conflict, ...] = ()
    came: ImportReport = ImportReport()
    """What the sync left out, could not read or could not encode."""
    offers: Offers = Offers()
    gone_become: Gone = "keep"
    taken: tuple[str, ...] = ()
    """Folders in it that were followed before, and whose notes are its own now."""
    apart: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def is_news(self) -> bool:
        """Whether it changed something, or failed to read a note."""
        return self.counts != Counts(unchanged=self.counts.unchanged) or bool(self.came.bad)

    @property
    def fresh(self) -> tuple[str, ...]:
        """The thoughts that are new or restored."""
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
    """Return the count that a note adds to."""
    if outcome.kind == "gone" or not outcome.is_nothing:
        return outcome.kind
    return "unchanged" if outcome.told else "left out"


def outcome_of(
    kind: str,
    held: Sequence[Thought],
    told: Sequence[Thought],
    place: str,
    before: str | None,
    twins: Sequence[Thought] = (),
) -> Outcome:
    """Return what to do with one note. `told`: what its file says now; `twins`: what an import made of it besides."""
    left = list(held)
    become: list[tuple[Thought, Thought]] = []
    fresh: list[Thought] = []
    for thought in told:
        same = next((old for old in left if old.content == thought.content), None)
        if same is None:
            fresh.append(thought)
        else:
            left.remove(same)  # each stands for one thought of the file
            become.append((same, thought))
    if len(left) == 1 and len(fresh) == 1:  # one on either side: it was edited
        become.append((left.pop(), fresh.pop()))
    return Outcome(
        place=place,
        before=before,
        kind=kind,
        told=tuple(told),
        become=tuple(become),
        store=tuple(fresh),
        mark=tuple(old.id for old in (*left, *twins)),
        # They are back; what somebody marked for removal stays so in the same words.
        unmark=tuple(
            old.id
            for old, new in become
            if old.status is RowStatus.REMOVAL and (old.superseded_at or old.content != new.content)
        ),
    )


def sizes_of(outcomes: Sequence[Outcome]) -> list[int]:
    """Return how long each step is of doing what is to be done: one a note, then one for each thought that is new."""
    corrected = [sum(len(new.content) for old, new in each.become if old.content != new.content) for each in outcomes]
    return corrected + [len(row.content) for each in outcomes for row in each.store]


def _is_same(old: Thought, new: Thought) -> bool:
    said, says = (
        (row.content, row.source_ref, row.created_at, row.kind, row.speaker, row.thread) for row in (old, new)
    )
    return said == says and old.is_private >= new.is_private and set(new.tags) <= set(old.tags)  # `>=`: never public


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldNotes:
    """The reader of stored notes."""

    store: MemoryStore
    history: HistoryStore

    async def known_again(
        self, known: FollowedFolder, others: Mapping[str, FollowedFolder]
    ) -> tuple[FollowedFolder, frozenset[str]]:
        """Return what is known of a folder, `others` by root beside it, and places whose notes have other thoughts."""
        heads = await self.heads([row_id for noted in known.notes.values() for row_id in noted.ids])
        lost = [place for place, noted in known.notes.items() if not heads.keys() >= set(noted.ids)]
        found = await self.at(lost, others)
        notes = dict(known.notes)
        for place, rows in found.items():
            left = [row_id for row_id in notes[place].ids if row_id in heads]
            there = {heads[row_id].id for row_id in left}
            notes[place] = replace(notes[place], ids=(*left, *(row.id for row in rows if row.id not in there)))
        again = frozenset(place for place in found if notes[place].ids != known.notes[place].ids)
        return replace(known, notes=notes), again

    async def at(self, places: Iterable[str], others: Mapping[str, FollowedFolder]) -> dict[str, tuple[Thought, ...]]:
        """Return the thoughts that are found at places, but for those of other folders."""
        wanted = list(places)
        theirs = [
            row_id
            for each in others.values()
            for place in wanted
            if place in each.notes
            for row_id in each.notes[place].ids
        ]
        claimed = {row.id for row in (await self.heads(theirs)).values()}  # corrected ones under their present ids
        found: dict[str, tuple[Thought, ...]] = {}
        for row in await self.history.found_at(wanted):
            if row.id not in claimed and row.source_ref and not row.is_synthesis:
                found[row.source_ref] = (*found.get(row.source_ref, ()), row)
        return found

    async def heads(self, ids: Sequence[str]) -> dict[str, Thought]:
        """Return what each thought is now, corrections followed, by the id asked for; what is no more is absent."""
        at = {row_id: row_id for row_id in ids}  # id asked for → the version looked at
        heads: dict[str, Thought] = {}
        while at:  # each round follows one correction
            rows = await fetch_thoughts(self.store, at.values())
            ahead: dict[str, str] = {}
            for row_id, now in at.items():
                row = rows.get(now)
                if row is None or row.status is RowStatus.REDACTED:
                    continue  # nothing is left of it
                if row.status is RowStatus.SUPERSEDED:
                    ahead |= {row_id: row.superseded_by} if row.superseded_by else {}  # None: no heir
                else:
                    heads[row_id] = row
            at = ahead
        return heads


def tell_both(tell: ReportStored, storing: Progress | None) -> Progress:
    """Return what tells both the marks and whoever waits how many rows are stored."""

    def both(done: int, total: int | None) -> None:
        tell(done)
        if storing:
            storing(done, total)

    return both


@dataclass(slots=True, kw_only=True)
class BatchProgress:
    """The progress of an import that stores while it reads."""

    reading: Progress | None
    storing: Progress | None
    _rows: int = 0  # stored so far
    _read: int = 0  # how far the reading was before this batch
    _batch: ReadBatch = ReadBatch(lines=(), done=0, total=None)
    _before: int = 0  # stored before this batch
    _wanted: int = 0  # rows of this batch to be stored

    def begin(self, batch: ReadBatch, rows: int) -> None:
        """Know that so many rows of a batch are stored next."""
        self._read, self._before = self._batch.done, self._rows
        self._batch, self._wanted = batch, rows

    def stored(self, rows: int) -> None:
        """Tell that so many more of them are stored."""
        self._rows += rows
        if self.storing:
            self.storing(self._rows, None)
        self._tell((self._rows - self._before) / self._wanted)  # called for rows of the batch, so `_wanted` is not 0

    def end(self) -> None:
        """Tell that the batch is stored."""
        self._tell(1.0)

    def _tell(self, share: float) -> None:
        if self.reading:
            self.reading(self._read + int(share * (self._batch.done - self._read)), self._batch.total)


@dataclass(slots=True, kw_only=True)
class StepProgress:
    """The progress of work with known steps, each as long as what it stores."""

    sizes: Sequence[int]
    tell: ReportStored
    storing: Progress | None
    _done: int = 0  # steps
    _far: int = 0  # the sum of their sizes

    def advance(self, steps: int = 1) -> None:
        """Tell that so many more steps are done; more than were known are none."""
        further = self.sizes[self._done : self._done + steps]  # a slice: further steps are none
        self._done, self._far = self._done + len(further), self._far + sum(further)
        self.tell(self._done)
        if self.storing:
            self.storing(self._far, sum(self.sizes))
