"""A conversation as it grows: `python -m bench.sessions --turns N [--through ask|store] [--peers] [--json]`.

Through `ask`, the default, every turn is a whole one: retrieval over the example memory, the offline provider, the
judge, the fold and the store on disk, some 70 ms of processor time each. Through `store` a turn is what a
conversation's length can make dearer: looking up and loading the session, appending a turn that was asked and judged
before, folding, saving. `--peers` gives the same texts to LangGraph's SqliteSaver and to the SQLiteSession of
openai-agents, each in a process and an environment of its own, made the first time; one that takes too long or too
much disk is stopped, and how many turns it made is told.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio

from bench.peers.environments import Environments, default_directory
from bench.report import machine
from bench.scale import at_least
from bench.sessions.beside import REQUIREMENTS, Limits, measure_peers
from bench.sessions.figures import as_table
from bench.sessions.growth import Workload, measure
from voice.core.errors import VoiceError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    options = _parser().parse_args(arguments)
    work = Workload(turns=options.turns, through=options.through, beside=options.beside)
    try:
        with tempfile.TemporaryDirectory(prefix="voice sessions ") as passing:
            place = Path(passing)
            growth, grown = anyio.run(partial(measure, work, place / "home"))
            subjects, missing = [growth.as_json()], dict[str, str]()
            if options.peers:
                environments = Environments(
                    directory=options.env.expanduser().absolute(),
                    may_install=not options.offline,
                    requirements=REQUIREMENTS,
                )
                limits = Limits(seconds=options.peer_seconds, megabytes=options.peer_mb)
                found, missing = measure_peers(grown.texts, environments, place / "peers", limits)
                subjects += [each.as_json() for each in found]
    except VoiceError as error:
        print(f"bench.sessions: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(_report(subjects, missing), indent=1) if options.json else _page(subjects, missing))
    return 0


def _report(subjects: Sequence[dict[str, object]], missing: dict[str, str]) -> dict[str, object]:
    beside = {"peers": list(subjects[1:]), "missing": missing} if len(subjects) > 1 or missing else {}
    return {**subjects[0], **beside, "machine": machine()}


def _page(subjects: Sequence[dict[str, object]], missing: dict[str, str]) -> str:
    said = [f"{name}: {why}" for name, why in missing.items()]
    return "\n".join([as_table(subjects), *said, f"bytes are per turn, beyond its answer; {machine()}"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.sessions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=at_least(1), default=1000, help="turns of one session (1000)")
    parser.add_argument(
        "--through", choices=("ask", "store"), default="ask", help="whole turns, or their keeping alone"
    )
    parser.add_argument("--beside", type=at_least(0), default=0, help="idle sessions in the same store (0)")
    parser.add_argument("--peers", action="store_true", help="measure the two others with the same texts")
    parser.add_argument("--peer-seconds", type=at_least(1), default=300, help="when a peer is stopped (300)")
    parser.add_argument("--peer-mb", type=at_least(1), default=2000, help="disk at which a peer is stopped (2000)")
    parser.add_argument("--env", type=Path, default=default_directory(), help="where peers are installed")
    parser.add_argument("--offline", action="store_true", help="install nothing; what is not there is missing")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


if __name__ == "__main__":
    sys.exit(main())
