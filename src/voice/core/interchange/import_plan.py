"""What an import or a sync of a folder would change: previews, plans, and warnings about unfinished imports.

Law: a preview counts only what would be stored; known or forgotten items contribute nothing. Private text is not shown.
Memory grows with people, not thoughts. In a sync a note is identified by place, content and front matter id; equal
content or id elsewhere is a move. A nested followed folder says nothing about files outside it. Reads no files.
Source: ruling I4; docs/import.md, "While an import runs" and "Keeping a folder in step".
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter
from typing import Final

from voice.core.messages import files as messages
from voice.core.records import Origin, Thought
from voice.core.text.display import counted, truncate
from voice.core.text.instants import has_date

READING: Final = 8
"""Version of file parsing; raised when the same file gives other text, so that it is read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """Identifies one state of a file."""

    digest: str
    """Keyed hash of its bytes; "" if unknown, which equals nothing."""
    note_id: str | None = None
    """The id in its front matter."""
    size: int = -1
    mtime_ns: int = -1
    """-1 for a file that may still change within the clock's resolution, so that it is read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncedNote:
    """A note at the last sync, with its thoughts."""

    stamp: Stamp
    ids: tuple[str, ...] = ()


_NO_NOTE: Final = SyncedNote(stamp=Stamp(digest=""))


def is_below(folder: str, path: str) -> bool:
    """Return whether an absolute path is below that of a folder, and not hidden in it."""
    start = f"{folder.rstrip('/')}/"  # "/a" is not above "/ab"
    return path.startswith(start) and path != folder and "/." not in path[len(start) - 1 :]  # hidden in it: "/.trash"


def place_in(folder: str, path: str) -> str:
    """Return a path below a folder as a place in it."""
    return path.removeprefix(folder.rstrip("/")).lstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedFolder:
    """The stored state of a folder."""

    notes: Mapping[str, SyncedNote] = field(default_factory=dict[str, SyncedNote])
    gone: Mapping[str, SyncedNote] = field(default_factory=dict[str, SyncedNote])
    """Notes that left the folder and may return, by last place."""
    is_private: bool = False
    tags: tuple[str, ...] = ()
    """Added to everything from it."""
    reading: int = 0
    """The `READING` its notes were parsed with."""

    def marked(self, *, is_private: bool, tags: Iterable[str]) -> "FollowedFolder":
        """Return it private, if it is to be, and with more tags; it never loses any."""
        return replace(self, is_private=self.is_private or is_private, tags=tuple(dict.fromkeys((*self.tags, *tags))))

    def taking(self, inner: Mapping[str, "FollowedFolder"]) -> dict[str, "FollowedFolder"]:
        """Return by root the folders in it that it takes over; private or tagged ones stay apart where it is not."""
        open_ones = {root: each for root, each in inner.items() if each.is_private <= self.is_private}
        return {root: each for root, each in open_ones.items() if set(each.tags) <= set(self.tags)}

    def with_inner(self, root: str, inner: Mapping[str, "FollowedFolder"]) -> "FollowedFolder":
        """Return it with the notes of folders by root below `root`; a note of both has the thoughts of both."""
        kept = {"notes": dict(self.notes), "gone": dict(self.gone)}
        for path, folder in inner.items():
            for notes, theirs in ((kept["notes"], folder.notes), (kept["gone"], folder.gone)):
                for name, note in theirs.items():
                    place = place_in(root, f"{path}/{name}")
                    notes[place] = replace(note, ids=tuple(dict.fromkeys(notes.get(place, _NO_NOTE).ids + note.ids)))
        # The oldest reading: notes that it read otherwise are read again.
        return replace(self, **kept, reading=min((each.reading for each in inner.values()), default=self.reading))

    def missing(self, stamps: Mapping[str, Stamp], within: str) -> list[str]:
        """Return the places below `within` that no longer exist."""
        return sorted(place for place in self.notes if place.startswith(within) and place not in stamps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A moved note."""

    before: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderPlan:
    """Actions for a folder; places are sorted."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[Move, ...] = ()
    back: tuple[Move, ...] = ()
    """Notes that had left and returned."""
    gone: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    as_before: frozenset[str] = frozenset()
    """Changed notes whose files are unchanged: the memory now has other thoughts for them."""

    @property
    def read(self) -> frozenset[str]:
        """The places whose files must be read."""
        return frozenset((*self.new, *self.changed, *(each.place for each in (*self.moved, *self.back))))

    def reading_again(self, places: frozenset[str]) -> "FolderPlan":
        """Return the plan with these unchanged notes read again."""
        changed = tuple(sorted((*self.changed, *places)))
        return replace(self, changed=changed, unchanged=tuple(each for each in self.unchanged if each not in places))


def plan_sync(before: FollowedFolder, stamps: Mapping[str, Stamp], within: str = "") -> FolderPlan:
    """Plan a sync of the places below `within` ("" is all, else ends in `/`) by their present stamps."""
    unchanged = {
        place
        for place, stamp in stamps.items()
        if stamp.digest and place in before.notes and before.notes[place].stamp.digest == stamp.digest
    }
    there = {place: note.stamp for place, note in before.notes.items() if place.startswith(within)}
    there = {place: stamp for place, stamp in there.items() if place not in unchanged}
    # What left is not looked for where its place has a note again.
    gone = {place: note.stamp for place, note in before.gone.items() if place not in before.notes}
    targets = {place: stamp for place, stamp in stamps.items() if place not in unchanged}
    pairs = _paired(there | gone, targets)
    moves = [Move(before=origin, place=place) for place, origin in sorted(pairs.items())]
    return FolderPlan(
        new=tuple(sorted(targets.keys() - pairs.keys())),
        changed=tuple(move.place for move in moves if move.before not in gone and move.before == move.place),
        moved=tuple(move for move in moves if move.before not in gone and move.before != move.place),
        back=tuple(move for move in moves if move.before in gone),
        gone=tuple(sorted(there.keys() - pairs.values())),  # a left note whose words are elsewhere has moved
        unchanged=tuple(sorted(unchanged)),
    )


def _paired(origins: Mapping[str, Stamp], targets: Mapping[str, Stamp]) -> dict[str, str]:
    """Match places with those of previous notes: by content, then id, then place."""
    pairs: dict[str, str] = {}
    left = dict(origins)
    for key in (attrgetter("digest"), attrgetter("note_id")):  # content first: notes may swap places
        _pair_by(key, left, targets, pairs)
    return pairs | {place: place for place in targets if place in left and place not in pairs}


def _pair_by(
    key: Callable[[Stamp], str | None], left: dict[str, Stamp], targets: Mapping[str, Stamp], pairs: dict[str, str]
) -> None:
    """Pair equal keys, nearest place first, removing them from `left`."""
    by_key: dict[str, list[str]] = {}
    for origin, stamp in left.items():
        if value := key(stamp):
            by_key.setdefault(value, []).append(origin)
    for is_near in _NEARNESS:  # nearest first for all, before any takes a far one
        for place in sorted(targets.keys() - pairs.keys()):
            found = by_key.get(key(targets[place]) or "", [])
            near = min((each for each in found if is_near(each, place)), default=None)
            if near is not None:
                pairs[place] = near
                found.remove(near)
                del left[near]


# The same place, the same file name, anywhere.
_NEARNESS: Final[tuple[Callable[[str, str], bool], ...]] = (
    lambda before, now: before == now,
    lambda before, now: before.rpartition("/")[2] == now.rpartition("/")[2],
    lambda _before, _now: True,
)


SHOWN_LINES: Final = 5
_LINE_CHARS: Final = 80
# Bullets, quotation marks and headings at the start of a line.
_MARKS: Final = re.compile(r"\A\s*+(?:[-*+>]\s++|[-*+]$|#{1,6}\s++)*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A speaker of imported text."""

    name: str | None
    """None: not named."""
    origin: Origin
    thoughts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would be stored."""

    thoughts: int = 0
    private: int = 0
    earliest: datetime | None = None
    latest: datetime | None = None
    undated: int = 0
    """Without a date of their own."""
    people: tuple[Person, ...] = ()
    """Most thoughts first."""
    first_lines: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class PreviewBuilder:
    """Accumulates a preview."""

    _thoughts: int = 0
    _private: int = 0
    _undated: int = 0
    _dates: list[datetime] = field(default_factory=list[datetime])
    _people: Counter[tuple[str | None, Origin]] = field(default_factory=Counter[tuple[str | None, Origin]])
    _lines: list[str] = field(default_factory=list[str])

    def add(self, thought: Thought) -> None:
        """Count a thought that would be stored."""
        self._thoughts += 1
        self._private += thought.is_private
        self._people[thought.speaker, thought.origin] += 1
        if has_date(thought.created_at):
            ends = [*self._dates, thought.created_at]
            self._dates = [min(ends), max(ends)]  # both ends are enough
        else:
            self._undated += 1
        if len(self._lines) < SHOWN_LINES:
            self._lines.append("(private)" if thought.is_private else first_line(thought.content))

    def preview(self) -> Preview:
        """Return the preview so far."""
        people = [Person(name=name, origin=origin, thoughts=n) for (name, origin), n in self._people.items()]
        return Preview(
            thoughts=self._thoughts,
            private=self._private,
            earliest=self._dates[0] if self._dates else None,
            latest=self._dates[-1] if self._dates else None,
            undated=self._undated,
            people=tuple(sorted(people, key=lambda each: (-each.thoughts, each.name or "", each.origin))),
            first_lines=tuple(self._lines),
        )


def first_line(text: str) -> str:
    """Return the first line with words, without list or heading marks, truncated."""
    lines = [_MARKS.sub("", line).strip() for line in text.split("\n")]
    said = next((line for line in lines if any(map(str.isalnum, line))), None)
    return truncate(said or next(filter(None, lines), ""), _LINE_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedImport:
    """An import or sync of this memory, in any process, that has not finished."""

    path: str
    rows: int
    """Rows stored so far."""
    runs: bool
    """False: its process ended early."""
    is_sync: bool = False

    @property
    def warning(self) -> str:
        """One line on what answers may lack, and what to do."""
        records = counted(self.rows, "record")
        last = self.path.rstrip("/").rpartition("/")[2] or self.path
        name = messages.PIPED_INPUT if self.path == "-" else f"“{last}”"
        what = "sync" if self.is_sync else "import"
        warn = messages.import_running if self.runs else messages.import_stopped
        return warn(what, name, records)


def warnings_of(seen: Iterable[UnfinishedImport]) -> tuple[str, ...]:
    """Return one warning per path, running imports first."""
    by_path: dict[str, UnfinishedImport] = {}
    for each in sorted(seen, key=lambda each: (not each.runs, -each.rows)):  # one of a path: rather a running one
        by_path.setdefault(each.path, each)
    return tuple(each.warning for each in sorted(by_path.values(), key=lambda each: (not each.runs, each.path)))
