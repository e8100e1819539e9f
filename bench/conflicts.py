"""How well are conflicts found? `python -m bench.conflicts [--data DIR] [--labels FILE] [--line L] [--show HALF]`.

Both development vaults and the memory sets, as an import distils them. Two kinds of pairs are labelled by hand and kept
in `bench/labels/conflicts.json` by hashes alone, without a word of the data:

near      statements of a set that share many words and differ in a number, a day, a name or a denial, as they stand
planted   a sentence of a set, and an edited one put beside it (`bench.planted_conflicts`); who labels reads both

The rule looks through each set with all that was planted in it. A labelled pair is found or not; precision is the share
of the labelled pairs found that are conflicts, recall the share of the labelled conflicts that are found. `unlabelled`
counts pairs that were found and are not labelled. The half `chosen` is what the rule was made on. The other sets were
held out first; what was planted in them then was looked at once, showed what was wrong, and is `chosen` since. So
something else was planted in them, and labelled before the rule was run on it: that is `held out`.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Final, cast

import anyio
from blake3 import blake3

from bench.corpus import read_corpora
from bench.planted_conflicts import Planted, planted
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts, open_services
from voice.core.graph.conflicts.contradictions import LINE, NEAR, near
from voice.core.graph.conflicts.pairs import Conflict, conflicts_among
from voice.core.graph.conflicts.statements import Statement, statements_of
from voice.core.graph.thoughts.distillation import distil
from voice.core.interchange.origin import Entrance
from voice.core.records import Observation, Origin
from voice.core.settings.parse import parse_settings
from voice.core.text.markup import without_markup
from voice.core.text.normalise import norm_v1
from voice.services.imports.request import ImportRequest

CHOSEN: Final = frozenset({"vault-A", "conv-26", "conv-30", "conv-41"})
"""What the rule was made on first."""
_NEAR_OF: Final = {"vault-A": 70, "vault-B": 40, "lifebench": 50}
_NEAR_OF_OTHERS: Final = 10
_PLANTED_OF: Final = 6
"""Of each kind, in each vault and in LifeBench; half of it in each conversation."""
_NOW: Final = datetime(2026, 11, 28, tzinfo=UTC)
_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two statements that somebody labels."""

    corpus: str
    kind: str
    one: str
    other: str
    key: str
    """A hash of both, whichever comes first."""
    half: str = "chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A set with what was planted in it, and the pairs that are labelled."""

    name: str
    rows: tuple[Observation, ...]
    pairs: tuple[Pair, ...]


async def corpora(data: Path) -> list[Corpus]:
    """Return the sets."""
    sets = [(vault.name, await _of_vault(vault)) for vault in sorted((data / "vaults").glob("vault-?"))]
    for path in ("locomo-dev.json", "lifebench-dev.json"):
        for corpus in read_corpora(data / "memory" / path):
            rows = [row for each in corpus.rows for row in distil(replace(each, origin=Origin.HUMAN))]
            sets.append((corpus.name if path.startswith("locomo") else "lifebench", rows))
    return [_with_planted(name, rows) for name, rows in sets]


async def _of_vault(vault: Path) -> list[Observation]:
    settings, rows, seq = parse_settings({"gate.enabled": True}, {}, {}).settings, list[Observation](), 0
    with tempfile.TemporaryDirectory(prefix="voice vault ") as passing:
        async with open_services(settings, Path(passing) / "home", Parts(embedder=HashedEmbedder())) as services:
            asked = ImportRequest(path=str(vault), entrance=Entrance.CLI, zone=UTC)
            await services.transfer.import_memory(asked)
            while page := await services.store.changes(seq, _PAGE):
                rows += [each.row for each in page if isinstance(each.row, Observation)]
                seq = page[-1].seq
    return sorted(rows, key=lambda row: (row.context_path, row.text))


def _with_planted(name: str, rows: Sequence[Observation]) -> Corpus:
    most = _PLANTED_OF if name in _NEAR_OF else _PLANTED_OF // 2
    added = planted(rows, most=most, seed=name)
    pairs = [*_near(name, rows), *(_planted_pair(name, each) for each in added)]
    if name not in CHOSEN:
        again = planted(rows, most=most, seed=f"{name} again", but={each.source for each in added})
        pairs += (replace(_planted_pair(name, each), half="held out") for each in again)
        added += again
    every = {pair.key: pair for pair in pairs}
    return Corpus(name=name, rows=(*rows, *(row for each in added for row in each.rows)), pairs=tuple(every.values()))


def _near(name: str, rows: Sequence[Observation]) -> Iterator[Pair]:
    """Yield the nearest pairs that may be told apart by what the rule looks at."""
    every = list(statements_of(rows))
    found = [(one, other) for one, other in near(every, NEAR) if _may_differ(one, other)]
    found.sort(key=lambda pair: (-_likeness(*pair), pair[0].said, pair[1].said))
    for one, other in found[: _NEAR_OF.get(name, _NEAR_OF_OTHERS)]:
        half = "chosen" if name in CHOSEN else "held out"
        key = key_of(name, one.said, other.said)
        yield Pair(corpus=name, kind="near", one=one.said, other=other.said, key=key, half=half)


def _likeness(one: Statement, other: Statement) -> float:
    return len(one.content & other.content) / len(one.content | other.content)


def _may_differ(one: Statement, other: Statement) -> bool:
    numbers = bool(one.numbers and other.numbers) and {n.value for n in one.numbers} != {n.value for n in other.numbers}
    days = bool(one.days and other.days) and one.days != other.days
    names = bool(one.names and other.names) and len(one.names ^ other.names) == 2
    return one.is_denied != other.is_denied or numbers or days or names


def _planted_pair(name: str, each: Planted) -> Pair:
    return Pair(
        corpus=name,
        kind=each.kind,
        one=each.source,
        other=each.edited,
        key=key_of(name, each.source, f"{each.kind} {each.edited}"),
    )


def key_of(corpus: str, one: str, other: str) -> str:
    """Return the hash by which a pair is known, in whichever order."""
    said = "\x00".join(sorted(map(norm_v1, (one, other))))
    return blake3(f"{corpus}\x00{said}".encode()).hexdigest(length=8)


def found_in(corpus: Corpus, line: float) -> tuple[dict[str, bool], list[Conflict]]:
    """Return which labelled pairs the rule finds, and what it finds besides."""
    conflicts = conflicts_among(corpus.rows, (), {}, now=_NOW, line=line)
    said = {frozenset((norm_v1(each.one.said), norm_v1(each.other.said))): each for each in conflicts}
    keys = {pair.key: frozenset((_plain(pair.one), _plain(pair.other))) for pair in corpus.pairs}
    labelled = set(keys.values())
    return {key: both in said for key, both in keys.items()}, [c for both, c in said.items() if both not in labelled]


def _plain(text: str) -> str:
    return norm_v1(without_markup(text))


def report(sets: Iterable[Corpus], labels: dict[str, bool], line: float) -> dict[str, object]:
    """Return the figures, by half."""
    tallies: dict[str, dict[str, list[int]]] = {}
    began, rows, unlabelled = process_time(), 0, 0
    for corpus in sets:
        hits, others = found_in(corpus, line)
        rows += len(corpus.rows)
        unlabelled += len(others)
        for pair in corpus.pairs:
            if pair.key in labels:
                kinds = ("near",) if pair.kind == "near" else ("planted", f"planted: {pair.kind}")
                for kind in kinds:
                    tally = tallies.setdefault(pair.half, {}).setdefault(kind, [0, 0, 0, 0])
                    tally[2 * labels[pair.key] + hits[pair.key]] += 1
    halves = {half: {kind: _figures(*tally) for kind, tally in some.items()} for half, some in tallies.items()}
    cost = {"rows": rows, "cpu_s": round(process_time() - began, 1)}
    return {"line": line, **halves, "unlabelled": unlabelled, "cost": cost}


def _figures(passed: int, wrong: int, missed: int, right: int) -> dict[str, object]:
    """Return precision and recall of pairs: no conflict and not found, found; conflict and not found, found."""
    found, there = wrong + right, missed + right
    return {
        "pairs": passed + found + missed,
        "conflicts": there,
        "found": found,
        "precision": round(right / found, 3) if found else None,
        "recall": round(right / there, 3) if there else None,
    }


def main() -> int:
    """Print the report as JSON, or the pairs of a half to be labelled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--labels", type=Path, default=Path(__file__).parent / "labels" / "conflicts.json")
    parser.add_argument("--line", type=float, default=LINE)
    parser.add_argument(
        "--show", choices=("chosen", "held out", "all"), help="print the pairs of a half with their labels"
    )
    asked = parser.parse_args()
    labels = cast("dict[str, bool]", json.loads(asked.labels.read_text("utf-8"))) if asked.labels.exists() else {}
    sets = anyio.run(corpora, asked.data)
    if asked.show:
        for corpus in sets:
            hits = found_in(corpus, asked.line)[0]
            for pair in corpus.pairs:
                if asked.show in ("all", pair.half):
                    told = (
                        pair.key,
                        corpus.name,
                        pair.kind,
                        labels.get(pair.key),
                        hits[pair.key],
                        pair.one,
                        pair.other,
                    )
                    sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
        return 0
    sys.stdout.write(json.dumps(report(sets, labels, asked.line), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
