"""This program beside others, in one run: `python -m bench.peers [--data FILE | --rows N] [--json]`.

Same rows, same vectors, same questions, each peer in processes of its own on one processor. Peers that are not part of
this program's environment are installed into one of their own the first time (`--env`); the tests need no network.
What each is asked to do stands in docs/peers.md.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from rich.console import Console

from bench.peers.environments import Environments, PeerMissing, default_directory
from bench.peers.figures import figures_of
from bench.peers.report import Comparison
from bench.peers.roster import ROSTER, Entry
from bench.peers.running import Job, Turn, in_turns, take_turn, versions
from bench.peers.workload import Memory, data_memories, hostile_memory, invented_memory, rows_in
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.core.errors import VoiceError

_INVENTED_DIM = 384
_PAGE_WIDTH = 160
"""Where there is no terminal to ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line asks for."""

    data: Path | None
    rows: int
    repeats: int
    peers: tuple[Entry, ...]
    environments: Environments
    cache: Path


@dataclass(slots=True)
class _Seen:
    """What is known of the peers so far."""

    pythons: dict[str, Path] = field(default_factory=dict[str, Path])
    versions: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    turns: dict[str, list[Turn]] = field(default_factory=dict[str, list[Turn]])
    missing: dict[str, str] = field(default_factory=dict[str, str])


def compare(options: Options) -> Comparison:
    """Measure every peer that is there and say which are not.

    Raises:
        DataFileError: the data cannot be used.
        EmbedderUnavailable: the encoder cannot be used.
    """
    memories = anyio.run(_memories, options)
    seen = _Seen()
    with tempfile.TemporaryDirectory(prefix="voice peers ") as place:
        job = Job(directory=Path(place), memories=memories)
        job.write()
        _prepare(options, seen)
        _measure(options, job, seen)
    return Comparison(
        what=options.data.name if options.data else "invented rows",
        rows=rows_in(memories),
        dim=memories[0].dim,
        encoder=memories[0].model,
        repeats=options.repeats,
        peers=[
            figures_of(entry, seen.versions[entry.name], seen.turns[entry.name], memories)
            for entry in options.peers
            if entry.name not in seen.missing
        ],
        missing=seen.missing,
    )


async def _memories(options: Options) -> list[Memory]:
    options.cache.mkdir(parents=True, exist_ok=True)
    encoder = MiniLmEmbedder()
    measured = (
        await data_memories(options.data, encoder, options.cache)
        if options.data
        else [await invented_memory(options.rows, HashedEmbedder(_INVENTED_DIM))]
    )
    return [*measured, await hostile_memory(encoder, options.cache)]


def _prepare(options: Options, seen: _Seen) -> None:
    for entry in options.peers:
        try:
            own = entry.own_environment
            seen.pythons[entry.name] = options.environments.python(entry.name) if own else Path(sys.executable)
            seen.versions[entry.name] = versions(entry, seen.pythons[entry.name])
        except PeerMissing as missing:
            seen.missing[entry.name] = str(missing)


def _measure(options: Options, job: Job, seen: _Seen) -> None:
    there = [entry for entry in options.peers if entry.name not in seen.missing]
    for repeat, entry in in_turns(there, options.repeats):
        if entry.name in seen.missing:
            continue
        if sys.stderr.isatty():
            print(f"repeat {repeat + 1} of {options.repeats}: {entry.name}", file=sys.stderr)
        try:
            turn = take_turn(entry, seen.pythons[entry.name], job, job.directory / f"{entry.name} {repeat}")
        except PeerMissing as missing:
            seen.missing[entry.name] = str(missing)
            continue
        seen.turns.setdefault(entry.name, []).append(turn)


def _parsed(arguments: Sequence[str] | None) -> tuple[Options, bool]:
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="a memory-bench/1 file; without one, rows are invented")
    parser.add_argument("--rows", type=_positive, default=5000, help="invented rows (5000)")
    parser.add_argument("--repeats", type=_positive, default=2, help="turns of each peer (2)")
    parser.add_argument("--peers", default=",".join(entry.name for entry in ROSTER), help="which, by name, with commas")
    parser.add_argument("--env", type=Path, default=default_directory(), help="where peers are installed")
    parser.add_argument("--offline", action="store_true", help="install nothing; what is not there is missing")
    parser.add_argument("--cache", type=Path, help="where vectors are kept (beside the environments)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args(arguments)
    named = {entry.name: entry for entry in ROSTER}
    unknown = sorted(set(given.peers.split(",")) - named.keys())
    if unknown:
        parser.error(f"there is no peer {unknown[0]!r}; there are {', '.join(named)}")
    options = Options(
        data=given.data,
        rows=given.rows,
        repeats=given.repeats,
        peers=tuple(named[name] for name in dict.fromkeys(given.peers.split(","))),
        environments=Environments(directory=given.env.expanduser().absolute(), may_install=not given.offline),
        cache=given.cache or given.env / "vectors",
    )
    return options, given.json


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison and print it."""
    options, as_json = _parsed(arguments)
    try:
        comparison = compare(options)
    except VoiceError as error:
        print(f"bench.peers: {error}", file=sys.stderr)
        return error.exit_code
    if as_json:
        print(json.dumps(comparison.as_json(), indent=1, ensure_ascii=False))
    else:
        comparison.print(Console(width=None if sys.stdout.isatty() else _PAGE_WIDTH))
    return 0


if __name__ == "__main__":
    sys.exit(main())
