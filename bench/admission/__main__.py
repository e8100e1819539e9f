"""What each rule of the judge is worth by itself: `python -m bench.admission [--data FILE …] [--json]`.

For every rule that is left it prints what that rule alone catches, and what it alone flags wrongly, of labelled drafts
(`drafts-bench/1`) and answers (`grounding-bench/1`, as drafts of one sentence); without `--data`, of the 66 drafts of
`bench/data/drafts.jsonl`. A rule is measured beside a verifier that leaves the decision to it: for a guard one that
supports everything and settles no doubt, so what is flagged wrongly is an upper bound. `--replay FILE` puts recorded
verdicts in the place of it. A line `pays` where it catches three times what it flags wrongly; a line with a `promise`
is there for that requirement (`tests/manifest`). Exit code 1: a line does neither.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypedDict, cast

from bench.admission.measuring import Line, as_case, measure
from bench.admission.rules import ORDERS, RULES
from bench.drafts.reading import DraftCase, lines_of, read_drafts
from bench.drafts.verdicts import Replies, read_replies
from bench.grounding import read_items
from bench.report import progress, table
from voice.core.errors import VoiceError

OWN: Final = Path(__file__).parents[1] / "data" / "drafts.jsonl"


class Share(TypedDict):
    """What a rule alone catches and flags wrongly."""

    catches: int
    false_alarms: int


class Admitted(Share):
    """One rule's line."""

    effect: str
    beside: str
    promise: str | None
    pays: bool
    by_file: dict[str, Share]


def read_cases(path: Path) -> list[DraftCase]:
    """Return the drafts of a file of either format.

    Raises:
        DataFileError: it is of neither.
    """
    first = next(iter(lines_of(path)), "")
    if '"granularity"' in first:
        return [as_case(item, number) for number, item in enumerate(read_items(path), 1)]
    return read_drafts(path)


def admission(paths: Sequence[Path], replay: Replies | None = None) -> dict[str, Admitted]:
    """Return each rule's line over some files.

    Raises:
        DataFileError: a file cannot be read.
    """
    by_file = {path.stem: measure(read_cases(path), replay) for path in progress(paths, "files")}
    return {rule.name: _line(rule.name, by_file) for rule in (*RULES, ORDERS)}


def _line(name: str, by_file: Mapping[str, Mapping[str, Line]]) -> Admitted:
    rule = next(one for one in (*RULES, ORDERS) if one.name == name)
    own = {file: lines[name] for file, lines in by_file.items()}
    whole = Line()
    for file, line in own.items():
        whole.catches |= {f"{file} {key}" for key in line.catches}
        whole.false_alarms |= {f"{file} {key}" for key in line.false_alarms}
    return Admitted(
        effect=rule.effect,
        beside=rule.beside,
        promise=rule.promise,
        pays=whole.pays,
        by_file={file: _share(line) for file, line in own.items() if line.catches or line.false_alarms},
        **_share(whole),
    )


def _share(line: Line) -> Share:
    return Share(catches=len(line.catches), false_alarms=len(line.false_alarms))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the rules and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.admission", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, action="append", help="drafts or labelled answers; repeatable")
    parser.add_argument("--replay", type=Path, action="append", help="answer from this file; repeatable")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        replay = read_replies(options.replay) if options.replay else None
        found = admission(cast("list[Path] | None", options.data) or [OWN], replay)
    except VoiceError as error:
        print(f"bench.admission: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(found, indent=1) if options.json else _table(found))
    return 0 if all(line["pays"] or line["promise"] for line in found.values()) else 1


def _table(found: Mapping[str, Admitted]) -> str:
    rows = [
        [
            name,
            line["effect"],
            line["beside"],
            str(line["catches"]),
            str(line["false_alarms"]),
            "yes" if line["pays"] else "no",
            line["promise"] or "–",
        ]
        for name, line in found.items()
    ]
    return table(["rule", "effect", "beside", "catches", "flags wrongly", "pays", "promise"], rows)


if __name__ == "__main__":
    sys.exit(main())
