"""What comes of questions that have no answer: `python -m bench.answerability --data FILE [--limit N] [--json]`.

Every corpus of a memory-bench/1 file goes through the program's own import into a fresh store; its questions go through
whole turns (retrieval, context, draft, judgement), once with two sources demanded and once with one of the person's own
being enough. `false_answer_rate` is the share of unanswerable questions that were answered, `refusal_rate` that of
answerable ones that were not, by how many items hold the answer; `correct` is how many of the answered answerable ones
cite one of those items. `retrieved` is the same over questions of which such an item was in the prompt, `by_corpus`
that for each corpus. The curve of risk and coverage adds a line under which nothing is answered: share of all questions
answered, and share of those answers that are wrong (an unanswerable question, or nothing cited that holds the answer).
With `--provider litellm` a model writes the drafts.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import process_time
from typing import Final, Literal, cast

import anyio

from bench.report import Timings, machine, progress, table
from bench.retrieval import encoded
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.adapters.system.clock_and_ids import SystemClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.answering.answer_rules import CONVERSATION_WEIGHTS, conversation_features, weighted_sum
from voice.core.errors import DataFileError, VoiceError
from voice.core.grounding.extractive.question_fit import EvidenceFit
from voice.core.interchange.origin import Entrance
from voice.core.records import Thought
from voice.core.settings.parse import parse_settings
from voice.ports.search_index import Embedder
from voice.services.imports.request import ImportRequest
from voice.services.turn.ask import Ask, AskRequest, Turn

SingleSource = Literal["off", "green"]
POLICIES: Final[tuple[SingleSource, ...]] = ("off", "green")
_PAGE: Final = 1_000
_MOST_GOLD: Final = 4
_POINTS: Final = (-1.0, -0.5, -0.2, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its label."""

    text: str
    category: str
    is_answerable: bool
    gold: frozenset[str]
    """`source_ref`s of the items its answer, or what is like one, stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """One memory and what is asked of it."""

    name: str
    asked_at: datetime
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one question."""

    question: Question
    corpus: str
    reason: str | None
    """Why it was refused; None when it was answered."""
    is_retrieved: bool
    is_correct: bool
    score: float
    """What spoke for an answer before the draft."""

    @property
    def is_answered(self) -> bool:
        """Whether an answer was given."""
        return self.reason is None


@dataclass(frozen=True, slots=True)
class CachedEmbedder:
    """The program's own encoder; what `cache` knows is not encoded again."""

    inner: Embedder
    cache: Path | None

    @property
    def provider(self) -> str:
        """As the encoder's."""
        return self.inner.provider

    @property
    def model(self) -> str:
        """As the encoder's."""
        return self.inner.model

    @property
    def dim(self) -> int:
        """As the encoder's."""
        return self.inner.dim

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text."""
        if self.cache is None:
            return await self.inner.embed(texts)
        known = await encoded(texts, self.inner, "texts", self.cache)
        return [known[text] for text in texts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to measure, and with whom."""

    data: Path
    limit: int | None = None
    seed: int = 0
    cache: Path | None = None
    provider: str = "extractive"
    model: str | None = None
    api_base: str | None = None


class AskedAt(SystemClock):
    """A clock that stands where the questions are asked."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """Return the moment the questions are asked; durations are real."""
        return self._moment


def read_corpora(options: Options) -> list[Corpus]:
    """Return the corpora of a file with the questions that are to be asked.

    Raises:
        DataFileError: it cannot be read or is not of the format.
    """
    try:
        data = cast("dict[str, object]", json.loads(options.data.read_text("utf-8")))
        corpora = [_corpus(entry) for entry in cast("list[dict[str, object]]", data["corpora"])]
    except OSError as error:
        raise DataFileError(f"{options.data} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{options.data} is not a memory-bench/1 file ({type(error).__name__})") from error
    every = [question for corpus in corpora for question in corpus.questions]
    if options.limit is None or options.limit >= len(every):
        return corpora
    places = set(random.Random(options.seed).sample(range(len(every)), options.limit))
    chosen = {id(question) for place, question in enumerate(every) if place in places}
    return [replace(one, questions=tuple(q for q in one.questions if id(q) in chosen)) for one in corpora]


def _corpus(entry: dict[str, object]) -> Corpus:
    name = str(entry["id"])
    last = max(str(item["created_at"]) for item in cast("list[dict[str, object]]", entry["items"]))
    return Corpus(
        name=name,
        asked_at=datetime.fromisoformat(last[:10]).replace(tzinfo=UTC) + timedelta(hours=23, minutes=59),
        questions=tuple(
            Question(
                text=str(one["question"]),
                category=str(one["category"]),
                is_answerable=not one["unanswerable"],
                gold=frozenset(f"{name}/{ref}" for ref in cast("list[object]", one["evidence"] or [])),
            )
            for one in cast("list[dict[str, object]]", entry["questions"])
        ),
    )


async def measure(options: Options) -> dict[str, object]:
    """Return the report on a file."""
    outcomes: dict[SingleSource, list[Outcome]] = {policy: [] for policy in POLICIES}
    cpu = Timings()
    flags: dict[str, object] = {"gate.enabled": True, "llm.provider": options.provider}
    flags |= {"llm.model": options.model} if options.model else {}
    flags |= {"llm.api_base": options.api_base} if options.api_base else {}
    settings = parse_settings(flags, {}, {}).settings
    embedder = CachedEmbedder(MiniLmEmbedder(), options.cache)
    for corpus in read_corpora(options):
        if not corpus.questions:
            continue
        with tempfile.TemporaryDirectory() as passing:
            parts = Parts(clock=AskedAt(corpus.asked_at), embedder=embedder)
            async with open_services(settings, Path(passing) / "home", parts) as services:
                refs = await filled(services, options.data, corpus)
                for policy in POLICIES:
                    ask = _with_policy(services.makers.ask(), policy)
                    for question in progress(corpus.questions, f"asking {corpus.name}, one source {policy}"):
                        outcomes[policy].append(await _ask(ask, corpus.name, question, refs, cpu))
    return _report(options, outcomes, cpu)


async def filled(services: Services, path: Path, corpus: Corpus) -> dict[str, str]:
    """Import a corpus and return the `source_ref` of each of its thoughts."""
    request = ImportRequest(path=str(path), entrance=Entrance.CLI, zone=UTC, corpus=corpus.name, vouched=True)
    await services.transfer.import_memory(request)
    await services.index.refresh()
    refs: dict[str, str] = {}
    seq = 0
    while page := await services.store.changes(seq, _PAGE):
        refs |= {one.row.id: one.row.source_ref for one in page if isinstance(one.row, Thought) and one.row.source_ref}
        seq = page[-1].seq
    return refs


def _with_policy(ask: Ask, single_source: SingleSource) -> Ask:
    policy = replace(ask.settings.grounding, single_source=single_source)
    return replace(ask, settings=replace(ask.settings, grounding=policy))


async def _ask(ask: Ask, corpus: str, question: Question, refs: dict[str, str], cpu: Timings) -> Outcome:
    start = process_time()
    turn = await ask(AskRequest(question=question.text, new_topic="a question"))
    cpu.ms.append(1000 * (process_time() - start))
    exchange = turn.exchange
    cited = {citation.source_id for citation in exchange.sources}
    return Outcome(
        question=question,
        corpus=corpus,
        reason=None if exchange.status == "answered" else str(exchange.reason or exchange.status),
        is_retrieved=bool(question.gold & _behind(turn, refs, None)),
        is_correct=question.is_answerable and bool(question.gold & _behind(turn, refs, cited)),
        score=_score(turn, question),
    )


def _behind(turn: Turn, refs: dict[str, str], row_ids: set[str] | None) -> set[str]:
    """Return the items behind the rows of the prompt, or behind those of `row_ids`."""
    rows = turn.plan.evidence if turn.plan else ()
    shown = [row for row in rows if row_ids is None or row.row_id in row_ids]
    return {refs[thought] for row in shown for thought in row.thought_ids if thought in refs}


def _score(turn: Turn, question: Question) -> float:
    evidence = turn.plan.evidence if turn.plan else ()
    text = turn.parsed.untimed if turn.parsed else question.text
    return weighted_sum(CONVERSATION_WEIGHTS, conversation_features(text, EvidenceFit.of(text, evidence)))


def _report(options: Options, outcomes: dict[SingleSource, list[Outcome]], cpu: Timings) -> dict[str, object]:
    retrieved: dict[SingleSource, list[Outcome]] = {}
    for policy, some in outcomes.items():
        retrieved[policy] = [one for one in some if one.is_retrieved]
    return {
        "file": options.data.name,
        "provider": options.provider,
        "questions": len(outcomes["off"]),
        **_rates(outcomes),
        "retrieved": _rates(retrieved),
        "by_corpus": _by_corpus(retrieved),
        "by_category": _by_category(outcomes),
        "reasons": {policy: _reasons(some) for policy, some in outcomes.items()},
        "risk_coverage": {policy: _curve(some) for policy, some in outcomes.items()},
        "cpu_ms": cpu.summary(),
        "machine": machine(),
    }


def _rates(outcomes: dict[SingleSource, list[Outcome]]) -> dict[str, object]:
    return {
        "false_answer_rate": {
            policy: _share(some, lambda one: not one.question.is_answerable, lambda one: one.is_answered)
            for policy, some in outcomes.items()
        },
        "refusal_rate": {policy: _refusals(some) for policy, some in outcomes.items()},
        "correct": {
            policy: _share(some, lambda one: one.question.is_answerable and one.is_answered, lambda one: one.is_correct)
            for policy, some in outcomes.items()
        },
    }


def _by_corpus(retrieved: dict[SingleSource, list[Outcome]]) -> dict[str, object]:
    """Return the rates of each corpus over the questions whose evidence was in the prompt."""
    names = dict.fromkeys(one.corpus for one in retrieved["green"])
    return {
        name: _rates({policy: [one for one in some if one.corpus == name] for policy, some in retrieved.items()})
        for name in names
    }


def _refusals(some: Sequence[Outcome]) -> dict[str, object]:
    """Return the share refused of the answerable questions: of all, and by how many items hold the answer."""
    answerable = [one for one in some if one.question.is_answerable]
    groups = {"all": answerable}
    for count in range(1, _MOST_GOLD + 1):
        name = f"{count}+" if count == _MOST_GOLD else str(count)
        groups[name] = [one for one in answerable if min(len(one.question.gold), _MOST_GOLD) == count]
    return {name: _share(group, lambda _: True, lambda one: not one.is_answered) for name, group in groups.items()}


def _by_category(outcomes: dict[SingleSource, list[Outcome]]) -> dict[str, object]:
    categories = sorted({one.question.category for one in outcomes["off"]})
    return {
        name: {
            policy: _share(some, lambda one, name=name: one.question.category == name, lambda one: not one.is_answered)
            for policy, some in outcomes.items()
        }
        for name in categories
    }


def _reasons(some: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    return {
        name: dict(Counter(one.reason for one in some if one.reason and one.question.is_answerable is answerable))
        for name, answerable in (("answerable", True), ("unanswerable", False))
    }


def _curve(some: Sequence[Outcome]) -> list[dict[str, float | None]]:
    """Return how much is answered, and how much of that is wrong, by the line under which nothing is answered."""
    points: list[dict[str, float | None]] = []
    for line in _POINTS:
        given = [one for one in some if one.is_answered and one.score >= line]
        wrong = sum(not one.is_correct for one in given)
        points.append({"threshold": line, "answered": _rate(len(given), len(some)), "wrong": _rate(wrong, len(given))})
    return points


def _share(
    some: Iterable[Outcome], among: Callable[[Outcome], bool], holds: Callable[[Outcome], bool]
) -> dict[str, float | int | None]:
    group = [one for one in some if among(one)]
    return {"rate": _rate(sum(map(holds, group)), len(group)), "n": len(group)}


def _rate(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _as_table(report: dict[str, object]) -> str:
    rows: list[list[str]] = []
    for name, part in (("all", report), ("evidence retrieved", cast("dict[str, object]", report["retrieved"]))):
        rates = cast("dict[str, dict[str, dict[str, object]]]", part)
        for policy in POLICIES:
            refusals = cast("dict[str, dict[str, object]]", rates["refusal_rate"][policy])
            cells = [
                rates["false_answer_rate"][policy],
                *refusals.values(),
                rates["correct"][policy],
            ]
            rows.append([f"{name}, one source {policy}", *(f"{cell['rate']} ({cell['n']})" for cell in cells)])
    heads = ["", "false answers", "refused", "1 item", "2", "3", "4+", "correct"]
    return f"{table(heads, rows)}\nprocessor ms a turn: {report['cpu_ms']}, {report['machine']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.answerability", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file")
    parser.add_argument("--limit", type=int, help="ask only so many questions, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="what the draw depends on")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in, by the hash of model and text")
    parser.add_argument("--provider", default="extractive", help="who writes the drafts")
    parser.add_argument("--model", help="the model of that provider")
    parser.add_argument("--api-base", help="where that provider listens")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = vars(parser.parse_args(arguments))
    as_json = given.pop("json")
    try:
        options = Options(**given)
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        report = anyio.run(partial(measure, options))
    except VoiceError as error:
        print(f"bench.answerability: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(report, indent=1) if as_json else _as_table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
