"""Keep the memory in step with a folder of notes.

Law: the folder is the truth of its notes. A note that was edited is corrected, so that what rests on it follows; one
that moved keeps its thought; one that is gone is kept or forgotten as the owner set it (`gone_notes`), and comes back
when its file does. What was forgotten otherwise stays forgotten. What somebody corrected in the memory stands until the
file says something new, and is told. What is known of the folder is kept last: run again, nothing is done twice.
Source: rulings I4, F, H; docs/import.md, "Keeping a folder in step".
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.build import id_again
from voice.core.interchange.foreign.vault import Offers, offers_of
from voice.core.interchange.import_plan import (
    READING,
    FolderPlan,
    FollowedFolder,
    Move,
    Stamp,
    SyncedNote,
    place_in,
    plan_sync,
)
from voice.core.interchange.memory_lines import BadLine, LinkedNote
from voice.core.messages import files as messages
from voice.core.records import Thought
from voice.ports.files import FOLLOWED_FORMATS, FolderScan, FollowedFolders, NoteFolders
from voice.ports.row_queries import HistoryStore
from voice.services.graph.correct import KeptCorrections
from voice.services.imports.changed_notes import edit_request, move_note
from voice.services.imports.memory_files import Transfer
from voice.services.imports.report import (
    Conflict,
    Counts,
    HeldNotes,
    NoteState,
    Outcome,
    StepProgress,
    SyncReport,
    outcome_of,
    sizes_of,
)
from voice.services.imports.request import ImportRequest, IncomingThoughts, Progress, noted, places_of, thoughts_of
from voice.services.imports.withdrawn_notes import DeletedNotes
from voice.services.memory.forgotten_rows import ForgottenSentences
from voice.services.memory.ingest_values import IncomingRows, IngestReport


@dataclass(frozen=True, slots=True, kw_only=True)
class _NotesRead:
    """What the files of some places say now."""

    came: IncomingThoughts
    thoughts: Mapping[str, tuple[Thought, ...]]
    links: Mapping[str, LinkedNote]
    unread: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Diff:
    """A folder as it is now, held against what was known of it."""

    folder: FolderScan
    plan: FolderPlan
    told: _NotesRead


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """One note: what it was, and what it says now."""

    place: str
    before: str | None
    kind: str
    """Which count of a sync it adds to, if anything comes of it."""
    held: tuple[Thought, ...]
    told: tuple[Thought, ...]
    twins: tuple[Thought, ...] = ()
    """What an import stored at the new place of a note that moved."""
    stands: frozenset[str] = frozenset()
    """The thoughts of which something stands otherwise in what its file says, because a person corrected it."""
    gives_way: frozenset[str] = frozenset()
    """Those in whose place its file says something new, though a person corrected them."""

    def with_corrections(self, kept: KeptCorrections) -> "_Task":
        """Return it with what a person corrected in the note."""
        told, stands = list(self.told), set[str]()
        for at, new in enumerate(told):
            said = {old.id: kept.within(old.id, new.content) for old in self.held}
            if row_id := next((each for each, text in said.items() if text != new.content), None):
                told[at] = replace(new, content=said[row_id])
                stands.add(row_id)
        text = "\n\n".join(each.content for each in told)  # blank lines keep sentences of two thoughts apart
        stands.update(old.id for old in self.held if kept.is_said_still(old.id, text))
        gives_way = frozenset(old.id for old in self.held if kept.is_lost(old, text))
        return replace(self, told=tuple(told), stands=frozenset(stands), gives_way=gives_way)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSync:
    """The sync of one memory with its folders."""

    transfer: Transfer
    folders: NoteFolders
    known: FollowedFolders
    history: HistoryStore
    gone: DeletedNotes

    async def sync(
        self, request: ImportRequest, *, dry_run: bool = False, storing: Progress | None = None
    ) -> SyncReport:
        """Bring the memory in step with a folder; `storing` is told how much is done, and of how much, in characters.
        Raises DataFileError: it is no folder of notes, cannot be read, or has no note left; InvalidParams: a part of a
        followed folder would be private, or tagged, by itself; StoreError: running it again goes on from there."""
        every = await self.known.folders()
        folder = await self.folders.root_of(request.path, request.format, every)
        known, before = every.get(folder.root, FollowedFolder()), _marked(request, folder, every)
        taken = before.taking({root: every[root] for root in folder.inner})
        folder = replace(folder, apart=(*folder.apart, *(root for root in folder.inner if root not in taken)))
        before = before.with_inner(folder.root, taken)
        others = {root: held for root, held in every.items() if root != folder.root and root not in taken}
        before, lost = await self._notes.known_again(before, others)
        lost |= {place_in(folder.root, f"{root}/{place}") for root, held in taken.items() for place in held.notes}
        stamps = {place: noted.stamp for place, noted in before.notes.items()}
        folder = await self.folders.scan(folder, stamps)
        if not folder.stamps and before.missing(folder.stamps, folder.within):  # unmounted, perhaps: forget nothing
            raise DataFileError(messages.no_note_left(request.path))
        is_other = folder.root in every and (known.is_private, known.tags) != (before.is_private, before.tags)
        before, plan = await self._plan(before, folder, lost, is_other=is_other)
        told = await self._read_notes(replace(request, is_private=before.is_private, tags=before.tags), folder, plan)
        compared = _Diff(folder=folder, plan=plan, told=told)
        tasks = await self._tasks(before, plan, told, others)
        kept, stood, conflicts = await self._conflicts(before, plan, tasks)
        same = [any(row_id in stood for row_id in each.ids) for each in kept.values() if each.ids]
        told.came.ingested += IngestReport(forgotten=same.count(False))  # notes without any were forgotten
        outcomes = [outcome_of(each.kind, each.held, each.told, each.place, each.before, each.twins) for each in tasks]
        if not dry_run:
            with self.transfer.marks.mark_running(request.path, is_sync=True) as tell:  # others are told meanwhile
                steps = StepProgress(sizes=sizes_of(outcomes), tell=tell, storing=storing)
                outcomes = await self._apply(outcomes, told, steps)
            after = _folder_after(before, compared, outcomes, kept)  # last, so that a run cut short is repeated
            await self.known.keep(
                folder.root, after if self.gone.become == "keep" else replace(after, gone={}), taken=taken
            )
        report = _report(compared, outcomes, conflicts, sum(same))
        return replace(report, gone_become=self.gone.become, dry_run=dry_run, taken=tuple(taken), apart=folder.apart)

    async def _plan(
        self, before: FollowedFolder, folder: FolderScan, lost: frozenset[str], *, is_other: bool
    ) -> tuple[FollowedFolder, FolderPlan]:
        """Return what became of each note; what is read or known otherwise now is read; with `is_other`, all are."""
        plan = plan_sync(before, folder.stamps, folder.within)
        if is_other or before.reading != READING:
            heads = await self._notes.heads([row_id for place in plan.unchanged for row_id in before.notes[place].ids])
            uncorrected = {row_id for row_id, row in heads.items() if row.id == row_id}
            # A new parser reads again only what was not corrected here; new privacy or tags reach every note.
            again = (place for place in plan.unchanged if is_other or uncorrected.issuperset(before.notes[place].ids))
            plan = plan.reading_again(frozenset(again))
            before = before if folder.within and before.notes else replace(before, reading=READING)
        as_before = lost.intersection(plan.unchanged)
        return before, replace(plan.reading_again(as_before), as_before=as_before)

    async def require_whole(self, request: ImportRequest) -> None:
        """Raise InvalidParams if a part of a followed folder would be private, or tagged, by itself."""
        kind = request.format or await self.transfer.files.detect(request.path)
        if kind in FOLLOWED_FORMATS and (request.is_private or request.tags):
            every = await self.known.folders()
            _marked(request, await self.folders.root_of(request.path, request.format, every), every)

    async def looked_at(self, request: ImportRequest) -> NoteState:
        """Record a folder just imported; return notes that only a sync handles. Raises DataFileError: unreadable."""
        if (request.format or await self.transfer.files.detect(request.path)) not in FOLLOWED_FORMATS:
            return NoteState()
        every = await self.known.folders()
        folder = await self.folders.scan(await self.folders.root_of(request.path, request.format, every), {})
        before = _marked(request, folder, every)
        held = await self._notes.at(folder.stamps, {root: each for root, each in every.items() if root != folder.root})
        notes, plan = dict(before.notes), plan_sync(before, folder.stamps, folder.within)
        moved = {move.place: move for move in plan.moved if move.place not in notes}
        for place, stamp in folder.stamps.items():
            found, known = held.get(place, ()), before.notes.get(place)
            if place in moved or (not found and known is None):  # moved, or neither imported nor known: a sync's
                continue
            # Changed since the last sync, or since the import began: what is found may say something else.
            since = found[0].recorded_at.timestamp() * 1e9 if len(found) == 1 else 0
            is_told = 0 <= stamp.mtime_ns < since and (known is None or known.stamp.digest == stamp.digest)
            now = stamp if is_told else replace(stamp, digest="")
            notes[place] = SyncedNote(stamp=now, ids=tuple(row.id for row in found))
        reading = before.reading if before.notes else READING  # notes of an older parser are read again all the same
        await self.known.keep(folder.root, replace(before, notes=notes, reading=reading))
        back = (place for place in before.gone if place in folder.stamps and place not in held)
        left = {move.before for move in moved.values()}
        gone = tuple(each for each in before.missing(folder.stamps, folder.within) if each not in left)
        return NoteState(gone=gone, moved=tuple(moved.values()), back=tuple(sorted(back)))

    @property
    def _notes(self) -> HeldNotes:
        return HeldNotes(store=self.transfer.ingest.store, history=self.history)

    async def _read_notes(self, request: ImportRequest, folder: FolderScan, plan: FolderPlan) -> _NotesRead:
        came, found = IncomingThoughts(), set[str]()
        thoughts, links = dict[str, list[Thought]](), dict[str, LinkedNote]()
        forgotten, arrival = self.transfer.ingest.forgotten, request.arrival(self.transfer.ingest.clock.now())
        sentences = await ForgottenSentences.known_to(forgotten)
        if plan.read:
            reading = replace(request.reading(folder.format), only=plan.read, roots=(folder.root,))
            async for batch in self.transfer.files.read(reading):
                found.update(places_of(batch.lines))
                lines = came.take(batch.lines)
                left = sentences.out_of(thoughts_of(lines, came.bad, request, arrival))
                came.take(left.left_out)
                gone = await forgotten.in_words(left.thoughts)  # under any id: the words were forgotten
                came.ingested += IngestReport(forgotten=len(gone))
                made = [thought for thought in left.thoughts if thought.id not in gone]
                for thought in made:
                    thoughts.setdefault(thought.source_ref or "", []).append(thought)
                linked = noted(lines, left.whole({thought.id: thought for thought in made}))
                links |= {thought.id: note for note, thought in linked}
        came.bad += [BadLine(where=each, reason="cannot be read now; sync again") for each in sorted(plan.read - found)]
        return _NotesRead(
            came=came,
            thoughts={place: tuple(rows) for place, rows in thoughts.items()},
            links=links,
            unread=plan.read.intersection(places_of(came.bad)),  # another place's fault is not this one's
        )

    async def _tasks(
        self, before: FollowedFolder, plan: FolderPlan, told: _NotesRead, others: Mapping[str, FollowedFolder]
    ) -> list[_Task]:
        """Return what to do, note by note; a thought is the note's that was known to hold it. Unreadable ones stay."""
        origins = {place: (Move(before=place, place=place), "changed") for place in plan.changed}
        origins |= {move.place: (move, "renamed") for move in plan.moved}
        origins |= {move.place: (move, "back") for move in plan.back}
        pasts = {**before.gone, **before.notes}  # a live note outweighs a gone one of the same place
        adopted = await self._notes.at((*plan.new, *(move.place for move in (*plan.moved, *plan.back))), others)
        wanted = {place: pasts[move.before].ids for place, (move, _) in origins.items()}
        left = {place: before.notes[place].ids for place in plan.gone}
        heads = await self._notes.heads([row_id for ids in (*wanted.values(), *left.values()) for row_id in ids])
        owned = {row.id for row in heads.values()}
        claimed = set[str]()  # a thought is one note's alone

        def claim(ids: Sequence[str], otherwise: Sequence[Thought] = ()) -> tuple[Thought, ...]:
            known = [heads[each] for each in ids if each in heads] or otherwise
            held = {row.id: row for row in known if row.id not in claimed}
            claimed.update(held)
            return tuple(held.values())

        tasks: list[_Task] = []
        # Known notes first: they claim their thoughts before new ones. Gone ones last: what moved is claimed by then.
        for place in sorted(plan.read - told.unread, key=lambda each: (each not in origins, each)):
            move, kind = origins.get(place, (None, "new"))
            kind = kind if wanted.get(place) else "new"  # known, and nothing is left of it
            held = claim(wanted.get(place, ()), adopted.get(place, ()))
            says = told.thoughts.get(place, ())
            if place in plan.as_before and len(held) == len(says) == 1:
                says = (replace(says[0], content=held[0].content),)
            new = {each.content for each in says}  # what a person corrected since is no copy
            twins = claim((), [row for row in adopted.get(place, ()) if row.id not in owned and row.content in new])
            tasks.append(_Task(place=place, before=move and move.before, kind=kind, held=held, told=says, twins=twins))
        gone = [_Task(place=place, before=place, kind="gone", held=claim(ids), told=()) for place, ids in left.items()]
        changed = [row for task in tasks for row in task.held if row.content not in {new.content for new in task.told}]
        kept = await KeptCorrections.of(self.history, self.transfer.graph, changed)
        return [*(task.with_corrections(kept) for task in tasks), *gone]

    async def _conflicts(
        self, before: FollowedFolder, plan: FolderPlan, tasks: Sequence[_Task]
    ) -> tuple[Mapping[str, SyncedNote], Collection[str], tuple[Conflict, ...]]:
        """Return the notes that stay as they are, the thoughts of them that are there, and what somebody corrected."""
        kept = {place: before.notes[place] for place in plan.unchanged}
        stood = await self._notes.heads([row_id for noted in kept.values() for row_id in noted.ids])
        found = [
            Conflict(place=place, row_id=stood[row_id].id, stands=True)
            for place, noted in kept.items()
            for row_id in noted.ids
            if row_id in stood and stood[row_id].id != row_id  # another id: corrected here
        ]
        for task in tasks:
            past = None if task.before is None else before.notes.get(task.before)  # None for a new note
            ids = set(past.ids) if past else set[str]()
            said = {thought.content for thought in task.told}
            corrected = {row.id for row in task.held if ids and row.id not in ids and row.content not in said}
            shown = sorted(corrected | task.stands | task.gives_way)
            stands = task.stands - task.gives_way  # of both, the file's new words win
            found += [Conflict(place=task.place, row_id=each, stands=each in stands) for each in shown]
        return kept, stood, tuple(sorted(found, key=lambda each: (each.place, each.row_id)))

    async def _apply(self, outcomes: Sequence[Outcome], told: _NotesRead, steps: StepProgress) -> list[Outcome]:
        """Do what is to be done, removals first, so that nothing new is taken for what goes."""
        done: list[Outcome] = []
        going = [row_id for each in outcomes for row_id in each.mark]
        await self.gone.leave(going)
        if back := [row_id for each in outcomes for row_id in each.unmark]:
            await self.gone.removals.unmark(back)
        for outcome in outcomes:
            done.append(await self._apply_one(outcome))
            steps.advance()
        fresh = await self._with_new_ids([row for each in done for row in each.store])
        rows, again = [row for _, row in fresh], IncomingRows(again=True)
        told.came.ingested += await self.transfer.ingest.store_thoughts(rows, brought=again, progress=steps.advance)
        named = {old: row.id for old, row in fresh}
        await self.gone.end(going)
        stored = {row.id for _, row in fresh} & (await self.transfer.ingest.store.fetch(list(named.values()))).keys()
        return [
            replace(each, now={**each.now, **{row.id: named[row.id] for row in each.store if named[row.id] in stored}})
            for each in done
        ]

    async def _apply_one(self, outcome: Outcome) -> Outcome:
        """Move and correct what one note became, and return it with the ids of its thoughts."""
        now, left = dict[str, str](), list[Thought]()
        for old, new in outcome.become:
            await move_note(self.transfer.ingest, self.transfer.graph, old.id, new)
            told = replace(new, id=old.id)  # a file may make it private, under its stored id
            await self.transfer.reimported.thoughts([told])
            says = old.id if old.content == new.content else await self._correct(old.id, new)
            if says is not None:  # None: it could not be corrected
                now[new.id] = says
                continue
            await self.gone.leave([old.id])  # the old one goes and the new one is stored
            left.append(new)
        return replace(outcome, now=now, store=(*outcome.store, *left))

    async def _correct(self, row_id: str, new: Thought) -> str | None:
        """Return what says the new words in a thought's place; None where they are too long, or were forgotten."""
        ((_, fresh),) = await self._with_new_ids([new])
        try:
            return (await self.transfer.edited.correcting(edit_request(row_id, fresh))).row_id
        except InvalidParams:
            return None

    async def _with_new_ids(self, thoughts: Sequence[Thought]) -> list[tuple[str, Thought]]:
        """Return thoughts under ids that nothing had, each with the id it came with."""
        fresh = {thought.id: thought.id for thought in thoughts}
        asked: list[str] = list(fresh)
        while asked:
            ids = [fresh[row_id] for row_id in asked]
            taken = (await self.transfer.ingest.store.fetch(ids)).keys() | await self.transfer.tombstones.buried(ids)
            asked = [row_id for row_id in asked if fresh[row_id] in taken]
            fresh |= {row_id: id_again(fresh[row_id]) for row_id in asked}  # the next id of the same note
        return [(each.id, replace(each, id=fresh[each.id])) for each in thoughts]


def _marked(request: ImportRequest, folder: FolderScan, every: Mapping[str, FollowedFolder]) -> FollowedFolder:
    """Return what is known of a folder, as private and tagged as a request asks. Raises InvalidParams: for a part."""
    known = every.get(folder.root, FollowedFolder())
    marked = known.marked(is_private=request.is_private, tags=request.tags)
    if folder.within and folder.root in every and marked != known:  # it would hold for the whole folder
        raise InvalidParams(messages.part_of_followed(request.path, folder.root))
    return marked


def _report(compared: _Diff, outcomes: Sequence[Outcome], conflicts: tuple[Conflict, ...], same: int) -> SyncReport:
    now = {old: row_id for each in outcomes for old, row_id in each.now.items()}
    links, offers = compared.told.links, Offers()
    as_told = {thought for rows in compared.told.thoughts.values() for thought in rows}
    heirs = {old.id: each.now[new.id] for each in outcomes for old, new in each.become if new.id in each.now}
    for thought in (row for each in outcomes for row in each.told if row.id in each.now):
        if thought.id in links and thought in as_told:
            offers += offers_of(links[thought.id], replace(thought, id=now[thought.id]))
    return SyncReport(
        root=compared.folder.root,
        within=compared.folder.within,
        counts=Counts.of(outcomes, unchanged=same),
        outcomes=tuple(outcomes),
        moved={move.place: move.before for move in compared.plan.moved},
        conflicts=tuple(replace(each, row_id=heirs.get(each.row_id, each.row_id)) for each in conflicts),
        came=compared.told.came.report(),
        offers=offers,
    )


def _folder_after(
    before: FollowedFolder, compared: _Diff, done: Sequence[Outcome], kept: Mapping[str, SyncedNote]
) -> FollowedFolder:
    folder, plan, unread = compared.folder, compared.plan, compared.told.unread
    notes = {place: noted for place, noted in before.notes.items() if not place.startswith(folder.within)}
    notes |= {place: replace(noted, stamp=folder.stamps[place]) for place, noted in kept.items()}
    gone = dict(before.gone)
    for move in plan.back:
        del gone[move.before]  # it is a note again
    for outcome in done:
        if outcome.kind == "gone":
            gone[outcome.place] = before.notes[outcome.place]
        else:
            notes[outcome.place] = SyncedNote(stamp=folder.stamps[outcome.place], ids=outcome.ids)
    came_from = {move.place: move.before for move in (*plan.moved, *plan.back)}
    pasts = {**before.gone, **before.notes}
    for place in unread:
        past = pasts.get(came_from.get(place, place), SyncedNote(stamp=Stamp(digest="")))
        notes[place] = replace(past, stamp=replace(folder.stamps[place], digest=""))  # its thoughts stay
    return replace(before, notes=notes, gone={place: each for place, each in gone.items() if place not in notes})
