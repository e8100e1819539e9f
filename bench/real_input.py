"""What comes of real input: `python -m bench.real_input --data FILE [--questions 50] [--corpus ID …] [--me NAME]`.

Every corpus of a memory-bench/1 file goes through the program's own import into a fresh store on disk, as a log that
its person vouches for (`voice import --as logged`). Then some of its questions are asked with the offline provider,
once with two sources demanded and once with one of the person's own being enough. The choice of questions is by the
hash of their ids, in turn over the categories. With `--me` they are asked once more as that person would ask them: "I",
not a name that nobody writes into their own notes. Printed are counts and times; no text of the file.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter, process_time
from typing import Final, cast

import anyio
from blake3 import blake3

from bench.report import Timings, machine, progress, table
from voice.adapters.system.clock_and_ids import SystemClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.errors import DataFileError, VoiceError
from voice.core.interchange.origin import Entrance
from voice.core.records import Observation, Thought
from voice.core.settings.parse import parse_settings
from voice.services.imports.request import ImportRequest
from voice.services.turn.ask import Ask, AskRequest, Turn

POLICIES: Final = ("off", "green")
_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and the items its answer stands in; none when it has no answer."""

    corpus: str
    id: str
    text: str
    category: str
    evidence: frozenset[str]
    """`source_ref`s, as the import writes them."""
    answer: str = ""
    """As the file has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What of a corpus is needed beside its import."""

    name: str
    items: int
    asked_at: datetime
    """The end of the last item's day."""
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of one import."""

    corpus: str
    items: int
    thoughts: int
    observations: int
    bad: int
    bad_reasons: Mapping[str, int]
    seconds: float
    cpu_seconds: float
    texts_per_second: float
    """Thoughts and observations, each encoded, a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one question under one policy."""

    category: str
    is_answerable: bool
    is_answered: bool
    reason: str | None
    held: bool
    """Some of its evidence is in the knowledge graph."""
    shown: bool
    """Some of its evidence was in the prompt."""
    cited: bool
    """Some of its evidence is among the cited sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Where the items of a file are in the store."""

    ref_of: Mapping[str, str]
    """Thought id → `source_ref`."""
    distilled: frozenset[str]
    """`source_ref`s of which the graph holds at least one observation."""


def read_corpora(path: Path, wanted: Sequence[str]) -> list[Corpus]:
    """Return the corpora of a file, or those named.

    Raises:
        DataFileError: it cannot be read, or has no such corpus.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        found = [_corpus(entry) for entry in data["corpora"] if not wanted or entry["id"] in wanted]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path} is not a memory-bench/1 file ({type(error).__name__})") from error
    if not found:
        raise DataFileError(f"{path} has no corpus called {', '.join(wanted)}")
    return found


def _corpus(entry: dict[str, object]) -> Corpus:
    name = str(entry["id"])
    items = cast("list[dict[str, str]]", entry["items"])
    last = max(item["created_at"] for item in items)
    questions = cast("list[dict[str, object]]", entry["questions"])
    return Corpus(
        name=name,
        items=len(items),
        asked_at=datetime.fromisoformat(last[:10]).replace(tzinfo=UTC) + timedelta(hours=23, minutes=59),
        questions=tuple(
            Question(
                corpus=name,
                id=str(question["id"]),
                text=str(question["question"]),
                category=str(question["category"]),
                answer=str(question.get("answer") or ""),
                evidence=frozenset(f"{name}/{ref}" for ref in cast("list[str]", question["evidence"]))
                if not question["unanswerable"]
                else frozenset(),
            )
            for question in questions
            if question["evidence"] or question["unanswerable"]
        ),
    )


def sample(questions: Iterable[Question], count: int) -> list[Question]:
    """Return `count` questions: in each category in the order of their ids' hashes, the categories in turn."""
    lines: dict[str, list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda q: blake3(f"{q.corpus}/{q.id}".encode()).hexdigest()):
        lines[question.category].append(question)
    longest = max(map(len, lines.values()), default=0)
    turns = (line[place] for place in range(longest) for _, line in sorted(lines.items()) if place < len(line))
    return list(turns)[:count]


class ClockAt(SystemClock):
    """A clock that stands at one moment; durations are real."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """Return the moment the questions are asked; durations are real."""
        return self._moment


def in_first_person(question: Question, name: str | None) -> Question:
    """Return the question as the person called `name` would ask it."""
    if name is None:
        return question
    text = question.text.replace(f"{name}'s", "my").replace(f"{name}’s", "my").replace(name, "I")
    return replace(question, text=text)


async def measure(path: Path, *, questions: int, corpora: Sequence[str], me: str | None = None) -> dict[str, object]:
    """Return the report on a file."""
    found = read_corpora(path, corpora)
    chosen = sample((question for corpus in found for question in corpus.questions), questions)
    voices = {"": None} if me is None else {"": None, ", in the first person": me}
    imports: list[Imported] = []
    outcomes: dict[str, list[Outcome]] = {f"{policy}{voice}": [] for voice in voices for policy in POLICIES}
    cpu = Timings()
    for corpus in found:
        own = [question for question in chosen if question.corpus == corpus.name]
        with tempfile.TemporaryDirectory() as passing:
            settings = parse_settings({"gate.enabled": True, "llm.provider": "extractive"}, {}, {}).settings
            parts = Parts(clock=ClockAt(corpus.asked_at))
            async with open_services(settings, Path(passing) / "home", parts) as services:
                imports.append(await import_corpus(services, path, corpus))
                held = await find_held(services)
                for policy, (voice, name) in product(POLICIES, voices.items()):
                    ask = with_policy(services.makers.ask(), policy)
                    for question in progress(own, f"asking {corpus.name}, one source {policy}{voice}"):
                        asked = in_first_person(question, name)
                        outcomes[f"{policy}{voice}"].append(await _ask(ask, asked, held, cpu))
    return {
        "file": path.name,
        "questions": len(chosen),
        "import": [asdict(each) for each in imports],
        "policies": {policy: _summary(some) for policy, some in outcomes.items()},
        "cpu_ms": cpu.summary(),
        "machine": machine(),
    }


async def import_corpus(services: Services, path: Path, corpus: Corpus) -> Imported:
    """Take one corpus in as a log that its person vouches for."""
    shown = sys.stderr.isatty()

    def tell(done: int, total: int | None) -> None:
        if shown:
            print(f"\rimporting {corpus.name} {done}/{total}", end="", file=sys.stderr, flush=True)

    wall, cpu = perf_counter(), process_time()
    request = ImportRequest(path=str(path), entrance=Entrance.CLI, zone=UTC, corpus=corpus.name, vouched=True)
    report = await services.transfer.import_memory(request, storing=tell)
    await services.index.refresh()
    seconds = perf_counter() - wall
    if shown:
        print(file=sys.stderr)
    texts = len(report.ingested.stored) + report.ingested.observations
    return Imported(
        corpus=corpus.name,
        items=corpus.items,
        thoughts=len(report.ingested.stored),
        observations=report.ingested.observations,
        bad=len(report.bad),
        bad_reasons=dict(Counter(line.reason for line in report.bad)),
        seconds=round(seconds, 1),
        cpu_seconds=round(process_time() - cpu, 1),
        texts_per_second=round(texts / seconds, 1),
    )


async def find_held(services: Services) -> Held:
    """Return which items are in the store, and which of them the graph knows."""
    refs: dict[str, str] = {}
    behind: set[str] = set()
    seq = 0
    while page := await services.store.changes(seq, _PAGE):
        for change in page:
            if isinstance(change.row, Thought) and change.row.source_ref:
                refs[change.row.id] = change.row.source_ref
            elif isinstance(change.row, Observation):
                behind |= {origin.thought_id for origin in change.row.provenance}
        seq = page[-1].seq
    return Held(ref_of=refs, distilled=frozenset(refs[thought] for thought in behind if thought in refs))


def with_policy(ask: Ask, single_source: str) -> Ask:
    """Return the same service under another rule of how many sources are enough."""
    policy = replace(ask.settings.grounding, single_source=single_source)
    return replace(ask, settings=replace(ask.settings, grounding=policy))


async def _ask(ask: Ask, question: Question, held: Held, cpu: Timings) -> Outcome:
    start = process_time()
    turn = await ask(AskRequest(question=question.text, new_topic=question.id))
    cpu.ms.append(1000 * (process_time() - start))
    exchange = turn.exchange
    cited = {citation.source_id for citation in exchange.sources}
    return Outcome(
        category=question.category,
        is_answerable=bool(question.evidence),
        is_answered=exchange.status == "answered",
        reason=None if exchange.reason is None else exchange.reason.value,
        held=bool(question.evidence & held.distilled),
        shown=bool(question.evidence & _refs(turn, None, held)),
        cited=bool(question.evidence & _refs(turn, cited, held)),
    )


def _refs(turn: Turn, row_ids: set[str] | None, held: Held) -> set[str]:
    """Return the items behind the rows of the prompt, or behind those of `row_ids`."""
    rows = turn.plan.evidence if turn.plan else ()
    return {
        held.ref_of[thought]
        for row in rows
        if row_ids is None or row.row_id in row_ids
        for thought in row.thought_ids
        if thought in held.ref_of
    }


def _summary(outcomes: Sequence[Outcome]) -> dict[str, object]:
    categories = sorted({outcome.category for outcome in outcomes})
    return {
        "answerable": _counted([outcome for outcome in outcomes if outcome.is_answerable]),
        "unanswerable": _counted([outcome for outcome in outcomes if not outcome.is_answerable]),
        "by_category": {name: _counted([o for o in outcomes if o.category == name]) for name in categories},
    }


def _counted(outcomes: Sequence[Outcome]) -> dict[str, object]:
    return {
        "questions": len(outcomes),
        "answered": sum(outcome.is_answered for outcome in outcomes),
        "evidence_held": sum(outcome.held for outcome in outcomes),
        "evidence_shown": sum(outcome.shown for outcome in outcomes),
        "evidence_cited": sum(outcome.cited and outcome.is_answered for outcome in outcomes),
        "refused": dict(sorted(Counter(outcome.reason for outcome in outcomes if outcome.reason).items())),
    }


def _as_table(report: dict[str, object]) -> str:
    imports = cast("list[dict[str, object]]", report["import"])
    heads = ["corpus", "items", "thoughts", "observations", "bad", "seconds", "texts/s"]
    keys = ("corpus", "items", "thoughts", "observations", "bad", "seconds", "texts_per_second")
    lines = [table(heads, [[str(entry[key]) for key in keys] for entry in imports])]
    for policy, summary in cast("dict[str, dict[str, dict[str, object]]]", report["policies"]).items():
        groups = {**{k: v for k, v in summary.items() if k != "by_category"}, **summary["by_category"]}
        rows = [[name, *map(str, cast("dict[str, object]", group).values())] for name, group in groups.items()]
        lines.append(table([f"one source {policy}", "asked", "answered", "held", "shown", "cited", "refused"], rows))
    return "\n\n".join([*lines, f"processor ms a turn: {report['cpu_ms']}, {report['machine']}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.real_input", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file")
    parser.add_argument("--questions", type=int, default=50, help="how many to ask")
    parser.add_argument("--corpus", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--me", help="the person whose memory it is: asks in the first person, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        asked = partial(measure, questions=options.questions, corpora=options.corpus, me=options.me)
        run = anyio.run(asked, options.data)
    except VoiceError as error:
        print(f"bench.real_input: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(run, indent=1) if options.json else _as_table(run))
    return 0


if __name__ == "__main__":
    sys.exit(main())
