"""What is read out of notes, against what people read out of them.

    python -m bench.extraction --data bench/data/extraction-notes.jsonl [--data …] --json

Reads three formats. Labelled notes (`docs/extraction.md`): entities and relations that would be staged, and
observations, are right or wrong; `precision`, `recall` and `n` (labelled ones) are given for each. `grounding-bench/1`
lines labelled supported are `n` human-checked statements, each recovered when one extracted observation of the messages
it rests on holds at least half of the weight of its words. `memory-bench/1`: each item that a question names as its
evidence, recovered when extracted observations hold at least half of it. The last two say nothing of what should not be
read, so they give a recall and no precision. The first format's figures stand at the top, every file's under `files`.
`--half` takes one half of the labelled notes; `--misses` prints what was wrong; `--calibrate` prints how often each
rule was right. A file that cannot be read is named on stderr, with exit code 2.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from bench.extraction_notes import LabelledNote, NotesError, read_notes
from bench.extraction_scores import Tally, score_note, shares_of_rules
from bench.extraction_shares import Recovered, recovered_evidence, recovered_statements

KINDS = ("entities", "relations", "observations")


def measure(paths: Sequence[Path], half: str) -> dict[str, object]:
    """Return the figures over `paths`.

    Raises:
        NotesError: a file is in none of the formats.
    """
    notes: list[LabelledNote] = []
    files: dict[str, object] = {}
    shares: list[Recovered] = []
    for path in paths:
        kind = format_of(path)
        if kind == "notes":
            some = [note for note in read_notes(path) if half in ("all", note.half)]
            notes += some
            files[path.name] = figures_of(some)
        else:
            share = recovered_statements(path) if kind == "grounding" else recovered_evidence(path)
            shares.append(share)
            files[path.name] = {"observations": share.as_json()}
    labelled = figures_of(notes)
    if not notes and shares:
        labelled = dict.fromkeys(KINDS, Tally().as_json()) | {"observations": Recovered.together(shares).as_json()}
    return {**labelled, "half": half, "files": files}


def figures_of(notes: Sequence[LabelledNote]) -> dict[str, object]:
    """Return the figures over labelled notes."""
    tallies = {kind: Tally() for kind in KINDS}
    for note in notes:
        for kind, tally in score_note(note).items():
            tallies[kind] = tallies[kind].plus(tally)
    return {kind: tally.as_json() for kind, tally in tallies.items()}


def format_of(path: Path) -> str:
    """Return which of the formats a file is in: notes, grounding or memory.

    Raises:
        NotesError: none of them.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        first = cast("dict[str, object]", json.loads(text if path.suffix == ".json" else text.split("\n", 1)[0]))
        keys = set(first)
    except (OSError, ValueError, TypeError) as error:
        raise NotesError(f"{path.name}: not readable as JSON ({error})") from error
    if "corpora" in keys:
        return "memory"
    if {"answer", "sources"} <= keys:
        return "grounding"
    if {"text", "entities"} <= keys:
        return "notes"
    raise NotesError(f"{path.name}: neither labelled notes nor memory-bench/1 nor grounding-bench/1")


def _print_misses(paths: Sequence[Path], half: str) -> None:
    for path in paths:
        for note in read_notes(path) if format_of(path) == "notes" else ():
            if half in ("all", note.half):
                for kind, tally in score_note(note).items():
                    for miss in tally.misses:
                        print(f"{note.id} {kind}: {miss}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.extraction", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, action="append", help="a file; may be given several times")
    parser.add_argument("--half", choices=("dev", "held_out", "all"), default="held_out")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--misses", action="store_true", help="print each wrong and each missing one")
    parser.add_argument("--calibrate", action="store_true", help="print how often each rule was right")
    options = parser.parse_args(arguments)
    try:
        if options.misses:
            _print_misses(options.data, options.half)
            return 0
        if options.calibrate:
            for line in shares_of_rules([note for path in options.data for note in read_notes(path)], options.half):
                print(line)
            return 0
        figures = measure(options.data, options.half)
    except (NotesError, OSError) as error:
        print(f"bench.extraction: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(figures, ensure_ascii=False, indent=1))
    else:
        for kind in KINDS:
            print(f"{kind}: {json.dumps(figures[kind])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
