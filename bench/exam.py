"""Whether `voice eval` ranks settings as gold does: `python -m bench.exam --data FILE [--settings …] [--json]`.

Every corpus of a memory-bench/1 file goes through the program's own import into a fresh store. Under each setting,
`voice eval` asks its own questions of it (`--exam` a corpus), which know nothing of the file's; then the file's
questions are asked in whole turns (`--gold` of all, drawn at random, the unanswerable ones among them).
Right is, in the exam, what `voice eval` calls right; by gold, an answer that cites an item which the file names as its
evidence, and a refusal where the file says that there is no answer. `pairs` says how many pairs of settings both order
alike (equal is an order, too), `agrees` whether that is all of them, and `chance` how often the ranking by gold is
another one when its questions are drawn again.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Final, cast

import anyio

from bench.answerability import AskedAt, CachedEmbedder, Corpus, Options, Question, filled, read_corpora
from bench.report import machine, progress, table
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.bootstrap import Parts, Services, open_services
from voice.core.errors import VoiceError
from voice.core.exam.results import KINDS, KindTally, Mark
from voice.core.settings.parse import parse_settings
from voice.services.maintenance.exam import RunExam
from voice.services.turn.ask import Ask, AskRequest

_ALWAYS: Final[Mapping[str, object]] = {"gate.enabled": True, "llm.provider": "extractive", "nlq.timeout_ms": 600_000}
SETTINGS: Final[Mapping[str, Mapping[str, object]]] = {
    "words": {"embed.provider": "hash", "retrieve.reranker": "none", "grounding.single_source": "green"},
    "both": {"retrieve.reranker": "none", "grounding.single_source": "green"},
    "reranked": {"retrieve.reranker": "auto", "grounding.single_source": "green"},
    "three_sources": {"retrieve.reranker": "none", "grounding.single_source": "off", "grounding.min_sources": 3},
    "five_sources": {"retrieve.reranker": "none", "grounding.single_source": "off", "grounding.min_sources": 5},
}
"""Found by words alone; by words and vectors; the same, read by the re-ranker that is installed; and where three or
five sources have to bear an answer, not one."""
_DRAWS: Final = 2_000


@dataclass(slots=True, kw_only=True)
class Found:
    """What came of one setting."""

    marks: list[Mark] = field(default_factory=list[Mark])
    gold: list[tuple[bool, bool]] = field(default_factory=list[tuple[bool, bool]])
    """Of each question of the file, whether it can be answered and whether it came out right."""
    cpu_s: float = 0.0

    @property
    def exam_share(self) -> float:
        """What `voice eval` gives."""
        return KindTally.of(self.marks).share

    @property
    def gold_share(self) -> float:
        """What gold gives."""
        return sum(right for _, right in self.gold) / len(self.gold)

    def as_json(self) -> dict[str, object]:
        """Return the figures."""
        return {
            "exam": round(self.exam_share, 4),
            "gold": round(self.gold_share, 4),
            "exam_by_kind": {kind: _tally([mark for mark in self.marks if mark.kind == kind]) for kind in KINDS},
            "gold_answerable_right": _share([right for can, right in self.gold if can]),
            "gold_unanswerable_refused": _share([right for can, right in self.gold if not can]),
            "cpu_s": round(self.cpu_s, 1),
        }


def _tally(marks: Sequence[Mark]) -> dict[str, int]:
    told = KindTally.of(marks)
    return {
        "asked": told.asked,
        "right": told.right,
        "wrong": told.wrong,
        "needlessly_refused": told.needlessly_refused,
    }


def _share(right: Sequence[bool]) -> dict[str, float | int | None]:
    return {"share": round(sum(right) / len(right), 4) if right else None, "n": len(right)}


async def measure(options: Options, exam: int, names: Sequence[str]) -> dict[str, object]:
    """Return the report on a file, under the settings of these names."""
    found, seed = {name: Found() for name in names}, options.seed
    for corpus in read_corpora(options):
        with tempfile.TemporaryDirectory(prefix="voice exam ") as passing:
            for name in names:
                chosen = SETTINGS[name]
                home = Path(passing) / str(chosen.get("embed.provider", "local"))
                settings = parse_settings({**_ALWAYS, **chosen}, {}, {}).settings
                embedder = None if "embed.provider" in chosen else CachedEmbedder(MiniLmEmbedder(), options.cache)
                parts = Parts(clock=AskedAt(corpus.asked_at), embedder=embedder)
                async with open_services(settings, home, parts) as services:
                    await _of_corpus(services, options.data, corpus, found[name], (exam, seed), name)
    return report_on(found, seed=seed) | {"file": options.data.name, "machine": machine()}


async def _of_corpus(
    services: Services, path: Path, corpus: Corpus, found: Found, chosen: tuple[int, int], name: str
) -> None:
    refs = await filled(services, path, corpus)
    start = process_time()
    examining: RunExam = services.makers.examining()
    prepared = await examining.prepare(chosen[0], seed=chosen[1])
    found.marks += (await examining(prepared)).run.marks
    for question in progress(corpus.questions, f"{corpus.name}, {name}"):
        found.gold.append((question.is_answerable, await _is_right(examining.ask, question, refs)))
    found.cpu_s += process_time() - start


async def _is_right(ask: Ask, question: Question, refs: Mapping[str, str]) -> bool:
    turn = await ask(AskRequest(question=question.text, new_topic="a question"))
    if turn.exchange.status != "answered":
        return not question.is_answerable
    cited = {citation.source_id for citation in turn.exchange.sources}
    rows = turn.plan.evidence if turn.plan else ()
    items = {refs[each] for row in rows if row.row_id in cited for each in row.thought_ids if each in refs}
    return question.is_answerable and bool(items & question.gold)


def report_on(found: Mapping[str, Found], *, seed: int) -> dict[str, object]:
    """Return the figures of all settings, and whether both rank them alike."""
    by_exam = {name: one.exam_share for name, one in found.items()}
    by_gold = {name: one.gold_share for name, one in found.items()}
    ranked = ranking(by_gold)
    pairs = list(combinations(found, 2))
    alike = sum(_order(by_exam, *pair) == _order(by_gold, *pair) for pair in pairs)
    drawn = random.Random(seed)
    size = len(next(iter(found.values())).gold)
    others = 0
    for _ in range(_DRAWS):
        places = drawn.choices(range(size), k=size)
        again = {name: sum(one.gold[place][1] for place in places) / size for name, one in found.items()}
        others += ranking(again) != ranked
    return {
        "settings": {name: one.as_json() for name, one in found.items()},
        "exam_questions": len(next(iter(found.values())).marks),
        "gold_questions": size,
        "ranking_by_exam": ranking(by_exam),
        "ranking_by_gold": ranked,
        "agrees": alike == len(pairs),
        "pairs": f"{alike} of {len(pairs)}",
        "chance": round(others / _DRAWS, 3),
    }


def _order(shares: Mapping[str, float], one: str, other: str) -> int:
    """Return which of two has more: 1 the one, -1 the other, 0 neither."""
    return (shares[one] > shares[other]) - (shares[one] < shares[other])


def ranking(shares: Mapping[str, float]) -> list[str]:
    """Return the names, the best first."""
    return sorted(shares, key=lambda name: (-shares[name], name))


def _as_table(report: Mapping[str, object]) -> str:
    settings = cast("Mapping[str, Mapping[str, object]]", report["settings"])
    rows = [[name, f"{one['exam']}", f"{one['gold']}"] for name, one in settings.items()]
    heads = ["setting", "exam", "gold"]
    agrees = "alike" if report["agrees"] else "differently"
    return f"{table(heads, rows)}\nboth rank them {agrees}; {report['exam_questions']} and {report['gold_questions']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.exam", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file")
    parser.add_argument("--exam", type=int, default=50, help="questions that `voice eval` makes of each corpus (50)")
    parser.add_argument("--gold", type=int, help="only so many of the file's questions, drawn at random")
    parser.add_argument("--settings", nargs="+", choices=list(SETTINGS), default=list(SETTINGS), help="which (all)")
    parser.add_argument("--seed", type=int, default=0, help="what both draws depend on")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in, by the hash of model and text")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    try:
        options = Options(data=given.data, limit=given.gold, seed=given.seed, cache=given.cache)
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        report = anyio.run(partial(measure, options, given.exam, given.settings))
    except VoiceError as error:
        print(f"bench.exam: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(report, indent=1) if given.json else _as_table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
