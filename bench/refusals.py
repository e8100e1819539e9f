"""Who is refused at the default settings: `python -m bench.refusals --data FILE [--data …] [--answers N] [--json]`.

Answers of two to six sentences are put together from the one-sentence items of a `grounding-bench/1` file
(`bench.composed`), over the sources they were written to, all cited whole; the judge then decides as it does for a
person. A third of the answers is *good*: every sentence of it is supported. Of a third so little is that the true
coverage, the share of its telling words that stand in supported sentences, is *under the minimum* of the policy. The
rest is *between*. Printed is how many of each kind are refused, for which reason, and of the unsupported sentences of
answers that passed, the share that is marked: a reader is told by the one or by the other. No question is asked:
whether an answer is one to its question is measured by `bench.answerability`. Seeded.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypedDict, cast

from bench.composed import drawn, pools_of, put_together
from bench.grounding import Item, read_items
from bench.report import progress, table
from voice.core.errors import VoiceError
from voice.core.grounding.judge import judge
from voice.core.grounding.values import Draft, DraftSource, GroundedResponse, GroundingPolicy
from voice.core.text.words import content_words

KINDS = ("good", "between", "under the minimum")
_LENGTHS = (2, 3, 4, 5, 6)
_POLICY = GroundingPolicy()


class Refusals(TypedDict):
    """The figures of one kind of answers."""

    n: int
    refused: float
    reasons: dict[str, int]
    marked: float | None
    """Of the unsupported sentences in answers that passed; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One answer, what it was made of, and which of `KINDS` it is."""

    kind: str
    parts: tuple[Item, ...]
    whole: Item


def true_coverage(parts: Sequence[Item]) -> float:
    """Return the share of the telling words of an answer's sentences that stand in supported ones, 0 to 1."""
    weights = [(len(content_words(part.answer)), part.is_unsupported) for part in parts]
    total = sum(weight for weight, _ in weights)
    return sum(weight for weight, is_wrong in weights if not is_wrong) / total if total else 1.0


def kind_of(parts: Sequence[Item]) -> str:
    """Return which of `KINDS` an answer made of `parts` is."""
    if not any(part.is_unsupported for part in parts):
        return "good"
    return "under the minimum" if true_coverage(parts) < _POLICY.min_coverage else "between"


def answers_of(items: Sequence[Item], count: int, seed: int) -> list[Told]:
    """Return `count` answers of each kind.

    Raises:
        DataFileError: there are too few items of either label.
    """
    pools, chance = pools_of(items), Random(seed)
    found: dict[str, list[Told]] = {kind: [] for kind in KINDS}
    while any(len(own) < count for own in found.values()):
        length = chance.choice(_LENGTHS)
        wrong = chance.choice((0, chance.randint(1, length)))
        seen: set[str] = set()
        parts = [drawn(pools[place < wrong], seen, chance) for place in range(length)]
        chance.shuffle(parts)
        own = found[kind_of(parts)]
        if len(own) < count:
            own.append(Told(kind=kind_of(parts), parts=tuple(parts), whole=put_together(parts, (), chance)))
    return [told for own in found.values() for told in own]


def response_to(whole: Item) -> GroundedResponse:
    """Return what the judge decides on an answer whose sources are all cited whole."""
    sources = tuple(DraftSource(source_id=row.alias, span=row.text) for row in whole.evidence)
    return judge(Draft(answer=whole.answer, sources=sources), whole.evidence, _POLICY, question="")


def figures_of(judged: Sequence[tuple[Told, GroundedResponse]]) -> dict[str, Refusals]:
    """Return the figures of each kind of answers that is there."""
    return {
        kind: _figures([one for one in judged if one[0].kind == kind])
        for kind in KINDS
        if any(one[0].kind == kind for one in judged)
    }


def _figures(judged: Sequence[tuple[Told, GroundedResponse]]) -> Refusals:
    reasons = Counter(str(response.reason) for _, response in judged if response.refused)
    marks = [mark for told, response in judged if not response.refused for mark in _marks(told, response)]
    return Refusals(
        n=len(judged),
        refused=round(reasons.total() / len(judged), 4),
        reasons=dict(reasons.most_common()),
        marked=round(sum(marks) / len(marks), 4) if marks else None,
    )


def _marks(told: Told, response: GroundedResponse) -> list[bool]:
    """Return of each unsupported sentence of an answer that passed whether it is marked."""
    marked = [one.text for one in response.sentences if one.verdict not in ("supported", "not_a_claim")]
    wrong = [part.answer.strip() for part in told.parts if part.is_unsupported]
    return [any(text.startswith(sentence) for text in marked) for sentence in wrong]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.refusals", description=__doc__)
    parser.add_argument(
        "--data", type=Path, action="append", required=True, help="a grounding-bench/1 file; repeatable"
    )
    parser.add_argument("--answers", type=int, default=300, help="how many answers of each kind (300)")
    parser.add_argument("--seed", type=int, default=1, help="of their composition (1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    found: dict[str, dict[str, Refusals]] = {}
    try:
        for path in cast("list[Path]", options.data):
            told = answers_of(read_items(path), cast("int", options.answers), cast("int", options.seed))
            found[path.stem] = figures_of([(one, response_to(one.whole)) for one in progress(told, path.name)])
    except VoiceError as error:
        print(f"bench.refusals: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(found, indent=1) if options.json else _table(found))
    return 0


def _table(found: Mapping[str, Mapping[str, Refusals]]) -> str:
    rows = [
        [
            name,
            kind,
            str(one["n"]),
            str(one["refused"]),
            "–" if one["marked"] is None else str(one["marked"]),
            ", ".join(f"{reason} {count}" for reason, count in one["reasons"].items()),
        ]
        for name, own in found.items()
        for kind, one in own.items()
    ]
    return table(["answers of", "kind", "n", "refused", "marked", "why"], rows)


if __name__ == "__main__":
    sys.exit(main())
