"""Which memories read like instructions to the model: `python -m bench.instructions [--data FILE …] [--json]`.

Runs the rule over 122 notes that address a model and 127 that only look like it (`bench/data/instructions.jsonl`,
written before the rule), and over the items of `memory-bench/1` files, where hardly any note should be flagged.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict, cast

from bench.corpus import read_corpora
from bench.report import share, table
from voice.core.errors import VoiceError
from voice.core.text.instructions import instruction_in

OWN = Path(__file__).parent / "data" / "instructions.jsonl"


class Share(TypedDict):
    """How many texts were looked at, how many of them flagged."""

    n: int
    flagged: int
    share: float


class Labelled(TypedDict):
    """One line of the hand-written set."""

    text: str
    instruction: bool


def labelled() -> list[Labelled]:
    """Return the hand-written set."""
    return [cast("Labelled", json.loads(line)) for line in OWN.read_text(encoding="utf-8").splitlines()]


def flagged(texts: Sequence[str]) -> Share:
    """Return how many of `texts` read like instructions."""
    found = sum(instruction_in(text) is not None for text in texts)
    return Share(n=len(texts), flagged=found, share=round(found / len(texts), 5) if texts else 0.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.instructions", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", default=[], help="a memory-bench/1 file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    own = labelled()
    result = {
        "notes that address a model": flagged([one["text"] for one in own if one["instruction"]]),
        "notes that only look like it": flagged([one["text"] for one in own if not one["instruction"]]),
    }
    try:
        for path in options.data:
            result[path.stem] = flagged([row.content for corpus in read_corpora(path) for row in corpus.rows])
    except VoiceError as error:
        print(f"bench.instructions: {error}", file=sys.stderr)
        return error.exit_code
    rows = [
        [name, str(one["n"]), str(one["flagged"]), share(one["share"], of=one["n"], digits=4)]
        for name, one in result.items()
    ]
    print(json.dumps(result, indent=1) if options.json else table(["texts", "n", "flagged", "share"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
