"""What the archives of a memory hold, as read again from the disk.

Law: an archive that does not verify holds nothing; that it does not is told, with its name, and stops nobody else.

Source: rulings F, H.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from voice.core.errors import VoiceError
from voice.core.graph.removal import Archived, as_archived
from voice.core.records import Thought
from voice.ports.archives import ArchiveFiles

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What archives hold of some thoughts."""

    paths: Mapping[str, str] = field(default_factory=dict[str, str])
    """The archive that holds a thought as it stands, by thought id."""
    changed: frozenset[str] = frozenset()
    """Thoughts that archives hold, but not as they stand."""
    faults: tuple[str, ...] = ()
    """A sentence for each archive that could not be verified."""

    def of(self, thought_id: str) -> Archived:
        """Return what they hold of one thought."""
        if thought_id in self.paths:
            return Archived.AS_IT_STANDS
        return Archived.CHANGED if thought_id in self.changed else Archived.NO


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The archives of one memory."""

    files: ArchiveFiles
    directory: str

    async def held(self, thoughts: Sequence[Thought], progress: Progress | None = None) -> Held:
        """Read every archive, newest first, until each of the thoughts was found as it stands.

        Raises:
            StoreUnavailable, ConfigurationError: the directory cannot be read.
        """
        wanted = {thought.id: as_archived(thought) for thought in thoughts}
        paths: dict[str, str] = {}
        changed: set[str] = set()
        faults: list[str] = []
        listed = await self.files.listed(self.directory)
        for place, path in enumerate(listed):
            if progress:
                progress(place, len(listed))
            if len(paths) == len(wanted):
                break
            try:
                archive = await self.files.read(path)
            except VoiceError as fault:
                faults.append(fault.message)
                continue
            for row in archive.thoughts:
                if wanted.get(row.id) == row:
                    paths.setdefault(row.id, path)
                elif row.id in wanted:
                    changed.add(row.id)
        return Held(paths=paths, changed=frozenset(changed - paths.keys()), faults=tuple(faults))
