"""The files of a folder to import, without anything outside it.

Law: no link in the folder is followed, wherever it leads: what is outside was not named by the person, and what is
inside comes in by its own path. Every link is named. Hidden files and folders are not looked at. Files come in the
order of their paths. The folder itself may be a link: the person named it.

Source: ruling I7; docs/formats.md.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Final

from voice.core.interchange.memory_lines import LeftOut

LINKS_OUT: Final = "links out of the folder (not followed)"
LINKS_WITHIN: Final = "links within the folder (not followed; their targets come in from where they are)"
_SHOWN_ENDINGS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The files of a folder and its subfolders."""

    root: Path
    files: tuple[Path, ...] = ()
    """Plain files, and the folders that may not be entered, by path."""
    odd: tuple[Path, ...] = ()
    """Pipes, sockets and devices, which reading could wait for for ever."""
    links: tuple[Path, ...] = ()
    """By path."""

    def of(self, suffixes: frozenset[str]) -> list[Path]:
        """Return the files of these endings, by path.

        With them come the folders that may not be entered, for reading one reports it; of a file that was named itself,
        that file.
        """
        return [path for path in self.files if path.suffix.lower() in suffixes or path == self.root or path.is_dir()]

    def unfollowed(self) -> Iterator[LeftOut]:
        """Yield the links in it."""
        inside = os.path.realpath(self.root)
        for link in self.links:
            is_within = Path(os.path.realpath(link)).is_relative_to(inside)
            yield LeftOut(where=place_in(self.root, link), reason=LINKS_WITHIN if is_within else LINKS_OUT)

    def rest(self, suffixes: frozenset[str]) -> Iterator[LeftOut]:
        """Yield the counts of links and other files, so that the report names them."""
        yield from self.unfollowed()
        wanted = set(self.of(suffixes))
        others = [*(path for path in self.files if path not in wanted), *self.odd]
        endings = Counter(path.suffix.lower() or "no ending" for path in others)
        if endings:
            yield LeftOut(where=self.root.absolute().name, reason=of_other_kinds(endings), count=endings.total())


def of_other_kinds(endings: "Counter[str]") -> str:
    """Return the name of files that are not read, by their endings."""
    return f"files of other kinds ({', '.join(ending for ending, _ in endings.most_common(_SHOWN_ENDINGS))})"


def look_into(root: Path) -> Folder:
    """Return the files of a folder, or a file itself.

    Raises:
        OSError: the folder cannot be read.
    """
    if not root.is_dir():
        return Folder(root=root, files=(root,))
    files, odd, links, waiting = list[Path](), list[Path](), list[Path](), [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = _shown_in(folder)
        except PermissionError:
            if folder == root:
                raise
            files.append(folder)
            continue
        for entry in entries:
            is_link, is_folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
            kept = links if is_link else waiting if is_folder else files if entry.is_file() else odd
            kept.append(Path(entry.path))
    return Folder(root=root, files=_in_order(files, root), odd=tuple(odd), links=_in_order(links, root))


def without(folder: Folder, part: Path) -> Folder:
    """Return what was found, without what lies in one of its folders."""
    return replace(
        folder,
        files=tuple(each for each in folder.files if not each.is_relative_to(part)),
        odd=tuple(each for each in folder.odd if not each.is_relative_to(part)),
        links=tuple(each for each in folder.links if not each.is_relative_to(part)),
    )


def place_in(root: Path, path: Path) -> str:
    """Return where a file lies within the folder, with `/`; the name of one that was named itself."""
    place = path.relative_to(root).as_posix() if path != root else path.name
    return place.encode("utf-8", "replace").decode("utf-8")


def _shown_in(folder: Path) -> list["os.DirEntry[str]"]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]


def _in_order(paths: Sequence[Path], root: Path) -> tuple[Path, ...]:
    return tuple(sorted(paths, key=lambda path: PurePath.relative_to(path, root).as_posix()))
