"""What the judge makes of strong models' drafts: `python -m bench.drafts --data FILE [--data …] [--json]`.

Reads `drafts-bench/1` and judges each draft for itself under `single_source = green`. Of right drafts, by style, and of
wrong ones it prints `n` and as shares of it: `clean` (accepted, and every sentence of it shown and proven; of a wrong
one: a false claim shown as proven, and where no sentence is false, as of an answer to another question, accepted),
`cut` (something is left out), `marked`, `refused`. Of claims: how well the score ranks them, what share of the false
reached a proven rung, and of the true did not. Drafts under dispute and those that refuse are told apart.

Nobody is asked by default. `--verifier llm` asks the model of your settings; `--record FILE` keeps what is asked, with
the reply where there is one; `--replay FILE` answers from such files, and from files of verdicts by draft
(`../shared/data/README.md`). What nobody answers stays unverified and is counted as `unanswered`.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from bench.drafts.figures import figures_of
from bench.drafts.judging import POLICY, JudgedDraft, judged
from bench.drafts.reading import DraftCase, read_drafts
from bench.drafts.verdicts import Answer, Record, Replies, read_replies
from bench.report import machine, progress, share, table
from voice.core.errors import VoiceError
from voice.core.grounding.verifier_values import VerificationRequest


@dataclass(slots=True)
class Counted:
    """Whoever answers, with what was asked and answered."""

    name: str
    replies: Replies
    record: Record = field(default_factory=Record)
    counts: Counter[str] = field(default_factory=Counter[str])

    def __call__(self, case: DraftCase, asked: VerificationRequest) -> Answer:
        """Return the reply, counted and kept."""
        reply = self.replies(case, asked)
        self.counts["asked"] += 1
        self.counts["claims"] += len(asked.claims)
        self.counts["unanswered"] += reply is None
        self.record.keep(case, asked, reply)
        return reply

    def report(self) -> dict[str, object]:
        """Return who answered, how many drafts and sentences it was asked about, and how many drafts got no reply."""
        return {"name": self.name, **{key: self.counts[key] for key in ("asked", "claims", "unanswered")}}


def nobody(case: DraftCase, asked: VerificationRequest) -> Answer:
    """Return no reply."""
    del case, asked


def judge_files(paths: Sequence[Path], replies: Replies) -> dict[str, list[JudgedDraft]]:
    """Return what becomes of every draft, by file.

    Raises:
        DataFileError: a file cannot be read.
    """
    return {path.name: [judged(case, replies) for case in progress(read_drafts(path), path.name)] for path in paths}


@contextmanager
def answering(verifier: str, replays: Sequence[Path]) -> Generator[Counted]:
    """Yield whoever answers.

    Raises:
        VoiceError: a file cannot be read, or there is no model to ask.
    """
    if replays:
        yield Counted("replay", read_replies(replays))
    elif verifier == "none":
        yield Counted("none", nobody)
    else:
        from bench.drafts.asking import verifier_of_the_settings  # noqa: PLC0415 - clients of models load only here

        with verifier_of_the_settings(verifier) as asked:
            yield Counted(asked.name, asked)


def report_of(by_file: dict[str, list[JudgedDraft]], verification: dict[str, object]) -> dict[str, object]:
    """Return the figures of all drafts, and of each file where there are several."""
    report: dict[str, object] = figures_of([one for some in by_file.values() for one in some])
    if len(by_file) > 1:
        report["files"] = {name: figures_of(some) for name, some in by_file.items()}
    policy = {"single_source": POLICY.single_source, "on_unsupported": POLICY.on_unsupported}
    return {**report, "verification": verification, "policy": policy, "machine": machine()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    options = _parser().parse_args(arguments)
    paths = cast("list[Path]", options.data)
    if len({path.name for path in paths}) < len(paths):
        print("bench.drafts: two files of --data have the same name; rename one", file=sys.stderr)
        return 2
    try:
        with answering(options.verifier, options.replay or ()) as replies:
            by_file = judge_files(paths, replies)
            if options.record:
                replies.record.write(options.record)
    except VoiceError as error:
        print(f"bench.drafts: {error}", file=sys.stderr)
        return error.exit_code
    report = report_of(by_file, replies.report())
    print(json.dumps(report, indent=1) if options.json else _tables(report))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.drafts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, action="append", required=True, help="a drafts-bench/1 file; repeatable")
    parser.add_argument("--verifier", choices=("none", "llm"), default="none", help="who checks sentences (none)")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--record", type=Path, help="write what a verifier is asked, and its replies, to this file")
    kept.add_argument("--replay", type=Path, action="append", help="answer from this file; repeatable")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _tables(report: dict[str, object]) -> str:
    files = cast("dict[str, dict[str, object]]", report.get("files") or {})
    rows = [row for name, own in {**files, "all": report}.items() for row in _rows(name, own)]
    heads = ["drafts of", "kind", "n", "clean", "cut", "marked", "refused"]
    claims = json.dumps({key: report[key] for key in ("claims", "judge_cpu_ms", "verification")}, indent=1)
    return f"{table(heads, rows)}\n\n{claims}"


def _rows(name: str, figures: dict[str, object]) -> Iterator[list[str]]:
    right = cast("dict[str, dict[str, float]]", figures["right"])
    kinds = {**{f"right, {style}": own for style, own in right.items()}, "wrong": figures["wrong"]}
    for kind, own in cast("dict[str, dict[str, float | None]]", kinds).items():
        n = int(own["n"] or 0)
        yield [name, kind, str(n), *(share(own[key] or 0.0, of=n) for key in ("clean", "cut", "marked", "refused"))]


if __name__ == "__main__":
    sys.exit(main())
