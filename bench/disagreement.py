"""How often a memory is said to disagree with itself: `python -m bench.disagreement --data FILE [--data …] [--json]`.

Reads `memory-bench/1` files and takes all rows of each memory together, which is far more than a prompt ever holds.
`statements` are the sentences that speak of something that holds one value at a time, `disagreements` the pairs found.
These memories were not made to disagree, so that nearly every pair is a false alarm. `--list` prints the pairs.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from bench.corpus import Corpus, read_corpora
from bench.report import table
from voice.core.errors import VoiceError
from voice.core.grounding.disagreement import Disagreement, disagreements, statements_of
from voice.core.grounding.passages import all_passages
from voice.core.grounding.values import Evidence
from voice.core.records import Thought, TrustTier
from voice.core.text.normalise import content_hash


def evidence_of(rows: Sequence[Thought]) -> list[Evidence]:
    """Return the rows of a memory as if they had all been sent."""
    return [
        Evidence(
            alias=f"S{number}",
            row_id=row.id,
            source_type="kg_observation",
            text=row.content,
            shown=row.content,
            content_hash=content_hash(row.content),
            trust=TrustTier.GREEN,
            created_at=row.created_at,
            speaker=row.speaker,
        )
        for number, row in enumerate(rows, 1)
    ]


def measure(corpus: Corpus) -> tuple[dict[str, int], tuple[Disagreement, ...]]:
    """Return the counts of one memory and the disagreements found in it."""
    rows = evidence_of(corpus.rows)
    found = disagreements(rows)
    stated = sum(1 for row in rows for passage in all_passages(row) for _ in statements_of(passage))
    return {"rows": len(rows), "statements": stated, "disagreements": len(found)}, found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.disagreement", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", required=True, help="a memory-bench/1 file; repeatable")
    parser.add_argument("--list", action="store_true", help="print each pair on stderr")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    result: dict[str, dict[str, int]] = {}
    try:
        for corpus in (corpus for path in cast("list[Path]", options.data) for corpus in read_corpora(path)):
            result[corpus.name], found = measure(corpus)
            for pair in found if options.list else ():
                print(f"{pair.earlier.passage.text} | {pair.later.passage.text}", file=sys.stderr)
    except VoiceError as error:
        print(f"bench.disagreement: {error}", file=sys.stderr)
        return error.exit_code
    rows = [[name, *map(str, counts.values())] for name, counts in result.items()]
    print(
        json.dumps(result, indent=1) if options.json else table(["memory", "rows", "statements", "disagreements"], rows)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
