"""How well the score tells supported from unsupported: `python -m bench.grounding --data FILE [--data …] [--json]`.

Reads `grounding-bench/1` (JSON lines). There are no citations in it: every source counts as cited whole, and nobody
verifies. An answer, of one sentence or of many, is ranked by the score that the judge gives a sentence
(`voice.core.grounding.proof`: how little the sources resemble it), taken of the whole of it, and called unsupported
over one threshold for all sets. `python -m bench.lexical` prints what single plain measures make of the same answers.

A set that holds one class only is measured against the supported answers of its own file. `flagged_at_10` is the share
of the unsupported that is flagged at the threshold that flags a tenth of the supported of the same file.
"""

import argparse
import json
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import cast

from bench.report import machine, percentile, progress, table
from voice.core.errors import DataFileError, VoiceError
from voice.core.grounding.doubts import GivenContext, doubts_of
from voice.core.grounding.proof import Likeness, likeness
from voice.core.grounding.values import Evidence
from voice.core.records import TrustTier
from voice.core.text.normalise import content_hash

_UNDATED = datetime(1, 1, 1, tzinfo=UTC)
THRESHOLD = 0.5
"""The weights are fitted with both classes of equal weight, so an even chance is where they part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One labelled answer."""

    set_name: str
    question: str
    evidence: tuple[Evidence, ...]
    answer: str
    is_unsupported: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One answer's score and its label."""

    set_name: str
    score: float
    """By which answers are ranked."""
    is_called: bool
    """Whether the threshold calls it unsupported."""
    is_unsupported: bool
    cpu_ms: float


def read_items(path: Path) -> list[Item]:
    """Return the labelled answers of a file.

    Raises:
        DataFileError: the file is not there or a line is not of the format; the message names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataFileError(f"{path}: {error.strerror}") from error
    items: list[Item] = []
    for number, line in enumerate(lines, 1):
        try:
            items.append(_item(cast("dict[str, object]", json.loads(line))))
        except (ValueError, KeyError, TypeError) as error:
            raise DataFileError(f"{path}, line {number}: not a line of grounding-bench/1") from error
    return items


def _item(value: dict[str, object]) -> Item:
    label = value["label"]
    if label not in ("supported", "unsupported"):
        raise ValueError(label)
    sources = cast("list[dict[str, str]]", value["sources"])
    return Item(
        set_name=str(value["set"]),
        question=str(value.get("question") or ""),
        evidence=tuple(whole_source(source["id"], source["text"]) for source in sources),
        answer=str(value["answer"]),
        is_unsupported=label == "unsupported",
    )


def whole_source(alias: str, text: str) -> Evidence:
    """Return a source as a row that is cited whole."""
    return Evidence(
        alias=alias,
        row_id=f"o:{alias}",
        source_type="kg_observation",
        text=text,
        shown=text,
        content_hash=content_hash(text),
        trust=TrustTier.GREEN,
        created_at=_UNDATED,
    )


def measured(item: Item) -> Likeness:
    """Return the plain measures of an answer beside its sources."""
    given = GivenContext(tuple(item.evidence), item.question)
    return likeness(item.answer, given.texts, doubts_of(item.answer, given))


def score_file(path: Path) -> list[Scored]:
    """Return every answer of a file with its score and the processor time it took."""
    scored: list[Scored] = []
    for item in progress(read_items(path), path.name):
        start = process_time()
        score = measured(item).score
        cpu = 1000 * (process_time() - start)
        scored.append(
            Scored(
                set_name=item.set_name,
                score=score,
                is_called=score > THRESHOLD,
                is_unsupported=item.is_unsupported,
                cpu_ms=cpu,
            )
        )
    return scored


def auroc(unsupported: Sequence[float], supported: Sequence[float]) -> float | None:
    """Return the chance that an unsupported answer scores above a supported one, ties half; None without a pair."""
    if not unsupported or not supported:
        return None
    ordered = sorted(supported)
    above = sum((bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 for value in unsupported)
    return above / (len(unsupported) * len(ordered))


def measure_file(scored: Sequence[Scored]) -> dict[str, dict[str, object]]:
    """Return the figures of each set of one file, by its name."""
    file_supported = [one for one in scored if not one.is_unsupported]
    names = dict.fromkeys(one.set_name for one in scored)
    return {name: _measure([one for one in scored if one.set_name == name], file_supported) for name in names}


def _measure(own: Sequence[Scored], file_supported: Sequence[Scored]) -> dict[str, object]:
    unsupported = [one for one in own if one.is_unsupported]
    compared = [one for one in own if not one.is_unsupported] or file_supported
    caught, false = _called(unsupported), _called(compared)
    missed = len(unsupported) - caught
    recall = caught / len(unsupported) if unsupported else None
    precision = caught / (caught + false) if caught + false and unsupported else None
    specificity = 1 - false / len(compared) if compared else None
    line = percentile([one.score for one in file_supported], 0.9) if file_supported else None
    cpu = [one.cpu_ms for one in own]
    return {
        "n": len(own),
        "auroc": _rounded(auroc([one.score for one in unsupported], [one.score for one in compared])),
        "balanced_accuracy": _rounded((recall + specificity) / 2)
        if recall is not None and specificity is not None
        else None,
        "precision": _rounded(precision),
        "recall": _rounded(recall),
        "f1": _rounded(2 * caught / (2 * caught + false + missed)) if unsupported else None,
        "flagged_at_10": _rounded(sum(one.score > line for one in unsupported) / len(unsupported))
        if unsupported and line is not None
        else None,
        "cpu_ms": round(sum(cpu) / len(cpu), 3),
    }


def flagged_supported(scored: Sequence[Scored]) -> dict[str, float]:
    """Return, for each set that holds supported answers, the share of them over the threshold."""
    names = dict.fromkeys(one.set_name for one in scored if not one.is_unsupported)
    own = {name: [one for one in scored if one.set_name == name and not one.is_unsupported] for name in names}
    return {name: round(_called(ones) / len(ones), 4) for name, ones in own.items()}


def _called(scored: Sequence[Scored]) -> int:
    return sum(one.is_called for one in scored)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.grounding", description=__doc__)
    parser.add_argument(
        "--data", type=Path, action="append", required=True, help="a grounding-bench/1 file; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    sets: dict[str, dict[str, object]] = {}
    flagged: dict[str, float] = {}
    try:
        for path in cast("list[Path]", options.data):
            scored = score_file(path)
            sets.update(measure_file(scored))
            flagged.update(flagged_supported(scored))
    except VoiceError as error:
        print(f"bench.grounding: {error}", file=sys.stderr)
        return error.exit_code
    settings = {"threshold": THRESHOLD, "machine": machine()}
    report = {"sets": sets, "flagged_supported": flagged, **settings}
    print(json.dumps(report, indent=1) if options.json else f"{_table(sets)}\n\n{_flagged(flagged)}")
    return 0


def _table(sets: dict[str, dict[str, object]]) -> str:
    keys = list(next(iter(sets.values()))) if sets else []
    rows = [
        [name, *("–" if figures[key] is None else str(figures[key]) for key in keys)] for name, figures in sets.items()
    ]
    return table(["set", *keys], rows)


def _flagged(flagged: dict[str, float]) -> str:
    return table(["supported, and flagged", "share"], [[name, str(share)] for name, share in flagged.items()])


if __name__ == "__main__":
    sys.exit(main())
